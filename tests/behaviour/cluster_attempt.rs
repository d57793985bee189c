//! [`Attempt`]: agents and a coordinator that carry out one run, a [`Launcher`] with a broker that can be taken away,
//! and [`Came`], the result.

use std::path::Path;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::Record;
use brunt_testbed::until;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::cluster::{Broker, is_gone, kept, record, runs_of};
use brunt_test_program::{Ended, Program, Trial, brunt};

const PATIENCE: Duration = Duration::from_secs(90);

/// Where agents and a coordinator meet.
pub(crate) trait Launcher: Send + Sync {
    /// An agent, which takes part in one run; agents have the ranks that they are started with.
    fn agent(&self, rank: usize) -> Trial;

    /// A coordinator.
    fn coordinator(&self) -> Trial;

    /// Ends the broker.
    fn take_broker_away(&mut self);

    /// Starts it again at the same address.
    fn bring_broker_back(&mut self);
}

impl Launcher for Broker {
    fn agent(&self, rank: usize) -> Trial {
        brunt("agent --once --nats").args([self.url(), "--name".to_owned(), format!("n{rank}")])
    }

    fn coordinator(&self) -> Trial {
        brunt("cluster run --nats").arg(self.url())
    }

    fn take_broker_away(&mut self) {
        self.kill();
    }

    fn bring_broker_back(&mut self) {
        self.again();
    }
}

/// Lets so much time pass.
pub(crate) fn pass(time: Duration) {
    let clock = Monotonic::new();
    until(PATIENCE, || clock.now().since_origin() >= time);
}

/// What of an agent is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Victim {
    /// The agent, whose run ends with it.
    Agent,
    /// Its run, whose end the agent reports.
    Run,
    /// Both, as if the machine were gone.
    Both,
}

/// Agents and a coordinator at work.
pub(crate) struct Attempt {
    directory: TempDir,
    agents: Vec<Program>,
    run: Option<Program>,
    since: Monotonic,
}

/// The result of an attempt.
pub(crate) struct Came {
    pub(crate) ended: Ended,
    /// The merged record, if there is one.
    pub(crate) whole: Option<Record>,
    /// What the agents' runs have kept, by themselves.
    pub(crate) kept: Vec<Record>,
    directory: TempDir,
}

impl Attempt {
    /// Orders a load from so many agents. The coordinator has what the load reads in this directory, the agents have
    /// not.
    pub(crate) fn start(
        place: &dyn Launcher,
        agents: usize,
        options: &[&str],
        load: &str,
        directory: TempDir,
    ) -> Self {
        let at = |file: &str| directory.path().join(file);
        let agent = |rank| place.agent(rank).arg("--records").arg(at("records")).start();
        let started = (0..agents).map(agent).collect();
        let run = place.coordinator().within(directory.path());
        let run = run.typed(&format!("--agents {agents} --seed 5 --no-live --record"));
        let run = run.arg(at("whole.json")).args(options).arg("--").args(load.split(' ')).start();
        Self { directory, agents: started, run: Some(run), since: Monotonic::new() }
    }

    /// Waits until so long after the programs were started.
    pub(crate) fn at(&self, moment: Duration) {
        until(PATIENCE, || self.since.now().since_origin() >= moment);
    }

    /// What the agents have started, which is each a run.
    pub(crate) fn runs(&self) -> Vec<Pid> {
        self.agents.iter().flat_map(runs_of).collect()
    }

    /// What the last agent has started.
    pub(crate) fn runs_of_last(&self) -> Vec<Pid> {
        runs_of(self.last())
    }

    /// The last agent.
    pub(crate) fn last(&self) -> &Program {
        self.agents.last().expect("there are agents")
    }

    /// Kills the last agent, or what is its.
    pub(crate) fn kill(&self, victim: Victim) {
        let runs = self.runs_of_last();
        if matches!(victim, Victim::Agent | Victim::Both) {
            self.last().signal(Signal::KILL);
        }
        if matches!(victim, Victim::Run | Victim::Both) {
            // It may have ended meanwhile.
            for pid in runs {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Kills the coordinator.
    pub(crate) fn kill_coordinator(&self) {
        self.run.as_ref().expect("it is there until it is waited for").signal(Signal::KILL);
    }

    /// Waits for the end of the coordinator, and then of what was running.
    pub(crate) fn wait(mut self, runs: &[Pid]) -> Came {
        let ended = self.run.take().expect("it is waited for once").wait();
        assert!(until(PATIENCE, || runs.iter().all(|pid| is_gone(*pid))), "{ended}");
        let path = self.directory.path().join("whole.json");
        let whole = path.exists().then(|| record(&path));
        let records = self.directory.path().join("records");
        let paths = if records.exists() { kept(&records) } else { Vec::new() };
        let kept = paths.iter().map(|path| record(Path::new(path))).collect();
        Came { ended, whole, kept, directory: self.directory }
    }
}

impl Came {
    /// How many exchanges the agents' own records say were sent.
    pub(crate) fn kept_sent(&self) -> u64 {
        self.kept.iter().map(|record| record.conservation.counts.sent).sum()
    }

    /// The same by `brunt merge` of the agents' own records.
    pub(crate) fn merged(&self) -> Record {
        crate::cluster::merged(&self.directory.path().join("records"))
    }
}
