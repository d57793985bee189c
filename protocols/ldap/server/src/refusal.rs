//! Why a request was refused: a result code, a reason, and the part of the name that exists.

use std::borrow::Cow;

use brunt_ldap_wire::code;

/// A request refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: u32,
    pub(super) reason: Cow<'static, str>,
    /// The nearest existing entry above the requested one.
    pub(super) matched_dn: Vec<u8>,
}

impl Refusal {
    pub(super) fn new(code: u32, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { code, reason: reason.into(), matched_dn: Vec::new() }
    }

    pub(super) fn no_such_object(matched_dn: &[u8]) -> Self {
        let reason = Cow::Borrowed("");
        Self { code: code::NO_SUCH_OBJECT, reason, matched_dn: matched_dn.to_vec() }
    }
}
