//! [`CompiledFlow`]: a flow, with everything that can be determined before the run.
//!
//! The origin that a step's requests go to, the variables it uses, the parts of an answer it needs, the order in which
//! variables are drawn: each is computed once, so that an exchange finds them by index.

use super::check::Check;
use super::control::Control;
use super::counters::{CODE_PAUSE, Tallies};
use super::drawing_order::{VariableCycle, drawing_order};
use super::extract::Extract;
use super::page_step::PageStep;
use super::pause::Pause;
use super::plan::{ExchangeStep, Flow, Payload, Scenario, Step};
use super::source::{Renewal, Source};
use super::step_id::StepId;
use brunt_feed::{Hole, Text, TextPiece};
use brunt_flow_page::PageQuery;
use brunt_http_driver::response::Wanted;
use brunt_http_driver::{Network, Origin, UrlError};
use std::sync::Arc;
use std::time::Duration;

/// A flow, compiled.
#[derive(Debug)]
pub struct CompiledFlow {
    flow: Flow,
    network: Arc<Network>,
    tallies: Tallies,
    infos: Vec<Vec<StepInfo>>,
    /// The first and the last exchange of each scenario.
    ends: Vec<(usize, usize)>,
    /// The variables in the order in which they are drawn, each after those it is composed of, and when they are
    /// renewed.
    order: Vec<(Hole, Renewal)>,
    /// The variables whose values are secrets.
    secrets: Vec<Hole>,
    renews_by_exchange: bool,
    firsts: Vec<StepId>,
    /// Whether a pause lies between two exchanges of any scenario.
    pauses_inside: bool,
    /// Whether the way through any scenario depends on more than failures.
    steered: bool,
    /// The variables whose extracted values expire.
    expiring: Vec<Hole>,
    /// The number of the pauses before one-time passwords among the counters, if any variable is one.
    code_pause: Option<usize>,
    /// The variables that get values from answers.
    extracted: Vec<Hole>,
    /// Those whose values requests carry.
    carried: Vec<Hole>,
}

/// What is known about a step.
#[derive(Debug)]
pub(super) enum StepInfo {
    /// A pause, with its number among the counters.
    Pause(usize),
    /// What decides which step comes next; with the number of its pause, if it has one.
    Control(usize),
    /// An exchange.
    Exchange(ExchangeInfo),
}

/// What is known about an exchange.
#[derive(Debug, Default)]
pub(super) struct ExchangeInfo {
    /// The parts of the answer that it needs.
    pub(super) wanted: Wanted,
    /// The variables it uses, including those that other variables are composed of.
    pub(super) uses: Vec<Hole>,
    /// The variables with values from answers that it sends in fields or in its body.
    pub(super) carries: Vec<Hole>,
    /// The variables without which it is skipped. For a variable that is renewed for each exchange, these are the
    /// extracted values that it is composed of.
    pub(super) needs: Vec<Hole>,
    /// Whether its request never changes.
    pub(super) constant: bool,
    /// Whether only the code of its answer is looked at.
    pub(super) is_unexamined: bool,
    /// The origin of its URL, if that is always the same, and the offset in the URL at which the path begins.
    pub(super) origin: Option<(Arc<Origin>, usize)>,
    /// What later steps of the scenario may need of its answer as a page.
    pub(super) page: Option<Arc<PageQuery>>,
    /// The number of the selector that it uses itself, in the query of its scenario.
    pub(super) selector: Option<usize>,
}

/// Why a flow cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// Variables that are composed of each other.
    #[error(transparent)]
    Cycle(#[from] VariableCycle),
    /// A URL that cannot be used.
    #[error("find where the step '{step}' goes: failed to {source}")]
    Url {
        /// The step.
        step: String,
        /// What is wrong with it.
        source: UrlError,
    },
}

impl CompiledFlow {
    /// Determines what can be known about a flow. Resolves the names of all servers that do not depend on a variable.
    pub fn new(flow: Flow, network: Arc<Network>) -> Result<Self, CompileError> {
        let tallies = Tallies::new(&flow);
        let order = drawing_order(&flow.variables)?;
        let by_exchange =
            |renewal| matches!(renewal, Renewal::Exchange | Renewal::AfterUse | Renewal::Use);
        let renews_by_exchange = order.iter().any(|(_, renewal)| by_exchange(*renewal));
        let holes = (0..).map(Hole).zip(&flow.variables).map(|(hole, _)| hole);
        let secrets = holes.filter(|hole| flow.is_secret(*hole)).collect();
        let mut compiled = Self {
            secrets,
            infos: Vec::new(),
            ends: flow.scenarios.iter().map(ends).collect(),
            expiring: extracts(&flow)
                .filter(|one| one.expires.is_some())
                .map(|one| one.into)
                .collect(),
            extracted: extracts(&flow).map(|one| one.into).collect(),
            carried: Vec::new(),
            code_pause: tallies.pause_named(CODE_PAUSE).filter(|_| flow.has_codes()),
            steered: flow.scenarios.iter().any(Scenario::is_steered),
            flow,
            network,
            tallies,
            order,
            renews_by_exchange,
            firsts: Vec::new(),
            pauses_inside: false,
        };
        compiled.pauses_inside = compiled.has_pauses_inside();
        compiled.infos = compiled.collect_infos()?;
        let carried = compiled.infos.iter().flatten().filter_map(|info| match info {
            StepInfo::Exchange(info) => Some(&info.carries),
            StepInfo::Pause(_) | StepInfo::Control(_) => None,
        });
        compiled.carried = carried.flatten().copied().collect();
        compiled.firsts = compiled.find_firsts();
        Ok(compiled)
    }

    /// The flow.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The network settings for HTTP servers.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The position of each count among the tallies of a run.
    pub fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    /// The steps that an arrival may begin with; of those that share an origin, or LDAP or DHCP, only one.
    pub(super) fn firsts(&self) -> &[StepId] {
        &self.firsts
    }

    pub(super) fn drawing_order(&self) -> &[(Hole, Renewal)] {
        &self.order
    }

    pub(super) fn secrets(&self) -> &[Hole] {
        &self.secrets
    }

    pub(super) fn renews_by_exchange(&self) -> bool {
        self.renews_by_exchange
    }

    /// The exchange of a step, if it is one.
    pub(super) fn act(&self, id: StepId) -> Option<(&ExchangeStep, &ExchangeInfo)> {
        match (&self.flow.scenarios[id.scenario].steps[id.step], &self.infos[id.scenario][id.step])
        {
            (Step::Exchange(act), StepInfo::Exchange(info)) => Some((act, info)),
            _ => None,
        }
    }

    /// The first and the last step of a scenario that are exchanges.
    pub(super) fn ends(&self, scenario: usize) -> (usize, usize) {
        self.ends[scenario]
    }

    /// The number of a pause among the counters.
    pub(super) fn pause(&self, id: StepId) -> usize {
        match self.infos[id.scenario][id.step] {
            StepInfo::Pause(number) | StepInfo::Control(number) => number,
            StepInfo::Exchange(_) => usize::MAX,
        }
    }

    /// The number of a pause that is no step of its own among the counters.
    pub(super) fn pause_between(&self, pause: &Pause) -> usize {
        self.tallies.pause_named(&pause.name).unwrap_or(usize::MAX)
    }

    /// Whether the way through any scenario depends on more than failures.
    pub(super) fn is_steered(&self) -> bool {
        self.steered
    }

    /// The number of the pauses before one-time passwords among the counters, if any variable is one.
    pub(super) fn code_pause(&self) -> Option<usize> {
        self.code_pause
    }

    /// Whether any extracted value expires.
    pub(super) fn expires(&self) -> bool {
        !self.expiring.is_empty()
    }

    /// Whether any request carries the value of a variable that gets it from answers.
    pub(super) fn is_carried(&self, hole: Hole) -> bool {
        self.carried.contains(&hole)
    }

    /// The longest timeout of all exchanges; none if one has none of its own.
    pub(super) fn longest_timeout(&self) -> Option<Duration> {
        let timeouts: Option<Vec<Duration>> = acts(&self.flow).map(|act| act.timeout).collect();
        timeouts.and_then(|all| all.into_iter().max())
    }

    /// Adds a variable and those it is composed of.
    pub(super) fn made_of(&self, hole: Hole, all: &mut Vec<Hole>) {
        made_of(&self.flow, hole, all);
    }

    /// Whether the duration of an iteration differs from the duration of its work, because it contains pauses.
    pub(super) fn pauses_inside(&self) -> bool {
        self.pauses_inside
    }

    fn has_pauses_inside(&self) -> bool {
        let inside = |(scenario, (first, last)): (&Scenario, &(usize, usize))| {
            let steps = scenario.steps.get(*first..*last).unwrap_or_default();
            let steps = if scenario.is_steered() { &scenario.steps[..] } else { steps };
            steps.iter().any(Step::pauses)
        };
        self.flow.scenarios.iter().zip(&self.ends).any(inside)
    }

    fn collect_infos(&self) -> Result<Vec<Vec<StepInfo>>, CompileError> {
        let info = |step: &Step| match step {
            Step::Pause(pause) => {
                Ok(StepInfo::Pause(self.tallies.pause_named(&pause.name).unwrap_or(usize::MAX)))
            }
            Step::Exchange(act) => self.info(act).map(StepInfo::Exchange),
            Step::Control(control) => {
                let pause = match control {
                    Control::Again(repetition) => repetition.pause.as_ref(),
                    _ => None,
                };
                let number = pause.and_then(|pause| self.tallies.pause_named(&pause.name));
                Ok(StepInfo::Control(number.unwrap_or(usize::MAX)))
            }
        };
        let scenarios = self.flow.scenarios.iter().map(|scenario| {
            let mut infos: Vec<StepInfo> =
                scenario.steps.iter().map(info).collect::<Result<_, _>>()?;
            note_pages(scenario, &mut infos);
            Ok(infos)
        });
        scenarios.collect()
    }

    fn info(&self, act: &ExchangeStep) -> Result<ExchangeInfo, CompileError> {
        let mut info = ExchangeInfo {
            wanted: wanted(act),
            needs: self.needs(act),
            is_unexamined: act.is_unexamined(),
            ..ExchangeInfo::default()
        };
        let mut used: Vec<Hole> = Vec::new();
        match &act.payload {
            Payload::Http(http) => {
                info.constant = http.page.is_none()
                    && http.dpop.is_none()
                    && http.texts().all(|text| text.constant().is_some());
                info.origin = self.origin(act, &http.url)?;
                used.extend(http.texts().flat_map(Text::holes));
                let mut carried = Vec::new();
                let holes = http.carrying().flat_map(Text::holes);
                holes.for_each(|hole| made_of(&self.flow, hole, &mut carried));
                carried.retain(|hole| self.extracted.contains(hole));
                info.carries = carried;
            }
            Payload::Ldap(ldap) => used.extend(ldap.step.holes()),
            Payload::Dhcp(_) => {}
        }
        used.extend(act.checks.iter().flat_map(Check::texts).flat_map(Text::holes));
        let polled = act.poll.iter().flat_map(|poll| poll.checks());
        used.extend(polled.flat_map(Check::texts).flat_map(Text::holes));
        for hole in used {
            made_of(&self.flow, hole, &mut info.uses);
        }
        Ok(info)
    }

    fn needs(&self, act: &ExchangeStep) -> Vec<Hole> {
        let mut needs = Vec::new();
        for hole in &act.needs {
            let late = self.order.contains(&(*hole, Renewal::Exchange));
            let mut all = Vec::new();
            if late {
                made_of(&self.flow, *hole, &mut all);
            }
            let of_answer = |hole: &Hole| {
                let variable = self.flow.variables.get(usize::from(hole.0));
                variable.is_some_and(|one| matches!(one.source, Source::Answer))
            };
            all.retain(of_answer);
            if late { needs.extend(all) } else { needs.push(*hole) }
        }
        needs
    }

    /// The origin of a URL, if its first literal contains the whole authority.
    fn origin(
        &self,
        act: &ExchangeStep,
        url: &Text,
    ) -> Result<Option<(Arc<Origin>, usize)>, CompileError> {
        let Some(TextPiece::Literal(bytes)) = url.pieces().first() else { return Ok(None) };
        let after = bytes.windows(3).position(|three| three == b"://").map(|at| at + 3);
        let ends = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
        let whole = url.constant().is_some();
        if !after.is_some_and(|at| whole || bytes[at..].iter().any(ends)) {
            return Ok(None);
        }
        let found = self.network.split(bytes);
        let step = || self.flow.operations[usize::from(act.operation)].clone();
        found.map(Some).map_err(|source| CompileError::Url { step: step(), source })
    }

    fn find_firsts(&self) -> Vec<StepId> {
        let mut firsts: Vec<StepId> = Vec::new();
        for (scenario, (first, _)) in self.ends.iter().enumerate() {
            let id = StepId { scenario, step: *first };
            if !firsts.iter().any(|known| self.goes_the_same_way(*known, id)) {
                firsts.push(id);
            }
        }
        firsts
    }

    fn goes_the_same_way(&self, one: StepId, other: StepId) -> bool {
        let way = |id| self.act(id).map(|(act, info)| (&act.payload, &info.origin));
        match (way(one), way(other)) {
            (
                Some((Payload::Http(_), Some((one, _)))),
                Some((Payload::Http(_), Some((other, _)))),
            ) => Arc::ptr_eq(one, other),
            (Some((Payload::Ldap(_), _)), Some((Payload::Ldap(_), _)))
            | (Some((Payload::Dhcp(_), _)), Some((Payload::Dhcp(_), _))) => true,
            _ => false,
        }
    }
}

/// What is extracted from answers.
fn extracts(flow: &Flow) -> impl Iterator<Item = &Extract> {
    acts(flow).flat_map(|act| &act.extracts)
}

/// The exchanges of all scenarios.
fn acts(flow: &Flow) -> impl Iterator<Item = &ExchangeStep> {
    let steps = flow.scenarios.iter().flat_map(|scenario| &scenario.steps);
    steps.filter_map(|step| match step {
        Step::Exchange(act) => Some(&**act),
        Step::Pause(_) | Step::Control(_) => None,
    })
}

fn ends(scenario: &Scenario) -> (usize, usize) {
    let is_act = |step: &Step| matches!(step, Step::Exchange(_));
    let first = scenario.steps.iter().position(is_act);
    let last = scenario.steps.iter().rposition(is_act);
    (first.unwrap_or(0), last.unwrap_or(0))
}

/// Notes in the steps of a scenario what later ones need of their answers as pages, and which selector each uses. All
/// answers of a scenario are searched for the same, so that a selector has one number.
fn note_pages(scenario: &Scenario, infos: &mut [StepInfo]) {
    let mut query = PageQuery::default();
    let mut last = None;
    for (at, (step, info)) in scenario.steps.iter().zip(infos.iter_mut()).enumerate() {
        let (Step::Exchange(act), StepInfo::Exchange(info)) = (step, info) else { continue };
        let Payload::Http(http) = &act.payload else { continue };
        let number = |selectors: &mut Vec<_>, selector: &brunt_flow_page::Selector| {
            selectors.push(selector.clone());
            Some(selectors.len() - 1)
        };
        match &http.page {
            None => continue,
            Some(PageStep::Follow(selector)) => info.selector = number(&mut query.links, selector),
            Some(PageStep::Submit(submit)) => match &submit.form {
                Some(selector) => info.selector = number(&mut query.forms, selector),
                None => query.any_form = true,
            },
        }
        last = Some(at);
    }
    let Some(last) = last else { return };
    // A repetition may return to a step after others that follow it.
    let last = if scenario.is_steered() { scenario.steps.len() } else { last };
    let query = Arc::new(query);
    let mut alone_from = 0;
    for (at, (step, info)) in scenario.steps.iter().zip(&mut infos[..last]).enumerate() {
        if let Step::Control(Control::Together(together)) = step {
            alone_from = together.past;
        }
        let Step::Exchange(act) = step else { continue };
        // Of answers that come at once, none is the last page.
        if at < alone_from {
            continue;
        }
        if let (Payload::Http(_), StepInfo::Exchange(info)) = (&act.payload, info) {
            info.page = Some(Arc::clone(&query));
            info.is_unexamined = false;
            info.wanted = Wanted { fields: true, body: true, url: true, ..info.wanted };
        }
    }
}

fn wanted(act: &ExchangeStep) -> Wanted {
    let polled = act.poll.iter().flat_map(|poll| poll.checks());
    let checks = act.checks.iter().chain(polled).map(Check::wants);
    let all = checks.chain(act.extracts.iter().map(Extract::wants));
    // A demanded nonce is in a field, and the demand in another or in the body.
    let demanded = act.challenge.is_some();
    let least = Wanted { fields: demanded, body: demanded, ..Wanted::default() };
    all.fold(least, |one, other| Wanted {
        fields: one.fields || other.fields,
        body: one.body || other.body,
        url: one.url || other.url,
        ..one
    })
}

/// Adds a variable and those it is composed of.
fn made_of(flow: &Flow, hole: Hole, all: &mut Vec<Hole>) {
    if all.contains(&hole) {
        return;
    }
    all.push(hole);
    if let Some(variable) = flow.variables.get(usize::from(hole.0)) {
        let named = variable.source.texts().flat_map(Text::holes);
        named.for_each(|other| made_of(flow, other, all));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HttpExchange, Scenario, Variable};
    use brunt_http_driver::Settings;

    #[test]
    fn variables_needed_by_a_step_are_determined() {
        let text =
            |hole| Text::from_pieces([TextPiece::Hole(Hole(hole), brunt_feed::Escape::None)]);
        let variable = |name: &str, source, renewal| Variable::new(name, source, renewal);
        let variables = vec![
            variable("token", Source::Answer, Renewal::Extracted),
            variable("user", Source::User, Renewal::User),
            variable("bearer", Source::Text(text(0)), Renewal::Iteration),
            variable("name", Source::Text(text(1)), Renewal::Iteration),
        ];
        let url = Text::literal("http://127.0.0.1:9/");
        let http = HttpExchange { method: "GET".to_owned(), url, ..HttpExchange::default() };
        let mut act = ExchangeStep::new(0, Payload::Http(Box::new(http)));
        act.needs = [0, 1, 2, 3].map(Hole).into();
        let scenario = Scenario {
            name: "visit".to_owned(),
            steps: vec![Step::Exchange(Box::new(act))],
            after_failure: crate::AfterFailure::Skip,
        };
        let operations = vec!["a".to_owned()];
        let flow = Flow { variables, operations, scenarios: vec![scenario], ..Flow::default() };
        let network =
            Arc::new(Network::new(Settings::default(), &brunt_net::Network::private()).unwrap());
        let compiled = CompiledFlow::new(flow, network).unwrap();
        let (_, info) = compiled.act(StepId { scenario: 0, step: 0 }).unwrap();
        assert_eq!(info.needs, [0, 1, 0, 3].map(Hole));
    }
}
