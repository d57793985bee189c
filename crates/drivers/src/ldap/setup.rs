//! What a user can ask of LDAP: plain data with legal types, still with templates as text.
//!
//! [`Plan::compile`](super::Plan::compile) turns it into requests; what cannot work is refused there.

use super::entries::EntrySource;
use super::live::{DeleteMode, Threshold};
use super::route::Route;
use super::sasl::SaslOptions;
use crate::resend::Resend;
use crate::secret::Secret;
use brunt_feed::Arguments;
use brunt_wire::ldap::control::{Control, SortKey};
use brunt_wire::ldap::request::{Deref, Scope};
use std::sync::Arc;

/// How connections and binds relate to operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A new connection, and a bind if there is an identity, for every operation (neither `-f` nor `-F`).
    #[default]
    PerOperation,
    /// Connections stay, and the bind is repeated before every operation (`-f`).
    Rebind,
    /// Connections stay and are bound once (`-F`).
    Bound,
}

/// Who binds. Templates where the bind is what is measured, plain text where it opens a connection.
#[derive(Clone, Debug, Default)]
pub enum Identity {
    /// Anonymous: no bind is sent.
    #[default]
    Anonymous,
    /// A DN and a password.
    Simple {
        /// The DN.
        dn: String,
        /// The password.
        password: Secret,
    },
    /// SASL.
    Sasl {
        /// The mechanism and its properties.
        options: SaslOptions,
        /// The password; empty where the mechanism needs none.
        password: Secret,
    },
}

/// The controls of binds.
#[derive(Clone, Debug, Default)]
pub struct BindControls {
    /// Asks which identity the bind led to.
    pub authorization_identity: bool,
    /// Asks what the password policy has to say.
    pub password_policy: bool,
    /// Any others.
    pub other: Vec<Control>,
}

/// The controls of measured operations.
#[derive(Clone, Debug, Default)]
pub struct OperationControls {
    /// The authorization identity, if another; a template.
    pub proxy_as: Option<String>,
    /// Only if this filter is true of the entry; a template.
    pub assertion: Option<String>,
    /// Returns these attributes as they were before.
    pub pre_read: Vec<String>,
    /// Returns these attributes as they are after.
    pub post_read: Vec<String>,
    /// Adding what is there succeeds.
    pub permissive_modify: bool,
    /// Referral objects are entries.
    pub manage_dsa_it: bool,
    /// Any others.
    pub other: Vec<Control>,
}

/// A search.
#[derive(Clone, Debug)]
pub struct SearchSetup {
    /// Where to begin; a template.
    pub base: String,
    /// How far to go.
    pub scope: Scope,
    /// When to follow aliases.
    pub deref: Deref,
    /// How many entries to return at most; 0 is no limit.
    pub size_limit: i32,
    /// How many seconds to search at most; 0 is no limit.
    pub time_limit: i32,
    /// Names of attributes without values.
    pub types_only: bool,
    /// What to look for; a template.
    pub filter: String,
    /// What to return; nothing asks for all user attributes.
    pub attributes: Vec<String>,
    /// Reads page by page, all pages being one exchange.
    pub page_size: Option<i32>,
    /// Sorted by the server.
    pub sort: Vec<SortKey>,
    /// Controls.
    pub controls: OperationControls,
}

impl SearchSetup {
    /// A search of a subtree without limits.
    pub fn new(base: impl Into<String>, filter: impl Into<String>) -> Self {
        Self {
            base: base.into(),
            scope: Scope::Subtree,
            deref: Deref::Never,
            size_limit: 0,
            time_limit: 0,
            types_only: false,
            filter: filter.into(),
            attributes: Vec::new(),
            page_size: None,
            sort: Vec::new(),
            controls: OperationControls::default(),
        }
    }
}

/// What a modify does with its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// Replaces all values of the attribute.
    #[default]
    Replace,
    /// Adds the value, a number, to the one there is (RFC 4525).
    Increment,
}

/// A modify.
#[derive(Clone, Debug)]
pub struct ModifySetup {
    /// What to change; a template. Not used where a search finds it.
    pub dn: String,
    /// Attributes and the templates of their values, in the order of the request.
    pub values: Vec<(String, String)>,
    /// What happens with the values.
    pub change: Change,
    /// How many values each attribute gets. 0 replaces by nothing.
    pub value_count: u32,
    /// Controls.
    pub controls: OperationControls,
}

/// A comparison.
#[derive(Clone, Debug)]
pub struct CompareSetup {
    /// The entry; a template.
    pub dn: String,
    /// The attribute.
    pub attribute: String,
    /// The value to compare it with; a template.
    pub value: String,
    /// Controls.
    pub controls: OperationControls,
}

/// A deletion.
#[derive(Clone, Debug)]
pub struct DeleteSetup {
    /// The entry; a template.
    pub dn: String,
    /// Controls.
    pub controls: OperationControls,
}

/// A modify DN.
#[derive(Clone, Debug)]
pub struct RenameSetup {
    /// The entry; a template.
    pub dn: String,
    /// Its new RDN; a template.
    pub rdn: String,
    /// Its new parent, if it is moved; a template.
    pub superior: Option<String>,
    /// Whether the values of the old RDN stay in the entry.
    pub keep_old: bool,
    /// Whether the next exchange of the session gives the entry its name back.
    pub undo: bool,
    /// Controls.
    pub controls: OperationControls,
}

/// Adding entries, and deleting them again beyond a threshold.
#[derive(Clone, Debug)]
pub struct AddSetup {
    /// Where the entries come from.
    pub entries: Arc<dyn EntrySource>,
    /// Which entries are deleted.
    pub delete: DeleteMode,
    /// When deleting begins.
    pub threshold: Threshold,
    /// Controls; without placeholders.
    pub controls: OperationControls,
    /// After so many exchanges there is nothing left to do: every entry is added, and none was deleted.
    pub exchanges_max: Option<u64>,
    /// This node's share of the entries' numbers: its index, and how many nodes there are.
    pub share: (u64, u64),
}

/// What is measured.
#[derive(Clone, Debug)]
pub enum Task {
    /// A bind.
    Bind {
        /// Who binds.
        identity: Identity,
        /// Of 100 binds, how many carry the password `invalid-password`.
        invalid_percent: u8,
    },
    /// A search for one entry, then a bind on the same connection whose templates see the entry's DN as
    /// one more, last argument. One exchange.
    SearchThenBind {
        /// The search. Its size limit is 1, whatever it says.
        search: SearchSetup,
        /// Who binds.
        identity: Identity,
        /// As for a bind.
        invalid_percent: u8,
    },
    /// A search.
    Search(SearchSetup),
    /// A modify.
    Modify(ModifySetup),
    /// Reads an attribute of the entry, then modifies the entry if it still has that value. One exchange.
    ReadModify {
        /// The modify.
        modify: ModifySetup,
        /// The attribute that tells versions apart: `eTag`, `entryCSN`.
        version: String,
    },
    /// A search, then a modify of each entry found, each an exchange of its own.
    SearchAndModify {
        /// The search.
        search: SearchSetup,
        /// The modify; its DN is the entry's.
        modify: ModifySetup,
    },
    /// A comparison. Both answers are successes.
    Compare(CompareSetup),
    /// A deletion.
    Delete(DeleteSetup),
    /// A modify DN.
    Rename(RenameSetup),
    /// Adds, and deletes beyond a threshold, each an exchange of its own.
    AddAndDelete(AddSetup),
    /// Whatever a [`UserConnection`](super::UserConnection) is given, step by step.
    Given,
}

/// Everything about a run that is LDAP's business.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where connections go.
    pub route: Route,
    /// How connections, binds and operations relate.
    pub mode: Mode,
    /// How many sessions share a connection, at least 1.
    pub requests_per_connection: u32,
    /// Connections are replaced after so many operations; 0 is never.
    pub reconnect_every: u64,
    /// Which requests are sent again that met the end of a connection before any answer. Binds, searches and compares
    /// are safe; adds, deletes and modifies are not.
    pub resend: Resend,
    /// Who binds when a connection opens.
    pub login: Identity,
    /// The controls of all binds.
    pub bind_controls: BindControls,
    /// What is measured.
    pub task: Task,
    /// The arguments of the templates.
    pub arguments: Arguments,
    /// How many sessions the whole run has.
    pub sessions: u32,
    /// The run's seed.
    pub seed: u64,
    /// Values go into DNs and filters unescaped, and filters are parsed once they are complete: the way
    /// of the old tools.
    pub raw: bool,
}
