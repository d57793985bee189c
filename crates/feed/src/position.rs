//! The position in a run for which a value is drawn: the only input of a generator in addition to
//! the seed.
//!
//! It mirrors the ticket of an exchange field by field. This crate has its own type so that it
//! depends on nothing and can be used to list, before a run, what the run will send.

/// The position of one exchange in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The number of the exchange in the whole run, counted from 0.
    pub number: u64,
    /// The number of the session that performs it, counted from 0.
    pub session: u32,
    /// How many exchanges this session performed before this one.
    pub turn: u64,
    /// How many sessions the run has.
    pub sessions: u32,
}

impl Position {
    /// The position of exchange `number` if a single session performs the whole run.
    pub const fn alone(number: u64) -> Self {
        Self { number, session: 0, turn: number, sessions: 1 }
    }

    /// The `index`th of `count` positions within this one, for an exchange that needs several rows.
    ///
    /// The sub-positions of all positions of a run are distinct and cover every number once, so a
    /// sequence drawn at sub-positions neither repeats nor skips a value.
    #[must_use]
    pub const fn part(self, index: u64, count: u64) -> Self {
        Self {
            number: self.number.wrapping_mul(count).wrapping_add(index),
            turn: self.turn.wrapping_mul(count).wrapping_add(index),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_parts_cover_every_number_once() {
        let mut numbers = Vec::new();
        for number in 0..7 {
            for index in 0..3 {
                numbers.push(Position::alone(number).part(index, 3).number);
            }
        }
        assert_eq!(numbers, (0..21).collect::<Vec<_>>());
    }
}
