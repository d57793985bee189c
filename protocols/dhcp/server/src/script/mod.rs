//! Fault scripts: see [`brunt_embedded::script`] for what they have in common.
//!
//! ```
//! let script = brunt_dhcp_server::Script::parse(
//!     r#"
//!     seed = 7
//!
//!     [[stall]]                # the server neither reads nor answers from second 2 to second 4
//!     at = "2s"
//!     lasts = "2s"
//!
//!     [[rule]]
//!     on = ["discover"]        # of both families; solicit is an alias
//!     every = 10               # the 10th, 20th, 30th ... such message, from the 100th to the 200th
//!     first = 100
//!     last = 200
//!     action = { delay = "1ms..20ms" }
//!
//!     [[rule]]
//!     on = ["request", "renew"]
//!     family = 4
//!     client = "000c01020304"  # a part of the client's identity
//!     probability = 0.05
//!     action = "nak"
//!     "#,
//! )?;
//! # Ok::<(), brunt_dhcp_server::ScriptError>(())
//! ```

mod action;
mod rule;

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
