//! [`Effect`]: what speaks against the figures of a run, with the figures that show it.

use crate::{Away, Noun};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most absences that are listed one by one.
pub(super) const ABSENCES_MAX: usize = 3;

/// What speaks against the figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Effect {
    /// The requested load was not made.
    LoadNotMade {
        /// Exchanges a second that were carried out.
        made_per_second: f64,
        /// Exchanges a second that were scheduled.
        scheduled_per_second: f64,
    },
    /// A closed loop without a limit was limited by the generator's machine.
    LoopLimited,
    /// The delay added by brunt moved a percentile of response time.
    PercentileMoved {
        /// The operation.
        operation: String,
        /// The percentile, from 0 to 100.
        percentile: f64,
        /// Its value in microseconds.
        us: f64,
        /// Its value without the generator's own part.
        without_own_us: f64,
    },
    /// The kernel dropped replies on brunt's own sockets.
    RepliesDropped {
        /// How many.
        count: u64,
    },
    /// Exchanges found no free local port.
    NoLocalPort {
        /// How many.
        count: u64,
    },
    /// Connections could not be opened for lack of a file descriptor.
    NoDescriptor {
        /// How many sessions need connections.
        sessions: u64,
        /// How many attempts or exchanges failed.
        failed: u64,
    },
    /// This machine could not send messages.
    NotSent {
        /// How many.
        count: u64,
        /// Of how many that were due.
        due: u64,
    },
    /// Exchanges had no answer in time because the generator stood still.
    MissedWhilePaused {
        /// How many.
        count: u64,
        /// How many had no answer in time at all.
        timed_out: u64,
    },
    /// The run did not reach its planned end.
    CutShort,
    /// The run did not begin.
    NotBegun,
    /// The run was called off before all agents had begun.
    CalledOff,
    /// Not every exchange is accounted for.
    NotAccounted {
        /// What does not add up.
        imbalance: String,
    },
    /// The target stopped responding.
    TargetAway {
        /// The first few times.
        absences: Vec<Away>,
        /// How many times.
        times: usize,
        /// Exchanges that had no answer.
        unanswered: u64,
        /// Exchanges that lost their connection or could not connect.
        unconnected: u64,
        /// What the target answered after it had returned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        late: Option<String>,
    },
    /// The target was there, but did not answer in time.
    AnsweredLate {
        /// Exchanges that had no answer in time.
        unanswered: u64,
        /// The first few times in which nothing was answered.
        absences: Vec<Away>,
        /// How many times.
        times: usize,
    },
    /// Exchanges lost their connection or could not connect.
    ConnectionsLost {
        /// How many.
        count: u64,
        /// Of how many that were due.
        due: u64,
    },
    /// Exchanges were still in flight when the run ended.
    Unfinished {
        /// How many.
        count: u64,
        /// How many seconds after the last was due.
        after_s: f64,
    },
    /// Nothing was answered.
    NothingAnswered {
        /// How many were due.
        due: u64,
    },
    /// Throughput was still changing.
    Drifted {
        /// Exchanges a second in the first third of the steady phase.
        first_per_second: f64,
        /// The same in the last third.
        last_per_second: f64,
    },
    /// There is no record of some nodes.
    NodesMissing {
        /// How many.
        count: u64,
        /// Of how many.
        of: u32,
        /// The ranks of the first few.
        ranks: Vec<u32>,
    },
    /// The nodes did not begin together, by their own clocks.
    NodesApart {
        /// How many seconds lie between the first and the last.
        seconds: f64,
    },
    /// The agents did not begin together, on one clock.
    AgentsApart {
        /// How many seconds lie between the first and the last.
        seconds: f64,
    },
    /// What an agent sent cannot be used.
    AgentUnread {
        /// The agent.
        agent: String,
    },
    /// An effect that another version of the program writes.
    #[serde(other)]
    Other,
}

impl Effect {
    /// The effect in the words of a report; nothing for that of another version.
    pub(super) fn words(&self, noun: &Noun) -> Option<String> {
        let many = &noun.many;
        Some(match self {
            Self::PercentileMoved { operation, percentile, us, without_own_us } => {
                moved_words(operation, *percentile, [*us, *without_own_us])
            }
            Self::LoadNotMade { made_per_second: made, scheduled_per_second: scheduled } => {
                format!("{made:.0}/s of the {scheduled:.0}/s that were scheduled were carried out")
            }
            Self::LoopLimited => {
                "as fast as this machine could, not as the target could".to_owned()
            }
            Self::RepliesDropped { count } => {
                format!("the kernel dropped {count} replies on brunt's own sockets")
            }
            Self::NoLocalPort { count } => {
                format!("{count} {} found no free local port", noun.after(*count))
            }
            Self::NoDescriptor { sessions, failed } => format!(
                "{sessions} sessions need connections, and {failed} attempts or {many} failed without a file \
                 descriptor"
            ),
            Self::NotSent { count, due } => {
                format!("this machine could not send {count} of {due} {many}")
            }
            Self::MissedWhilePaused { count, timed_out } => format!(
                "{count} of {timed_out} {many} without an answer in time fell into that, and are not the target's"
            ),
            _ => return self.incomplete(noun),
        })
    }

    /// The words for a run that is not complete, or whose load was not the same throughout.
    fn incomplete(&self, noun: &Noun) -> Option<String> {
        let many = &noun.many;
        Some(match self {
            Self::CutShort => "the run was interrupted".to_owned(),
            Self::NotBegun => "the run did not begin".to_owned(),
            Self::CalledOff => "the run was called off before all agents had begun".to_owned(),
            Self::NotAccounted { imbalance } => format!("the run failed to {imbalance}"),
            Self::TargetAway { absences, .. } => match absences.first() {
                Some(first) => format!("the target stopped responding: {}", first.words()),
                None => "the target stopped responding".to_owned(),
            },
            Self::AnsweredLate { unanswered, .. } => {
                format!("the target was there, but {unanswered} {many} had no answer in time")
            }
            Self::ConnectionsLost { count, due } => format!(
                "{count} of {due} {many} lost their connection to the target or could not connect"
            ),
            Self::Unfinished { count, after_s } => format!(
                "{count} {many} were still in flight when the run ended, {after_s:.1} s after the last was due, so \
                 their response times are longer than that"
            ),
            Self::NothingAnswered { due } => format!("none of {due} {many} was answered"),
            Self::Drifted { first_per_second: first, last_per_second: last } => format!(
                "throughput drifted from {first:.1}/s in the first third to {last:.1}/s in the last"
            ),
            _ => return self.of_nodes(),
        })
    }

    /// The words for what several machines did not do as one.
    fn of_nodes(&self) -> Option<String> {
        Some(match self {
            Self::NodesMissing { count, of, ranks } => {
                let ranks: Vec<String> = ranks.iter().map(ToString::to_string).collect();
                let ranks = ranks.join(", ");
                format!(
                    "{count} of {of} nodes are missing ({ranks}): what they did is in no figure"
                )
            }
            Self::NodesApart { seconds } => format!(
                "the nodes began up to {seconds:.1} s apart by their own clocks, so the load was not the whole at all \
                 times"
            ),
            Self::AgentsApart { seconds } => format!(
                "the agents began up to {:.0} ms apart, so the load was not complete at all times",
                1e3 * seconds
            ),
            Self::AgentUnread { agent } => agent.clone(),
            _ => return None,
        })
    }

    /// What a reader may want to know beyond the words, beginning with a separator.
    pub(super) fn details(&self, noun: &Noun) -> String {
        let more = |absences: &[Away], first: usize, times: usize| {
            let listed = absences.iter().skip(first).map(|away| format!("; {}", away.words()));
            let listed: String = listed.collect();
            match times.saturating_sub(absences.len()) {
                0 => listed,
                more => format!("{listed}; and {more} more times"),
            }
        };
        match self {
            Self::TargetAway { absences, times, unanswered, unconnected, late } => {
                let late = late.as_ref().map_or_else(String::new, |late| format!("; {late}"));
                format!(
                    "{}{late}; {unanswered} {} had no answer, {unconnected} lost their connection or could not \
                     connect",
                    more(absences, 1, *times),
                    noun.many
                )
            }
            Self::AnsweredLate { absences, times, .. } => more(absences, 0, *times),
            _ => String::new(),
        }
    }
}

/// A percentile with the generator's own part and without it, in microseconds, in words.
pub(super) fn moved_words(
    operation: &str,
    percentile: f64,
    [us, without_own_us]: [f64; 2],
) -> String {
    format!(
        "the {operation} response time p{} is {} with and {} without the delay added by brunt",
        shortest(percentile),
        millis(us),
        millis(without_own_us)
    )
}

/// A percentile with as many digits as it needs.
pub(super) fn shortest(percentile: f64) -> String {
    let text = format!("{percentile:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Microseconds as milliseconds, with as many digits as they need.
pub(super) fn millis(us: f64) -> String {
    let millis = us / 1e3;
    if millis < 1.0 { format!("{millis:.2} ms") } else { format!("{millis:.1} ms") }
}
