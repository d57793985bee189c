//! How two runs differ apart from their results, which decides whether they can be compared: [`unlike`].
//!
//! Figures of two runs describe the effect of a known difference only if there is no other. So runs with different
//! settings, or from different kinds of machines, are refused, and each difference is named. Names of machines,
//! versions of brunt and seeds are reported but do not cause a refusal: containers have a new name each time, and a
//! baseline is often older than the program.

use super::Input;
use crate::figure::{fixed, percent};
use brunt_record::{Basis, Environment, Mode, Phase, Plan, Record, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// If the lengths of two windows differ by more than this share, they are not of one command.
const SCHEDULED: f64 = 0.02;
/// The same where a run lasts as long as its exchanges take.
const COUNTED: f64 = 0.5;
/// The properties of the machine.
const MACHINE: [&str; 9] = [
    PROCESSOR,
    CORES,
    ARCHITECTURE,
    SYSTEM,
    KERNEL,
    PROCESSORS_ALLOWED,
    MEMORY_ALLOWED,
    HOST,
    MEMORY,
];
const PROCESSOR: &str = "processor";
const CORES: &str = "cores";
const ARCHITECTURE: &str = "architecture";
const SYSTEM: &str = "system";
const KERNEL: &str = "kernel";
const PROCESSORS_ALLOWED: &str = "processors allowed";
const MEMORY_ALLOWED: &str = "memory allowed";
const HOST: &str = "name of the machine";
const MEMORY: &str = "memory";
/// A machine reports a slightly different amount of memory from boot to boot.
const MEMORY_SHARE: f64 = 0.05;

/// One thing in which a run differs from the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mismatch {
    /// What differs: `target`, `command`, `cores`.
    pub what: String,
    /// What it is in the first run.
    pub first: String,
    /// The file of the other run.
    pub file: String,
    /// What it is there.
    pub other: String,
    /// Whether the runs are not compared because of it, unless that is asked for.
    pub refuses: bool,
}

/// The properties that two runs must have in common for their figures to be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ComparableProperties {
    /// The words of the command that define the load.
    #[serde(rename = "asked")]
    requested: Vec<String>,
    tool: Tool,
    plan: Plan,
    operations: Vec<String>,
    nodes: String,
    phases: Vec<Phase>,
    /// The definition of its rates.
    #[serde(rename = "rates")]
    definition: u32,
    /// How long the steady phase was.
    seconds: f64,
    environment: Environment,
}

impl ComparableProperties {
    /// That of a run.
    pub(crate) fn new(run: &Input) -> Self {
        let Record { tool, plan, environment, operations, rates, .. } = &run.record;
        Self {
            requested: run.requested.clone(),
            tool: tool.clone(),
            plan: plan.clone(),
            operations: operations.iter().map(|operation| operation.name.clone()).collect(),
            nodes: match &run.record.node {
                Some(node) => format!("node {} of {}", node.rank, node.of),
                None => run.record.nodes.len().max(1).to_string(),
            },
            phases: phases(&run.record),
            definition: rates.definition,
            seconds: rates.seconds,
            environment: environment.clone(),
        }
    }
}

/// The requested phases: a phase without length was not requested.
fn phases(record: &Record) -> Vec<Phase> {
    let phases = record.phases.iter().filter(|phase| phase.name != Phase::Drain);
    phases.filter(|phase| phase.to_s > phase.from_s).map(|phase| phase.name).collect()
}

/// All differences of a run, which is named by its file, from the first one.
pub(crate) fn unlike(
    first: &ComparableProperties,
    (file, other): (&str, &ComparableProperties),
) -> Vec<Mismatch> {
    let same = |pair: &(&str, String, String, bool)| pair.1 == pair.2;
    let mut found = requested(first, other);
    found.extend(shape(first, other));
    found.extend(machine(&first.environment, &other.environment));
    found.retain(|pair| !same(pair));
    let named = found.into_iter().map(|(what, first, differs, refuses)| Mismatch {
        what: what.to_owned(),
        first,
        file: file.to_owned(),
        other: differs,
        refuses,
    });
    named.collect()
}

impl ComparableProperties {
    /// The definition of its rates.
    pub(super) fn definition(&self) -> u32 {
        self.definition
    }
}

/// Whether it is a property of the machine, which changes over months while the load stays the same.
pub(super) fn is_of_machine(unlike: &Mismatch) -> bool {
    MACHINE.contains(&unlike.what.as_str())
}

/// What differs in words, each difference once: `sessions: 2, but 77 in b.json and 4 more`.
pub fn differences<'a>(unlike: impl IntoIterator<Item = &'a Mismatch>) -> Vec<String> {
    let mut found: Vec<(&Mismatch, usize)> = Vec::new();
    for unlike in unlike {
        let same = |(known, _): &&mut (&Mismatch, usize)| {
            (&known.what, &known.first, &known.other)
                == (&unlike.what, &unlike.first, &unlike.other)
        };
        match found.iter_mut().find(same) {
            Some((_, more)) => *more += 1,
            None => found.push((unlike, 0)),
        }
    }
    let texts = found.into_iter().map(|(Mismatch { what, first, file, other, .. }, more)| {
        let [first, other] = apart(first, other);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{what}: {first}, but {other} in {file}{more}")
    });
    texts.collect()
}

/// Two texts without their common first and last words.
fn apart<'a>(one: &'a str, other: &'a str) -> [String; 2] {
    let [a, b]: [Vec<&'a str>; 2] = [one, other].map(|text| text.split(' ').collect());
    let before = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let most = a.len().min(b.len()) - before;
    let backwards = a.iter().rev().zip(b.iter().rev());
    let after = backwards.take(most).take_while(|(a, b)| a == b).count();
    [a, b].map(|words| match words[before..words.len() - after].join(" ") {
        none if none.is_empty() => "nothing".to_owned(),
        differs if before + after == 0 => differs,
        differs => format!("\"{differs}\""),
    })
}

/// What differs, its value in both runs, and whether that refuses a comparison.
type Pair = (&'static str, String, String, bool);

fn requested(one: &ComparableProperties, two: &ComparableProperties) -> Vec<Pair> {
    let pair = |what, of: &dyn Fn(&ComparableProperties) -> String| (what, of(one), of(two), true);
    let rate = |rate: Option<f64>| {
        rate.map_or_else(|| "as many as possible".to_owned(), |rate| format!("{rate}"))
    };
    vec![
        pair("program", &|run| run.tool.name.clone()),
        pair("target", &|run| text(run.plan.target.as_ref())),
        pair("command", &|run| run.requested.join(" ")),
        pair("model", &|run| run.plan.mode.word().to_owned()),
        pair("rate", &|run| rate(run.plan.target_rate)),
        pair("iterations a second", &|run| rate(run.plan.target_iterations)),
        pair("sessions", &|run| run.plan.sessions.to_string()),
        pair("latency shown", &|run| match run.plan.latency_basis {
            Basis::Response => "response".to_owned(),
            Basis::Service => "service".to_owned(),
        }),
        pair("operations", &|run| run.operations.join(", ")),
        pair("nodes", &|run| run.nodes.clone()),
        // Rates that are defined otherwise are left out, and the other figures are compared.
        ("definition of rates", defined(one), defined(two), false),
        ("version", one.tool.version.clone(), two.tool.version.clone(), false),
    ]
}

fn defined(run: &ComparableProperties) -> String {
    let words = match run.definition {
        1 => "what was due, however late it was answered",
        _ => "what was answered while the load ran",
    };
    format!("{} ({words})", run.definition)
}

fn shape(one: &ComparableProperties, two: &ComparableProperties) -> Vec<Pair> {
    let phases = |run: &ComparableProperties| {
        run.phases.iter().map(|phase| phase.word()).collect::<Vec<_>>().join(", ")
    };
    let mut pairs = vec![("phases", phases(one), phases(two), true)];
    let (a, b) = (one.seconds, two.seconds);
    let open = one.plan.mode == Mode::Open;
    let most = if open { SCHEDULED } else { COUNTED };
    if (a - b).abs() > most * a.max(b) {
        let seconds = |of: f64| format!("{} s", fixed(Some(of), 1));
        pairs.push(("length of the steady phase", seconds(a), seconds(b), true));
    }
    pairs
}

fn machine(one: &Environment, two: &Environment) -> Vec<Pair> {
    let number = |of: Option<u64>| of.map_or_else(unknown, |of| of.to_string());
    let share = |of: Option<f64>| of.map_or_else(unknown, percent);
    let bytes = |of: Option<u64>| {
        of.map_or_else(unknown, |of| format!("{:.1} GiB", of as f64 / f64::from(1 << 30)))
    };
    let mut pairs = vec![
        (PROCESSOR, text(one.cpu.as_ref()), text(two.cpu.as_ref()), true),
        (CORES, number(one.cores), number(two.cores), true),
        (ARCHITECTURE, one.arch.clone(), two.arch.clone(), true),
        (SYSTEM, text(one.os.as_ref()), text(two.os.as_ref()), true),
        (KERNEL, one.kernel.clone(), two.kernel.clone(), true),
        (PROCESSORS_ALLOWED, share(one.cgroup_cpus), share(two.cgroup_cpus), true),
        (MEMORY_ALLOWED, bytes(one.cgroup_memory_bytes), bytes(two.cgroup_memory_bytes), true),
        (HOST, one.host.clone(), two.host.clone(), false),
    ];
    let [a, b] = [one.memory_bytes, two.memory_bytes].map(|of| of.unwrap_or_default() as f64);
    if (a - b).abs() > MEMORY_SHARE * a.max(b) {
        pairs.push((MEMORY, bytes(one.memory_bytes), bytes(two.memory_bytes), true));
    }
    pairs
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn text(of: Option<&String>) -> String {
    of.cloned().unwrap_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mismatch_of_commands_shows_only_the_difference() {
        let message = |one: &str, other: &str| apart(one, other).join(" | ");
        assert_eq!(
            message("authrate -M 100 -c 5 -h x", "authrate -M 200 -c 5 -h x"),
            "\"100\" | \"200\""
        );
        assert_eq!(message("http -q 5 URL", "http -q 5 --http2 URL"), "nothing | \"--http2\"");
        assert_eq!(message("a a a", "a a"), "\"a\" | nothing");
        assert_eq!(message("open", "closed"), "open | closed");
    }

    #[test]
    fn mismatch_in_repeated_runs_is_listed_once() {
        let unlike = |file: &str, other: &str| Mismatch {
            what: "sessions".to_owned(),
            first: "2".to_owned(),
            file: file.to_owned(),
            other: other.to_owned(),
            refuses: true,
        };
        let all = [unlike("b/1", "77"), unlike("b/2", "77"), unlike("b/3", "9")];
        assert_eq!(
            differences(&all),
            ["sessions: 2, but 77 in b/1 and 1 more", "sessions: 2, but 9 in b/3"]
        );
    }
}
