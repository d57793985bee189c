//! [`Bytes`]: a body as a trace keeps it.

use brunt_feed::Values;

/// How much is told of a body: less than is kept of it, so that what was cut is not the end of a secret.
const BODY_TOLD: usize = 12 * 1024;

/// A body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Its beginning, where it is text.
    pub text: Option<String>,
    /// How many bytes it has.
    pub length: u64,
    /// Whether there is more of it than its beginning.
    pub cut: bool,
}

impl Bytes {
    /// Of a body of which these bytes were kept.
    pub(super) fn of(bytes: &[u8], length: u64, values: &Values) -> Self {
        let kept = &bytes[..bytes.len().min(BODY_TOLD + BODY_TOLD / 4)];
        let text = String::from_utf8_lossy(kept);
        // A character that was cut at the end is no sign of anything.
        let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
        if text.contains(['\0', char::REPLACEMENT_CHARACTER]) {
            return Self { text: None, length, cut: true };
        }
        Self::of_text(text, length, values)
    }

    /// Of a body that is this text, or begins with it.
    pub(super) fn of_text(text: &str, length: u64, values: &Values) -> Self {
        let whole = text.len() as u64 >= length && text.len() <= BODY_TOLD;
        let shown = brunt_redact::text(&values.shown(text));
        let told = cut(&shown, BODY_TOLD);
        Self { cut: !whole || told.len() < shown.len(), text: Some(told.to_owned()), length }
    }
}

/// The beginning of a text, of so many bytes at most.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}
