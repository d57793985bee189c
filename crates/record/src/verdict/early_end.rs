//! [`EarlyEnd`]: what ended a run before its planned end.

use super::{Cause, Remedy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What ended a run before its planned end, and what would help against that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EarlyEnd {
    /// What ended it.
    pub cause: Cause,
    /// What would help, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

impl EarlyEnd {
    /// A limit of the protocol's own, in its words, and what would help.
    pub fn of_protocol(what: impl Into<String>, remedy: Option<&str>) -> Self {
        let remedy = remedy.map(|what| Remedy::Proposed { what: what.to_owned() });
        Self { cause: Cause::ProtocolLimit { what: what.into() }, remedy }
    }

    /// All of it in words.
    pub(crate) fn words(&self) -> String {
        let cause = self.cause.words().unwrap_or_default();
        match self.remedy.as_ref().and_then(Remedy::words) {
            Some(remedy) => format!("{cause}; {remedy}"),
            None => cause,
        }
    }
}

impl From<Cause> for EarlyEnd {
    fn from(cause: Cause) -> Self {
        Self { cause, remedy: None }
    }
}
