//! Groups whose steps are performed at once: compiles `parallel`.

use std::sync::Arc;

use brunt_feed::{Hole, Text};
use brunt_flow_driver::{self as flow, Bound, Check, Control, Payload, Together};

use super::Steps;
use super::group::{Flat, Nest};
use crate::key_error::KeyError;
use crate::model::{Parallel, Step};
use crate::path::KeyPath;

/// The most steps that are performed at once: each may have a connection of its own, of each user.
const STEPS_MAX: usize = 100;

impl Steps<'_> {
    /// The steps of a group that are performed at once.
    pub(super) fn at_once(
        &mut self,
        at: &KeyPath,
        (step, parallel): (&Step, Parallel),
        nest: Nest,
        flat: &mut Flat,
    ) -> Result<Bound, KeyError> {
        let (at_key, at_steps) = (at.key("parallel"), at.key("steps"));
        if step.choose.is_some() {
            let what = "cannot be used with 'choose', which performs one of the steps";
            return Err(KeyError::new(&at_key, what));
        }
        let count = step.steps.len();
        if count > STEPS_MAX {
            let what =
                format!("has {count} steps to perform at once, and the maximum is {STEPS_MAX}");
            return Err(KeyError::new(&at_steps, what));
        }
        for (number, child) in step.steps.iter().enumerate() {
            single(&at_steps.index(number), child)?;
        }
        let together = flat.control(at, Control::Jump(0));
        let bound = self.all(&at_steps, &step.steps, nest, flat)?;
        let past = flat.steps.len();
        let most = match parallel {
            Parallel::All => count,
            Parallel::Most(most) => count.min(most as usize),
        };
        flat.patch(together, Control::Together(Arc::new(Together { most, past })));
        self.independent(together + 1, flat)?;
        Ok(bound)
    }

    /// Refuses a step that uses a value which another extracts from its answer: that comes later.
    fn independent(&self, first: usize, flat: &Flat) -> Result<(), KeyError> {
        let acts = || {
            let steps = flat.steps.iter().zip(&flat.paths).skip(first);
            steps.filter_map(|(step, at)| match step {
                flow::Step::Exchange(act) => Some((&**act, at)),
                _ => None,
            })
        };
        for (act, _) in acts() {
            let extracted: Vec<Hole> = act.extracts.iter().map(|one| one.into).collect();
            for (other, at) in acts().filter(|(other, _)| !std::ptr::eq(*other, act)) {
                let name = self.names.made_of(texts(other), &extracted);
                let needed = other.needs.iter().find(|hole| extracted.contains(hole));
                let name = name.or_else(|| needed.and_then(|hole| self.names.name(*hole)));
                if let Some(name) = name {
                    let step = &self.operations[usize::from(act.operation)];
                    let what = format!(
                        "uses '{name}', which '{step}' extracts: they are performed at once, so put one of them before \
                         or after the group"
                    );
                    return Err(KeyError::new(at, what));
                }
            }
        }
        Ok(())
    }
}

/// The texts of a request and of what is checked of its answer.
pub(super) fn texts(act: &flow::ExchangeStep) -> impl Iterator<Item = &Text> {
    let http = match &act.payload {
        Payload::Http(http) => Some(http),
        _ => None,
    };
    let checks = act.checks.iter().flat_map(Check::texts);
    http.into_iter().flat_map(|http| http.texts()).chain(checks)
}

/// Refuses what is no single request over HTTP.
fn single(at: &KeyPath, step: &Step) -> Result<(), KeyError> {
    let given = [
        ("steps", !step.steps.is_empty()),
        ("pause", step.pause.is_some()),
        ("ldap", step.ldap.is_some()),
        ("dhcp", step.dhcp.is_some()),
        ("retry", step.retry.is_some()),
        ("pending", !step.pending.is_empty()),
        ("connection", step.connection.is_some()),
        ("dpop", step.dpop.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => {
            let what = "cannot be used in a group with 'parallel', whose steps are single requests over HTTP: put it \
                        before or after the group";
            Err(KeyError::new(&at.key(key), what))
        }
    }
}
