//! [`Inner`]: the command whose load is tried, read as if it had been typed by itself.
//!
//! It defines what is done, over how many connections, and to which target. find-max decides when, how often and for
//! how long exchanges are made, and it writes all files and output: an option of the inner command that sets one of
//! these is refused by its name.

use std::fmt::Display;

use brunt_net::Network;
use brunt_record::Node;
use brunt_run::World;
use brunt_run::load::SubjectCheck;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::{self, RunOptions};
use brunt_run::options::weights::Weights;
use brunt_run::{Caller, Load, Repeatable};

use crate::cli;

/// A command that generates load.
pub(super) struct Inner(Box<dyn Load>);

impl Inner {
    /// Reads the words of the command. A seed given to find-max replaces the command's own.
    pub(super) fn read(
        words: &[String],
        seed: Option<u64>,
        world: &World,
    ) -> Result<Self, Refusal> {
        let Ok(mut load) = cli::load(words, world).map_err(of_usage)? else {
            return Err(refused(format!(
                "find-max cannot search with '{}': give it an LDAP rate tool, perfdhcp, http, run, names lookup or \
                 leases",
                words.first().map_or("", String::as_str)
            )));
        };
        let own = words.get(1..).unwrap_or_default();
        load.refuses(Caller::Search, own).map_err(refused)?;
        if let Some(option) = load.pacing().into_iter().find(|option| option.given) {
            let option = option.called;
            return Err(refused(format!(
                "{option} sets a rate, count or duration, and find-max sets these itself: leave it out of the command \
                 after --"
            )));
        }
        if let Some(option) = load.results().and_then(|given| of_results(given, words)) {
            return Err(refused(format!(
                "{option} is about the results of one run: leave it out of the command after --, and see 'brunt \
                 find-max --help' for the options of the search"
            )));
        }
        let own = &mut load.output_mut().seed;
        *own = own.or(seed);
        Ok(Self(load))
    }

    /// Prepares it as this machine's share. Agents do not carry out commands that have no share.
    pub(super) fn share(&mut self, node: Node, weights: Option<Weights>) {
        let options = &mut self.0.output_mut().run;
        (options.node, options.weights) = (Some(node), weights);
    }

    /// The options of its runs.
    pub(super) fn run_options(&self) -> &RunOptions {
        &self.0.output().run
    }

    /// Whether the load may itself set the highest rate of a search.
    pub(super) fn may_limit_search(&self) -> bool {
        self.0.may_limit_search()
    }

    /// The objective that every search of this load has in addition.
    pub(super) fn guard(&self) -> Option<&'static str> {
        self.0.guard()
    }

    /// Prepares its load to be carried out many times. `check` is called with what is known of the load before anything
    /// is sent.
    pub(super) fn prepare<'a>(
        &'a self,
        world: &'a World,
        network: &Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        self.0.prepare(world, network, check)
    }
}

/// The word that requests results of a single run, other than an objective. How packets are marked holds for all runs.
fn of_results(given: &RunOptions, words: &[String]) -> Option<String> {
    let (objectives, abort_on) = (given.objectives.clone(), given.abort_on.clone());
    let dscp = given.dscp;
    if *given == (RunOptions { objectives, abort_on, dscp, ..RunOptions::default() }) {
        return None;
    }
    let longs = words.iter().filter_map(|word| word.strip_prefix("--")?.split('=').next());
    let named = |long: &&str| {
        !["slo", "abort-on", "dscp"].contains(long)
            && run_options::rows().iter().any(|row| row.name == *long)
    };
    Some(longs.into_iter().find(named).map_or("an output".to_owned(), |long| format!("--{long}")))
}

fn refused(why: impl Display) -> Refusal {
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
        Inner::read(
            &line.split(' ').map(str::to_owned).collect::<Vec<_>>(),
            Some(7),
            &World::of_process(),
        )
    }

    #[test]
    fn find_max_refuses_options_it_sets_itself() {
        let authrate = "authrate --noPropertiesFile -h h -D uid=u -w p -c 5";
        for (line, named) in [
            (&*format!("{authrate} -M 100"), "-M"),
            (&format!("{authrate} -d 5"), "-d"),
            (&format!("{authrate} -m 5"), "-m"),
            (&format!("{authrate} --stages 100/s"), "--stages"),
            (&format!("{authrate} --record x.json"), "--record"),
            (&format!("{authrate} --outputFile x"), "--outputFile"),
            (&format!("{authrate} --think 5ms"), "--think"),
            (&format!("{authrate} -B 5"), "-B"),
            ("perfdhcp -4 -r 100 127.0.0.1", "-r"),
            ("perfdhcp -4 --scenario avalanche -R 5 127.0.0.1", "--scenario"),
            ("perfdhcp -4 --rate-file x 127.0.0.1", "--rate-file"),
            ("perfdhcp -4 -w x 127.0.0.1", "-w"),
            ("perfdhcp -4 -n 100 127.0.0.1", "-n"),
            ("http -z 5s http://127.0.0.1/", "--duration"),
            ("http -d 5s http://127.0.0.1/", "-d"),
            ("http -q 5 http://127.0.0.1/", "--rate"),
            ("http --stages 5/s http://127.0.0.1/", "--stages"),
            ("http --trace x http://127.0.0.1/", "--trace"),
            ("http --to-plan http://127.0.0.1/", "--to-plan"),
            ("run x.toml --duration 5s", "--duration"),
            ("run x.toml --check", "--check"),
            ("run --schema", "--schema"),
            ("names lookup --unlimited", "--unlimited"),
            ("names lookup --allow 10.0.0.1", "--allow"),
            ("names matrix --backends files", "names"),
            ("merge a.json", "merge"),
            ("loadgen --config job", "--to-plan"),
            ("leases sqlite --mix renew=1 -n 5", "-n"),
            ("leases sqlite --mix renew=1 --rate 5", "--rate"),
            ("leases sqlite --mix renew=1 --record x.json", "--record"),
            ("leases sqlite --mix renew=1 --keep", "--keep"),
            ("leases sqlite --mix renew=1 --monitor pid:1", "--monitor"),
            ("leases sqlite --mix renew=1 --runs 3", "--runs"),
        ] {
            let Err(refusal) = read_of(line) else { panic!("{line}") };
            assert_eq!(refusal.exit, Exit::Usage, "{line}: {}", refusal.text);
            assert!(refusal.text.contains(named), "{line}: {}", refusal.text);
        }
    }

    #[test]
    fn find_max_load_takes_the_remaining_options_and_the_seed() {
        let Ok(inner) = read_of("http -c 9 --slo p99<1s http://127.0.0.1/") else {
            panic!("it is a load")
        };
        assert_eq!((inner.0.name(), inner.0.output().seed), ("http", Some(7)));
        let results = inner.0.results().expect("it makes one run");
        assert_eq!(results.objectives, ["p99<1s".parse().unwrap()]);
        assert!(read_of("perfdhcp -4 127.0.0.1").is_ok_and(|inner| inner.guard().is_some()));
    }
}
