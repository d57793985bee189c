//! [`Typed`]: what was typed into the fields of a plan, and [`FieldError`]: why a value of it was not accepted.

use std::collections::BTreeMap;

use crate::call::Call;

/// What was typed, by the names of fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Typed(BTreeMap<String, String>);

/// Why a value was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldError {
    /// The name of the field.
    pub(super) field: String,
    /// What the field is called.
    pub(super) label: String,
    pub(super) why: String,
    /// What was likely meant.
    pub(super) likely: Vec<String>,
}

impl Typed {
    /// What a form has.
    pub(super) fn from_call(call: &Call) -> Self {
        let is_field = |name: &str| {
            ["[", "load.", "slo.", "kind:", "add:"].iter().any(|begin| name.starts_with(begin))
        };
        let fields = call.form.iter().filter(|(name, _)| is_field(name));
        let value = |text: &String| text.replace("\r\n", "\n");
        let mut all: BTreeMap<_, _> =
            fields.map(|(name, text)| (name.clone(), value(text))).collect();
        // A button with the likely correction of a field.
        if let Some((name, text)) = call.field("fix").split_once('=') {
            all.insert(name.to_owned(), text.to_owned());
        }
        Self(all)
    }

    /// What a draft has.
    pub(super) fn kept(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap_or_default())
    }

    pub(super) fn to_kept(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    pub(super) fn new(all: impl Iterator<Item = (String, String)>) -> Self {
        Self(all.collect())
    }

    /// The names of fields with what was typed.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }

    pub(super) fn extend(&mut self, others: impl Iterator<Item = (String, String)>) {
        self.0.extend(others);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn of_field(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// What stands in a field.
    pub(super) fn or<'a>(&'a self, name: &str, stored: &'a str) -> &'a str {
        self.of_field(name).unwrap_or(stored)
    }
}
