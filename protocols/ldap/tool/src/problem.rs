//! [`Problem`]: a parsed command line from which no plan can be made.

use std::fmt::Display;

use brunt_ldap_driver::PlanError;
use brunt_ldap_wire::code;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::usage_error::UsageError;

use crate::options::dialect::Dialect;
use crate::options::tool::Tool;

/// Why there is no plan, and the exit code of the program.
#[derive(Debug)]
pub(crate) struct Problem {
    reason: String,
    exit: Exit,
    /// Whether it is a filter that cannot be parsed.
    is_filter: bool,
}

/// What UnboundID's tools count and return for such a filter.
const FILTER_ERROR: u32 = 87;

impl Problem {
    /// The command line is wrong.
    pub(crate) fn usage(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), exit: Exit::LdapUsage, is_filter: false }
    }

    /// Something that the command line refers to is wrong: a key store, a template.
    pub(crate) fn failed(error: impl Display) -> Self {
        Self::usage(format!("failed to {error}"))
    }

    /// The server cannot be reached: the exit code is that of a failed connection.
    pub(crate) fn unreachable(error: impl Display) -> Self {
        Self {
            exit: Exit::Ldap(code::CONNECT_ERROR),
            ..Self::usage(format!("failed to {error}\n"))
        }
    }

    /// An input file of addrate that cannot be read.
    pub(crate) fn input(error: impl Display) -> Self {
        Self { exit: Exit::Input, ..Self::usage(format!("failed to {error}\n")) }
    }

    /// The message and the exit code.
    pub(crate) fn refusal(self, tool: Tool, dialect: Dialect) -> Refusal {
        match self.exit {
            Exit::LdapUsage if dialect == Dialect::Unboundid => {
                let exit = if self.is_filter { Exit::Ldap(FILTER_ERROR) } else { self.exit };
                Refusal { text: format!("{}\n", self.reason), exit }
            }
            Exit::LdapUsage => {
                Refusal { text: UsageError::new(self.reason).page(tool.name()), exit: self.exit }
            }
            exit => Refusal { text: self.reason, exit },
        }
    }
}

impl From<PlanError> for Problem {
    fn from(error: PlanError) -> Self {
        let is_filter = matches!(error, PlanError::Filter { .. });
        Self { is_filter, ..Self::failed(error) }
    }
}
