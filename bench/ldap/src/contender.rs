//! The tools that are compared, and the command line by which each does the same work.
//!
//! Every tool binds, searches or modifies one user of 2,000 drawn at random, over ten connections that stay open, as
//! fast as it can. The original tools' Java is started without their scripts, so that there is only one process to
//! measure.

use brunt_bench_tool::brunt;
use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, PEOPLE_DN, peers};
use std::process::Command;

/// How many users the server holds and the tools draw from.
pub(crate) const USERS: usize = 2_000;
/// How many connections each tool keeps.
pub(crate) const CONNECTIONS: &str = "10";

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Simple binds.
    Bind,
    /// Searches by equality that return one entry.
    Search,
    /// Replacements of one attribute by sixteen random characters.
    Modify,
}

impl Operation {
    pub(crate) const ALL: [Self; 3] = [Self::Bind, Self::Search, Self::Modify];

    /// The word for the table and for the bare client's command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Bind => "bind",
            Self::Search => "search",
            Self::Modify => "modify",
        }
    }
}

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    Brunt,
    Opendj,
    Unboundid,
    Bare,
}

impl Contender {
    /// In the order of the table.
    pub(crate) const ALL: [Self; 4] = [Self::Brunt, Self::Bare, Self::Unboundid, Self::Opendj];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Brunt => "brunt",
            Self::Opendj => "OpenDJ 5.0.3",
            Self::Unboundid => "UnboundID 7.0.3",
            Self::Bare => "bare ping-pong",
        }
    }

    pub(crate) const fn is_java(self) -> bool {
        matches!(self, Self::Opendj | Self::Unboundid)
    }

    /// The command that keeps at `operation` for at least `seconds`.
    pub(crate) fn command(self, operation: Operation, port: u16, seconds: u64) -> Command {
        match self {
            Self::Brunt => {
                let mut command = Command::new(brunt());
                old_arguments(
                    command.arg(old_tool(operation).0),
                    operation,
                    port,
                    seconds,
                    "{}",
                    "{2}",
                );
                command
            }
            Self::Opendj => {
                let (name, class) = old_tool(operation);
                let mut command = Command::new("java");
                let lib =
                    peers().join("opendj-server-legacy-5.0.3/opendj/lib/bootstrap-client.jar");
                command
                    .arg("-cp")
                    .arg(lib)
                    .arg(format!("-Dcom.forgerock.opendj.ldap.tools.scriptName={name}"));
                command.arg(format!("com.forgerock.opendj.ldap.tools.{class}"));
                old_arguments(&mut command, operation, port, seconds, "%d", "%2$s");
                command
            }
            Self::Unboundid => unboundid(operation, port),
            Self::Bare => {
                let mut command =
                    Command::new(std::env::current_exe().expect("this program has a path"));
                command.args(["pingpong", operation.word(), &port.to_string()]);
                command
            }
        }
    }
}

const fn old_tool(operation: Operation) -> (&'static str, &'static str) {
    match operation {
        Operation::Bind => ("authrate", "AuthRate"),
        Operation::Search => ("searchrate", "SearchRate"),
        Operation::Modify => ("modrate", "ModRate"),
    }
}

/// The flags of OpenDJ's tools, which are brunt's: only the placeholders differ.
fn old_arguments(
    command: &mut Command,
    operation: Operation,
    port: u16,
    seconds: u64,
    first: &str,
    second: &str,
) {
    let user = format!("uid=user.{first},{PEOPLE_DN}");
    command.args(["--noPropertiesFile", "-h", "127.0.0.1", "-p", &port.to_string()]);
    command.args(["-c", CONNECTIONS, "-d", &seconds.to_string(), "-i", "1", "-w", PASSWORD]);
    command.args(["-g", &format!("rand(0,{USERS})")]);
    match operation {
        Operation::Bind => command.args(["-f", "-D", &user]),
        Operation::Search => {
            let filter = format!("(uid=user.{first})");
            command.args(["-D", ADMIN_DN, "-F", "-b", BASE_DN, "-s", "sub", &filter])
        }
        Operation::Modify => {
            let change = format!("description:{second}");
            command.args(["-D", ADMIN_DN, "-F", "-g", "randstr(16)", "-b", &user, &change])
        }
    };
}

/// UnboundID's tools run until they are ended.
fn unboundid(operation: Operation, port: u16) -> Command {
    let user = format!("uid=user.[0-{}],{PEOPLE_DN}", USERS - 1);
    let (class, arguments): (&str, Vec<String>) = match operation {
        Operation::Bind => {
            ("AuthRate", vec!["--bindOnly".into(), "-b".into(), user, "-C".into(), PASSWORD.into()])
        }
        Operation::Search => {
            let filter = format!("(uid=user.[0-{}])", USERS - 1);
            ("SearchRate", ["-b", BASE_DN, "-s", "sub", "-f", &filter].map(str::to_owned).to_vec())
        }
        Operation::Modify => {
            ("ModRate", ["-b", &user, "-A", "description", "-l", "16"].map(str::to_owned).to_vec())
        }
    };
    let mut command = Command::new("java");
    command.arg("-cp").arg(peers().join("unboundid-ldapsdk-7.0.3.jar"));
    command.arg(format!("com.unboundid.ldap.sdk.examples.{class}"));
    command.args([
        "--noPropertiesFile",
        "-h",
        "127.0.0.1",
        "-p",
        &port.to_string(),
        "-D",
        ADMIN_DN,
        "-w",
        PASSWORD,
    ]);
    command.args(["-t", CONNECTIONS, "-i", "1"]).args(arguments);
    command
}
