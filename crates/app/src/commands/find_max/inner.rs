//! [`Inner`]: the command whose load is tried, read as if it had been typed by itself.
//!
//! It says what is done, over how many connections, and to which target. find-max decides when, how often and for how
//! long exchanges are made, and it writes all files and output: an option of the inner command that sets one of these
//! is refused by its name.

use std::time::Duration;

use brunt_dhcp_tool::options::args::{DhcpArgs, Scenario};
use brunt_flow_tool::options::http::HttpArgs;
use brunt_ldap_tool::options::rate::RateArgs;
use brunt_leases_tool::options::leases::LeasesArgs;
use brunt_names_driver::Distribution;
use brunt_names_tool::options::lookup::LookupArgs;
use brunt_record::Node;
use brunt_run::options::arrivals::Rate;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::duration;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::{self, RunOptions};
use brunt_run::options::surroundings::Machine;
use brunt_run::options::view::ViewOptions;
use brunt_run::options::weights::Weights;
use brunt_run::signals::Signals;
use brunt_run::{Repeatable, Subject};

use crate::cli::args::Verb;
use crate::cli::load_command::LoadCommand;
use crate::cli::{Command, read};

/// A command that makes load.
pub(super) struct Inner(LoadCommand);

/// An option that does not apply under find-max, and whether it was given.
type Given = (&'static str, bool);

impl Inner {
    /// Reads the words of the command. A seed given to find-max replaces the command's own.
    pub(super) fn read(words: &[String], seed: Option<u64>) -> Result<Self, Refusal> {
        let line: Vec<String> =
            std::iter::once("brunt".to_owned()).chain(words.iter().cloned()).collect();
        let load = LoadCommand::of(read(&line, &Machine).map_err(of_usage)?);
        let mut inner = load.map(Self).map_err(|command| match *command {
            Command::Verb(Verb::Loadgen(_)) => refused(
                "find-max takes a LoadGen job as a plan: 'brunt loadgen --to-plan' converts it, and 'run' carries it \
                 out",
            ),
            _ => refused(&format!(
                "find-max cannot search with '{}': give it an LDAP rate tool, perfdhcp, http, run, names lookup or \
                 leases",
                words.first().map_or("", String::as_str)
            )),
        })?;
        let given = inner.given();
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(refused(&format!(
                "{option} sets a rate, count or duration, and find-max sets these itself: leave it out of the command \
                 after --"
            )));
        }
        if let Some(option) = inner.result(words) {
            return Err(refused(&format!(
                "{option} is about the results of one run: leave it out of the command after --, and see 'brunt \
                 find-max --help' for the options of the search"
            )));
        }
        let own = inner.0.seed();
        *own = own.or(seed);
        Ok(inner)
    }

    /// The options that set when exchanges begin, how many there are and how long the run takes.
    fn given(&self) -> Vec<Given> {
        match &self.0 {
            LoadCommand::Rate(args) => of_rates(args),
            LoadCommand::Perfdhcp(args) => of_perfdhcp(args),
            LoadCommand::Http(args) => of_http(args),
            LoadCommand::Run(args) => vec![
                ("--duration", args.duration.is_some()),
                ("--once", args.trace.once),
                ("--trace", args.trace.trace.is_some()),
                ("--check", args.check),
                ("--schema", args.schema),
            ],
            LoadCommand::Lookup(args) => of_lookup(args),
            LoadCommand::Leases(args) => of_leases(args),
        }
    }

    /// An option that concerns the results of one run.
    fn result(&mut self, words: &[String]) -> Option<String> {
        if let LoadCommand::Leases(args) = &self.0 {
            return result_of_leases(args).map(str::to_owned);
        }
        of_results(self.0.run_options()?, words)
    }

    /// Prepares it as this machine's share. Agents do not carry out commands that have no share.
    pub(super) fn share(&mut self, node: Node, weights: Option<Weights>) {
        if let Some(options) = self.0.run_options() {
            (options.node, options.weights) = (Some(node), weights);
        }
    }

    /// Whether it is a plan, which may itself set the highest rate of a search.
    pub(super) const fn is_plan(&self) -> bool {
        matches!(self.0, LoadCommand::Run(_))
    }

    /// Whether exchanges are datagrams, whose usual failure is an answer that never arrives.
    pub(super) const fn is_of_datagrams(&self) -> bool {
        matches!(self.0, LoadCommand::Perfdhcp(_))
    }

    /// Prepares its load to be carried out many times. `suits` is called with what is known of the load before anything
    /// is sent.
    pub(super) fn prepare<'a>(
        &'a self,
        signals: &'a Signals,
        suits: &dyn Fn(&Subject) -> Result<(), Refusal>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let load: Box<dyn Repeatable + 'a> = match &self.0 {
            // This command connects once as a check, and therefore calls `suits` itself before that.
            LoadCommand::Rate(args) => {
                return Ok(Box::new(brunt_ldap_tool::repeatable(args, signals, suits)?));
            }
            LoadCommand::Perfdhcp(args) => {
                Box::new(brunt_dhcp_tool::Leasing::prepare(args, signals)?)
            }
            LoadCommand::Http(args) => Box::new(brunt_flow_tool::http::prepare(args)?),
            LoadCommand::Run(args) => Box::new(brunt_flow_tool::plan::prepare(args)?),
            LoadCommand::Lookup(args) => Box::new(brunt_names_tool::prepare(args)?),
            LoadCommand::Leases(args) => Box::new(brunt_leases_tool::Mixing::prepare(args)?),
        };
        suits(load.subject())?;
        Ok(load)
    }
}

fn of_rates(args: &RateArgs) -> Vec<Given> {
    let load = &args.load;
    vec![
        ("--targetThroughput (-M)", matches!(load.rate, Rate::Constant { .. })),
        ("--stages", matches!(load.rate, Rate::Stages(_))),
        ("--variableRateData", matches!(load.rate, Rate::File { .. })),
        ("--maxIterations (-m)", load.iterations.is_some()),
        ("--maxDuration (-d)", load.duration.is_some()),
        ("--warmUpDuration (-B)", load.warm_up > Duration::ZERO),
        ("--think", load.think.is_some()),
        ("--inc-scope worker", args.inc_per_worker),
        ("--outputFile", args.output.file.is_some()),
    ]
}

fn of_perfdhcp(args: &DhcpArgs) -> Vec<Given> {
    let (load, limits) = (&args.load, &args.limits);
    vec![
        ("-r", matches!(load.rate, Rate::Constant { .. })),
        ("--stages", matches!(load.rate, Rate::Stages(_))),
        ("--variableRateData", matches!(load.rate, Rate::File { .. })),
        ("--scenario", args.scenario != Scenario::Basic),
        ("-n", limits.numbers.iter().any(Option::is_some)),
        ("-p", limits.period.is_some()),
        ("-D", limits.drops.iter().any(|limit| limit.count.is_some() || limit.share.is_some())),
        ("-f", args.exchange.renew_rate > 0.0),
        ("-F", args.exchange.release_rate > 0.0),
        ("--warm-up", load.warm_up > Duration::ZERO),
        ("--wrapped", args.output.wrapped.is_some()),
    ]
}

fn of_http(args: &HttpArgs) -> Vec<Given> {
    let load = &args.load;
    let timed = args.request.duration_or_body.as_deref().is_some_and(|it| duration(it).is_ok());
    vec![
        ("--rate (-q)", load.rate.is_some()),
        ("--requests (-n)", load.requests.is_some()),
        ("--duration (-z)", load.duration.is_some()),
        ("-d as a duration", timed),
        ("--warm-up", load.warm_up.is_some()),
        ("--once", args.trace.once),
        ("--trace", args.trace.trace.is_some()),
        ("--to-plan", args.to_plan),
    ]
}

fn of_lookup(args: &LookupArgs) -> Vec<Given> {
    let load = &args.load;
    vec![
        ("--rate", load.rate.is_some()),
        ("--stages", load.stages.is_some()),
        ("--unlimited", load.unlimited),
        ("--think", load.think.is_some()),
        ("--lookups (-n)", load.lookups.is_some()),
        ("--duration (-d)", load.duration.is_some()),
        ("--warm-up", load.warm_up.is_some()),
        ("--distribution once", args.distribution == Some(Distribution::Once)),
    ]
}

fn of_leases(args: &LeasesArgs) -> Vec<Given> {
    let load = &args.load;
    let counts = [load.operations, load.sync_operations, load.async_operations];
    vec![
        ("--rate", load.rate.is_some()),
        ("--stages", load.stages.is_some()),
        ("--operations (-n)", counts.iter().any(Option::is_some)),
        ("--duration (-d)", load.duration.is_some()),
        ("--warm-up", load.warm_up.is_some()),
        ("--runs", load.runs.is_some()),
        ("--guide", args.work.guide),
    ]
}

/// An option of a comparison of stores that keeps or shows results.
fn result_of_leases(args: &LeasesArgs) -> Option<&'static str> {
    let output = &args.output;
    let given = [
        ("--record", output.record.is_some()),
        ("--html", output.html.is_some()),
        ("--events", output.events.is_some()),
        ("--interval", output.interval.is_some_and(|it| it != Duration::from_secs(1))),
        ("--live", output.view != ViewOptions::default()),
        ("--keep", args.place.keep),
    ];
    given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
}

/// The word that requests results of a single run, other than an objective.
fn of_results(given: &RunOptions, words: &[String]) -> Option<String> {
    let (objectives, abort_on) = (given.objectives.clone(), given.abort_on.clone());
    if *given == (RunOptions { objectives, abort_on, ..RunOptions::default() }) {
        return None;
    }
    let longs = words.iter().filter_map(|word| word.strip_prefix("--")?.split('=').next());
    let named = |long: &&str| {
        !["slo", "abort-on"].contains(long)
            && run_options::rows().iter().any(|row| row.long == *long)
    };
    Some(longs.into_iter().find(named).map_or("an output".to_owned(), |long| format!("--{long}")))
}

fn refused(why: &str) -> Refusal {
    Refusal::usage(format!("error: {why}"))
}

/// Converts a refusal of the inner command line to find-max's own usage error, whichever tool the command belongs to.
fn of_usage(refusal: Refusal) -> Refusal {
    let exit = if refusal.exit == Exit::LdapUsage { Exit::Usage } else { refusal.exit };
    Refusal { exit, ..refusal }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_of(line: &str) -> Result<Inner, Refusal> {
        Inner::read(&line.split(' ').map(str::to_owned).collect::<Vec<_>>(), Some(7))
    }

    #[test]
    fn what_find_max_decides_itself_is_refused_by_its_name() {
        let authrate = "authrate --noPropertiesFile -h h -D uid=u -w p -c 5";
        for (line, named) in [
            (&*format!("{authrate} -M 100"), "-M"),
            (&format!("{authrate} -d 5"), "-d"),
            (&format!("{authrate} -m 5"), "-m"),
            (&format!("{authrate} --stages 100/s"), "--stages"),
            (&format!("{authrate} --record x.json"), "--record"),
            ("perfdhcp -4 -r 100 127.0.0.1", "-r"),
            ("perfdhcp -4 -n 100 127.0.0.1", "-n"),
            ("http -z 5s http://127.0.0.1/", "--duration"),
            ("http -d 5s http://127.0.0.1/", "-d"),
            ("http -q 5 http://127.0.0.1/", "--rate"),
            ("run x.toml --duration 5s", "--duration"),
            ("names lookup --unlimited", "--unlimited"),
            ("names lookup --allow 10.0.0.1", "--allow"),
            ("names matrix --backends files", "names"),
            ("merge a.json", "merge"),
            ("loadgen --config job", "--to-plan"),
            ("leases sqlite --mix renew=1 -n 5", "-n"),
            ("leases sqlite --mix renew=1 --rate 5", "--rate"),
            ("leases sqlite --mix renew=1 --record x.json", "--record"),
            ("leases sqlite --mix renew=1 --keep", "--keep"),
        ] {
            let Err(refusal) = read_of(line) else { panic!("{line}") };
            assert_eq!(refusal.exit, Exit::Usage, "{line}: {}", refusal.text);
            assert!(refusal.text.contains(named), "{line}: {}", refusal.text);
        }
    }

    #[test]
    fn a_load_is_what_is_left_and_has_the_seed() {
        let Ok(Inner(LoadCommand::Http(args))) =
            read_of("http -c 9 --slo p99<1s http://127.0.0.1/")
        else {
            panic!("it is a load")
        };
        assert_eq!((args.load.connections, args.output.seed), (9, Some(7)));
        assert_eq!(args.output.run.objectives, ["p99<1s"]);
        assert!(read_of("perfdhcp -4 127.0.0.1").is_ok_and(|inner| inner.is_of_datagrams()));
    }
}
