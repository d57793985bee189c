//! Groups, branches and repetitions: compiles the steps of a scenario to a flat list with jumps.

use std::sync::Arc;

use brunt_exchange::ThinkTime;
use brunt_flow_driver::{
    self as flow, Bound, Candidate, Control, Group, GroupChoice, Pause, Payload, RepeatTimes,
    Repetition, Weight, When,
};

use super::names::Names;
use super::numbers::{numbered, too_many};
use super::{Steps, attempts, condition, page};
use crate::key_error::KeyError;
use crate::model::{Choose, Repeat, Step};
use crate::path::KeyPath;
use crate::values::Scalar;

/// How deep groups nest.
const DEEPEST: usize = 4;
/// The most exchanges of an iteration.
const EXCHANGES_MAX: u64 = 100_000;

/// The steps of a scenario, flat, each with its path in the plan.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) steps: Vec<flow::Step>,
    pub(super) paths: Vec<KeyPath>,
}

/// What contains a step.
#[derive(Clone, Copy, Default)]
pub(super) struct Nest {
    groups: usize,
    repetitions: usize,
    choose: Option<Choose>,
    last: bool,
}

impl Flat {
    fn push(&mut self, at: &KeyPath, step: flow::Step) -> usize {
        self.steps.push(step);
        self.paths.push(at.clone());
        self.steps.len() - 1
    }

    pub(super) fn control(&mut self, at: &KeyPath, control: Control) -> usize {
        self.push(at, flow::Step::Control(control))
    }

    /// Replaces an instruction whose target was not known before.
    pub(super) fn patch(&mut self, at: usize, control: Control) {
        self.steps[at] = flow::Step::Control(control);
    }
}

impl Steps<'_> {
    /// The steps of a scenario, and the most that an iteration of it can do.
    pub(super) fn flatten(
        &mut self,
        at: &KeyPath,
        steps: &[Step],
    ) -> Result<(Flat, Bound), KeyError> {
        let mut flat = Flat::default();
        let bound = self.all(at, steps, Nest::default(), &mut flat)?;
        Self::within_bounds(at, bound)?;
        Ok((flat, bound))
    }

    /// Refuses an iteration that could make too many exchanges.
    pub(super) fn within_bounds(at: &KeyPath, bound: Bound) -> Result<(), KeyError> {
        if bound.exchanges > EXCHANGES_MAX {
            let what = format!(
                "makes up to {} exchanges an iteration, and the maximum is {EXCHANGES_MAX}: repeat less often",
                bound.exchanges
            );
            return Err(KeyError::new(at, what));
        }
        Ok(())
    }

    pub(super) fn all(
        &mut self,
        at: &KeyPath,
        steps: &[Step],
        nest: Nest,
        flat: &mut Flat,
    ) -> Result<Bound, KeyError> {
        let mut bound = Bound::default();
        for (number, step) in steps.iter().enumerate() {
            let nest = Nest { last: number + 1 == steps.len(), ..nest };
            bound = both(bound, self.placed(&at.index(number), step, nest, flat)?);
        }
        Ok(bound)
    }

    /// Adds a step or a group, with its condition.
    fn placed(
        &mut self,
        at: &KeyPath,
        step: &Step,
        nest: Nest,
        flat: &mut Flat,
    ) -> Result<Bound, KeyError> {
        if step.weight.is_some() && nest.choose != Some(Choose::Weights) {
            let what = "belongs to the steps of a group with choose = \"weights\"";
            return Err(KeyError::new(&at.key("weight"), what));
        }
        if step.when.is_empty() {
            if nest.choose == Some(Choose::First) && !nest.last {
                let what = "has no 'when', so the steps after it would never be chosen: add one, or put it last";
                return Err(KeyError::new(at, what));
            }
            counted(at, nest, flat);
            return self.body(at, step, nest, flat);
        }
        let guards = condition::guards(&at.key("when"), &step.when, &mut self.names)?;
        let when = flat.control(at, Control::Jump(0));
        counted(at, nest, flat);
        let bound = self.body(at, step, nest, flat)?;
        let branch = self.branch(at, &self.named(step, &flat.steps[when + 1..]))?;
        // The last step of a list that one is chosen of is followed by a jump to the end of the group. Of those in
        // order, the next is tried.
        let past = flat.steps.len() + usize::from(nest.choose == Some(Choose::First));
        flat.patch(when, Control::When(Arc::new(When { guards, branch, past })));
        Ok(bound)
    }

    /// The name of a step under which its branch is counted.
    fn named(&self, step: &Step, flat: &[flow::Step]) -> String {
        let kind = if step.steps.is_empty() { "step" } else { "group" };
        format!("{kind} '{}'", self.title(step, flat))
    }

    /// The name of a step or a group, given or not, which was compiled to these steps.
    fn title(&self, step: &Step, flat: &[flow::Step]) -> String {
        let operation = flat.iter().find_map(|one| match one {
            flow::Step::Exchange(act) => self.operations.get(usize::from(act.operation)),
            _ => None,
        });
        step.name.clone().or_else(|| operation.cloned()).unwrap_or_else(|| "pause".to_owned())
    }

    /// The number under which a group of which one step is performed, or such a step, is counted.
    fn choice(&mut self, at: &KeyPath, group: &str, step: Option<String>) -> Result<u16, KeyError> {
        let choice = GroupChoice { group: group.to_owned(), step };
        let known = self.choices.iter().position(|known| *known == choice);
        let number = known.unwrap_or_else(|| {
            self.choices.push(choice);
            self.choices.len() - 1
        });
        u16::try_from(number).map_err(|_| too_many(at, "steps to choose of"))
    }

    fn branch(&mut self, at: &KeyPath, name: &str) -> Result<u16, KeyError> {
        numbered(at, &mut self.branches, name, "conditions")
    }

    fn body(
        &mut self,
        at: &KeyPath,
        step: &Step,
        nest: Nest,
        flat: &mut Flat,
    ) -> Result<Bound, KeyError> {
        if !step.steps.is_empty() {
            return self.group(at, step, nest, flat);
        }
        for (key, given) in [
            ("choose", step.choose.is_some()),
            ("repeat", step.repeat.is_some()),
            ("parallel", step.parallel.is_some()),
        ] {
            if given {
                let what = "belongs to a group: add 'steps', which it applies to";
                return Err(KeyError::new(&at.key(key), what));
            }
        }
        if let Some(key) = step.page_key() {
            page::after_a_page(at, &flat.steps, key)?;
        }
        let made = self.step(at, step)?;
        let bound = match &made {
            flow::Step::Exchange(act) => self.most(act),
            _ => Bound::default(),
        };
        flat.push(at, made);
        Ok(bound)
    }

    /// The most that an exchange can be.
    fn most(&self, act: &flow::ExchangeStep) -> Bound {
        let redirects = match act.payload {
            Payload::Http(_) => u64::from(self.http.redirects.unwrap_or(0)),
            _ => 0,
        };
        let exchanges = attempts::most(act);
        Bound { exchanges, requests: exchanges.saturating_mul(1 + redirects) }
    }

    fn group(
        &mut self,
        at: &KeyPath,
        step: &Step,
        nest: Nest,
        flat: &mut Flat,
    ) -> Result<Bound, KeyError> {
        if nest.groups == DEEPEST {
            let what = format!("is a group within {DEEPEST} others, the maximum");
            return Err(KeyError::new(&at.key("steps"), what));
        }
        group_only(at, step)?;
        let Some(name) = step.name.as_ref().filter(|name| !name.trim().is_empty()) else {
            let what =
                "is a group without a name: add one, such as name = \"login\", for its figures";
            return Err(KeyError::new(at, what));
        };
        let enter = flat.control(at, Control::Jump(0));
        let bound = match &step.repeat {
            Some(repeat) => self.repeated(at, step, repeat, nest, flat)?,
            None => self.inside(at, step, nest, flat)?,
        };
        let pauses = flat.steps[enter..].iter().any(flow::Step::pauses);
        let number = self.group_named(at, name, pauses)?;
        flat.patch(enter, Control::Enter(number));
        flat.control(at, Control::Leave);
        Ok(bound)
    }

    /// The steps of a group, or one of them.
    fn inside(
        &mut self,
        at: &KeyPath,
        step: &Step,
        nest: Nest,
        flat: &mut Flat,
    ) -> Result<Bound, KeyError> {
        let nest = Nest { groups: nest.groups + 1, choose: step.choose, ..nest };
        let at_steps = at.key("steps");
        if let Some(parallel) = step.parallel {
            return self.at_once(at, (step, parallel), nest, flat);
        }
        if step.choose.is_none() {
            return self.all(&at_steps, &step.steps, nest, flat);
        }
        let group = step.name.as_deref().unwrap_or_default();
        let reached = self.choice(at, group, None)?;
        flat.control(at, Control::Count(reached));
        let choose =
            (step.choose == Some(Choose::Weights)).then(|| flat.control(at, Control::Jump(0)));
        let (mut bound, mut of, mut jumps) = (Bound::default(), Vec::new(), Vec::new());
        for (number, child) in step.steps.iter().enumerate() {
            let at_child = at_steps.index(number);
            let weight = weight(&at_child.key("weight"), child.weight.as_ref(), &mut self.names)?;
            let first = flat.steps.len();
            let nest = Nest { last: number + 1 == step.steps.len(), ..nest };
            let most = self.placed(&at_child, child, nest, flat)?;
            let name = self.title(child, &flat.steps[first..]);
            let chosen = self.choice(&at_child, group, Some(name.clone()))?;
            flat.patch(first + usize::from(!child.when.is_empty()), Control::Count(chosen));
            of.push(Candidate { name, weight, first });
            bound = Bound {
                exchanges: bound.exchanges.max(most.exchanges),
                requests: bound.requests.max(most.requests),
            };
            jumps.push(flat.control(at, Control::Jump(0)));
        }
        let past = flat.steps.len();
        for jump in jumps {
            flat.patch(jump, Control::Jump(past));
        }
        if let Some(choose) = choose {
            if of.iter().all(|one| one.weight == Weight::Fixed(0)) {
                let what = "have no weight above 0, so none of them would be chosen";
                return Err(KeyError::new(&at_steps, what));
            }
            let chosen = flow::Choose { group: group.to_owned(), of, past };
            flat.patch(choose, Control::Choose(Arc::new(chosen)));
        }
        Ok(bound)
    }

    fn repeated(
        &mut self,
        at: &KeyPath,
        step: &Step,
        given: &Repeat,
        nest: Nest,
        flat: &mut Flat,
    ) -> Result<Bound, KeyError> {
        let at_repeat = at.key("repeat");
        let (times, most) = self.times(&at_repeat, given)?;
        let guards =
            condition::guards(&at_repeat.key("while"), &given.as_long_as, &mut self.names)?;
        let pause = given.pause.as_ref().map(|text| {
            let time = ThinkTime::parse(text).map_err(|error| {
                KeyError::new(&at_repeat.key("pause"), format!("failed to {error}"))
            })?;
            Ok(Pause { time, name: "pause".to_owned() })
        });
        let pause = pause.transpose()?;
        let start = flat.control(at, Control::Jump(0));
        let inner = Nest { repetitions: nest.repetitions + 1, ..nest };
        let each = self.inside(at, step, inner, flat)?;
        let depth = nest.repetitions;
        let (body, past) = (start + 1, flat.steps.len() + 1);
        let repetition = Repetition { depth, times, guards, most, pause, body, past };
        let repetition = Arc::new(repetition);
        flat.patch(start, Control::Start(Arc::clone(&repetition)));
        flat.control(at, Control::Again(repetition));
        // A round without an exchange is work too.
        Ok(Bound {
            exchanges: each.exchanges.max(1).saturating_mul(most),
            requests: each.requests.max(1).saturating_mul(most),
        })
    }

    /// How many rounds there are, and the most there can be.
    fn times(&mut self, at: &KeyPath, given: &Repeat) -> Result<(RepeatTimes, u64), KeyError> {
        let zero = |key: &str| KeyError::new(&at.key(key), "is 0, but must be at least 1");
        if given.most == Some(0) {
            return Err(zero("most"));
        }
        let needs = |key: &str| {
            let what = "needs 'most', the maximum number of rounds, such as most = 20";
            KeyError::new(&at.key(key), what)
        };
        match &given.times {
            None if given.as_long_as.is_empty() => {
                let what = "does not say how often: add 'times', or 'while' with 'most'";
                Err(KeyError::new(at, what))
            }
            None => Ok((RepeatTimes::Most, given.most.ok_or_else(|| needs("while"))?)),
            Some(Scalar::Integer(0)) => Err(zero("times")),
            Some(Scalar::Integer(times)) if *times > 0 => {
                let times = times.unsigned_abs();
                Ok((RepeatTimes::Most, given.most.map_or(times, |most| most.min(times))))
            }
            Some(Scalar::Text(text)) if text.contains("${") => {
                let times = self.names.plain(&at.key("times"), text)?;
                Ok((RepeatTimes::Of(times), given.most.ok_or_else(|| needs("times"))?))
            }
            Some(other) => {
                let what = format!(
                    "is {other}, but must be a whole number above 0, or a text with a variable such as \"${{pages}}\""
                );
                Err(KeyError::new(&at.key("times"), what))
            }
        }
    }

    /// The number of a group; groups of the same name are measured together.
    fn group_named(&mut self, at: &KeyPath, name: &str, pauses: bool) -> Result<u16, KeyError> {
        let known = self.groups.iter().position(|known| known.name == name);
        let number = known.unwrap_or(self.groups.len());
        if known.is_none() {
            let span = numbered(at, &mut self.spans, name, "groups")?;
            self.groups.push(Group { name: name.to_owned(), span, work: None });
        }
        if pauses && self.groups[number].work.is_none() {
            let work = numbered(at, &mut self.spans, &format!("{name} work"), "groups")?;
            self.groups[number].work = Some(work);
        }
        u16::try_from(number).map_err(|_| too_many(at, "groups"))
    }

    /// The number of an operation, whose name may be known.
    pub(super) fn operation(&mut self, at: &KeyPath, name: &str) -> Result<u16, KeyError> {
        numbered(at, &mut self.operations, name, "names")
    }

    /// Refuses names that steps have and spans too, since objectives could not tell them apart.
    pub(super) fn names_differ(&self) -> Result<(), KeyError> {
        let taken = self.spans.iter().find(|name| self.operations.contains(name));
        taken.map_or(Ok(()), |name| {
            let what = format!(
                "'{name}' is the name of a step and that of a group or of what is measured of one: choose another"
            );
            Err(KeyError::new(&KeyPath::new("scenario"), what))
        })
    }
}

/// Leaves room for counting a step that is chosen, whose name is known once it is compiled.
fn counted(at: &KeyPath, nest: Nest, flat: &mut Flat) {
    if nest.choose.is_some() {
        flat.control(at, Control::Jump(0));
    }
}

const fn both(one: Bound, other: Bound) -> Bound {
    Bound {
        exchanges: one.exchanges.saturating_add(other.exchanges),
        requests: one.requests.saturating_add(other.requests),
    }
}

/// Refuses keys that do not belong to a group.
fn group_only(at: &KeyPath, step: &Step) -> Result<(), KeyError> {
    let alone = Step {
        name: step.name.clone(),
        steps: step.steps.clone(),
        when: step.when.clone(),
        choose: step.choose,
        weight: step.weight.clone(),
        repeat: step.repeat.clone(),
        parallel: step.parallel,
        ..Step::default()
    };
    if *step == alone {
        return Ok(());
    }
    let what = "makes this a group, which has only name, when, choose, weight, repeat and parallel beside its steps: \
                put the rest into the steps";
    Err(KeyError::new(&at.key("steps"), what))
}

/// The weight of a step; one that is known is examined here, and the others during the run.
fn weight(at: &KeyPath, given: Option<&Scalar>, names: &mut Names) -> Result<Weight, KeyError> {
    let wrong = |found: String| {
        let what = format!(
            "is {found}, but must be a whole number of 0 or more, or a text with a variable that is one, such as \
             \"${{logout}}\""
        );
        KeyError::new(at, what)
    };
    match given {
        None => Ok(Weight::Fixed(1)),
        Some(Scalar::Integer(number)) => {
            u32::try_from(*number).map(Weight::Fixed).map_err(|_| wrong(number.to_string()))
        }
        Some(Scalar::Text(text)) => {
            let weight = names.plain(at, text)?;
            let Some(known) = names.constant(&weight) else { return Ok(Weight::Of(weight)) };
            let number = known.trim().parse().map(Weight::Fixed);
            let found =
                if known == *text { String::new() } else { format!(", which is \"{known}\"") };
            number.map_err(|_| wrong(format!("\"{text}\"{found}")))
        }
        Some(other) => Err(wrong(other.to_string())),
    }
}
