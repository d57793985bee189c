//! `brunt quickstart`: the tools against a server in memory, with nothing to set up.

mod rest;

use std::path::{Path, PathBuf};

use brunt_targets::ldap::{Config, Server};

use super::loopback::Loopback;
use super::{dhcp_args, failed, rate_args};
use crate::cli::Refusal;
use crate::cli::args::{Protocol, QuickstartArgs};
use crate::cli::exit::Exit;
use crate::console;
use crate::run::signals::Signals;
use crate::run::{Outcome, Verbosity};
use crate::tools;

/// A tool and what is said about its run.
struct Act {
    tool: &'static str,
    says: &'static str,
    words: &'static [&'static str],
}

/// What is said about a run of perfdhcp, what its record is called, and which DHCP it speaks.
struct LeaseAct {
    name: &'static str,
    says: &'static str,
    v6: bool,
    words: &'static [&'static str],
}

const ADMIN: &[&str] = &["-D", "uid=admin,dc=example,dc=com", "-w", "password", "-F"];

const ACTS: [Act; 3] = [
    Act {
        tool: "authrate",
        says: "Closed loop: how many binds per second can the directory answer?",
        words: &["-D", "uid=user.{},ou=people,dc=example,dc=com", "-w", "password", "-f"],
    },
    Act {
        tool: "searchrate",
        says: "Closed loop: how many searches for random users by uid?",
        words: &["-b", "ou=people,dc=example,dc=com"],
    },
    Act {
        tool: "modrate",
        says: "Open loop at 500 per second: replace the description of random users.",
        words: &[
            "-b",
            "uid=user.{1},ou=people,dc=example,dc=com",
            "-M",
            "500",
            "-g",
            "randstr(16)",
        ],
    },
];

const LEASE_ACTS: [LeaseAct; 3] = [
    LeaseAct {
        name: "dora",
        says: "As fast as the server answers: how many leases per second can it grant?",
        v6: false,
        words: &[],
    },
    LeaseAct {
        name: "renewals",
        says: "At a rate: 1000 leases, 200 renewals and 100 releases per second.",
        v6: false,
        words: &["-r", "1000", "-f", "200", "-F", "100", "-t", "1"],
    },
    LeaseAct {
        name: "sarr",
        says: "The same for DHCPv6, with a prefix for every client in addition to its address.",
        v6: true,
        words: &["-e", "address-and-prefix", "-r", "1000", "-f", "200", "-F", "100", "-t", "1"],
    },
];

/// Runs the acts and says where the records are.
pub(crate) fn quickstart(args: &QuickstartArgs) -> Result<Exit, Refusal> {
    let mut show = Show { signals: Signals::default(), records: Vec::new() };
    let exit = match args.protocol {
        Protocol::Ldap => show.ldap(args)?,
        Protocol::Dhcp => show.dhcp(args)?,
        Protocol::Rest => show.rest(args)?,
    };
    console::say("\nThe records contain every figure of these runs. To print one again:");
    for record in &show.records {
        console::say(&format!("$ brunt report {}", record.display()));
    }
    console::say(match args.protocol {
        Protocol::Ldap => {
            "For your own server, change -h and -p. `brunt authrate --help` explains the options."
        }
        Protocol::Dhcp => {
            "For your own server, leave out -L and -N and name the server. `brunt perfdhcp -h` explains the switches."
        }
        Protocol::Rest => {
            "For your own server, change the URL, and in the plan the base. `brunt http --help` explains the options, \
             docs/plan.md the plan."
        }
    });
    Ok(exit)
}

/// What the acts have in common.
struct Show {
    signals: Signals,
    records: Vec<PathBuf>,
}

impl Show {
    fn ldap(&mut self, args: &QuickstartArgs) -> Result<Exit, Refusal> {
        let users = args.users;
        let config = Config { users: users as usize, ..Config::default() };
        let running = Server::start(config).map_err(failed)?;
        let address = running.address();
        console::say(&format!(
            "An in-memory directory with {users} users runs at ldap://{address} until this command ends."
        ));
        for act in &ACTS {
            let record = place(args.output.as_deref(), act.tool);
            let words = command_line(act, args, &address.port().to_string(), &record);
            announce(act.says, &words);
            let outcome = tools::ldap::run(&*rate_args(&words)?, &self.signals, Verbosity::Normal)?;
            if self.ended(record, &outcome) {
                return Ok(outcome.exit);
            }
        }
        Ok(Exit::Ok)
    }

    fn dhcp(&mut self, args: &QuickstartArgs) -> Result<Exit, Refusal> {
        let loopback = Loopback::start()?;
        let addresses: Vec<_> = loopback.addresses().iter().map(ToString::to_string).collect();
        console::say(&format!(
            "An in-memory DHCP server runs at {} until this command ends.",
            addresses.join(" and ")
        ));
        for act in &LEASE_ACTS {
            let record = place(args.output.as_deref(), act.name);
            let Some(words) = loopback.command_line(act.v6, &switches(act, args, &record))? else {
                console::note("DHCPv6 is skipped: this machine has no IPv6");
                continue;
            };
            announce(act.says, &words);
            let outcome = tools::dhcp::run(&*dhcp_args(&words)?, &self.signals, Verbosity::Normal)?;
            if self.ended(record, &outcome) {
                return Ok(outcome.exit);
            }
        }
        Ok(Exit::Ok)
    }

    /// Remembers where the record of an act is; whether it was the last.
    fn ended(&mut self, record: PathBuf, outcome: &Outcome) -> bool {
        self.records.push(record);
        outcome.exit != Exit::Ok || self.signals.received().is_some()
    }
}

fn announce(says: &str, words: &[String]) {
    console::say(&format!("\n{says}\n$ {}", shown(words)));
}

fn command_line(act: &Act, args: &QuickstartArgs, port: &str, record: &Path) -> Vec<String> {
    let (users, connections) = (format!("rand(0,{})", args.users), args.connections.to_string());
    let (duration, record) = (args.duration.to_string(), record.display().to_string());
    let mut words = vec!["brunt", act.tool, "--noPropertiesFile", "-h", "127.0.0.1", "-p", port];
    if act.tool != "authrate" {
        words.extend(ADMIN);
    }
    words.extend(["-c", &connections, "-d", &duration, "-i", "1", "-g", &users]);
    words.extend(act.words);
    words.extend(["--record", &record]);
    match act.tool {
        "searchrate" => words.push("(uid=user.{})"),
        "modrate" => words.push("description:{2}"),
        _ => {}
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The switches of perfdhcp. Where there is a rate, the connections are no limit: it would not be kept.
fn switches(act: &LeaseAct, args: &QuickstartArgs, record: &Path) -> Vec<String> {
    let (users, connections) = (args.users.to_string(), args.connections.to_string());
    let (duration, record) = (args.duration.to_string(), record.display().to_string());
    let mut words = vec!["-R", &users, "-p", &duration];
    if !act.words.contains(&"-r") {
        words.extend(["--window", &connections]);
    }
    words.extend(act.words);
    words.extend(["--record", &record]);
    words.into_iter().map(str::to_owned).collect()
}

fn place(directory: Option<&Path>, tool: &str) -> PathBuf {
    directory.unwrap_or(Path::new("")).join(format!("brunt-quickstart-{tool}.json"))
}

/// A command line as it would be typed.
fn shown(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        if word.contains(['(', '{', ' ', '*', '$']) { format!("'{word}'") } else { word.clone() }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
