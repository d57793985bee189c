//! `brunt quickstart`: the three main tools against a directory in memory, with nothing to set up.

use std::path::{Path, PathBuf};

use brunt_targets::ldap::{Config, Server};

use super::{failed, rate_args};
use crate::cli::Refusal;
use crate::cli::args::QuickstartArgs;
use crate::cli::exit::Exit;
use crate::console;
use crate::rates::{self, Voice};
use crate::signals::Signals;

/// A tool and what is said about its run.
struct Act {
    tool: &'static str,
    says: &'static str,
    words: &'static [&'static str],
}

const ADMIN: &[&str] = &["-D", "uid=admin,dc=example,dc=com", "-w", "password", "-F"];

const ACTS: [Act; 3] = [
    Act {
        tool: "authrate",
        says: "Binds as users at random: how many logins can it take?",
        words: &["-D", "uid=user.{},ou=people,dc=example,dc=com", "-w", "password", "-f"],
    },
    Act {
        tool: "searchrate",
        says: "Searches for users at random by uid.",
        words: &["-b", "ou=people,dc=example,dc=com"],
    },
    Act {
        tool: "modrate",
        says: "Writes a random description to users at random, 500 times a second.",
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

/// Runs the acts and says where the records are.
pub(crate) fn quickstart(args: &QuickstartArgs) -> Result<Exit, Refusal> {
    let users = args.users;
    let config = Config { users: users as usize, ..Config::default() };
    let running = Server::start(config).map_err(failed)?;
    let address = running.address();
    console::say(&format!(
        "A directory with {users} users is at ldap://{address}, in memory, until this ends."
    ));
    let signals = Signals::default();
    let mut records = Vec::new();
    let mut exit = Exit::Ok;
    for act in &ACTS {
        let record = place(args.output.as_deref(), act.tool);
        let words = command_line(act, args, &address.port().to_string(), &record);
        console::say(&format!("\n{}\n$ {}", act.says, shown(&words)));
        let outcome = rates::run(&*rate_args(&words)?, &signals, Voice::Aloud)?;
        records.push(record);
        exit = outcome.exit;
        if exit != Exit::Ok {
            break;
        }
    }
    console::say("\nEvery figure of these runs is in their records. To see one again:");
    for record in &records {
        console::say(&format!("$ brunt report {}", record.display()));
    }
    console::say(
        "To try it on a server of yours, change -h and -p. `brunt authrate --help` explains the options.",
    );
    Ok(exit)
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
