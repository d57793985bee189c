//! [`Bytes`]: a body as a trace keeps it.

use brunt_feed::Values;

/// How many bytes of a body are shown: fewer than are kept, so that the end of the kept text, which may be an
/// incomplete secret, is not shown.
const BODY_MAX: usize = 12 * 1024;

/// A body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Its beginning, if it is text.
    pub text: Option<String>,
    /// How many bytes it has.
    pub length: u64,
    /// Whether it is longer than this beginning.
    pub cut: bool,
}

impl Bytes {
    /// Creates it from the kept bytes of a body.
    pub(super) fn new(bytes: &[u8], length: u64, values: &Values) -> Self {
        let kept = &bytes[..bytes.len().min(BODY_MAX + BODY_MAX / 4)];
        let text = String::from_utf8_lossy(kept);
        // A replacement character at the end may only be the result of cutting a character.
        let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
        if text.contains(['\0', char::REPLACEMENT_CHARACTER]) {
            return Self { text: None, length, cut: true };
        }
        Self::of_text(text, length, values)
    }

    /// Creates it from a text that is the body or its beginning.
    fn of_text(text: &str, length: u64, values: &Values) -> Self {
        let whole = text.len() as u64 >= length && text.len() <= BODY_MAX;
        Self::of_shown(&brunt_redact::text(&values.shown(text)), length, whole)
    }

    /// Creates it from what may be shown of a text, which is the whole body or its beginning.
    pub(super) fn of_shown(shown: &str, length: u64, whole: bool) -> Self {
        let beginning = cut(shown, BODY_MAX);
        Self {
            cut: !whole || beginning.len() < shown.len(),
            text: Some(beginning.to_owned()),
            length,
        }
    }
}

/// The beginning of a text, with at most this many bytes.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}
