//! [`Load`]: a command line that makes a load, whatever its protocol and its grammar.
//!
//! Commands that use the loads of others know a load only by this: a search for the highest rate, a comparison, agents
//! that share a run, a first run. So a protocol that implements it has all of them.

use std::borrow::Cow;
use std::fmt::Debug;

use brunt_net::Network;

use super::job::Job;
use super::repeatable::{Repeatable, Subject};
use super::verbosity::{Outcome, Verbosity};
use super::world::World;
use crate::options::exit::Exit;
use crate::options::output::OutputArgs;
use crate::options::pacing::Pacing;
use crate::options::refusal::Refusal;
use crate::options::run_options::RunOptions;

/// Judges what is known of a load before anything is sent.
pub type SubjectCheck<'a> = &'a dyn Fn(&Subject) -> Result<(), Refusal>;

/// A command that uses the loads of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A search for the highest rate, which makes many runs.
    Search,
    /// A coordinator whose agents it started itself, on its own machine.
    OwnAgents,
    /// A coordinator whose agents belong to other users. They run no program, load no library, write no file and get no
    /// secret by an order.
    AgentsOfOthers,
}

/// Why a caller cannot have a load carried out, as a sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsuitable {
    /// An option.
    #[error("{option} {why}")]
    Option {
        /// How it is typed.
        option: String,
        /// What is wrong with it here.
        why: Cow<'static, str>,
    },
    /// The whole command.
    #[error("{0}")]
    Command(&'static str),
}

/// A command line that makes a load. The network it is handed decides which addresses it may reach, and how.
pub trait Load: Debug {
    /// Its words after `brunt`.
    fn name(&self) -> &'static str;

    /// What all loads have: the options of every run, the seed, and the command line itself.
    fn output(&self) -> &OutputArgs;

    /// The same, to be changed.
    fn output_mut(&mut self) -> &mut OutputArgs;

    /// The options of the run that it makes; none if the command makes several runs.
    fn results(&self) -> Option<&RunOptions> {
        Some(&self.output().run)
    }

    /// The options that set when exchanges begin, how many there are or how long they go on: a caller that decides this
    /// itself refuses those that were given.
    fn pacing(&self) -> Vec<Pacing>;

    /// Whether a caller can have the load carried out. `words` are those of the command line after the command's first
    /// word.
    fn refuses(&self, caller: Caller, words: &[String]) -> Result<(), Unsuitable>;

    /// Carries the command line out, from the first connection to the last line.
    fn run(&self, world: &World, network: &Network) -> Result<Exit, Refusal> {
        self.measure(world, network, Verbosity::Normal).map(|outcome| outcome.exit)
    }

    /// Makes the run, for a caller that shows its result. A command that makes several runs has no single one.
    fn measure(
        &self,
        world: &World,
        network: &Network,
        verbosity: Verbosity,
    ) -> Result<Outcome, Refusal> {
        let _ = (world, network, verbosity);
        Err(Refusal::usage(format!("error: '{}' makes no single run", self.name())))
    }

    /// Reads everything that the command line names, sends nothing, and returns the run that it would make.
    fn examine(&self, world: &World, network: &Network) -> Result<Job, Refusal> {
        let _ = (world, network);
        Err(Refusal::usage(format!("error: '{}' makes no single run", self.name())))
    }

    /// Prepares the load to be carried out many times. `check` is called before anything is sent.
    fn prepare<'a>(
        &'a self,
        world: &'a World,
        network: &Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal>;

    /// Whether the load itself may limit a search, as a plan does.
    fn may_limit_search(&self) -> bool {
        false
    }

    /// The objective that every search of this load has in addition. For datagrams it is about answers that never
    /// arrive, the first sign of an overloaded server.
    fn guard(&self) -> Option<&'static str> {
        None
    }
}

/// Refuses an option that was given, by its name.
///
/// # Errors
///
/// It was given.
pub fn never(
    option: &str,
    given: bool,
    why: impl Into<Cow<'static, str>>,
) -> Result<(), Unsuitable> {
    if !given {
        return Ok(());
    }
    Err(Unsuitable::Option { option: option.to_owned(), why: why.into() })
}

/// The first of these options that was given.
pub fn first_given<const N: usize>(options: [(&str, bool); N]) -> Option<String> {
    options.into_iter().find(|(_, given)| *given).map(|(option, _)| option.to_owned())
}

/// Why an order cannot contain an option: the coordinator has the results.
pub const WRITES: &str =
    "writes a file, and only the coordinator writes results: give it to brunt cluster run";
/// Why an order cannot contain an option: its owner would give a secret to agents of others.
pub const SECRET: &str = "contains a secret, and orders may only refer to secrets";
/// Why an order cannot contain an option: an agent's owner allows addresses, and this leads to something without one.
pub const NO_ADDRESS: &str = "leads past the addresses that an agent's owner allows";
/// Why a search cannot take an option.
pub const ONE_RUN: &str =
    "is about one run, and a search makes many: leave it out of the command after --";
/// Why a caller cannot use a command line.
pub const NO_LOAD: &str = "makes no load";
