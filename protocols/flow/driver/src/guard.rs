//! [`Guard`]: what must hold of a user's variables for a step to be performed.
//!
//! It has the conditions of a [`Check`](super::check::Check), but looks at values that the user has, not at an answer.

use super::check::Condition;
use super::extract::Found;
use super::work::Work;
use brunt_feed::{Text, Values};
use std::borrow::Cow;

/// A condition on the values of variables.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The value: a text with variables. It does not exist if one of them has no value.
    pub value: Text,
    /// What must hold of it.
    pub must: Condition,
    /// Whether it must not hold.
    pub not: bool,
}

impl Guard {
    /// Whether it holds. A value that cannot be examined within the limits of an answer meets no condition.
    pub fn holds(&self, values: &Values) -> bool {
        let mut value = Vec::new();
        if self.value.render(values, &mut value).is_err() {
            return self.not;
        }
        let found = Found::Bytes(Cow::Owned(value));
        self.must.holds(&found, values, &Work::default()).is_ok_and(|holds| holds != self.not)
    }

    /// The texts that may contain variables.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let compared = match &self.must {
            Condition::Equal(text) | Condition::Contain(text) => Some(text),
            _ => None,
        };
        [&self.value].into_iter().chain(compared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;
    use brunt_feed::{Escape, Hole, TextPiece};

    #[test]
    fn guard_on_a_missing_value_holds_only_negated() {
        let text = || Text::from_pieces([TextPiece::Hole(Hole(0), Escape::None)]);
        let conditions = [
            (Condition::Exist, true),
            (Condition::Equal(Text::literal("otp")), true),
            (Condition::Equal(Text::literal("ot")), false),
            (Condition::Contain(Text::literal("t")), true),
            (Condition::Match(Pattern::parse("^o.p$", 0).unwrap()), true),
            (Condition::Between(1.0, 2.0), false),
        ];
        let mut values = Values::new(1);
        for (must, holds) in conditions {
            let guard = |not| Guard { value: text(), must: must.clone(), not };
            values.unset(Hole(0));
            assert!(!guard(false).holds(&values) && guard(true).holds(&values), "{must:?}");
            values.set(Hole(0), b"otp");
            assert_eq!(guard(false).holds(&values), holds, "{must:?}");
            assert_eq!(guard(true).holds(&values), !holds, "{must:?}");
        }
    }
}
