//! [`Answers`]: values from recorded answers, so that requests that use such a value take it from their own answers.
//!
//! A recorded token is useless in a run, because the server gives each user another one. So a value that an answer
//! contained and a later request sends becomes a variable that is extracted from that answer. Only values that are
//! named as secrets or look machine-generated are considered; a user's name that occurs again is no correlation.

use crate::imported::{Extract, Place};
use crate::markup;
use serde_json::Value;
use std::borrow::Cow;

/// The most values that are kept.
const MOST: usize = 256;
/// The least length of a value with a secret name, and of any other value.
const SHORTEST_SECRET: usize = 6;
const SHORTEST: usize = 20;
/// The greatest length.
const LONGEST: usize = 16 << 10;

/// The values, in the order in which they were given.
#[derive(Debug, Default)]
pub(crate) struct Answers(Vec<Given>);

#[derive(Debug)]
struct Given {
    value: String,
    /// Its name in the answer.
    name: String,
    /// The number of the step whose answer contained it.
    step: usize,
    place: Place,
    /// The variable it became, once it was used.
    variable: Option<String>,
}

impl Answers {
    /// Keeps the values in the body of the answer to a step, if it is JSON.
    pub(crate) fn body(&mut self, step: usize, text: &str) {
        if let Ok(body) = serde_json::from_str::<Value>(text) {
            self.tree(step, "", "", &body);
        }
    }

    /// Keeps the values that a page in HTML gives to its forms and scripts.
    pub(crate) fn page(&mut self, step: usize, text: &str) {
        for field in markup::fields(text) {
            let secret =
                brunt_redact::is_secret_name(field.name) && field.value.len() >= SHORTEST_SECRET;
            if secret || is_drawn(field.value) {
                self.give(step, field.name, field.value, Place::Pattern(field.pattern));
            }
        }
    }

    /// Keeps a header of the answer to a step.
    pub(crate) fn header(&mut self, step: usize, name: &str, value: &str) {
        let cookie = name.eq_ignore_ascii_case("set-cookie");
        if !cookie && brunt_redact::is_secret_header(name) && value.len() >= SHORTEST_SECRET {
            self.give(step, name, value, Place::Header(name.to_owned()));
        }
    }

    fn tree(&mut self, step: usize, name: &str, pointer: &str, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let segment = name.replace('~', "~0").replace('/', "~1");
                    self.tree(step, name, &format!("{pointer}/{segment}"), value);
                }
            }
            Value::Array(elements) => {
                for (at, value) in elements.iter().enumerate().take(MOST) {
                    self.tree(step, name, &format!("{pointer}/{at}"), value);
                }
            }
            Value::String(text) => {
                let secret = brunt_redact::is_secret_name(name) && text.len() >= SHORTEST_SECRET;
                if (secret || is_drawn(text)) && !pointer.is_empty() {
                    self.give(step, name, text, Place::Json(pointer.to_owned()));
                }
            }
            _ => {}
        }
    }

    fn give(&mut self, step: usize, name: &str, value: &str, place: Place) {
        let known = self.0.iter().any(|given| given.value == value);
        if !known && self.0.len() < MOST && value.len() <= LONGEST && !value.contains("${") {
            let (value, name) = (value.to_owned(), name.to_owned());
            self.0.push(Given { value, name, step, place, variable: None });
        }
    }

    /// The number of the value from an answer, written as it is or percent-encoded.
    pub(crate) fn find(&self, value: &str) -> Option<usize> {
        let decoded = decoded(value);
        self.0.iter().position(|given| given.value == value || given.value == decoded)
    }

    /// The name of the value in the answer, and its variable if it was used before.
    pub(crate) fn known(&self, at: usize) -> (&str, Option<&str>) {
        (&self.0[at].name, self.0[at].variable.as_deref())
    }

    /// Records the variable of the value.
    pub(crate) fn becomes(&mut self, at: usize, variable: &str) {
        self.0[at].variable = Some(variable.to_owned());
    }

    /// Whether a variable of that name is one of these.
    pub(crate) fn has(&self, variable: &str) -> bool {
        self.0.iter().any(|given| given.variable.as_deref() == Some(variable))
    }

    /// The positions of machine-generated values in a text: the numbers of the values, and how they are written there.
    pub(crate) fn within<'a>(&'a self, text: &str) -> Vec<(usize, Cow<'a, str>)> {
        let drawn = self.0.iter().enumerate().filter(|(_, given)| is_drawn(&given.value));
        let spellings = drawn.flat_map(|(at, Given { value, .. })| {
            let encoded: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
            let encoded = (encoded != *value).then_some((at, Cow::Owned(encoded)));
            std::iter::once((at, Cow::Borrowed(value.as_str()))).chain(encoded)
        });
        spellings.filter(|(_, spelling)| text.contains(&**spelling)).collect()
    }

    /// The values to extract: the step whose answer contains each, and how.
    pub(crate) fn extracts(&self) -> impl Iterator<Item = (usize, Extract)> {
        self.0.iter().filter_map(|given| {
            let (name, from) = (given.variable.clone()?, given.place.clone());
            Some((given.step, Extract { name, from }))
        })
    }
}

/// The words of a text that look machine-generated.
pub(crate) fn drawn_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_ascii_alphanumeric() && !"-_.~".contains(it))
        .filter(|word| is_drawn(word))
}

fn decoded(value: &str) -> String {
    let pairs = format!("v={}", value.replace('&', "%26"));
    url::form_urlencoded::parse(pairs.as_bytes())
        .next()
        .map_or_else(String::new, |(_, value)| value.into_owned())
}

/// Whether a value looks machine-generated: long, in one word, of letters and digits.
pub(crate) fn is_drawn(value: &str) -> bool {
    value.len() >= SHORTEST
        && value.len() <= LONGEST
        && !value.contains("://")
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        // A moment, such as 2026-01-02T03:04:05.000Z, is not.
        && value.bytes().filter(u8::is_ascii_alphabetic).count() > 4
}
