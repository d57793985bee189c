//! The tools that are compared, and the command line by which each does the same work.

use brunt_bench_tool::brunt;
use brunt_testbed::Lan;
use std::process::Command;

/// How many simulated clients take turns, of the 65,000 that Kea has addresses for.
pub(crate) const CLIENTS: &str = "30000";

/// The exit codes of runs that were carried out: complete, and with unanswered exchanges.
pub(crate) const CARRIED_OUT: [i32; 2] = [0, 3];

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// brunt.
    Brunt,
    /// The old tool as it comes: one thread sends, another receives.
    Perfdhcp,
    /// The old tool with one thread, which is its faster half on few cores.
    PerfdhcpSingle,
    /// The least a client can do, which keeps to a rate and nothing else.
    Bare,
}

impl Contender {
    /// Those that keep to a rate, in the order of the tables.
    pub(crate) const ALL: [Self; 4] =
        [Self::Brunt, Self::Bare, Self::Perfdhcp, Self::PerfdhcpSingle];
    /// The tools, in the order of the tables.
    pub(crate) const TOOLS: [Self; 3] = [Self::Brunt, Self::Perfdhcp, Self::PerfdhcpSingle];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Brunt => "brunt",
            Self::Perfdhcp => "perfdhcp",
            Self::PerfdhcpSingle => "perfdhcp -g single",
            Self::Bare => "bare client",
        }
    }

    /// The tool on the clients' host with arguments as one would type them, and the server's address
    /// after them.
    pub(crate) fn command(self, lan: &Lan, arguments: &str) -> Command {
        let mut command = match self {
            Self::Brunt => {
                let mut command = lan.client(brunt());
                command.arg("perfdhcp");
                command
            }
            Self::Perfdhcp | Self::PerfdhcpSingle => lan.client("perfdhcp"),
            Self::Bare => {
                let program = std::env::current_exe().expect("this program has a path");
                let mut command = lan.client(program);
                command.arg("bare").args(arguments.split_whitespace());
                return command;
            }
        };
        command.arg("-4");
        if self == Self::PerfdhcpSingle {
            command.args(["-g", "single"]);
        }
        command.args(["-R", CLIENTS]).args(arguments.split_whitespace());
        command.arg(Lan::SERVER_V4.to_string());
        command
    }
}

/// The rate that a report of either tool begins with.
pub(crate) fn rate(report: &str) -> Option<f64> {
    let line = report.lines().find_map(|line| line.strip_prefix("Rate: "))?;
    line.split([' ', '/']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_parsed_from_either_report() {
        for (report, expected) in [
            ("x\nRate: 9.66451 4-way exchanges/second, expected rate: 10\n", Some(9.664_51)),
            ("Rate: 206.345\n", Some(206.345)),
            ("Rate: 1.2e+06 4-way exchanges/second\n", Some(1.2e6)),
            ("no rate", None),
        ] {
            assert_eq!(rate(report), expected);
        }
    }
}
