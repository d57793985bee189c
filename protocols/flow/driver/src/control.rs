//! [`Control`]: the instructions between the steps of a scenario that decide which step comes next.
//!
//! Groups, branches and repetitions of a plan are compiled to a flat list of steps with jumps. A scenario without them
//! has no such instruction. Every repetition has a maximum, so that an iteration always ends.

use super::guard::Guard;
use super::pause::Pause;
use super::value_error::{ValueError, whole_number};
use brunt_feed::{Text, Values};
use std::sync::Arc;

/// An instruction.
#[derive(Clone, Debug)]
pub enum Control {
    /// A group begins, by its number in [`Flow::groups`](super::plan::Flow::groups).
    Enter(u16),
    /// The innermost group ends.
    Leave,
    /// What follows is performed only if the conditions hold.
    When(Arc<When>),
    /// One of several is performed.
    Choose(Arc<Choose>),
    /// Counts that a choice was come to, or what was chosen: an index into
    /// [`Flow::choices`](super::plan::Flow::choices).
    Count(u16),
    /// Continues at this step.
    Jump(usize),
    /// A repetition begins.
    Start(Arc<Repetition>),
    /// A round of a repetition is over.
    Again(Arc<Repetition>),
    /// The exchanges that follow are performed at once.
    Together(Arc<Together>),
}

/// Exchanges that are performed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Together {
    /// How many at a time.
    pub most: usize,
    /// The step after the last.
    pub past: usize,
}

/// A condition on which steps are performed.
#[derive(Clone, Debug)]
pub struct When {
    /// What must hold.
    pub guards: Vec<Guard>,
    /// The number of the branch, under which it is counted: an index into
    /// [`Flow::branches`](super::plan::Flow::branches).
    pub branch: u16,
    /// The step with which the iteration continues if it does not hold.
    pub past: usize,
}

/// Steps of which one is performed, by weight.
#[derive(Clone, Debug)]
pub struct Choose {
    /// The name of the group.
    pub group: String,
    /// What is chosen of.
    pub of: Vec<Candidate>,
    /// The step with which the iteration continues if none is chosen.
    pub past: usize,
}

/// A step or a group that may be chosen.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// How likely it is.
    pub weight: Weight,
    /// Its first step.
    pub first: usize,
}

/// Steps that are performed several times.
#[derive(Clone, Debug)]
pub struct Repetition {
    /// How many repetitions contain it.
    pub depth: usize,
    /// How many rounds there are.
    pub times: Times,
    /// The conditions for a further round.
    pub guards: Vec<Guard>,
    /// The maximum number of rounds.
    pub most: u64,
    /// The pause between two rounds.
    pub pause: Option<Pause>,
    /// The first step of a round.
    pub body: usize,
    /// The step after the last.
    pub past: usize,
}

/// How many rounds a repetition has.
#[derive(Clone, Debug)]
pub enum Times {
    /// As many as its maximum, as long as its conditions hold.
    Most,
    /// As many as the value of this text, which contains variables.
    Of(Text),
}

/// A group of steps, which is measured as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The number of the span from the beginning of its first exchange to the end of its last, in
    /// [`Flow::spans`](super::plan::Flow::spans).
    pub span: u16,
    /// The number of the same span without pauses, if it has any.
    pub work: Option<u16>,
}

/// The weight of a step, relative to the others of its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Always the same.
    Fixed(u32),
    /// The value of this text, which contains variables.
    Of(Text),
}

impl Weight {
    /// The weight now.
    pub fn number(&self, values: &Values) -> Result<u32, ValueError> {
        match self {
            Self::Fixed(weight) => Ok(*weight),
            Self::Of(text) => whole_number(text, values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_feed::{Escape, Hole, TextPiece};

    #[test]
    fn weight_text_must_be_a_whole_number() {
        let weight = Weight::Of(Text::from_pieces([TextPiece::Hole(Hole(0), Escape::None)]));
        let mut values = Values::new(1);
        let wrong =
            |shown: &str| Err(ValueError { shown: shown.to_owned(), expected: "a whole number" });
        assert_eq!(Weight::Fixed(7).number(&values), Ok(7));
        assert_eq!(weight.number(&values), wrong(""));
        for (value, number) in [(" 30 ", Ok(30)), ("0", Ok(0)), ("4294967295", Ok(u32::MAX))] {
            values.set(Hole(0), value.as_bytes());
            assert_eq!(weight.number(&values), number);
        }
        for value in ["", "-1", "1.5", "4294967296", "some"] {
            values.set(Hole(0), value.as_bytes());
            assert_eq!(weight.number(&values), wrong(value));
        }
        values.hide(Hole(0), true);
        assert_eq!(weight.number(&values), wrong("***"));
    }
}
