//! The tools that are compared, and the command line by which each does the same work: GET a small file over 50
//! connections that stay open, or, with HTTP/2, over 5 connections of 10 streams each. No tool verifies the server's
//! certificate, as wrk and h2load cannot.

use brunt_bench_tool::brunt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many requests each tool keeps in flight.
pub(crate) const IN_FLIGHT: u32 = 50;
/// How many connections those share with HTTP/2.
pub(crate) const CONNECTIONS_H2: u32 = 5;

/// The version of HTTP, and whether it is under TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    Http1Tls,
    /// With prior knowledge.
    Http2,
    Http2Tls,
}

impl Protocol {
    /// In the order of the tables.
    pub(crate) const ALL: [Self; 4] = [Self::Http1, Self::Http1Tls, Self::Http2, Self::Http2Tls];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http1Tls => "HTTP/1.1 over TLS",
            Self::Http2 => "HTTP/2",
            Self::Http2Tls => "HTTP/2 over TLS",
        }
    }

    pub(crate) const fn is_secured(self) -> bool {
        matches!(self, Self::Http1Tls | Self::Http2Tls)
    }

    pub(crate) const fn is_http2(self) -> bool {
        matches!(self, Self::Http2 | Self::Http2Tls)
    }
}

/// The work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// As many requests as possible.
    Flood(Protocol),
    /// HTTP/1.1 at so many a second.
    Paced(u32),
}

impl Work {
    pub(crate) fn words(self) -> String {
        match self {
            Self::Flood(protocol) => protocol.name().to_owned(),
            Self::Paced(rate) => format!("{rate}/s"),
        }
    }

    pub(crate) const fn protocol(self) -> Protocol {
        match self {
            Self::Flood(protocol) => protocol,
            Self::Paced(_) => Protocol::Http1,
        }
    }
}

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    Brunt,
    Wrk,
    H2load,
    Oha,
    Hey,
    Vegeta,
    K6,
}

impl Contender {
    /// In the order of the table.
    pub(crate) const ALL: [Self; 7] =
        [Self::Brunt, Self::Wrk, Self::H2load, Self::Oha, Self::Hey, Self::Vegeta, Self::K6];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Brunt => "brunt",
            Self::Wrk => "wrk",
            Self::H2load => "h2load",
            Self::Oha => "oha",
            Self::Hey => "hey",
            Self::Vegeta => "vegeta",
            Self::K6 => "k6",
        }
    }

    /// Whether the tool can do that work at all.
    pub(crate) const fn can(self, work: Work) -> bool {
        match work {
            Work::Flood(protocol) if protocol.is_http2() => {
                // hey makes one connection over HTTP/2, and k6 one for each user.
                matches!(self, Self::Brunt | Self::H2load | Self::Oha)
            }
            Work::Flood(_) => !matches!(self, Self::Vegeta),
            // h2load's rate is one of connections.
            Work::Paced(_) => !matches!(self, Self::Wrk | Self::H2load),
        }
    }

    /// Where the program is; `None` if it is not on this machine.
    pub(crate) fn program(self) -> Option<PathBuf> {
        if self == Self::Brunt {
            return Some(brunt());
        }
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .map(|place| place.join(self.name()))
            .find(|file| file.is_file())
    }

    /// The command that keeps at the work for `seconds`.
    pub(crate) fn command(self, work: Work, url: &str, seconds: u64, scratch: &Path) -> Command {
        let program = self.program().expect("only those that are there are started");
        let mut command = Command::new(program);
        match self {
            Self::Brunt => brunt_arguments(&mut command, work, url, seconds, scratch),
            Self::Wrk => {
                command.args(["-t", "1", "-c", &IN_FLIGHT.to_string()]);
                command.args(["-d", &format!("{seconds}s"), url]);
            }
            Self::H2load => h2load(&mut command, work.protocol(), url, seconds),
            Self::Oha => oha(&mut command, work, url, seconds),
            Self::Hey => {
                command.args(["-c", &IN_FLIGHT.to_string(), "-z", &format!("{seconds}s")]);
                if let Work::Paced(rate) = work {
                    command.args(["-q", &(rate / IN_FLIGHT).to_string()]);
                }
                command.arg(url);
            }
            Self::Vegeta => {
                let targets = scratch.join("targets");
                std::fs::write(&targets, format!("GET {url}\n")).expect("a file can be written");
                let Work::Paced(rate) = work else { panic!("vegeta has a rate") };
                command.args(["attack", "-rate", &rate.to_string(), "-connections"]);
                command.args([&IN_FLIGHT.to_string(), "-duration", &format!("{seconds}s")]);
                command.args(["-output", "/dev/null", "-targets"]).arg(targets);
            }
            Self::K6 => {
                let script = scratch.join("script.js");
                std::fs::write(&script, k6(work, url, seconds)).expect("a file can be written");
                command.args(["run", "--quiet", "--no-usage-report"]).arg(script);
            }
        }
        command
    }
}

/// The command by which brunt makes exactly `requests` requests and records them.
pub(crate) fn exact(protocol: Protocol, url: &str, requests: u64, record: &Path) -> Command {
    let mut command = Command::new(brunt());
    command.args(["http", "-t", "1", "-n", &requests.to_string(), "--record"]).arg(record);
    connections(&mut command, protocol);
    if protocol.is_secured() {
        command.arg("--insecure");
    }
    command.arg(url);
    command
}

fn brunt_arguments(command: &mut Command, work: Work, url: &str, seconds: u64, scratch: &Path) {
    // One thread, as wrk is given: nginx has the other core.
    command.args(["http", "-t", "1", "-z", &format!("{seconds}s")]);
    connections(command, work.protocol());
    if work.protocol().is_secured() {
        command.arg("--insecure");
    }
    if let Work::Paced(rate) = work {
        command.args(["-q", &rate.to_string()]);
        command.arg("--record").arg(scratch.join("record.json"));
    }
    command.arg(url);
}

/// The options that brunt and oha have in common.
fn connections(command: &mut Command, protocol: Protocol) {
    if protocol.is_http2() {
        let streams = IN_FLIGHT / CONNECTIONS_H2;
        command.args(["--http2", "-c", &CONNECTIONS_H2.to_string(), "-p", &streams.to_string()]);
    } else {
        command.args(["-c", &IN_FLIGHT.to_string()]);
    }
}

fn h2load(command: &mut Command, protocol: Protocol, url: &str, seconds: u64) {
    command.args(["-t", "1", "-D", &seconds.to_string()]);
    if protocol.is_http2() {
        let streams = IN_FLIGHT / CONNECTIONS_H2;
        command.args(["-c", &CONNECTIONS_H2.to_string(), "-m", &streams.to_string()]);
    } else {
        command.args(["--h1", "-c", &IN_FLIGHT.to_string()]);
    }
    command.arg(url);
}

fn oha(command: &mut Command, work: Work, url: &str, seconds: u64) {
    command.args(["--no-tui", "-z", &format!("{seconds}s")]);
    connections(command, work.protocol());
    if work.protocol().is_secured() {
        command.arg("--insecure");
    }
    if let Work::Paced(rate) = work {
        command.args(["-q", &rate.to_string(), "--latency-correction"]);
    }
    command.arg(url);
}

fn k6(work: Work, url: &str, seconds: u64) -> String {
    let scenario = match work {
        Work::Paced(rate) => format!(
            "executor: 'constant-arrival-rate', rate: {rate}, timeUnit: '1s', preAllocatedVUs: {IN_FLIGHT},"
        ),
        Work::Flood(_) => format!("executor: 'constant-vus', vus: {IN_FLIGHT},"),
    };
    format!(
        "import http from 'k6/http';\n\
         export const options = {{\n\
         insecureSkipTLSVerify: true,\n\
         scenarios: {{ one: {{ {scenario} duration: '{seconds}s' }} }}\n\
         }};\n\
         export default function () {{ http.get('{url}'); }}\n"
    )
}
