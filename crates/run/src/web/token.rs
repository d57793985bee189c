//! [`Token`]: the secret in the address of a live page, so that knowing the port is not enough to watch a run.

use std::fmt;

/// 128 random bits.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Token(String);

impl Token {
    /// A new one.
    pub(super) fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Ok(Self(digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()))
    }

    /// Whether this is the token. The time of the comparison does not reveal how much of it is right.
    pub(super) fn is(&self, text: &str) -> bool {
        let differ =
            self.0.bytes().zip(text.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
        self.0.len() == text.len() && differ == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_must_match_entirely() {
        let (token, other) = (Token::new().unwrap(), Token::new().unwrap());
        let text = token.to_string();
        assert!(
            token.is(&text) && text.len() == 32 && text.bytes().all(|it| it.is_ascii_hexdigit())
        );
        for wrong in
            ["", &text[1..], &format!("{text}0"), &other.to_string(), &text.to_uppercase()[..31]]
        {
            assert!(!token.is(wrong), "{wrong}");
        }
    }
}
