//! [`Remedy`]: what would help against something that speaks against the figures of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What would help.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Remedy {
    /// To run it again without interruption.
    RunAgain,
    /// A machine or a quota that leaves brunt a core when it needs one.
    FreeCore,
    /// To mount `/proc` where brunt runs.
    MountProc,
    /// A larger quota, or a lower load.
    RaiseQuota,
    /// More workers.
    MoreWorkers,
    /// A larger machine, or several: every core has a worker already.
    LargerMachine,
    /// A machine whose cores are not shared.
    UnsharedMachine,
    /// To separate brunt from the target, which is on the same machine.
    SeparateFromTarget,
    /// To stop what else runs on the machine.
    StopOthers,
    /// A larger receive buffer, or a lower rate.
    RaiseReceiveBuffer,
    /// More local ports, or fewer new connections.
    MorePorts,
    /// A higher limit of open files.
    RaiseOpenFiles,
    /// To look at the route to the target and at the local network.
    CheckRoute,
    /// A longer warm-up or run.
    RunLonger,
    /// To start the nodes together.
    StartTogether,
    /// To run nothing else on the machines of the agents.
    IdleAgents,
    /// What a protocol proposes against a limit of its own.
    Proposed {
        /// It in words.
        what: String,
    },
    /// A remedy that another version of the program writes.
    #[serde(other)]
    Other,
}

impl Remedy {
    /// The remedy in the words of a report, with the reason for it where that is not obvious; nothing for that of
    /// another version.
    pub fn words(&self) -> Option<&str> {
        Some(match self {
            Self::RunAgain => {
                "it was stopped or paused with its machine: run it again without interruption"
            }
            Self::FreeCore => {
                "run it on a machine, or in a quota, that leaves brunt a core when it needs one"
            }
            Self::MountProc => "mount /proc where brunt runs, so that the cause can be named",
            Self::RaiseQuota => {
                "raise the quota (cpu.max, CPUQuota=, limits.cpu) or lower the load"
            }
            Self::MoreWorkers => "use more workers",
            Self::LargerMachine => {
                "every core has a worker already: use a larger machine, or several"
            }
            Self::UnsharedMachine => "use a machine whose cores are not shared",
            Self::SeparateFromTarget => {
                "the target is on this machine: give each cores of its own (taskset), or use two machines"
            }
            Self::StopOthers => {
                "stop what else runs on this machine, or give brunt cores of its own (taskset)"
            }
            Self::RaiseReceiveBuffer => "raise net.core.rmem_max or lower the rate",
            Self::MorePorts => {
                "keep connections open, use more source addresses or widen net.ipv4.ip_local_port_range"
            }
            Self::RaiseOpenFiles => "raise the limit (ulimit -n)",
            Self::CheckRoute => {
                "the target had no part in this: look at the route to it (ip route get), the link, the local address \
                 and the local firewall"
            }
            Self::RunLonger => "warm up longer, or run longer",
            Self::StartTogether => "start them together",
            Self::IdleAgents => "run nothing else on their machines",
            Self::Proposed { what } => what,
            Self::Other => return None,
        })
    }
}
