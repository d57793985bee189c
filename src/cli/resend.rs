//! Which requests are sent again (`--resend`), in command lines and plans.

use brunt_drivers::resend::Resend;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which requests are sent again, once, on a new connection: those that left on a connection that had been used before,
/// and met its end before an octet of an answer came.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Resending {
    /// None: the exchange fails.
    Never,
    /// Those that can be carried out twice without another effect.
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
