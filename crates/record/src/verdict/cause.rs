//! [`Cause`]: why something speaks against the figures of a run, as far as it was observed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The words for evidence that cannot be read.
pub(super) const UNSEEN: &str = "what else this machine did is not known: /proc cannot be read";

/// Why something speaks against the figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cause {
    /// The CPU quota of its control group kept brunt from running.
    CpuQuota {
        /// For which share of the time.
        share: f64,
    },
    /// The host of this virtual machine kept processor time.
    Steal {
        /// Which share of it.
        share: f64,
    },
    /// brunt's busiest worker used its core.
    BusyWorker {
        /// For which share of the time.
        share: f64,
    },
    /// brunt was runnable but not scheduled.
    NotScheduled {
        /// For which share of the time.
        share: f64,
        /// The share of the cores that other processes used.
        others_share: Option<f64>,
    },
    /// No thread of brunt ran.
    Paused {
        /// When the longest such time began, in seconds since the origin of the run.
        at_s: f64,
        /// How long it lasted, in seconds.
        lasted_s: f64,
        /// How many such times there were.
        times: usize,
        /// How long they lasted together.
        total_s: f64,
    },
    /// Something disturbed the timer of this machine for as long as it was measured.
    TimerDisturbed {
        /// How many wake-ups.
        wake_ups: u64,
    },
    /// What else the machine did cannot be read.
    Unknown,
    /// This process reached its limit of open files.
    OpenFiles,
    /// An error of the operating system.
    System {
        /// Its number.
        errno: u32,
    },
    /// What shows that the target was there.
    Seen {
        /// It in words.
        what: String,
    },
    /// A signal ended the run.
    Signal {
        /// Its name.
        signal: String,
        /// How many seconds after the run began.
        after_s: f64,
    },
    /// A signal ended the run at once, while a part of it did not answer.
    SignalAtOnce {
        /// Its name.
        signal: String,
    },
    /// A condition of `--abort-on` ended the run.
    AbortCondition {
        /// The condition.
        condition: String,
        /// What was found.
        found: String,
        /// How many seconds after the run began.
        after_s: f64,
    },
    /// A limit of the protocol's own ended the run.
    ProtocolLimit {
        /// It in words.
        what: String,
    },
    /// The address policy kept the run from a target.
    AddressPolicy {
        /// What it refused, and why.
        what: String,
    },
    /// The signal by which the run should have begun did not arrive.
    NoStart {
        /// It in words.
        what: String,
    },
    /// The events of the run end without an end.
    EventsEnd {
        /// After how many seconds of the run.
        after_s: f64,
    },
    /// An agent was lost, or its run was killed.
    AgentLost {
        /// Which of its figures are missing.
        what: String,
    },
    /// The canary failed.
    Canary {
        /// How.
        what: String,
    },
    /// What an error says.
    Error {
        /// Its words.
        what: String,
    },
    /// A cause that another version of the program writes.
    #[serde(other)]
    Other,
}

impl Cause {
    /// The cause in the words of a report; nothing for that of another version.
    pub fn words(&self) -> Option<String> {
        Some(match self {
            Self::CpuQuota { share } => format!(
                "the CPU quota of its control group kept brunt from running for {:.0}% of the time",
                100.0 * share
            ),
            Self::Steal { share } => format!(
                "the host of this virtual machine kept {:.0}% of its processor time (steal)",
                100.0 * share
            ),
            Self::BusyWorker { share } => {
                format!("brunt's busiest worker used {:.0}% of its core", 100.0 * share)
            }
            Self::NotScheduled { share, others_share } => {
                let used = others_share.map_or_else(String::new, |others| {
                    format!(", while other processes used {:.0}% of the cores", 100.0 * others)
                });
                format!(
                    "brunt was runnable but not scheduled {} of the time{used}",
                    percent(*share)
                )
            }
            Self::Paused { at_s, lasted_s, times, total_s } => {
                let more = match times {
                    0 | 1 => String::new(),
                    times => format!(" ({times} times, {total_s:.1} s in all)"),
                };
                format!("brunt was paused for {lasted_s:.1} s at {at_s:.1} s{more}")
            }
            Self::TimerDisturbed { wake_ups } => format!(
                "something on this machine disturbed each of {wake_ups} wake-ups of its timer before the run"
            ),
            Self::Unknown => UNSEEN.to_owned(),
            Self::OpenFiles => "this process reached its limit of open files".to_owned(),
            Self::System { errno } => {
                std::io::Error::from_raw_os_error(errno.cast_signed()).to_string()
            }
            _ => return self.of_end(),
        })
    }

    /// The words for what ended a run, or shows that the target was there.
    fn of_end(&self) -> Option<String> {
        Some(match self {
            Self::Signal { signal, after_s } => format!("ended by {signal} after {after_s:.1} s"),
            Self::SignalAtOnce { signal } => {
                format!("ended by {signal} at once, while a part of it did not answer")
            }
            Self::AbortCondition { condition, found, after_s } => {
                format!("ended after {after_s:.1} s by --abort-on {condition}: {found}")
            }
            Self::AddressPolicy { what } => {
                format!("the run was not allowed to reach a target: {what}")
            }
            Self::EventsEnd { after_s } => {
                format!("its events end after {after_s:.1} s, without an end")
            }
            Self::Canary { what } => format!("its canary failed (--canary): {what}"),
            Self::Seen { what }
            | Self::ProtocolLimit { what }
            | Self::NoStart { what }
            | Self::AgentLost { what }
            | Self::Error { what } => what.clone(),
            _ => return None,
        })
    }
}

/// A share with as many digits as it needs.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 1.0 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}
