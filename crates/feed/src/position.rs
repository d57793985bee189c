//! Where in a run a value is drawn: the only input of a generator besides the seed.
//!
//! It mirrors the ticket of an exchange field by field. This crate keeps its own type so that it
//! depends on nothing and can be used to list, ahead of a run, what the run will send.

/// The place of one exchange in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The number of the exchange in the whole run, counted from 0.
    pub number: u64,
    /// The number of the session that carries it out, counted from 0.
    pub session: u32,
    /// How many exchanges this session carried out before this one.
    pub turn: u64,
    /// How many sessions the run has.
    pub sessions: u32,
}

impl Position {
    /// The place of the exchange `number` where a single session carries out the whole run.
    pub const fn alone(number: u64) -> Self {
        Self { number, session: 0, turn: number, sessions: 1 }
    }

    /// The `index`th of `count` places within this one, for an exchange that needs several rows.
    ///
    /// The parts of all positions of a run are distinct and cover every number once, so a sequence
    /// drawn at parts neither repeats nor skips a value.
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
    fn parts_cover_every_number_once() {
        let mut numbers = Vec::new();
        for number in 0..7 {
            for index in 0..3 {
                numbers.push(Position::alone(number).part(index, 3).number);
            }
        }
        assert_eq!(numbers, (0..21).collect::<Vec<_>>());
    }
}
