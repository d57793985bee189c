//! The values of the first iteration of the first user, as they can be known before a run.
//!
//! What answers bring stands as the variable it becomes, `${name}`; secrets are marked as such.

use brunt_drivers::flow::source::order;
use brunt_drivers::flow::{DrawContext, Flow, Source};
use brunt_feed::{Hole, Values};

/// The values, and the variables for which there is none.
pub(super) struct Sample {
    pub(super) values: Values,
    /// What cannot be drawn: the rows of its feeder are used up.
    pub(super) lacking: Vec<Hole>,
}

impl Sample {
    /// Draws them.
    pub(super) fn draw(flow: &Flow) -> Self {
        let mut values = Values::new(flow.variables.len());
        let mut lacking = Vec::new();
        for (hole, variable) in (0..).map(Hole).zip(&flow.variables) {
            if matches!(variable.source, Source::Answer) {
                values.set(hole, format!("${{{}}}", variable.name).as_bytes());
            } else if flow.is_secret(hole) {
                values.hide_always(hole);
            }
        }
        let user = flow.first_user;
        let place = DrawContext { iteration: u64::from(user), user, users: flow.users, turn: 0 };
        for (hole, _) in order(&flow.variables).unwrap_or_default() {
            let variable = &flow.variables[usize::from(hole.0)];
            if variable.draw(hole, flow.seed, &place, &mut values).is_err() {
                lacking.push(hole);
            }
        }
        Self { values, lacking }
    }
}
