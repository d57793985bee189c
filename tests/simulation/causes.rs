//! Causes of trouble, drawn one at a time, and what a verdict makes of them: the confusion matrix of
//! docs/statistics.md.

use std::fmt::Write as _;
use std::time::Duration;

use brunt_bench_verdict::Class;
use brunt_engine::virtual_time::{Pause, PauseCause};
use brunt_exchange::{Moment, ThinkTime};
use brunt_record::{Record, RunOutcome, Status};

use crate::dice::Dice;
use crate::run;
use crate::script::{LoadScript, MachineScript, Model, Script, TargetScript};

/// Where trouble lies, or is said to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Location {
    Nowhere,
    Target,
    Machine,
}

impl Location {
    const ALL: [Self; 3] = [Self::Nowhere, Self::Target, Self::Machine];

    /// Where the result of a run says that it is.
    fn output(record: &Record) -> Self {
        use RunOutcome::{Incomplete, Missed, NothingWorked, Overloaded, Unavailable};
        match record.outcome() {
            _ if record.verdict.status == Status::GeneratorLimited => Self::Machine,
            NothingWorked | Unavailable | Incomplete | Overloaded | Missed => Self::Target,
            _ => Self::Nowhere,
        }
    }
}

/// Changes a script that has no trouble.
type Disturbance = fn(&mut Script, &mut Dice);

struct Cause {
    name: &'static str,
    place: Location,
    disturbance: Disturbance,
}

const fn cause(name: &'static str, place: Location, disturbance: Disturbance) -> Cause {
    Cause { name, place, disturbance }
}

const CAUSES: [Cause; 20] = [
    cause("none, open load", Location::Nowhere, |_, _| {}),
    cause("none, closed load", Location::Nowhere, |script, dice| {
        let think = ThinkTime::Exponential(dice.millis(50, 200));
        script.load.model = Model::Closed(think, LASTING);
    }),
    cause("none, answers that vary", Location::Nowhere, |script, _| script.target.varies = true),
    cause("none, several nodes", Location::Nowhere, |script, _| script.weights = vec![2, 1]),
    cause("a pause of the machine of less than 20 ms", Location::Nowhere, |script, dice| {
        script.machine.pauses = stopped(dice, 1, 19);
    }),
    cause("timers up to 0.2 ms late", Location::Nowhere, |script, dice| {
        script.machine.late = Duration::from_micros(dice.between(10, 200));
    }),
    cause("a slow target", Location::Target, |script, dice| {
        script.target.service = dice.millis(300, 900);
        script.load.sessions = 100;
    }),
    cause("a target that cannot carry the load", Location::Target, |script, dice| {
        script.target.servers = 1;
        script.target.service = Duration::from_secs(1).div_f64(RATE as f64 * share(dice, 0.3, 0.8));
    }),
    cause("a target that stands still", Location::Target, |script, dice| {
        script.target.pauses = vec![span(dice, 1_500, 4_000)];
    }),
    cause("a target that restarts", Location::Target, |script, dice| {
        script.target.downs = vec![span(dice, 500, 3_000)];
    }),
    cause("a target that is down", Location::Target, |script, _| {
        script.target.downs = vec![(Moment::ZERO, Moment::ZERO + 4 * LASTING)];
    }),
    cause("lost requests", Location::Target, |script, dice| {
        script.target.loses = share(dice, 0.03, 0.3);
        script.load.timeout = Duration::from_millis(500);
    }),
    cause("refused requests", Location::Target, |script, dice| {
        script.target.refuses = share(dice, 0.03, 0.5);
    }),
    cause("a short queue", Location::Target, |script, dice| {
        (script.target.servers, script.target.queue) = (1, Some(2));
        script.target.service = Duration::from_secs(1).div_f64(RATE as f64 * share(dice, 0.3, 0.8));
    }),
    cause("brunt is stopped", Location::Machine, |script, dice| {
        script.machine.pauses = stopped(dice, 500, 3_000);
    }),
    cause("a quota", Location::Machine, |script, dice| {
        script.machine.pauses = periodic(dice, Duration::from_millis(100), PauseCause::Throttled);
    }),
    cause("a busy host", Location::Machine, |script, dice| {
        script.machine.pauses = periodic(dice, Duration::from_millis(40), PauseCause::Stolen);
    }),
    cause("other processes", Location::Machine, |script, dice| {
        script.machine.pauses = periodic(dice, Duration::from_millis(40), PauseCause::Occupied);
    }),
    cause("too much work for brunt, open load", Location::Machine, |script, dice| {
        script.machine.cost = Duration::from_secs(1).div_f64(RATE as f64 * share(dice, 0.4, 0.95));
    }),
    cause("too much work for brunt, closed load", Location::Machine, |script, dice| {
        script.load.model = Model::Closed(ThinkTime::None, LASTING);
        script.machine.cost = dice.millis(10, 30);
    }),
];

const RATE: u64 = 80;
const LASTING: Duration = Duration::from_secs(8);
/// How many runs are drawn of each cause.
const EACH: u64 = 100;

fn share(dice: &mut Dice, least: f64, most: f64) -> f64 {
    least + (most - least) * dice.unit()
}

/// A time that begins in the first half of a run.
fn span(dice: &mut Dice, least: u64, most: u64) -> (Moment, Moment) {
    let from = Moment::ZERO + dice.millis(500, LASTING.as_millis() as u64 / 2);
    (from, from + dice.millis(least, most))
}

fn stopped(dice: &mut Dice, least: u64, most: u64) -> Vec<Pause> {
    let (from, to) = span(dice, least, most);
    vec![Pause { from, to, cause: PauseCause::Stopped }]
}

/// A large share of each period, all the time.
fn periodic(dice: &mut Dice, period: Duration, cause: PauseCause) -> Vec<Pause> {
    let held_up = period.mul_f64(share(dice, 0.3, 0.9));
    let pause = |number| {
        let from = Moment::ZERO + period * number;
        Pause { from, to: from + held_up, cause }
    };
    (0..(3 * LASTING).as_millis() as u32 / period.as_millis() as u32).map(pause).collect()
}

impl Cause {
    /// A script with this trouble only.
    fn script(&self, seed: u64) -> Script {
        let mut dice = Dice::new(seed, 9);
        let load = LoadScript {
            model: Model::Poisson(RATE, LASTING),
            sessions: 16,
            workers: 1,
            backlog: None,
            timeout: Duration::from_secs(5),
            drain: None,
            warm_up: Duration::ZERO,
            interval: Duration::from_secs(1),
            count: None,
            first: 0,
            objectives: vec!["p99<250ms", "errors<1%"],
            canary: None,
            stops: Vec::new(),
        };
        let service = dice.millis(2, 15);
        let target = TargetScript { service, ..TargetScript::default() };
        let machine = MachineScript::default();
        let mut script = Script { seed, load, target, machine, weights: vec![1] };
        (self.disturbance)(&mut script, &mut dice);
        script
    }

    /// Where the result of a run with this trouble says that it is.
    fn output(&self, seed: u64) -> Location {
        let script = self.script(seed);
        let mut outcome = run::run(&script).expect("it is carried out");
        let record = outcome.merged.unwrap_or_else(|| outcome.shares.remove(0).record);
        Location::output(&record)
    }
}

/// How often each place is named, for each cause.
fn table(each: u64) -> (String, Vec<(usize, u64)>) {
    let mut text = "| cause | runs | no alarm | the target | the machine | right |\n".to_owned();
    text += "|---|---:|---:|---:|---:|---:|\n";
    let mut wrong = Vec::new();
    for (number, cause) in CAUSES.iter().enumerate() {
        let output: Vec<Location> =
            (0..each).map(|draw| cause.output(number as u64 * 1_000 + draw)).collect();
        let of = |place: Location| output.iter().filter(|output| **output == place).count() as u64;
        let counts = Location::ALL.map(|place| of(place).to_string()).join(" | ");
        let right = of(cause.place);
        let percent = 100.0 * right as f64 / each as f64;
        let _ = writeln!(text, "| {} | {each} | {counts} | {percent:.0} % |", cause.name);
        wrong.push((number, each - right));
    }
    (text, wrong)
}

/// The page that has the table, and its place there.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/statistics.md");
const HEAD: &str = "| cause | runs | no alarm |";

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn verdict_table_in_docs_equals_2000_simulations() {
    let (table, _) = table(EACH);
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let from = page.find(HEAD).expect("the table");
    let to = page[from..].find("\n\n").map_or(page.len(), |end| from + end + 1);
    if std::env::var_os("BRUNT_BLESS").is_some() {
        let page = format!("{}{table}{}", &page[..from], &page[to..]);
        std::fs::write(PAGE, page).expect("it is written");
        return;
    }
    assert!(page[from..to] == table, "BRUNT_BLESS=1 writes it anew:\n{table}");
}

#[test]
fn verdict_blames_neither_quiet_machine_nor_innocent_target() {
    let (table, wrong) = table(4);
    for (number, count) in wrong {
        assert!(count <= 1, "{}: {count} of 4 are wrong\n{table}", CAUSES[number].name);
    }
}

/// Kinds of trouble that no simulation has: of several processes, and of what a machine has few of.
const REAL_ONLY: [&str; 2] = ["a lost agent", "no ports, no descriptors, or no `/proc`"];

/// The two tables of the page have the same rows.
#[test]
fn kinds_of_real_causes_are_simulated_too() {
    let real = brunt_bench_verdict::CAUSES.iter();
    for cause in real.filter(|cause| !REAL_ONLY.contains(&cause.kind)) {
        let simulated = CAUSES.iter().find(|simulated| simulated.name == cause.kind);
        let place = match cause.class {
            Class::Nothing => Location::Nowhere,
            Class::Target => Location::Target,
            Class::Generator => Location::Machine,
        };
        assert_eq!(simulated.map(|it| it.place), Some(place), "{}: {}", cause.name, cause.kind);
    }
}
