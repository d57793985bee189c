//! [`PerfdhcpError`]: why a run cannot be carried out, and the exit code of the program.

use brunt_dhcp_driver::hexfile::HexFileError;
use brunt_dhcp_driver::listfile::ListFileError;
use brunt_dhcp_driver::{v4, v6};
use brunt_engine::schedule::ScheduleError;
use brunt_engine::{PlanError, RunError};
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::schedules::RateOutOfRange;
use brunt_run::summary::SummaryError;
use brunt_run::{ExecutionError, ObjectivesError, SettingsError, SignalsError};

use crate::route::RouteError;

/// Why a run cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PerfdhcpError {
    #[error("--canary cannot be used with an avalanche or a fleet, which do not start slowly")]
    Canary,
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Objectives(#[from] ObjectivesError),
    #[error("failed to {0}")]
    SetupV4(#[from] v4::SetupError),
    #[error("failed to {0}")]
    SetupV6(#[from] v6::SetupError),
    #[error("option {0}: DHCPv4 option codes are at most 255")]
    OptionCode(u16),
    #[error("-b duid=: a DUID of {0} octets is too long (RFC 8415 section 11)")]
    Duid(usize),
    #[error(transparent)]
    Route(#[from] RouteError),
    #[error("failed to {0}")]
    List(#[from] ListFileError),
    #[error("failed to {0}")]
    Template(#[from] HexFileError),
    #[error("failed to open sockets")]
    NoSockets,
    #[error(transparent)]
    ReleaseRate(#[from] RateOutOfRange),
    #[error("failed to {0}")]
    ReleaseSchedule(#[from] ScheduleError),
    #[error("failed to {0}")]
    ReleasePlan(#[from] PlanError),
    #[error("failed to {0}")]
    Run(#[from] RunError),
    #[error(transparent)]
    Signals(#[from] SignalsError),
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    #[error(transparent)]
    Summary(#[from] SummaryError),
}

impl PerfdhcpError {
    /// The message and the exit code.
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::Canary
            | Self::Settings(_)
            | Self::Objectives(_)
            | Self::SetupV4(_)
            | Self::SetupV6(_) => Refusal {
                text: format!("ERROR: parsing command line options: {self}\n"),
                exit: Exit::Usage,
            },
            // What the command line refers to: a file, an interface, a socket.
            _ => Refusal { text: format!("ERROR: running perfdhcp: {self}\n"), exit: Exit::Failed },
        }
    }
}
