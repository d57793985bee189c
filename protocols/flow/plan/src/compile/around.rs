//! The tables `[prepare]` and `[clean-up]`: each is compiled to a flow of its own with the variables of the load.

use std::time::Duration;

use brunt_engine::Node;
use brunt_feed::Hole;
use brunt_flow_driver::{self as flow, AfterFailure, Around, Bound, Control, Flow, Iterations};

use super::Steps;
use super::group::{Flat, Nest};
use super::parallel::texts;
use crate::key_error::KeyError;
use crate::model::{self, Each, Extracted, Plan, Step, Variable};
use crate::path::KeyPath;

/// How long it may take by default.
const WITHIN: Duration = Duration::from_secs(60);

/// The two tables of a plan.
pub(super) fn tables(plan: &Plan) -> [(&'static str, Option<&model::Around>); 2] {
    [("prepare", plan.prepare.as_deref()), ("clean-up", plan.clean_up.as_deref())]
}

/// What is done before the load and after it.
pub(super) struct Halves {
    prepare: Option<Half>,
    clean_up: Option<Half>,
}

impl Halves {
    /// The steps, to be examined together with those of the load.
    pub(super) fn scenarios(&self) -> impl Iterator<Item = &flow::Scenario> {
        self.prepare.iter().chain(&self.clean_up).map(|half| &half.scenario)
    }

    /// The flow of a load for one node, with both.
    pub(super) fn around(self, load: Flow, node: &Node) -> Flow {
        let [prepare, clean_up] =
            [self.prepare, self.clean_up].map(|half| half.map(|half| half.flow(&load, node)));
        Flow { prepare, clean_up, ..load }
    }
}

/// A table whose steps are compiled.
struct Half {
    name: &'static str,
    each: Each,
    within: Duration,
    scenario: flow::Scenario,
    operations: Vec<String>,
    spans: Vec<String>,
    groups: Vec<flow::Group>,
    branches: Vec<String>,
    choices: Vec<flow::GroupChoice>,
    bound: Bound,
}

impl Steps<'_> {
    /// Compiles both tables of a plan with these scenarios.
    pub(super) fn halves(
        &mut self,
        plan: &Plan,
        node: &Node,
        scenarios: &[flow::Scenario],
    ) -> Result<Halves, KeyError> {
        Extraction { plan, node }.check()?;
        let [prepare, clean_up] =
            tables(plan).map(|(name, table)| table.map(|table| self.half(name, table)).transpose());
        let halves = Halves { prepare: prepare?, clean_up: clean_up? };
        self.values_last(plan, halves.prepare.as_ref(), scenarios)?;
        Ok(halves)
    }

    /// Compiles a table. It has names of its own for operations and groups, since it is in no figure of the load.
    fn half(&mut self, name: &'static str, given: &model::Around) -> Result<Half, KeyError> {
        let at = KeyPath::new(name);
        let Scope { operations, spans, groups, branches, choices } = self.scope(Scope::default());
        let compiled = self.around(name, &at.key("steps"), &given.steps);
        let own = self.scope(Scope { operations, spans, groups, branches, choices });
        let (scenario, bound) = compiled?;
        let within = given.within.map_or(WITHIN, |time| time.0);
        if within.is_zero() {
            return Err(KeyError::new(&at.key("within"), "is 0, but must be more than 0"));
        }
        let Scope { operations, spans, groups, branches, choices } = own;
        let each = given.each.unwrap_or(Each::Node);
        Ok(Half {
            name,
            each,
            within,
            scenario,
            operations,
            spans,
            groups,
            branches,
            choices,
            bound,
        })
    }

    /// The steps within a group, whose outcome is that of all.
    fn around(
        &mut self,
        name: &str,
        at: &KeyPath,
        steps: &[Step],
    ) -> Result<(flow::Scenario, Bound), KeyError> {
        let leases = steps.iter().flat_map(Step::leaves).any(|step| step.dhcp.is_some());
        if leases {
            return Err(KeyError::new(at, "has a step 'dhcp', which only scenarios can have"));
        }
        let mut flat = Flat::default();
        let enter = flat.control(at, Control::Jump(0));
        let bound = self.all(at, steps, Nest::default(), &mut flat)?;
        Self::within_bounds(at, bound)?;
        if !flat.steps.iter().any(|step| matches!(step, flow::Step::Exchange(_))) {
            let what = "has no step that sends anything: add one, such as { post = \"/token\" }";
            return Err(KeyError::new(at, what));
        }
        self.spans.insert(0, name.to_owned());
        self.groups.iter_mut().for_each(|group| {
            (group.span, group.work) = (group.span + 1, group.work.map(|work| work + 1));
        });
        shift_spans(&mut flat.steps);
        self.groups.push(flow::Group { name: name.to_owned(), span: 0, work: None });
        let number = u16::try_from(self.groups.len() - 1).unwrap_or(u16::MAX);
        flat.patch(enter, Control::Enter(number));
        flat.control(at, Control::Leave);
        self.paths.extend(flat.paths);
        let after_failure = AfterFailure::Skip;
        Ok((flow::Scenario { name: name.to_owned(), steps: flat.steps, after_failure }, bound))
    }

    fn scope(&mut self, other: Scope) -> Scope {
        let own = |own: &mut Vec<_>, other| std::mem::replace(own, other);
        Scope {
            operations: own(&mut self.operations, other.operations),
            spans: own(&mut self.spans, other.spans),
            groups: std::mem::replace(&mut self.groups, other.groups),
            branches: own(&mut self.branches, other.branches),
            choices: std::mem::replace(&mut self.choices, other.choices),
        }
    }
}

/// What is numbered by name.
#[derive(Default)]
struct Scope {
    operations: Vec<String>,
    spans: Vec<String>,
    groups: Vec<flow::Group>,
    branches: Vec<String>,
    choices: Vec<flow::GroupChoice>,
}

/// Makes room for the span of all steps, which is the first.
fn shift_spans(steps: &mut [flow::Step]) {
    for step in steps {
        let flow::Step::Exchange(act) = step else { continue };
        act.retry.iter_mut().for_each(|retry| retry.span += 1);
        act.poll.iter_mut().for_each(|poll| poll.span += 1);
    }
}

impl Half {
    /// The flow for one node of a load, of which it has the variables.
    fn flow(self, load: &Flow, node: &Node) -> Box<Around> {
        let (each, users, first_user) = match self.each {
            Each::Run => (flow::Each::Run, 1, 0),
            Each::Node => (flow::Each::Node, 1, 0),
            Each::User => (flow::Each::User, load.users, load.first_user),
        };
        Box::new(Around {
            each,
            here: self.each != Each::Run || node.rank == 0,
            within: self.within,
            flow: Flow {
                scenarios: vec![self.scenario],
                variables: load.variables.clone(),
                marks: load.marks.clone(),
                own_keys: load.own_keys.clone(),
                operations: self.operations,
                spans: self.spans,
                groups: self.groups,
                branches: self.branches,
                choices: self.choices,
                bounds: vec![self.bound],
                iterations: Iterations::Each(1),
                origins: load.origins.clone(),
                seed: load.seed,
                users,
                first_user,
                ..Flow::default()
            },
        })
    }
}

/// What is known of the values that a table and the scenarios extract.
struct Extraction<'a> {
    plan: &'a Plan,
    node: &'a Node,
}

impl Extraction<'_> {
    /// Refuses values that would not be there where they are used.
    fn check(&self) -> Result<(), KeyError> {
        let prepare = self.plan.prepare.as_deref();
        let each = prepare.and_then(|table| table.each).unwrap_or(Each::Node);
        let of_prepare = extracted(&KeyPath::new("prepare"), prepare.map_or(&[], |it| &it.steps));
        let mut of_others = extracted(
            &KeyPath::new("clean-up"),
            self.plan.clean_up.as_deref().map_or(&[], |it| &it.steps),
        );
        for (index, scenario) in self.plan.scenario.iter().enumerate() {
            of_others.extend(extracted(&KeyPath::new("scenario").index(index), &scenario.steps));
        }
        for (name, at) in &of_others {
            if self.lasts(name) == Some(Extracted::Node) {
                let what = format!(
                    "gets '{name}', which is a value of all users: only steps of [prepare] can"
                );
                return Err(KeyError::new(at, what));
            }
        }
        for (name, at) in &of_prepare {
            self.suits(name, at, each)?;
        }
        if let Some(table) = prepare {
            self.refuse_expiry(&KeyPath::new("prepare"), &table.steps)?;
        }
        for (name, _) in self.plan.variables.iter() {
            let missing = !of_prepare.iter().any(|(known, _)| known == name);
            if missing && self.lasts(name) == Some(Extracted::Node) {
                let what = "is \"node\", but no step of [prepare] extracts it";
                return Err(KeyError::new(
                    &KeyPath::new("variables").key(name).key("extracted"),
                    what,
                ));
            }
        }
        Ok(())
    }

    /// Refuses a value of `[prepare]` that lasts for others than it is extracted for.
    fn suits(&self, name: &str, at: &KeyPath, each: Each) -> Result<(), KeyError> {
        let what = match (self.lasts(name), each) {
            (Some(Extracted::Node), Each::User) => {
                "is extracted by each user, so it is no value of all: declare it with extracted = \"user\""
            }
            (Some(Extracted::User), Each::Run | Each::Node) => {
                "is extracted once for all users: declare it with extracted = \"node\", or let each = \"user\""
            }
            (Some(Extracted::Node), Each::Run) if self.node.slots.round() > 1 => {
                "is extracted on the first node only, and its values stay there: let each = \"node\""
            }
            _ => return Ok(()),
        };
        Err(KeyError::new(at, what))
    }

    /// Refuses a value of all users that expires: no user could get another.
    fn refuse_expiry(&self, at: &KeyPath, steps: &[Step]) -> Result<(), KeyError> {
        for (number, step) in steps.iter().enumerate() {
            let at = at.key("steps").index(number);
            self.refuse_expiry(&at, &step.steps)?;
            for (name, extract) in step.extract.iter() {
                if extract.expires.is_some() && self.lasts(name) == Some(Extracted::Node) {
                    let what = "expires, and a value of all users stays as it is: let each user extract it, with \
                                extracted = \"user\"";
                    return Err(KeyError::new(&at.key("extract").key(name), what));
                }
            }
        }
        Ok(())
    }

    fn lasts(&self, name: &str) -> Option<Extracted> {
        lasts(self.plan, name)
    }
}

/// How long an extracted value is declared to last.
fn lasts(plan: &Plan, name: &str) -> Option<Extracted> {
    match plan.variables.value(name)? {
        Variable::Source(source) => source.extracted,
        Variable::Constant(_) => None,
    }
}

/// What steps extract, each with its place.
fn extracted(at: &KeyPath, steps: &[Step]) -> Vec<(String, KeyPath)> {
    let mut all = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let at = at.key("steps").index(number);
        all.extend(extracted(&at, &step.steps));
        let own = step.extract.iter();
        all.extend(own.map(|(name, _)| (name.to_owned(), at.key("extract").key(name))));
    }
    all
}

impl Steps<'_> {
    /// Refuses a value of `[prepare]` that scenarios use and that does not last until then.
    fn values_last(
        &self,
        plan: &Plan,
        prepare: Option<&Half>,
        scenarios: &[flow::Scenario],
    ) -> Result<(), KeyError> {
        let Some(prepare) = prepare else { return Ok(()) };
        let of = |scenario: &flow::Scenario| -> Vec<Hole> {
            let acts = acts(scenario);
            acts.flat_map(|act| act.extracts.iter().map(|one| one.into)).collect()
        };
        let later: Vec<Hole> = scenarios.iter().flat_map(of).collect();
        for hole in of(&prepare.scenario).into_iter().filter(|hole| !later.contains(hole)) {
            let Some(name) = self.names.name(hole).map(str::to_owned) else { continue };
            if lasts(plan, &name).is_some_and(|lasting| lasting != Extracted::Iteration) {
                continue;
            }
            let mut all = scenarios.iter().flat_map(acts);
            if all.any(|act| self.names.made_of(texts(act), &[hole]).is_some()) {
                let declared = if prepare.each == Each::User { "user" } else { "node" };
                let what = format!(
                    "extracts '{name}', which scenarios use: declare it so that it lasts, {name} = {{ extracted = \
                     \"{declared}\" }} in [variables]"
                );
                return Err(KeyError::new(&KeyPath::new(prepare.name).key("steps"), what));
            }
        }
        Ok(())
    }
}

fn acts(scenario: &flow::Scenario) -> impl Iterator<Item = &flow::ExchangeStep> {
    scenario.steps.iter().filter_map(|step| match step {
        flow::Step::Exchange(act) => Some(&**act),
        _ => None,
    })
}
