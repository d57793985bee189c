//! The names of what an interval identifies by number, sent once beside the stream of intervals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The names of the operations, the parts and the tallies of a run, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Catalogue {
    /// The name of operation `n`: `bind`, `search`.
    pub operations: Vec<String>,
    /// The name of part `n`: `connect`, `tls`.
    pub parts: Vec<String>,
    /// The name of span `n`: several exchanges that are measured as one, such as a group of steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<String>,
    /// For each of what is measured, the operations and then the spans, the number of the innermost span that it is
    /// always a part of, if there is one; empty if there are no such parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Option<u16>>,
    /// The name of tally `n`, which a driver counts beside exchanges: `DISCOVER-OFFER sent`.
    #[serde(default)]
    pub tallies: Vec<String>,
}

impl Catalogue {
    /// A catalogue of these operations and parts.
    pub fn new<S: Into<String>>(
        operations: impl IntoIterator<Item = S>,
        parts: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            operations: operations.into_iter().map(Into::into).collect(),
            parts: parts.into_iter().map(Into::into).collect(),
            spans: Vec::new(),
            within: Vec::new(),
            tallies: Vec::new(),
        }
    }

    /// The same with these tallies.
    #[must_use]
    pub fn with_tallies<S: Into<String>>(mut self, tallies: impl IntoIterator<Item = S>) -> Self {
        self.tallies = tallies.into_iter().map(Into::into).collect();
        self
    }

    /// The same with these spans.
    #[must_use]
    pub fn with_spans<S: Into<String>>(mut self, spans: impl IntoIterator<Item = S>) -> Self {
        self.spans = spans.into_iter().map(Into::into).collect();
        self
    }

    /// The same where what is measured is a part of these spans.
    #[must_use]
    pub fn with_parts_of(mut self, within: Vec<Option<u16>>) -> Self {
        self.within = within;
        self
    }

    /// The name of the span that number `measured` is a part of.
    pub fn within(&self, measured: usize) -> Option<&str> {
        let span = (*self.within.get(measured)?)?;
        self.spans.get(usize::from(span)).map(String::as_str)
    }

    /// The names of all that is measured: the operations, followed by the spans. Outcomes have these numbers too.
    pub fn measured(&self) -> impl Iterator<Item = &str> {
        self.operations.iter().chain(&self.spans).map(String::as_str)
    }

    /// The name of operation `number`.
    pub fn operation(&self, number: usize) -> &str {
        self.operations.get(number).map_or("unnamed", String::as_str)
    }

    /// The number of the tally of that name.
    pub fn tally(&self, name: &str) -> Option<usize> {
        self.tallies.iter().position(|known| known == name)
    }

    /// The name of part `number`.
    pub fn part(&self, number: usize) -> &str {
        self.parts.get(number).map_or("unnamed", String::as_str)
    }
}
