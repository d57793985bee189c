//! Why a plan cannot be made: what does not work, and what works instead.
//!
//! The modules that compile a part of a plan depend on it; it depends on none of them.

use brunt_feed::TemplateError;
use brunt_ldap_wire::filter::FilterError;

/// Why a plan cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A template is invalid, or refers to arguments that do not exist.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A filter is invalid.
    #[error("use the filter {text}: {error}")]
    Filter {
        /// The filter, with its placeholders.
        text: String,
        /// What is wrong, where, and what is correct.
        error: FilterError,
    },
    /// An assertion whose shape depends on arguments.
    #[error(
        "use the assertion filter {0}: its shape must not depend on an argument, only its values may"
    )]
    AssertionShape(String),
    /// The same value several times.
    #[error(
        "give {attribute} {count} values: the template \"{value}\" has no placeholder, so they would all be the \
         same, which servers refuse; add a placeholder and an argument for it"
    )]
    SameValues {
        /// The attribute.
        attribute: String,
        /// The template.
        value: String,
        /// How many values were requested.
        count: usize,
    },
    /// Several requests on a connection that is replaced or bound again for operations.
    #[error(
        "use {0} concurrent requests a connection: connections must then stay open and bound (-F), as a bind or a \
         close may not come between other operations"
    )]
    Concurrency(u32),
    /// Concurrent binds.
    #[error(
        "use {0} concurrent requests a connection: binds cannot be interleaved on one connection"
    )]
    ConcurrentBinds(u32),
    /// Connections replaced while others use them.
    #[error("replace connections after {0} operations: that needs one request at a time on each")]
    Reconnect(u64),
    /// There is no identity to bind as.
    #[error(
        "measure binds: no bind DN is given; add one (-D) and a password (-w), or a SASL mechanism (-o)"
    )]
    Nobody,
    /// A percentage above 100.
    #[error("send the wrong password in {0} of 100 binds: give a number from 0 to 100")]
    Percent(u8),
    /// EXTERNAL on a connection over TCP without TLS, which has no client certificate.
    #[error(
        "use SASL EXTERNAL: it takes the identity of a client certificate, so it needs LDAPS (-Z) or StartTLS (-q); \
         or that of this process on a Unix socket (ldapi)"
    )]
    ExternalWithoutTls,
    /// The first request cannot be built.
    #[error("put the first request together: {0}")]
    FirstRequest(Box<str>),
    /// Nothing to change.
    #[error("modify entries: no attribute is given; add at least one attribute:value")]
    NoChange,
}
