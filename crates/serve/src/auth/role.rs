//! What people may do ([`Role`]), and what a token is for ([`Scope`]).

/// What somebody may do. Whoever may do more may do less as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Reads.
    Viewer,
    /// Keeps, names and compares runs.
    Runner,
    /// Everything.
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

    /// What whoever has it may do, for a form.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// To read runs.
    Read,
    /// To add runs, and to learn what came of that: for CI.
    Push,
    /// To have plans run, and to learn what became of that.
    Run,
}

impl Scope {
    pub(crate) const ALL: [Self; 3] = [Self::Push, Self::Read, Self::Run];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Push => "push",
            Self::Run => "run",
        }
    }

    /// What it is for, for a form.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Read => "only reads runs",
            Self::Push => "only uploads runs with brunt push",
            Self::Run => "only starts and stops runs and searches of plans",
        }
    }

    /// What somebody may do at least who has such a token.
    pub(crate) const fn role(self) -> Role {
        match self {
            Self::Read => Role::Viewer,
            Self::Push | Self::Run => Role::Runner,
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.word() == word)
    }
}
