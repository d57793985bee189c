//! [`Variables`]: the values of one user, and when each is given another.

use super::compiled_flow::CompiledFlow;
use super::source::{DrawContext, Exhausted, Renewal};
use brunt_feed::{Hole, Values};

/// The variables of one user.
#[derive(Debug)]
pub(super) struct Variables {
    values: Values,
    /// Where the user is.
    place: DrawContext,
    /// How many values the user has drawn of each.
    turns: Vec<u64>,
    /// Whether the value that stands has been used.
    used: Vec<bool>,
}

impl Variables {
    /// The variables of user `user`, those filled that are drawn once.
    pub(super) fn new(compiled: &CompiledFlow, user: u32) -> Self {
        let count = compiled.flow().variables.len();
        let place =
            DrawContext { user, users: compiled.flow().users, iteration: user.into(), turn: 0 };
        let mut variables = Self {
            values: Values::new(count),
            place,
            turns: vec![0; count],
            used: vec![false; count],
        };
        for hole in compiled.secrets() {
            variables.values.hide_always(*hole);
        }
        // What runs out for a user before it begins stays empty, which a text that wants it will tell.
        let _ = variables.renew(compiled, |renewal, _, _| renewal == Renewal::User);
        variables
    }

    /// The values as they stand.
    pub(super) fn values(&self) -> &Values {
        &self.values
    }

    /// The values, for an extraction to keep one.
    pub(super) fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// Gives new values to what an iteration renews.
    pub(super) fn begin_iteration(
        &mut self,
        compiled: &CompiledFlow,
        place: DrawContext,
    ) -> Result<(), Exhausted> {
        self.place = place;
        for (hole, variable) in (0..).map(Hole).zip(&compiled.flow().variables) {
            if variable.renewal == Renewal::Extracted {
                self.values.unset(hole);
            }
        }
        self.renew(compiled, |renewal, used, turns| match renewal {
            Renewal::Iteration => true,
            Renewal::IterationIfUsed => used || turns == 0,
            Renewal::AfterUse => turns == 0,
            _ => false,
        })
    }

    /// Gives new values to what an exchange renews; notes what it uses.
    pub(super) fn begin_exchange(
        &mut self,
        compiled: &CompiledFlow,
        uses: &[Hole],
    ) -> Result<(), Exhausted> {
        if compiled.renews_by_exchange() {
            self.renew(compiled, |renewal, used, _| match renewal {
                Renewal::Exchange => true,
                Renewal::AfterUse => used,
                _ => false,
            })?;
        }
        for hole in uses {
            if let Some(used) = self.used.get_mut(usize::from(hole.0)) {
                *used = true;
            }
        }
        Ok(())
    }

    /// Draws what is due, as its renewal says, whether it was used and how often it was drawn.
    fn renew(
        &mut self,
        compiled: &CompiledFlow,
        due: impl Fn(Renewal, bool, u64) -> bool,
    ) -> Result<(), Exhausted> {
        for &(hole, renewal) in compiled.drawing_order() {
            let number = usize::from(hole.0);
            if due(renewal, self.used[number], self.turns[number]) {
                let place = DrawContext { turn: self.turns[number], ..self.place };
                let flow = compiled.flow();
                flow.variables[number].draw(hole, flow.seed, &place, &mut self.values)?;
                self.turns[number] += 1;
                self.used[number] = false;
            }
        }
        Ok(())
    }
}
