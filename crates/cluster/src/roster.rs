//! [`Roster`]: the agents whose messages arrived, for people who list them.
//!
//! It is built from messages that agents send anyway: a waiting agent requests work, and an agent that carries out a
//! share reports. The keeper of a roster answers neither, so it does not affect any run. It has no clock and no socket,
//! and it is bounded, because all of it is received from a network.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::message::{Join, Name, Permits, Report, Stage, printable};

/// The most agents of a roster.
pub const AGENTS_MAX: usize = 1_000;
/// The most bytes of a request for work.
pub const JOIN_MAX: usize = 4_096;
/// An agent requests work twice a second, or reports four times a second: one without a message for this time does not
/// answer.
const SILENT_AFTER: Duration = Duration::from_secs(3);
/// How long an agent that does not answer stays on the roster.
const KEPT: Duration = Duration::from_secs(600);
/// The most operations whose ceilings are kept, and the most entries of what an owner permits.
const CEILINGS_MAX: usize = 12;
const PERMITS_MAX: usize = 12;

/// The agents whose messages arrived. Times are by the caller's clock, since an origin of its choice.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    agents: BTreeMap<Name, KnownAgent>,
}

/// An agent whose messages arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownAgent {
    /// When its last message arrived.
    pub at: Duration,
    /// What it does.
    pub doing: AgentActivity,
    /// Its description of itself. An agent that is known only from a run sent none.
    pub about: Option<About>,
    /// How far its wall clock is ahead of ours, in milliseconds. This includes the time that the message took.
    pub ahead_ms: Option<i64>,
    /// When a message of another agent of this name arrived.
    pub twin: Option<Duration>,
    nonce: String,
    before: String,
}

/// What an agent does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentActivity {
    /// It waits for orders.
    Waits,
    /// It takes part in a run.
    Runs {
        /// The id of the run.
        run: String,
        /// Whether it is still connecting.
        prepares: bool,
    },
}

/// An agent's description of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Its machine.
    pub host: String,
    /// The number of its cores.
    pub cores: u32,
    /// The version of its program.
    pub version: String,
    /// Why our coordinator cannot give it orders.
    pub misfit: Option<String>,
    /// How many operations a second it can make at most, as far as that was measured.
    pub ceilings: BTreeMap<String, f64>,
    /// What its owner permits, if it reports that.
    pub permits: Option<Permits>,
}

impl Roster {
    /// Takes an agent's request for work. The wall clock is ours, in milliseconds; `version` is that of our program.
    pub fn join(&mut self, join: &Join, version: &str, (now, wall_ms): (Duration, i64)) {
        let about = About::new(join, version);
        let ahead_ms = join.wall_ms.map(|theirs| theirs.saturating_sub(wall_ms));
        let Some(agent) = self.entry(&join.name, &join.nonce, now) else { return };
        agent.doing = AgentActivity::Waits;
        agent.about = Some(about);
        agent.ahead_ms = ahead_ms;
    }

    /// Takes an agent's report about a run.
    pub fn report(
        &mut self,
        (run, name): (&str, &Name),
        report: &Report,
        (now, wall_ms): (Duration, i64),
    ) {
        let Some(agent) = self.entry(name, &report.nonce, now) else { return };
        agent.ahead_ms = Some(report.wall_ms.saturating_sub(wall_ms));
        let prepares = matches!(report.stage, Stage::Preparing | Stage::Ready);
        agent.doing = match &report.stage {
            stage if stage.is_over() => AgentActivity::Waits,
            _ => AgentActivity::Runs { run: run.to_owned(), prepares },
        };
    }

    /// The agents with their names, and whether each still answers.
    pub fn agents(&self, now: Duration) -> impl Iterator<Item = (&Name, &KnownAgent, bool)> {
        let answers = move |agent: &KnownAgent| now.saturating_sub(agent.at) <= SILENT_AFTER;
        self.agents.iter().map(move |(name, agent)| (name, agent, answers(agent)))
    }

    /// Removes the agents whose last message is old.
    pub fn forget(&mut self, now: Duration) {
        self.agents.retain(|_, agent| now.saturating_sub(agent.at) <= KEPT);
    }

    /// The entry of an agent, if there is room for it.
    fn entry(&mut self, name: &Name, nonce: &str, now: Duration) -> Option<&mut KnownAgent> {
        if !self.agents.contains_key(name) && self.agents.len() >= AGENTS_MAX {
            return None;
        }
        let nonce = printable(nonce);
        let agent = self.agents.entry(name.clone()).or_insert_with(|| KnownAgent {
            at: now,
            doing: AgentActivity::Waits,
            about: None,
            ahead_ms: None,
            twin: None,
            nonce: nonce.clone(),
            before: String::new(),
        });
        // After a run an agent requests work under another nonce, and never again under the previous one.
        if agent.nonce != nonce {
            if agent.before == nonce {
                agent.twin = Some(now);
            }
            agent.before = std::mem::replace(&mut agent.nonce, nonce);
        }
        agent.at = now;
        Some(agent)
    }
}

impl KnownAgent {
    /// Whether a message of another agent of its name arrived recently.
    pub fn has_twin(&self, now: Duration) -> bool {
        self.twin.is_some_and(|twin| now.saturating_sub(twin) <= SILENT_AFTER)
    }
}

impl About {
    fn new(join: &Join, version: &str) -> Self {
        let measured = join.ceilings.iter().filter(|(_, rate)| rate.is_finite());
        let ceilings = measured.take(CEILINGS_MAX).map(|(name, rate)| (printable(name), *rate));
        Self {
            host: printable(&join.host),
            cores: join.cores,
            version: printable(&join.version),
            misfit: join.misfit(version),
            ceilings: ceilings.collect(),
            permits: join.permits.as_ref().map(bounded),
        }
    }
}

/// What an owner permits, within bounds: the message was received from a network.
fn bounded(permits: &Permits) -> Permits {
    let some = |all: &Vec<String>| all.iter().take(PERMITS_MAX).map(|it| printable(it)).collect();
    let cut = permits.targets.len().saturating_sub(PERMITS_MAX);
    Permits {
        targets: some(&permits.targets),
        more: permits.more.saturating_add(u32::try_from(cut).unwrap_or(u32::MAX)),
        rate_max: permits.rate_max.filter(|rate| rate.is_finite()),
        commands: permits.commands.as_ref().map(some),
        expires: permits.expires.as_deref().map(printable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::PROTOCOL;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn join(name: &str, nonce: &str) -> Join {
        Join {
            protocol: PROTOCOL,
            version: "1".to_owned(),
            name: name.parse().unwrap(),
            nonce: nonce.to_owned(),
            host: "h\u{1b}[2J".to_owned(),
            cores: 4,
            ceilings: [("bind".to_owned(), 9.0), ("x".to_owned(), f64::INFINITY)].into(),
            rank: None,
            wall_ms: Some(61_000),
            permits: Some(Permits {
                targets: vec!["10.0.0.1".to_owned(); 40],
                ..Permits::default()
            }),
        }
    }

    fn report(nonce: &str, stage: Stage) -> Report {
        Report {
            nonce: nonce.to_owned(),
            stage,
            sent_ns: 7,
            at: 0,
            total: 0,
            wall_ms: 1_000,
            clock: None,
        }
    }

    #[test]
    fn roster_follows_an_agent_through_its_states() {
        let (mut roster, name) = (Roster::default(), "a".parse::<Name>().unwrap());
        roster.join(&join("a", "n1"), "1", (ms(0), 1_000));
        let only = |roster: &Roster, now| {
            let (name, agent, answers) = roster.agents(now).next().unwrap();
            assert_eq!(name.as_str(), "a");
            (agent.clone(), answers)
        };
        let (agent, answers) = only(&roster, ms(3_000));
        assert!(answers && agent.doing == AgentActivity::Waits && agent.ahead_ms == Some(60_000));
        let about = agent.about.unwrap();
        assert_eq!((about.host.as_str(), about.cores, about.misfit), ("h [2J", 4, None));
        assert_eq!(about.ceilings.len(), 1, "an endless ceiling is none");
        let permits = about.permits.unwrap();
        assert_eq!((permits.targets.len(), permits.more), (12, 28));
        for (stage, prepares) in [(Stage::Ready, true), (Stage::Running, false)] {
            roster.report(("ab", &name), &report("n1", stage), (ms(4_000), 0));
            let (agent, _) = only(&roster, ms(4_000));
            assert_eq!(agent.doing, AgentActivity::Runs { run: "ab".to_owned(), prepares });
            assert!(agent.about.is_some(), "its description of itself is still known");
        }
        assert!(!only(&roster, ms(7_001)).1);
        roster.report(
            ("ab", &name),
            &report("n1", Stage::Ended { code: Some(0), why: None }),
            (ms(8_000), 0),
        );
        assert_eq!(only(&roster, ms(8_000)).0.doing, AgentActivity::Waits);
        roster.forget(ms(608_000));
        assert_eq!(roster.agents(ms(0)).count(), 1);
        roster.forget(ms(608_001));
        assert_eq!(roster.agents(ms(0)).count(), 0);
    }

    #[test]
    fn roster_finds_twins_but_not_restarts() {
        let mut roster = Roster::default();
        for nonce in ["n1", "n2", "n3"] {
            roster.join(&join("a", nonce), "2", (ms(10), 0));
        }
        let (_, agent, _) = roster.agents(ms(10)).next().unwrap();
        assert!(!agent.has_twin(ms(10)));
        assert!(agent.about.as_ref().unwrap().misfit.as_deref().unwrap().contains("brunt 2"));
        roster.join(&join("a", "n2"), "2", (ms(20), 0));
        let (_, agent, _) = roster.agents(ms(20)).next().unwrap();
        assert!(agent.has_twin(ms(3_000)) && !agent.has_twin(ms(3_021)));
    }

    #[test]
    fn roster_is_limited() {
        let mut roster = Roster::default();
        for number in 0..2 * AGENTS_MAX {
            roster.join(&join(&format!("a{number}"), "n"), "1", (ms(0), 0));
        }
        assert_eq!(roster.agents(ms(0)).count(), AGENTS_MAX);
    }
}
