//! The rate that each tool reports of a server that cannot keep up, or whose answers take long, beside the rate at
//! which the server answered while the load ran, by its own log.

use crate::contender::Contender;
use brunt_bench_tool::Process;
use brunt_testbed::{Answer, Scripted};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How far a reported rate may be from the log.
const TOLERANCE: f64 = 0.03;

/// How long requests take.
#[derive(Clone, Copy, Debug)]
enum Service {
    /// Each takes this long, however many there are.
    Each(Duration),
    /// A single worker takes this long for one after the other.
    OneWorker(Duration),
    /// Every other one takes the second time.
    InTurn(Duration, Duration),
}

impl Service {
    /// The longest that a request takes without waiting for others.
    const fn longest(self) -> Duration {
        match self {
            Self::Each(time) | Self::OneWorker(time) | Self::InTurn(_, time) => time,
        }
    }

    fn start(self) -> Scripted {
        let (mut count, mut free) = (0_u64, Duration::ZERO);
        Scripted::start(move |at| {
            count += 1;
            Answer::At(match self {
                Self::Each(time) => at + time,
                Self::OneWorker(time) => {
                    free = free.max(at) + time;
                    free
                }
                Self::InTurn(odd, _) if count % 2 == 1 => at + odd,
                Self::InTurn(_, even) => at + even,
            })
        })
    }
}

/// A load and the server that it meets.
struct Case {
    name: &'static str,
    service: Service,
    sessions: u32,
    /// Requests a second; the last if it rises.
    rate: u32,
    /// Requests a second at the beginning, if it rises.
    rises_from: Option<u32>,
}

const CASES: [Case; 5] = [
    Case {
        name: "10 ms each, 10 connections, 8,000/s",
        service: Service::Each(Duration::from_millis(10)),
        sessions: 10,
        rate: 8_000,
        rises_from: None,
    },
    Case {
        name: "one worker of 20 ms, 300 connections, 60/s",
        service: Service::OneWorker(Duration::from_millis(20)),
        sessions: 300,
        rate: 60,
        rises_from: None,
    },
    Case {
        name: "300 ms each, 100 connections, 200/s",
        service: Service::Each(Duration::from_millis(300)),
        sessions: 100,
        rate: 200,
        rises_from: None,
    },
    Case {
        name: "10 ms and 2 s in turn, 100 connections, 50/s",
        service: Service::InTurn(Duration::from_millis(10), Duration::from_secs(2)),
        sessions: 100,
        rate: 50,
        rises_from: None,
    },
    Case {
        name: "500 ms each, 400 connections, rising from 10/s to 500/s",
        service: Service::Each(Duration::from_millis(500)),
        sessions: 400,
        rate: 500,
        rises_from: Some(10),
    },
];

/// The tools that report a rate that was asked for. wrk and h2load have none, and k6 counts iterations.
const TOOLS: [Contender; 4] = [Contender::Brunt, Contender::Oha, Contender::Hey, Contender::Vegeta];

/// Runs every case with every tool for so many seconds each, and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
pub(crate) fn print(seconds: u64) {
    println!(
        "## Rates in overload, {seconds} s each: what a tool reports, and what the server's log says\n"
    );
    println!("| server and load | {} |", TOOLS.map(Contender::name).join(" | "));
    println!("|---|{}", "---:|".repeat(TOOLS.len()));
    for case in &CASES {
        let cells = TOOLS.map(|tool| case.cell(tool, seconds));
        println!("| {} | {} |", case.name, cells.join(" | "));
    }
    println!(
        "\nReported / by the log since the first answers, in requests a second; `!`: they differ by more than 3 %.\n"
    );
}

impl Case {
    fn cell(&self, tool: Contender, seconds: u64) -> String {
        if tool.program().is_none() {
            return "missing".to_owned();
        }
        if self.rises_from.is_some() && tool != Contender::Brunt {
            return "cannot rise".to_owned();
        }
        let server = self.service.start();
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let reported = self.reported(tool, &server.url(), seconds, scratch.path());
        let logged = self.logged(&server, Duration::from_secs(seconds));
        let mark = if (reported / logged - 1.0).abs() > TOLERANCE { " !" } else { "" };
        format!("{reported:.1} / {logged:.1}{mark}")
    }

    /// The rate of the server's answers while the load ran. Until the first of its longest requests is answered, a
    /// server answers fewer than later, however well it keeps up, so that time is left out.
    fn logged(&self, server: &Scripted, lasting: Duration) -> f64 {
        let from = self.service.longest();
        let answered = server.answered_within(lasting) - server.answered_within(from);
        answered as f64 / (lasting.as_secs_f64() - from.as_secs_f64())
    }

    /// The rate that the tool reports of a run.
    fn reported(&self, tool: Contender, url: &str, seconds: u64, scratch: &Path) -> f64 {
        let command = Command::new(tool.program().expect("the tool is there"));
        match tool {
            Contender::Brunt => self.by_brunt(command, url, seconds, scratch),
            Contender::Oha => self.by_oha(command, url, seconds, scratch),
            Contender::Hey => self.by_hey(command, url, seconds, scratch),
            Contender::Vegeta => self.by_vegeta(command, url, seconds, scratch),
            Contender::Wrk | Contender::H2load | Contender::K6 => {
                panic!("{} reports no such rate", tool.name())
            }
        }
    }

    fn by_brunt(&self, mut command: Command, url: &str, seconds: u64, scratch: &Path) -> f64 {
        let (plan, record) = (scratch.join("plan.toml"), scratch.join("record.json"));
        let Self { sessions, rate, .. } = self;
        if let Some(from) = self.rises_from {
            let text = format!(
                "[run]\nstages = \"ramp {from}..{rate} over {seconds}s\"\nusers = {sessions}\n[[scenario]]\n\
                 name = \"one\"\n[[scenario.steps]]\nname = \"get\"\nget = \"{url}\"\n"
            );
            std::fs::write(&plan, text).expect("a file can be written");
            command.arg("run").arg(plan);
        } else {
            command.args(["http", "-c", &sessions.to_string(), "-q", &rate.to_string()]);
            command.args(["-z", &format!("{seconds}s"), url]);
        }
        command.arg("--record").arg(&record);
        // The record is written whatever came of the run, which in overload may end before all is answered.
        Process::start(command, &scratch.join("log")).finish_with(&[0, 4, 5, 99]);
        number(&json(&record), "/rates/achieved")
    }

    fn by_oha(&self, mut command: Command, url: &str, seconds: u64, scratch: &Path) -> f64 {
        let log = scratch.join("log");
        command.args(["--no-tui", "--output-format", "json", "-z", &format!("{seconds}s")]);
        command.args(["-c", &self.sessions.to_string(), "-q", &self.rate.to_string(), url]);
        Process::start(command, &log).finish();
        number(&json(&log), "/summary/requestsPerSec")
    }

    fn by_hey(&self, mut command: Command, url: &str, seconds: u64, scratch: &Path) -> f64 {
        // Its rate is that of each worker.
        let each = f64::from(self.rate) / f64::from(self.sessions);
        command.args(["-z", &format!("{seconds}s"), "-c", &self.sessions.to_string()]);
        command.args(["-q", &each.to_string(), url]);
        let output = Process::start(command, &scratch.join("log")).finish();
        let line = output.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:"));
        line.and_then(|rate| rate.trim().parse().ok()).expect("hey reports a rate")
    }

    fn by_vegeta(&self, mut command: Command, url: &str, seconds: u64, scratch: &Path) -> f64 {
        let (targets, results) = (scratch.join("targets"), scratch.join("results"));
        let (sessions, log) = (self.sessions.to_string(), scratch.join("log"));
        std::fs::write(&targets, format!("GET {url}\n")).expect("a file can be written");
        command.args(["attack", "-rate", &self.rate.to_string()]);
        command.args(["-duration", &format!("{seconds}s"), "-workers", &sessions]);
        command.args(["-max-workers", &sessions, "-targets"]).arg(&targets);
        command.arg("-output").arg(&results);
        Process::start(command, &log).finish();
        let mut report = Command::new(Contender::Vegeta.program().expect("the tool is there"));
        report.args(["report", "-type", "json"]).arg(&results);
        Process::start(report, &log).finish();
        number(&json(&log), "/throughput")
    }
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("the tool wrote it");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn number(document: &Value, place: &str) -> f64 {
    let number = document.pointer(place).and_then(Value::as_f64);
    number.unwrap_or_else(|| panic!("no number at {place} in {document}"))
}
