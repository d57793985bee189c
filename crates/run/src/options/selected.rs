//! [`Selected`]: some of the options that loads have in common, for a command that is several runs and cannot have all
//! of them.

use std::ffi::OsString;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::output::OutputArgs;
use super::spelling::explained;

/// A command that has some of the options that loads have in common.
pub trait Selects: 'static {
    /// The fields that it has.
    const FIELDS: &'static [&'static str];
    /// Its own descriptions of some of them.
    const HELP: &'static [(&'static str, &'static str)] = &[];
}

/// These options, as they are declared in [`OutputArgs`]. The others have their defaults.
#[derive(Debug)]
pub struct Selected<S> {
    options: OutputArgs,
    command: PhantomData<fn() -> S>,
}

impl<S> From<OutputArgs> for Selected<S> {
    fn from(options: OutputArgs) -> Self {
        Self { options, command: PhantomData }
    }
}

impl<S> Clone for Selected<S> {
    fn clone(&self) -> Self {
        Self::from(self.options.clone())
    }
}

impl<S> Default for Selected<S> {
    fn default() -> Self {
        Self::from(OutputArgs::default())
    }
}

impl<S> PartialEq for Selected<S> {
    fn eq(&self, other: &Self) -> bool {
        self.options == other.options
    }
}

impl<S> Deref for Selected<S> {
    type Target = OutputArgs;

    fn deref(&self) -> &OutputArgs {
        &self.options
    }
}

impl<S> DerefMut for Selected<S> {
    fn deref_mut(&mut self) -> &mut OutputArgs {
        &mut self.options
    }
}

fn declared() -> Command {
    OutputArgs::augment_args(Command::new("run").disable_help_flag(true))
}

impl<S: Selects> Args for Selected<S> {
    fn augment_args(command: Command) -> Command {
        let after = command.get_arguments().filter(|arg| !arg.is_positional()).count();
        let declared = declared();
        let chosen =
            declared.get_arguments().filter(|arg| S::FIELDS.contains(&arg.get_id().as_str()));
        let chosen = (after..).zip(chosen);
        command.args(chosen.map(|(place, arg)| {
            let arg = arg.clone().display_order(place);
            let own = S::HELP.iter().find(|(id, _)| arg.get_id() == *id);
            own.map_or_else(|| arg.clone(), |(_, text)| explained(arg.clone(), text))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Selects> FromArgMatches for Selected<S> {
    /// Parses the given ones with the whole declaration, which has the defaults of the others.
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let declared = declared();
        let mut words = vec![OsString::new()];
        for arg in declared.get_arguments() {
            let id = arg.get_id().as_str();
            if !S::FIELDS.contains(&id)
                || matches.value_source(id) != Some(ValueSource::CommandLine)
            {
                continue;
            }
            let name = format!("--{}", arg.get_long().unwrap_or_default());
            if arg.get_action().takes_values() {
                let values = matches.get_raw(id).into_iter().flatten();
                words.extend(values.map(|value| {
                    let mut word = OsString::from(format!("{name}="));
                    word.push(value);
                    word
                }));
            } else {
                words.push(name.into());
            }
        }
        let matches = declared.try_get_matches_from(words)?;
        OutputArgs::from_arg_matches(&matches).map(Self::from)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::options::monitor::MonitorSource;
    use crate::options::run_options::RunOptions;

    #[derive(Debug)]
    struct Few;

    impl Selects for Few {
        const FIELDS: &'static [&'static str] = &["monitors", "yes"];
    }

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        few: Selected<Few>,
    }

    #[test]
    fn selected_options_are_read_and_others_refused() {
        let line = Line::try_parse_from(["run", "--monitor", "pid:7", "--monitor=pid:8", "--yes"]);
        let read = line.expect("it has them").few;
        assert_eq!(read.run.monitors, [MonitorSource::Pid(7), MonitorSource::Pid(8)]);
        assert!(read.run.yes);
        let none = Line::try_parse_from(["run"]).expect("it needs none").few;
        assert_eq!(none.run, RunOptions::default());
        assert!(Line::try_parse_from(["run", "--record", "x"]).is_err());
        assert!(Line::try_parse_from(["run", "--monitor", "x"]).is_err());
    }
}
