//! Fault scripts: see [`brunt_embedded::script`] for what they have in common.
//!
//! ```
//! let script = brunt_http_server::Script::parse(
//!     r#"
//!     seed = 7
//!
//!     [[stall]]                # the server neither reads nor answers from second 2 to second 4
//!     at = "2s"
//!     lasts = "2s"
//!
//!     [[refuse]]               # the server does not listen
//!     at = "6s"
//!     lasts = "500ms"
//!
//!     [[rule]]
//!     method = ["GET"]
//!     path = "/api/users/*"    # a star is any text
//!     every = 10               # the 10th, 20th, 30th ... such request, from the 100th to the 200th
//!     first = 100
//!     last = 200
//!     action = { delay = "1ms..20ms" }
//!
//!     [[rule]]
//!     probability = 0.05
//!     action = { status = 503 }
//!     "#,
//! )?;
//! # Ok::<(), brunt_http_server::ScriptError>(())
//! ```

mod action;
mod login_fault;
mod rule;

pub(super) use action::Action;
pub(super) use login_fault::{LoginFault, ScimFault};
pub(super) use rule::{Facts, Faults};

pub use brunt_embedded::script::ScriptError;
use brunt_embedded::script::{self, rules};
use rule::Rule;

/// The rules of a script, with their counters.
pub(super) type Rules = rules::Rules<Rule>;

/// A fault script.
#[derive(Clone, Debug)]
pub struct Script(pub(super) script::Script<Rule>);

impl Script {
    /// Reads a script.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        script::Script::parse(text).map(Self)
    }
}
