//! What follows a variable's name in `${name|sha256|base64url}`: filters, and how the value is escaped.

use brunt_feed::Escape;
use brunt_flow_driver::{FILTERS, Filter};

use crate::key_error::{KeyError, instead};
use crate::path::KeyPath;

/// The most filters of one value.
const FILTERS_MAX: usize = 4;

/// The ways to escape a value, in place of the default of its position.
const ESCAPES: [(&str, Escape); 7] = [
    ("raw", Escape::None),
    ("url", Escape::Url),
    ("form", Escape::Form),
    ("json", Escape::Json),
    ("dn", Escape::Dn),
    ("filter", Escape::Filter),
    ("base64", Escape::Base64),
];

/// What is made of a value.
#[derive(Debug, PartialEq)]
pub(super) struct Filters {
    /// The filters, from left to right.
    pub(super) filters: Vec<Filter>,
    /// How the result is escaped, if the text says so.
    pub(super) escape: Option<Escape>,
}

/// Reads the words that follow a name.
pub(super) fn read(at: &KeyPath, text: &str) -> Result<Filters, KeyError> {
    let words: Vec<&str> = text.split('|').map(str::trim).collect();
    if words.len() > FILTERS_MAX {
        let what =
            format!("has {} filters of one value, but the maximum is {FILTERS_MAX}", words.len());
        return Err(KeyError::new(at, what));
    }
    let mut read = Filters { filters: Vec::new(), escape: None };
    for (number, word) in words.iter().enumerate() {
        let last = number + 1 == words.len();
        let escape = ESCAPES.iter().find(|(known, _)| known == word).map(|(_, escape)| *escape);
        match escape {
            // What base64 makes of a filtered value is escaped for its position like any other.
            Some(escape) if last && (escape != Escape::Base64 || read.filters.is_empty()) => {
                read.escape = Some(escape);
            }
            Some(escape) => read.filters.push(Filter::Escape(escape)),
            None => read.filters.push(filter(at, word)?),
        }
    }
    check_encoded(at, &words, &read)?;
    Ok(read)
}

fn filter(at: &KeyPath, word: &str) -> Result<Filter, KeyError> {
    let known = FILTERS.iter().find(|(known, _)| *known == word);
    known.map(|(_, filter)| *filter).ok_or_else(|| {
        let names = FILTERS.iter().map(|(known, _)| *known);
        let hint = instead(word, names.chain(ESCAPES.iter().map(|(known, _)| *known)));
        KeyError::new(at, format!("'{word}' is neither a filter nor an escape{hint}"))
    })
}

/// Refuses bytes that are no text where a text is needed.
fn check_encoded(at: &KeyPath, words: &[&str], read: &Filters) -> Result<(), KeyError> {
    for (number, filter) in read.filters.iter().enumerate() {
        let next = read.filters.get(number + 1);
        let encoded = match next {
            Some(next) => next.encodes() || next.makes_bytes(),
            None => false,
        };
        if filter.makes_bytes() && !encoded {
            let word = words[number];
            let what = format!(
                "'{word}' makes bytes that are no text: an encoding must follow, such as {word}|hex or {word}|base64url"
            );
            return Err(KeyError::new(at, what));
        }
    }
    Ok(())
}

/// A value that is filtered, in one spelling.
pub(super) fn spelled(name: &str, text: &str) -> String {
    let words = text.split('|').map(str::trim);
    std::iter::once(name).chain(words).collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_apply_left_to_right_with_the_last_escape() {
        let read = |text: &str| read(&KeyPath::default(), text).unwrap();
        let made = |filters: &[Filter], escape| Filters { filters: filters.to_vec(), escape };
        assert_eq!(read("url"), made(&[], Some(Escape::Url)));
        assert_eq!(read("base64"), made(&[], Some(Escape::Base64)));
        assert_eq!(read("sha256 | base64url"), made(&[Filter::Sha256, Filter::Base64Url], None));
        let saml = [Filter::Deflate, Filter::Escape(Escape::Base64)];
        assert_eq!(read("deflate|base64"), made(&saml, None));
        assert_eq!(read("deflate|base64|raw"), made(&saml, Some(Escape::None)));
        assert_eq!(read("trim|json"), made(&[Filter::Trim], Some(Escape::Json)));
    }

    #[test]
    fn filter_errors_are_explained() {
        let message = |text: &str| read(&KeyPath::default(), text).unwrap_err().what;
        assert!(
            message("sha256").contains("sha256|hex or sha256|base64url"),
            "{}",
            message("sha256")
        );
        assert!(message("sha256|url").contains("an encoding must follow"));
        assert!(message("sha256|lower|hex").contains("an encoding must follow"));
        assert!(
            message("sha265|hex").contains("did you mean 'sha256'"),
            "{}",
            message("sha265|hex")
        );
        assert!(message("a|b|c|d|e").contains("the maximum is 4"));
    }
}
