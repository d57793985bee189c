//! The LDAP settings that a user can choose: plain data with valid types, still with templates as text.
//!
//! [`Plan::compile`](super::Plan::compile) turns it into requests; what cannot work is refused there.

use super::entries::EntrySource;
use super::live::{DeleteMode, Threshold};
use super::route::Route;
use super::sasl::SaslOptions;
use brunt_feed::Arguments;
use brunt_ldap_wire::control::{Control, SortKey};
use brunt_ldap_wire::request::{Deref, Scope};
use brunt_net::resend::Resend;
use brunt_net::secret::Secret;
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

/// The identity that binds. The texts are templates if the bind is measured, and plain text if it opens a connection.
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
    /// Requests the identity that the bind led to.
    pub authorization_identity: bool,
    /// Requests the password policy response.
    pub password_policy: bool,
    /// Any other controls.
    pub other: Vec<Control>,
}

/// The controls of measured operations.
#[derive(Clone, Debug, Default)]
pub struct OperationControls {
    /// The authorization identity, if it is another one; a template.
    pub proxy_as: Option<String>,
    /// The operation is carried out only if this filter matches the entry; a template.
    pub assertion: Option<String>,
    /// Returns these attributes as they were before the operation.
    pub pre_read: Vec<String>,
    /// Returns these attributes as they are after the operation.
    pub post_read: Vec<String>,
    /// Adding a value that already exists succeeds.
    pub permissive_modify: bool,
    /// Treats referral objects as entries.
    pub manage_dsa_it: bool,
    /// Any other controls.
    pub other: Vec<Control>,
}

/// A search.
#[derive(Clone, Debug)]
pub struct SearchSetup {
    /// The base DN; a template.
    pub base: String,
    /// The scope.
    pub scope: Scope,
    /// When to follow aliases.
    pub deref: Deref,
    /// How many entries to return at most; 0 is no limit.
    pub size_limit: i32,
    /// How many seconds to search at most; 0 is no limit.
    pub time_limit: i32,
    /// Returns names of attributes without values.
    pub types_only: bool,
    /// The filter; a template.
    pub filter: String,
    /// The attributes to return; an empty list requests all user attributes.
    pub attributes: Vec<String>,
    /// Reads page by page; all pages are one exchange.
    pub page_size: Option<i32>,
    /// The sort keys, if the server sorts.
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
    /// Adds the value, a number, to the present value (RFC 4525).
    Increment,
}

/// A modify.
#[derive(Clone, Debug)]
pub struct ModifySetup {
    /// The DN of the entry; a template. Not used where a search finds the entry.
    pub dn: String,
    /// Attributes and the templates of their values, in the order of the request.
    pub values: Vec<(String, String)>,
    /// How the values are used.
    pub change: Change,
    /// How many values each attribute gets. With 0, all values are removed.
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
    /// Whether the next exchange of the session restores the name of the entry.
    pub undo: bool,
    /// Controls.
    pub controls: OperationControls,
}

/// Adding entries, and deleting them again above a threshold.
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
    /// The number of exchanges after which every entry is added and none is deleted, so nothing is left to do.
    pub exchanges_max: Option<u64>,
    /// This node's share of the entries' numbers: its index, and how many nodes there are.
    pub share: (u64, u64),
}

/// What is measured.
#[derive(Clone, Debug)]
pub enum Task {
    /// A bind.
    Bind {
        /// The identity that binds.
        identity: Identity,
        /// How many of 100 binds send the password `invalid-password`.
        invalid_percent: u8,
    },
    /// A search for one entry, then a bind. Its templates have the entry's DN as an additional last argument. Both are
    /// one exchange.
    SearchThenBind {
        /// The search. Its size limit is always 1.
        search: SearchSetup,
        /// The identity that binds.
        identity: Identity,
        /// As for a bind.
        invalid_percent: u8,
        /// The binds have a connection of their own, so that searches keep the identity of theirs.
        apart: bool,
    },
    /// A search.
    Search(SearchSetup),
    /// A modify.
    Modify(ModifySetup),
    /// Reads an attribute of the entry, then modifies the entry if it still has that value. Both are one exchange.
    ReadModify {
        /// The modify.
        modify: ModifySetup,
        /// The attribute that distinguishes versions: `eTag`, `entryCSN`.
        version: String,
    },
    /// A search, then a modify of each entry found; each is a separate exchange.
    SearchAndModify {
        /// The search.
        search: SearchSetup,
        /// The modify; its DN is that of the entry.
        modify: ModifySetup,
    },
    /// A comparison. Both answers are successes.
    Compare(CompareSetup),
    /// A deletion.
    Delete(DeleteSetup),
    /// A modify DN.
    Rename(RenameSetup),
    /// Adds, and deletes above a threshold; each is a separate exchange.
    AddAndDelete(AddSetup),
    /// The operations that a [`UserConnection`](super::UserConnection) is given, step by step.
    Given,
}

/// All LDAP settings of a run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where connections go.
    pub route: Route,
    /// How connections, binds and operations relate.
    pub mode: Mode,
    /// How many sessions share a connection, at least 1.
    pub requests_per_connection: u32,
    /// Connections are replaced after this number of operations; 0 means never.
    pub reconnect_every: u64,
    /// Which requests are sent again if the connection ended before any answer. Binds, searches and compares are safe;
    /// adds, deletes and modifies are not.
    pub resend: Resend,
    /// The identity that binds when a connection opens.
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
    /// Whether measured requests carry an identity for the traces of the server, as a control. It depends on the seed
    /// and the number of the exchange; the requests of one exchange have the same.
    pub traceparent: bool,
    /// Values go into DNs and filters unescaped, and filters are parsed once they are complete: as the original tools
    /// do.
    pub raw: bool,
}
