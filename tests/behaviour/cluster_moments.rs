//! Several agents as one run, of which something is killed at any moment. What a directory saw is held against the
//! merged record each time: what was told is in it, what is missing is said with its size, nothing was sent twice, and
//! nobody goes on sending.
//!
//! Each exchange of each run asks for an entry of its own number, so the directory's log says which exchanges of which
//! run arrived, and how often.

use std::collections::HashSet;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::thread;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_record::Record;
use brunt_testbed::{require, until};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::cluster::{Broker, is_gone, kept, record, runs_of};
use crate::program::{Ended, Program, among_others, binary, command, scratch, slapd};

const PATIENCE: Duration = Duration::from_secs(60);
/// How many times an agent is killed.
const MOMENTS: u64 = 20;
/// How many runs there are at a time.
const TOGETHER: u64 = 10;
/// From the start of the programs to a while after the end of a run that nobody disturbs.
const SPAN: Duration = Duration::from_secs(9);
/// A run's operations a second, of which each of two agents has half, and its seconds.
const RATE: u64 = 40;
const SECONDS: u64 = 3;

/// What of an agent is killed.
#[derive(Clone, Copy, Debug)]
enum Victim {
    /// The agent, whose run ends with it.
    Agent,
    /// Its run, of which the agent tells.
    Run,
    /// Both, as if the machine were gone.
    Both,
}

/// Numbers that look random, from a seed that a failure names.
struct Random(u64);

impl Random {
    #[expect(clippy::print_stderr, reason = "a failure is to be had again")]
    fn new() -> Self {
        let given = std::env::var("BRUNT_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| RandomState::new().hash_one(0) >> 1);
        eprintln!("BRUNT_TEST_SEED={seed} has the same moments again");
        Self(seed)
    }

    /// From 0 up to 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

/// Two agents and a coordinator with a pool of their own.
struct Attempt {
    name: String,
    directory: TempDir,
    agents: Vec<Program>,
    run: Option<Program>,
    since: Monotonic,
}

/// What came of an attempt.
struct Came {
    ended: Ended,
    /// The merged record, if there is one.
    whole: Option<Record>,
    /// What the agents' runs have kept, by themselves.
    kept: Vec<Record>,
    directory: TempDir,
}

impl Attempt {
    fn start(name: String, broker: &Broker, port: u16, seconds: u64) -> Self {
        let directory = scratch();
        let at = |file: &str| directory.path().join(file);
        let agents = ["a", "b"].map(|agent| {
            let mut start = command(binary());
            start.args(["agent", "--once", "--nats", &broker.url(), "--pool", &name]);
            start.args(["--name", agent, "--records"]).arg(at("records"));
            Program::start(&mut start)
        });
        let mut run = command(binary());
        run.args(["cluster", "run", "--nats", &broker.url(), "--pool", &name, "--agents", "2"]);
        run.args(["--seed", "5", "--patience", "8s", "--quiet", "--record"]).arg(at("whole.json"));
        run.args(["--", "searchrate", "-h", "127.0.0.1", "-b", "dc=example,dc=com", "-c", "2"]);
        run.args(["-p", &port.to_string(), "-M", &RATE.to_string()]);
        run.args(["-d", &seconds.to_string(), "-g", "inc(0,99999)", &format!("(uid={name}-%d)")]);
        let run = Some(Program::start(&mut run));
        Self { name, directory, agents: agents.into(), run, since: Monotonic::new() }
    }

    fn at(&self, moment: Duration) {
        until(PATIENCE, || self.since.now().since_origin() >= moment);
    }

    fn runs(&self) -> Vec<Pid> {
        self.agents.iter().flat_map(runs_of).collect()
    }

    fn kill(&self, victim: Victim) {
        let runs = runs_of(&self.agents[1]);
        if matches!(victim, Victim::Agent | Victim::Both) {
            self.agents[1].signal(Signal::KILL);
        }
        if matches!(victim, Victim::Run | Victim::Both) {
            // It may have ended meanwhile.
            for pid in runs {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Waits for the end of the coordinator, and then of what was running.
    fn wait(mut self, runs: &[Pid]) -> Came {
        let ended = self.run.take().expect("it is waited for once").wait();
        assert!(until(PATIENCE, || runs.iter().all(|pid| is_gone(*pid))), "{}: {ended}", self.name);
        let path = self.directory.path().join("whole.json");
        let whole = path.exists().then(|| record(&path));
        let directory = self.directory.path().join("records");
        let paths = if directory.exists() { kept(&directory) } else { Vec::new() };
        let kept = paths.iter().map(|path| record(Path::new(path))).collect();
        Came { ended, whole, kept, directory: self.directory }
    }
}

/// The numbers of the exchanges of a run that a directory saw, which are as many as its lines or one came twice.
fn seen(log: &Path, name: &str) -> HashSet<u64> {
    let text = String::from_utf8_lossy(&fs::read(log).expect("slapd's log")).into_owned();
    let mut numbers = HashSet::new();
    for line in text.lines().filter(|line| line.contains(" SRCH base=")) {
        let Some((_, rest)) = line.split_once(&format!("(uid={name}-")) else { continue };
        let number = rest.split(')').next().and_then(|number| number.parse().ok());
        let number = number.unwrap_or_else(|| panic!("no number in {line}"));
        assert!(numbers.insert(number), "{name}: exchange {number} was sent twice");
    }
    numbers
}

fn sent(records: &[Record]) -> u64 {
    records.iter().map(|record| record.conservation.counts.sent).sum()
}

/// How many seconds of a share the record says are in none of its figures.
fn said(whole: &Record) -> Option<f64> {
    let reasons = whole.verdict.reasons.iter().map(|reason| reason.text.as_str());
    let text = reasons.into_iter().find(|text| text.contains("are in none"))?;
    let (_, rest) = text.split_once("up to ").unwrap_or_else(|| panic!("{text}"));
    assert!(rest.contains(&format!("of its {}/s", RATE / 2)), "{text}");
    Some(rest.split(' ').next()?.parse().expect("seconds"))
}

/// Holds what came of a run against what the directory saw of it.
fn judge(what: &str, victim: Victim, came: &Came, seen: u64) -> &'static str {
    let ended = &came.ended;
    let counted = came.whole.as_ref().map_or(0, |whole| whole.conservation.counts.sent);
    let told = format!("{what}: {counted} of {seen}\n{ended}");
    if ended.code() == 1 {
        assert_eq!((seen, counted), (0, 0), "{told}");
        return "before it began";
    }
    let whole = came.whole.as_ref().unwrap_or_else(|| panic!("there is no record\n{told}"));
    assert!(whole.conservation.holds, "{told}");
    if ended.code() == 0 {
        assert_eq!((counted, seen), (RATE * SECONDS, RATE * SECONDS), "{told}");
        return "after its end";
    }
    assert_eq!(ended.code(), 5, "{told}");
    // What the others have kept is in the whole, and so is what the victim told.
    let missing = seen.checked_sub(counted).unwrap_or_else(|| panic!("more than was sent\n{told}"));
    match said(whole) {
        Some(seconds) => {
            let most = (seconds * (RATE / 2) as f64).ceil() as u64 + 1;
            assert!(missing <= most, "{missing} and not {most} are missing\n{told}");
        }
        None => assert_eq!(missing, 0, "{told}"),
    }
    assert!(sent(&came.kept) <= seen, "{told}");
    if matches!(victim, Victim::Agent) {
        // Its run has ended in good order, so nothing is lost to who merges the records that were kept.
        assert_eq!(sent(&came.kept), seen, "{told}");
    } else {
        let least = came.kept.iter().map(|record| record.conservation.counts.sent).min();
        assert!(counted >= least.unwrap_or_default(), "{told}");
    }
    "during the run"
}

#[test]
fn an_agent_that_is_killed_at_any_moment_leaves_a_record_that_says_what_it_lacks() {
    let _among = among_others();
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let (broker, port) = (&Broker::start(), slapd.port());
    let mut random = Random::new();
    let victims = [Victim::Agent, Victim::Run, Victim::Both];
    let moments: Vec<(u64, Duration, Victim)> = (0..MOMENTS)
        .map(|number| {
            // One in each of as many parts of the time that a run takes, so that no part of it is left out.
            let moment = SPAN.mul_f64((number as f64 + random.share()) / MOMENTS as f64);
            (number, moment, victims[(random.share() * 3.0) as usize % 3])
        })
        .collect();
    let mut all: Vec<(String, u64)> = Vec::new();
    let mut kinds = HashSet::new();
    for wave in 0..MOMENTS / TOGETHER {
        let wave = moments.iter().filter(|(number, ..)| number % (MOMENTS / TOGETHER) == wave);
        let carry_out = |(number, moment, victim): &(u64, Duration, Victim)| {
            let attempt = Attempt::start(format!("m{number}"), broker, port, SECONDS);
            attempt.at(*moment);
            let runs = attempt.runs();
            attempt.kill(*victim);
            let what = format!("{victim:?} killed after {moment:?}");
            (attempt.name.clone(), what, *victim, attempt.wait(&runs))
        };
        let came: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> =
                wave.map(|moment| scope.spawn(move || carry_out(moment))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
        });
        slapd.operations();
        for (name, what, victim, came) in came {
            let seen = seen(&slapd.log(), &name).len() as u64;
            kinds.insert(judge(&what, victim, &came, seen));
            all.push((name, seen));
        }
    }
    assert!(kinds.contains("during the run"), "{kinds:?}");
    // Nobody goes on sending.
    for (name, before) in all {
        assert_eq!(seen(&slapd.log(), &name).len() as u64, before, "{name}");
    }
}

#[test]
fn a_broker_that_comes_back_after_eight_seconds_finds_nobody_sending() {
    let _among = among_others();
    let Some(slapd) = slapd(2).filter(|_| require(&["nats-server"])) else { return };
    let mut broker = Broker::start();
    let mut random = Random::new();
    let log = slapd.log();
    let attempt = Attempt::start("away".to_owned(), &broker, slapd.port(), 60);
    assert!(until(PATIENCE, || !seen(&log, "away").is_empty()));
    let clock = Monotonic::new();
    let pause = Duration::from_secs_f64(random.share());
    until(PATIENCE, || clock.now().since_origin() >= pause);
    let runs = attempt.runs();
    broker.kill();
    let clock = Monotonic::new();
    until(PATIENCE, || clock.now().since_origin() >= Duration::from_secs(8));
    broker.again();
    let came = attempt.wait(&runs);
    let seen_first = seen(&log, "away");
    assert_eq!(came.ended.code(), 7, "{}", came.ended);
    assert_eq!(sent(&came.kept), seen_first.len() as u64, "{}", came.ended);
    let paths = kept(&came.directory.path().join("records"));
    assert_eq!(paths.len(), 2, "{paths:?}");
    assert_eq!(seen(&log, "away"), seen_first);
}
