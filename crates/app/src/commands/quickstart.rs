//! `brunt quickstart`: runs the tools against a server in memory, without any setup.
//!
//! The result explains itself on one screen: what is sent to the server, the outcome, and what to do next. The tools
//! print nothing then. With `--details` each shows its command line, its table and its summary, as it usually does.

#[cfg(feature = "plans")]
mod rest;

use std::env;
use std::path::{Path, PathBuf};

use brunt_ldap_server::{Config, Server};
use brunt_record::Record;
use brunt_report::{Screen, attention, closing, command_line as typed, wrapped};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::environment::Environment;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{Outcome, Verbosity, address_policy};

use super::loopback::Loopback;
use super::{failed, load};
use crate::cli::args::{Protocol, QuickstartArgs};

/// A tool and the text about its run.
struct Demonstration {
    tool: &'static str,
    title: &'static str,
    words: &'static [&'static str],
}

/// The text about a run of perfdhcp, the name of its record, and which version of DHCP it speaks.
struct LeaseDemonstration {
    name: &'static str,
    title: &'static str,
    v6: bool,
    words: &'static [&'static str],
}

/// How far the results of an act are indented below its description.
const INDENT: usize = 3;

const ADMIN: &[&str] = &["-D", "uid=admin,dc=example,dc=com", "-w", "password", "-F"];

const ACTS: [Demonstration; 3] = [
    Demonstration {
        tool: "authrate",
        title: "As fast as possible (authrate): how many binds a second are answered?",
        words: &["-D", "uid=user.{},ou=people,dc=example,dc=com", "-w", "password", "-f"],
    },
    Demonstration {
        tool: "searchrate",
        title: "As fast as possible (searchrate): how many searches for users by uid?",
        words: &["-b", "ou=people,dc=example,dc=com"],
    },
    Demonstration {
        tool: "modrate",
        title: "At 500 a second (modrate): how long does changing a user take?",
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

const LEASE_ACTS: [LeaseDemonstration; 3] = [
    LeaseDemonstration {
        name: "dora",
        title: "As fast as possible: how many leases a second can the server grant?",
        v6: false,
        words: &[],
    },
    LeaseDemonstration {
        name: "renewals",
        title: "At a rate: 1000 leases, 200 renewals and 100 releases a second.",
        v6: false,
        words: &["-r", "1000", "-f", "200", "-F", "100", "-t", "1"],
    },
    LeaseDemonstration {
        name: "sarr",
        title: "The same for DHCPv6, with a prefix for every client as well.",
        v6: true,
        words: &["-e", "address-and-prefix", "-r", "1000", "-f", "200", "-F", "100", "-t", "1"],
    },
];

/// Runs the demonstrations, and prints what to do next.
pub(crate) fn quickstart(args: &QuickstartArgs, world: &World) -> Result<Exit, Refusal> {
    std::fs::create_dir_all(&args.output)
        .map_err(|error| failed(format!("create {}: {error}", args.output.display())))?;
    let mut show = Show { args, world, shown: 0, records: Vec::new(), attention: Vec::new() };
    let exit = match args.protocol {
        Protocol::Ldap => show.ldap()?,
        Protocol::Dhcp => show.dhcp()?,
        #[cfg(feature = "plans")]
        Protocol::Rest => show.rest()?,
    };
    show.next_steps()?;
    let attention = show.attention.join("; ");
    world.console.conclude((!attention.is_empty()).then_some(&attention));
    Ok(exit)
}

/// What the acts have in common.
struct Show<'a> {
    args: &'a QuickstartArgs,
    world: &'a World,
    /// How many acts have been shown.
    shown: usize,
    records: Vec<PathBuf>,
    /// What needs attention, of each act.
    attention: Vec<String>,
}

impl Show<'_> {
    fn ldap(&mut self) -> Result<Exit, Refusal> {
        let users = self.args.users;
        let config = Config { users: users as usize, ..Config::default() };
        let running = Server::start(config).map_err(failed)?;
        let address = running.address();
        self.open(&format!("A directory in memory with {users} users runs at ldap://{address}"))?;
        for act in &ACTS {
            let record = self.place(act.tool);
            let words = command_line(act, self.args, &address.port().to_string(), &record);
            self.announce(act.title, &words)?;
            let outcome = self.act(&words)?;
            if self.ended(record, &outcome)? {
                return Ok(outcome.exit);
            }
        }
        Ok(Exit::Ok)
    }

    fn dhcp(&mut self) -> Result<Exit, Refusal> {
        let loopback = Loopback::start()?;
        let addresses: Vec<_> = loopback.addresses().iter().map(ToString::to_string).collect();
        self.open(&format!("A DHCP server in memory runs at {}", addresses.join(" and ")))?;
        for act in &LEASE_ACTS {
            let record = self.place(act.name);
            let switches = switches(act, self.args, &record);
            let Some(words) = loopback.command_line(act.v6, &switches)? else {
                self.world.console.note("DHCPv6 is skipped: this machine has no IPv6");
                continue;
            };
            self.announce(act.title, &words)?;
            let outcome = self.act(&words)?;
            if self.ended(record, &outcome)? {
                return Ok(outcome.exit);
            }
        }
        Ok(Exit::Ok)
    }

    /// Makes the run of a command line that was shown.
    fn act(&self, words: &[String]) -> Result<Outcome, Refusal> {
        let act = load(words.get(1..).unwrap_or_default(), self.world)?;
        act.measure(self.world, &address_policy::private(self.world), self.verbosity())
    }

    fn verbosity(&self) -> Verbosity {
        if self.args.details { Verbosity::Normal } else { Verbosity::Quiet }
    }

    /// Prints what is loaded, and where files are written.
    fn open(&self, what: &str) -> Result<(), Refusal> {
        let directory = self.args.output.display();
        self.message(&format!(
            "{what} until this command ends. Server and load share this machine, as expected here. The records go to \
             {directory}/."
        ))
    }

    fn announce(&mut self, title: &str, words: &[String]) -> Result<(), Refusal> {
        self.shown += 1;
        self.message(&format!("\n{}. {title}", self.shown))?;
        if self.args.details {
            self.world.console.message(&format!(
                "$ {}",
                typed(words, self.world.console.screen_of_stderr().width)
            ));
        }
        Ok(())
    }

    /// Prints prose: among the results, or beside those that the tools print.
    fn message(&self, text: &str) -> Result<(), Refusal> {
        if self.args.details {
            self.world.console.message(text);
            return Ok(());
        }
        let (start, text) = text.strip_prefix('\n').map_or(("", text), |text| ("\n", text));
        let lines = wrapped(text, "", self.world.console.screen().width);
        self.world.console.print(&format!("{start}{lines}")).map(drop)
    }

    /// Shows the result of an act, and remembers where its record is; returns whether it was the last act.
    fn ended(&mut self, record: PathBuf, outcome: &Outcome) -> Result<bool, Refusal> {
        if !self.args.details {
            self.world.console.print(&result(&outcome.record, &self.world.console)?)?;
        }
        if let Some(line) = attention(&outcome.record).map_err(failed)? {
            self.attention.push(format!("run {}: {line}", self.shown));
        }
        self.records.push(record);
        Ok(outcome.exit != Exit::Ok || self.world.signals.received().is_some())
    }

    /// What the reader can do next, with this program only.
    fn next_steps(&self) -> Result<(), Refusal> {
        let path = path_to_set(&self.world.environment);
        let on_path = path.is_none();
        let mut steps = Vec::from_iter(path.map(|path| ("First, brunt on PATH", path)));
        if let Some(record) = self.records.first() {
            steps.push(("The report of run 1", format!("brunt report {}", record.display())));
        }
        let protocol = match self.args.protocol {
            Protocol::Ldap => "",
            Protocol::Dhcp => " dhcp",
            #[cfg(feature = "plans")]
            Protocol::Rest => " rest",
        };
        if !self.args.details {
            let again = format!("brunt quickstart{protocol} --details");
            steps.push(("Commands and tables", again));
        }
        let (yours, help) = match self.args.protocol {
            Protocol::Ldap => ("brunt authrate -h HOST -D DN -w:file FILE -f -c 10", "authrate"),
            Protocol::Dhcp => ("brunt perfdhcp -r 100 -p 10 -R 1000 SERVER", "perfdhcp"),
            #[cfg(feature = "plans")]
            Protocol::Rest => ("brunt http -q 100 -z 10s URL", "http"),
        };
        steps.push(("Your own server", yours.to_owned()));
        // All has to fit on one screen.
        if on_path {
            steps.push(("All its options", format!("brunt {help} --help")));
        }
        self.message("\nNext:")?;
        for (what, command) in steps {
            let line = format!("  {what:<22} {command}\n");
            if self.args.details {
                self.world.console.report(&line);
            } else {
                self.world.console.print(&line)?;
            }
        }
        Ok(())
    }

    fn place(&self, name: &str) -> PathBuf {
        self.args.output.join(format!("{name}.json"))
    }
}

/// The assignment that makes a shell find this program, if it finds no `brunt`, as after `cargo run`.
fn path_to_set(environment: &Environment) -> Option<String> {
    let path = environment.variable("PATH").unwrap_or_default();
    let (program, here) = (env::current_exe().ok()?, env::current_dir().ok()?);
    let found = env::split_paths(path).any(|directory| directory.join("brunt").is_file());
    (!found).then(|| assignment(&program, &here)).flatten()
}

/// The assignment for a program, as short as it can be from here.
fn assignment(program: &Path, here: &Path) -> Option<String> {
    let directory = program.parent()?;
    Some(match directory.strip_prefix(here) {
        Ok(below) => format!("PATH=$PWD/{}:$PATH", below.display()),
        Err(_) => format!("PATH={}:$PATH", directory.display()),
    })
}

/// The closing lines of a run; no objectives were set.
fn result(record: &Record, console: &Console) -> Result<String, Refusal> {
    let screen = console.screen();
    let lines = closing(record, Screen { width: screen.width.saturating_sub(INDENT), ..screen });
    let lines = lines.map_err(failed)?;
    let shown = lines.lines().filter(|line| !line.contains("Objectives:"));
    Ok(shown.flat_map(|line| [" ".repeat(INDENT), line.to_owned(), "\n".to_owned()]).collect())
}

fn command_line(
    act: &Demonstration,
    args: &QuickstartArgs,
    port: &str,
    record: &Path,
) -> Vec<String> {
    let (users, connections) = (format!("rand(0,{})", args.users), args.connections.to_string());
    let (duration, record) = (args.duration.to_string(), record.display().to_string());
    let mut words = vec!["brunt", act.tool, "--noPropertiesFile", "-h", "127.0.0.1", "-p", port];
    if act.tool != "authrate" {
        words.extend(ADMIN);
    }
    words.extend(["-c", &connections, "-d", &duration, "-i", "1", "-g", &users]);
    words.extend(act.words);
    words.extend(["--record", &record]);
    words.extend(args.details.then_some("--details"));
    match act.tool {
        "searchrate" => words.push("(uid=user.{})"),
        "modrate" => words.push("description:{2}"),
        _ => {}
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The switches of perfdhcp. If there is a rate, the number of connections is not limited: otherwise the rate might not
/// be kept.
fn switches(act: &LeaseDemonstration, args: &QuickstartArgs, record: &Path) -> Vec<String> {
    let (users, connections) = (args.users.to_string(), args.connections.to_string());
    let (duration, record) = (args.duration.to_string(), record.display().to_string());
    let mut words = vec!["-R", &users, "-p", &duration];
    if !act.words.contains(&"-r") {
        words.extend(["--window", &connections]);
    }
    words.extend(act.words);
    words.extend(["--record", &record]);
    words.extend(args.details.then_some("--details"));
    words.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quickstart_path_is_relative_below_the_current_directory() {
        let typed = |program: &str| assignment(Path::new(program), Path::new("/home/ann/brunt"));
        let below = typed("/home/ann/brunt/target/quick/brunt");
        assert_eq!(below.as_deref(), Some("PATH=$PWD/target/quick:$PATH"));
        let elsewhere = typed("/home/ann/targets/quick/brunt");
        assert_eq!(elsewhere.as_deref(), Some("PATH=/home/ann/targets/quick:$PATH"));
    }
}
