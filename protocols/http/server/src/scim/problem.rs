//! Why a request is refused, in the form of RFC 7644 section 3.12.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::reply::Reply;
use crate::script::ScimFault;

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScimError {
    pub(super) status: u16,
    /// The keyword of the standard, empty if it has none.
    kind: &'static str,
    detail: Cow<'static, str>,
}

impl ScimError {
    pub(super) fn new(
        status: u16,
        kind: &'static str,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { status, kind, detail: detail.into() }
    }

    /// What a script demands.
    pub(super) fn from_fault(fault: ScimFault) -> Self {
        let detail = "as the script has it";
        match fault {
            ScimFault::Uniqueness => Self::new(409, "uniqueness", detail),
            ScimFault::Version => Self::new(412, "", detail),
            ScimFault::TooMany => Self::new(400, "tooMany", detail),
            ScimFault::Mutability => Self::new(400, "mutability", detail),
            ScimFault::TooManyRequests => Self::new(429, "", detail),
        }
    }

    pub(super) fn json(&self) -> Value {
        let mut value = json!({
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
            "status": self.status.to_string(),
            "detail": &*self.detail,
        });
        if !self.kind.is_empty() {
            value["scimType"] = self.kind.into();
        }
        value
    }

    pub(super) fn answer(&self, reply: &mut Reply) {
        reply.json(self.status, &self.json());
        match self.status {
            401 => reply.field("WWW-Authenticate", "Bearer realm=\"brunt\"".to_owned()),
            429 => reply.field("Retry-After", "1".to_owned()),
            _ => {}
        }
    }
}
