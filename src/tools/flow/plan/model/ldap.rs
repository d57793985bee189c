//! The directory that steps ask, and what they ask it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Hidden, Tls};
use crate::cli::resend::Resending;
use crate::tools::flow::plan::values::{Pairs, Several, Time};

/// The directory that `ldap` steps ask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Ldap {
    /// Where it is: `ldap://localhost:1389` or `ldaps://localhost:1636`.
    pub(crate) server: String,
    /// Whether a connection to `ldap://` is secured by StartTLS.
    #[serde(default)]
    pub(crate) start_tls: bool,
    /// How long connecting, and shaking hands for TLS, may take.
    pub(crate) connect_timeout: Option<Time>,
    /// Which operations are sent again whose connection was closed before any answer came.
    pub(crate) resend: Option<Resending>,
    /// Who a user's connection is bound as when it is opened; without it nobody.
    pub(crate) bind: Option<Login>,
    /// How the connection is secured.
    pub(crate) tls: Option<Box<Tls>>,
}

/// Who is bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Login {
    /// The entry.
    pub(crate) dn: String,
    /// Its password.
    pub(crate) password: Hidden,
}

/// What a step asks a directory. Values are escaped for the DN or filter they stand in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) enum LdapStep {
    /// Binds the user's connection with a password.
    Bind(Login),
    /// Searches; what the first entry found holds can be extracted by attribute.
    #[serde(rename_all = "kebab-case")]
    Search {
        /// Where to begin.
        base: String,
        /// How far to look; "sub" without it.
        scope: Option<SearchScope>,
        /// What to look for, such as "(uid=user.${number})".
        filter: String,
        /// The attributes wanted; all of them without it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attributes: Vec<String>,
        /// The most entries wanted; without it, as many as the server gives.
        size_limit: Option<u32>,
    },
    /// Asks whether an entry has a value.
    Compare {
        /// The entry.
        dn: String,
        /// The attribute.
        attribute: String,
        /// The value.
        value: String,
    },
    /// Changes an entry.
    Modify {
        /// The entry.
        dn: String,
        /// What is changed, in order.
        changes: Vec<Change>,
    },
    /// Adds an entry.
    Add {
        /// The entry.
        dn: String,
        /// What it holds.
        attributes: Pairs<Several>,
    },
    /// Deletes an entry.
    Delete {
        /// The entry.
        dn: String,
    },
}

/// How far a search looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SearchScope {
    /// The entry itself.
    Base,
    /// The entries right below it.
    One,
    /// It and all below.
    Sub,
    /// All below it.
    Subordinates,
}

/// One change of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Change {
    /// What becomes of the attribute.
    pub(crate) op: ChangeKind,
    /// The attribute.
    pub(crate) attribute: String,
    /// Its values.
    #[serde(default)]
    pub(crate) values: Several,
}

/// What becomes of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChangeKind {
    /// It gets these values besides.
    Add,
    /// It loses these values, or all.
    Delete,
    /// It has these values and no others.
    Replace,
    /// Its number grows by this one.
    Increment,
}
