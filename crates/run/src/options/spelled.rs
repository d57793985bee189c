//! [`Spelled`]: the options that loads have in common, as arguments of a tool that clap parses.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::load_options::{LoadOptions, ids};
use super::spelling::Spelling;

/// A tool that has names of its own.
pub trait ToolSpelling: 'static {
    /// The names.
    const SPELLING: &'static Spelling;
}

/// The options that loads have in common, as arguments of a tool that clap parses.
#[derive(Debug)]
pub struct Spelled<S> {
    options: LoadOptions,
    tool: PhantomData<fn() -> S>,
}

impl<S> From<LoadOptions> for Spelled<S> {
    fn from(options: LoadOptions) -> Self {
        Self { options, tool: PhantomData }
    }
}

impl<S> Clone for Spelled<S> {
    fn clone(&self) -> Self {
        Self::from(self.options.clone())
    }
}

impl<S> Default for Spelled<S> {
    fn default() -> Self {
        Self::from(LoadOptions::default())
    }
}

impl<S> PartialEq for Spelled<S> {
    fn eq(&self, other: &Self) -> bool {
        self.options == other.options
    }
}

impl<S> Deref for Spelled<S> {
    type Target = LoadOptions;

    fn deref(&self) -> &LoadOptions {
        &self.options
    }
}

impl<S> DerefMut for Spelled<S> {
    fn deref_mut(&mut self) -> &mut LoadOptions {
        &mut self.options
    }
}

impl<S: ToolSpelling> Args for Spelled<S> {
    fn augment_args(command: Command) -> Command {
        S::SPELLING.spell(LoadOptions::augment_args(command), &ids())
    }

    fn augment_args_for_update(command: Command) -> Command {
        S::SPELLING.spell(LoadOptions::augment_args_for_update(command), &ids())
    }
}

impl<S: ToolSpelling> FromArgMatches for Spelled<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let options = LoadOptions::from_arg_matches(matches)?;
        options
            .check(S::SPELLING)
            .map_err(|why| clap::Error::raw(ErrorKind::ArgumentConflict, format!("{why}\n")))?;
        Ok(Self::from(options))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.options.update_from_arg_matches(matches)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::options::spelling::Own;

    #[derive(Debug)]
    struct Pings;

    impl ToolSpelling for Pings {
        const SPELLING: &'static Spelling = &Spelling {
            noun: "ping",
            nouns: "pings",
            session: "socket",
            is_open: false,
            own: &[
                Own::new("rate", "pace").shorts(&['q', 'R']).also(&["speed"]),
                Own::new("timeout", "patience").help("How long to wait").default("3s"),
            ],
            lacks: &[("think", "nobody thinks"), ("no_pin", "no thread is pinned")],
        };
    }

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        load: Spelled<Pings>,
    }

    fn read_of(line: &str) -> Result<LoadOptions, String> {
        let words = std::iter::once("ping").chain(line.split_whitespace());
        Line::try_parse_from(words)
            .map(|line| (*line.load).clone())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn option_names_of_a_tool_mean_the_same_option() {
        for line in ["--pace 90/m", "-q 90/m", "-R90/m", "--speed=90/m"] {
            let read = read_of(line).unwrap();
            assert_eq!(read.rate.map(|rate| rate.per_second()), Some(1.5), "{line}");
            assert_eq!(read.timeout.map(|it| it.as_secs()), Some(3), "{line}");
        }
        assert!(read_of("--rate 5").is_err());
    }

    #[test]
    fn option_missing_from_a_tool_is_refused_with_the_reason() {
        for (line, reported) in [
            ("--think 5s", "error: there is no --think here: nobody thinks\n"),
            ("--no-pin", "error: there is no --no-pin here: no thread is pinned\n"),
        ] {
            assert_eq!(read_of(line).unwrap_err(), reported);
        }
    }

    #[test]
    fn conflicts_are_named_in_the_words_of_the_tool() {
        for (line, reported) in [
            ("--stages 5/s --pace 5", "--stages cannot be used with --pace"),
            ("--stages 5/s --rate-file x", "--stages cannot be used with --rate-file"),
            ("--arrival poisson", "--arrival needs --pace: it spreads the pings of a rate"),
            ("--backlog 5", "--backlog needs --pace, --stages or --rate-file"),
        ] {
            let refused = read_of(line).unwrap_err();
            assert!(refused.contains(reported), "{line}: {refused}");
        }
    }

    #[test]
    fn help_uses_the_words_of_the_tool() {
        use clap::CommandFactory as _;
        let help = Line::command().render_long_help().to_string();
        let help = help.split_once("Load:").map(|(_, options)| options).unwrap();
        assert!(help.contains("Pings per second") && help.contains("socket"), "{help}");
        assert!(!help.contains("xchange") && !help.contains("think"), "{help}");
        assert!(help.contains("--pace") && !help.contains("--rate "), "{help}");
    }
}
