//! Which requests are sent again (`--resend`), in command lines and plans.

use brunt_net::resend::Resend;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which requests are sent again, once, on a new connection, if a reused connection closes before any byte of an answer
/// arrives.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Resending {
    /// None: the exchange fails.
    Never,
    /// Those that have no further effect when repeated.
    #[default]
    Safe,
    /// All of them.
    Always,
}

impl From<Resending> for Resend {
    fn from(resending: Resending) -> Self {
        match resending {
            Resending::Never => Self::Never,
            Resending::Safe => Self::Safe,
            Resending::Always => Self::Always,
        }
    }
}
