//! The directory that steps use, and the operations on it.

use brunt_run::options::resend::Resending;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Hidden, Tls};
use crate::values::{Pairs, Several, Time};

/// The directory for `ldap` steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ldap {
    /// URL of the directory: `ldap://localhost:1389`, `ldaps://localhost:1636`, or
    /// `ldapi://%2Frun%2Fslapd%2Fldapi` for a Unix socket.
    pub server: String,
    /// Whether to use StartTLS on `ldap://`.
    #[serde(default)]
    pub start_tls: bool,
    /// Maximum time for connecting and for the TLS handshake.
    pub connect_timeout: Option<Time>,
    /// Which operations are sent again if a reused connection closes before any answer arrives.
    pub resend: Option<Resending>,
    /// Identity to bind as when a user's connection is opened; by default none.
    pub bind: Option<Login>,
    /// TLS settings.
    pub tls: Option<Box<Tls>>,
}

/// DN and password of a bind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Login {
    /// DN to bind as.
    pub dn: String,
    /// Its password.
    pub password: Hidden,
}

/// LDAP operation of a step. Values are escaped in a DN or a filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum LdapStep {
    /// Binds the user's connection with a password.
    Bind(Login),
    /// Searches. Attributes of the first entry found can be extracted.
    #[serde(rename_all = "kebab-case")]
    Search {
        /// Base DN.
        base: String,
        /// Search scope; "sub" by default.
        scope: Option<SearchScope>,
        /// Filter, such as "(uid=user.${number})".
        filter: String,
        /// Attributes to return; by default all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attributes: Vec<String>,
        /// Maximum number of entries; by default no limit.
        size_limit: Option<u32>,
    },
    /// Checks whether an entry has a value.
    Compare {
        /// DN of the entry.
        dn: String,
        /// The attribute.
        attribute: String,
        /// The value.
        value: String,
    },
    /// Changes an entry.
    Modify {
        /// DN of the entry.
        dn: String,
        /// Changes, in order.
        changes: Vec<Change>,
    },
    /// Adds an entry.
    Add {
        /// DN of the entry.
        dn: String,
        /// Attributes of the entry.
        attributes: Pairs<Several>,
    },
    /// Deletes an entry.
    Delete {
        /// DN of the entry.
        dn: String,
    },
}

/// Search scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchScope {
    /// The base entry only.
    Base,
    /// Entries directly below the base.
    One,
    /// The base and everything below it.
    Sub,
    /// Everything below the base.
    Subordinates,
}

/// One change of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Change {
    /// What to do with the attribute.
    pub op: ChangeKind,
    /// The attribute.
    pub attribute: String,
    /// Values.
    #[serde(default)]
    pub values: Several,
}

/// What to do with an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Add these values.
    Add,
    /// Delete these values, or all.
    Delete,
    /// Replace all values by these.
    Replace,
    /// Increment its number by this one.
    Increment,
}
