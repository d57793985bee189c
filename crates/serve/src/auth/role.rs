//! What people may do ([`Role`]), and what a token is for ([`Scope`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user may do. Each role includes the ones before it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Reads runs.
    Viewer,
    /// Uploads, names and compares runs.
    Runner,
    /// May do everything.
    Admin,
}

impl Role {
    pub(crate) const ALL: [Self; 3] = [Self::Viewer, Self::Runner, Self::Admin];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Runner => "runner",
            Self::Admin => "admin",
        }
    }

    /// What a user with this role may do, for a form.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Viewer => "reads and compares runs",
            Self::Runner => "also adds, names, pins and deletes runs",
            Self::Admin => "also manages people and reads the audit trail",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// To read runs.
    Read,
    /// To upload runs, and to read the result: for CI.
    Push,
    /// To run plans, and to read the result.
    Run,
    /// To do everything that the API offers and the role of its owner permits.
    All,
}

impl Scope {
    pub(crate) const ALL: [Self; 4] = [Self::Push, Self::Read, Self::Run, Self::All];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Push => "push",
            Self::Run => "run",
            Self::All => "all",
        }
    }

    /// What it is for, for a form.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Read => "only reads runs",
            Self::Push => "only uploads runs with brunt push",
            Self::Run => "only starts and stops runs and searches of plans",
            Self::All => "everything that the API offers and your role allows",
        }
    }

    /// The least role that a user needs for a token of this scope.
    pub(crate) const fn role(self) -> Role {
        match self {
            Self::Read | Self::All => Role::Viewer,
            Self::Push | Self::Run => Role::Runner,
        }
    }

    /// Whether a token of this scope may do what needs the other.
    pub(crate) fn includes(self, other: Self) -> bool {
        self == Self::All || self == other
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.word() == word)
    }
}
