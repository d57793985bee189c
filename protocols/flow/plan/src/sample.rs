//! The values of the first iteration of the first user, as far as they are known before a run.
//!
//! A value that comes from an answer is shown as its variable, `${name}`; secrets are marked as secrets.

use brunt_feed::{Hole, Values};
use brunt_flow_driver::{DrawContext, Exhausted, Flow, Source, drawing_order};

/// The values, and the variables for which there is none.
pub struct Sample {
    /// The values.
    pub values: Values,
    /// Values that cannot be drawn.
    pub lacking: Vec<Hole>,
    /// The reason for each of them that does not depend on another missing one.
    pub why: Vec<Exhausted>,
}

impl Sample {
    /// Draws the values.
    pub fn draw(flow: &Flow) -> Self {
        let mut values = Values::new(flow.variables.len());
        let (mut lacking, mut why) = (Vec::new(), Vec::new());
        for (hole, variable) in (0..).map(Hole).zip(&flow.variables) {
            if matches!(variable.source, Source::Answer) {
                values.set(hole, format!("${{{}}}", variable.name).as_bytes());
            } else if flow.is_secret(hole) {
                values.hide_always(hole);
            }
        }
        let user = flow.first_user;
        let place = DrawContext {
            iteration: u64::from(user),
            user,
            users: flow.users,
            ..DrawContext::default()
        };
        for (hole, _) in drawing_order(&flow.variables).unwrap_or_default() {
            let variable = &flow.variables[usize::from(hole.0)];
            let named = match &variable.source {
                Source::Filtered(text, _) => text.holes().any(|of| is_named(flow, &values, of)),
                Source::Signed(signed) => {
                    if let Some(error) = signed.seed_error(&values) {
                        lacking.push(hole);
                        why.push(Exhausted::Seed(variable.name.clone(), error));
                    }
                    true
                }
                Source::Request(_) => true,
                _ => false,
            };
            if named {
                values.set(hole, format!("${{{}}}", variable.name).as_bytes());
                continue;
            }
            if let Err(error) = variable.draw(hole, flow.seed, (&place, &[]), &mut values) {
                lacking.push(hole);
                why.push(error);
            }
        }
        Self { values, lacking, why }
    }
}

/// Whether the value of a variable names one that an answer brings.
fn is_named(flow: &Flow, values: &Values, hole: Hole) -> bool {
    let Some(value) = values.value(hole) else { return false };
    let value = String::from_utf8_lossy(value);
    let mut brought =
        flow.variables.iter().filter(|variable| matches!(variable.source, Source::Answer));
    brought.any(|variable| value.contains(&format!("${{{}}}", variable.name)))
}
