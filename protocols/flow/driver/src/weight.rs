//! [`Weight`]: how likely a step is chosen of several.

use brunt_feed::{Text, Values};

/// The weight of a step, relative to the others of its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Always the same.
    Fixed(u32),
    /// What this text says, which contains variables.
    Of(Text),
}

impl Weight {
    /// The weight; the error is the text that says none.
    pub fn number(&self, values: &Values) -> Result<u32, String> {
        let text = match self {
            Self::Fixed(weight) => return Ok(*weight),
            Self::Of(text) => text,
        };
        let mut value = Vec::new();
        if text.render(values, &mut value).is_err() {
            return Err(String::new());
        }
        let value = String::from_utf8_lossy(&value);
        value.trim().parse().map_err(|_| values.shown(&value))
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
        assert_eq!(Weight::Fixed(7).number(&values), Ok(7));
        assert_eq!(weight.number(&values), Err(String::new()));
        for (value, number) in [(" 30 ", Ok(30)), ("0", Ok(0)), ("4294967295", Ok(u32::MAX))] {
            values.set(Hole(0), value.as_bytes());
            assert_eq!(weight.number(&values), number);
        }
        for value in ["", "-1", "1.5", "4294967296", "some"] {
            values.set(Hole(0), value.as_bytes());
            assert_eq!(weight.number(&values), Err(value.to_owned()));
        }
        values.hide(Hole(0), true);
        assert_eq!(weight.number(&values), Err("***".to_owned()));
    }
}
