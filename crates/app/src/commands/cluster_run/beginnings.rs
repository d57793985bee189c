//! [`Beginnings`]: when the agents' runs began, on one clock.
//!
//! A record states when its run began by its machine's wall clock, which may be hours off. The agents' reports about
//! their clocks convert that to moments of the coordinator's clock. So the true differences between the beginnings are
//! known, and a difference of wall clocks is not mistaken for one.

use brunt_cluster::coordinator::AgentSummary;
use brunt_record::{Effect, Reason, Record, Remedy, Status};

/// If agents began further apart than this, the record notes it; in seconds.
const REPORTED_S: f64 = 0.005;
/// Agents that began further apart than this share of an interval did not load the target together.
const APART_SHARE: f64 = 0.1;

/// When each agent's run began.
#[derive(Debug, Default)]
pub(super) struct Beginnings {
    /// By rank: how many seconds later than the first it began, and the time in its record.
    skews: Vec<(u32, f64, String)>,
    /// The time in the record of the first.
    first: String,
}

impl Beginnings {
    /// When the runs of these records began; empty if that is not known of all. An agent that was lost has no beginning
    /// here: its record is made from what it had sent, and states when its stream began, not its run.
    pub(super) fn new(records: &[(u32, Record)], summaries: &[AgentSummary]) -> Self {
        let moments: Option<Vec<(u32, i64, &str)>> = records
            .iter()
            .filter(|(rank, _)| {
                summaries.get(*rank as usize).is_none_or(|summary| summary.lost.is_none())
            })
            .map(|(rank, record)| {
                let clocks = summaries.get(*rank as usize)?.clocks?;
                let wall = record.started.parse::<jiff::Timestamp>().ok()?;
                Some((*rank, clocks.moment(wall.as_microsecond()), record.started.as_str()))
            })
            .collect();
        let moments = moments.unwrap_or_default();
        let Some((_, first, text)) = moments.iter().min_by_key(|(_, moment, _)| *moment) else {
            return Self::default();
        };
        let later = |moment: i64| moment.saturating_sub(*first) as f64 / 1e6;
        let skews = moments
            .iter()
            .map(|(rank, moment, started)| (*rank, later(*moment), (*started).to_owned()));
        Self { skews: skews.collect(), first: (*text).to_owned() }
    }

    /// Gives all records the time in the first one's record before they are merged, since merging compares wall-clock
    /// times.
    pub(super) fn settle(&self, records: &mut [(u32, Record)]) {
        if !self.skews.is_empty() {
            for (_, record) in records {
                record.started.clone_from(&self.first);
            }
        }
    }

    /// Writes into the record of the whole run when each agent began, and what that means for the results.
    pub(super) fn report(&self, whole: &mut Record) {
        for node in &mut whole.nodes {
            let known = self.skews.iter().find(|(rank, ..)| *rank == node.node.rank);
            if let Some((_, skew, started)) = known {
                (node.skew_s, node.started) = (Some(*skew), started.clone());
            }
        }
        let apart = self.skews.iter().map(|(_, skew, _)| *skew).fold(0.0, f64::max);
        // The first step and the last may be partial.
        let steps = whole.series.iter().map(|step| step.to_s - step.from_s);
        let interval = steps.reduce(f64::max).filter(|it| *it > 0.0).unwrap_or(1.0);
        if apart > APART_SHARE * interval {
            let effect = Effect::AgentsApart { seconds: apart };
            let why = (None, Some(Remedy::IdleAgents));
            let reason = Reason::new(Status::Unstable, effect, why, &whole.plan.noun);
            whole.verdict.reasons.push(reason);
        } else if apart > REPORTED_S {
            let millis = apart * 1e3;
            whole.verdict.notes.push(format!("the agents began up to {millis:.0} ms apart"));
        }
    }
}
