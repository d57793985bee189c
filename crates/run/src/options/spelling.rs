//! [`Spelling`]: the names that a tool has for the options that loads have in common.
//!
//! wrk, perfdhcp and OpenDJ's tools each have their own words for a rate; scripts and users know them. A tool lists
//! only what differs, and why it lacks an option, if its protocol does not permit it.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::load_options::{LoadOptions, ids};

/// The names of a tool.
#[derive(Debug)]
pub struct Spelling {
    /// What it calls an exchange.
    pub noun: &'static str,
    /// What it calls exchanges.
    pub nouns: &'static str,
    /// What it calls a session.
    pub session: &'static str,
    /// Whether it has a rate even if none is given.
    pub is_open: bool,
    /// The options whose name or help is its own.
    pub own: &'static [Own],
    /// The options that it does not have, and why.
    pub lacks: &'static [(&'static str, &'static str)],
}

/// An option that a tool spells or explains in its own way.
#[derive(Debug)]
pub struct Own {
    /// The field of [`LoadOptions`].
    pub id: &'static str,
    /// The name in the tool, without dashes; one letter is a switch such as `-r`.
    pub long: &'static str,
    /// The letters in the tool; the help shows all.
    pub shorts: &'static [char],
    /// Other long names.
    pub also: &'static [&'static str],
    /// The help, if it is not the common one: its first paragraph is the short one.
    pub help: &'static str,
    /// The default, if there is one.
    pub default: &'static str,
}

impl Own {
    /// An option under another name.
    pub const fn new(id: &'static str, long: &'static str) -> Self {
        Self { id, long, shorts: &[], also: &[], help: "", default: "" }
    }

    /// The same with these letters.
    #[must_use]
    pub const fn shorts(self, shorts: &'static [char]) -> Self {
        Self { shorts, ..self }
    }

    /// The same with these other long names.
    #[must_use]
    pub const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    /// The same with this help.
    #[must_use]
    pub const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// The same with this default.
    #[must_use]
    pub const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }
}

impl Spelling {
    /// How a tool spells or explains a field, if in its own way.
    pub fn own(&self, id: &str) -> Option<&'static Own> {
        self.own.iter().find(|own| own.id == id)
    }

    /// Why the tool does not have an option, if it has not.
    pub fn lacks(&self, id: &str) -> Option<&'static str> {
        self.lacks.iter().find(|(lacked, _)| *lacked == id).map(|(_, why)| *why)
    }

    /// The name of the option of a field, without dashes.
    pub fn name(&self, id: &str) -> String {
        self.own(id).map_or_else(|| id.replace('_', "-"), |own| own.long.to_owned())
    }

    /// The same as it is written on a command line.
    pub fn flag(&self, id: &str) -> String {
        let name = self.name(id);
        if name.chars().count() == 1 { format!("-{name}") } else { format!("--{name}") }
    }

    /// The same with its first letter, if it has a name and letters.
    pub fn names(&self, id: &str) -> String {
        let letter = self.own(id).and_then(|own| own.shorts.first());
        let letter = letter.map(|letter| format!(" (-{letter})")).unwrap_or_default();
        self.flag(id) + &letter
    }

    /// The declaration of [`LoadOptions`] among others, in the names of the tool.
    pub fn spell(&self, declared: Command) -> Command {
        let common = ids();
        declared.mut_args(|arg| {
            let id = arg.get_id().to_string();
            if common.contains(&id) { self.spelled(&id, arg) } else { arg }
        })
    }

    fn spelled(&self, id: &str, arg: Arg) -> Arg {
        if let Some(why) = self.lacks(id) {
            let why = format!("there is none: {why}");
            let arg = arg.hide(true);
            return match arg.get_action() {
                // A switch that was not given has this value.
                ArgAction::SetTrue => {
                    arg.value_parser(
                        move |text: &str| {
                            if text == "false" { Ok(false) } else { Err(why.clone()) }
                        },
                    )
                }
                _ => arg.value_parser(move |_: &str| Err::<String, _>(why.clone())),
            };
        }
        let own = self.own(id);
        let common = || arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
        let help = own.map(|own| own.help.to_owned()).filter(|help| !help.is_empty());
        let help = help.or_else(common).unwrap_or_default();
        let arg = self.explained(arg, &help);
        let Some(own) = own else { return arg };
        let (first, rest) =
            own.shorts.split_first().map_or((None, &[][..]), |(f, r)| (Some(*f), r));
        let arg = arg.long(own.long).visible_short_aliases(rest.iter().copied());
        let arg = first.map_or_else(|| arg.clone(), |first| arg.clone().short(first));
        let arg = arg.visible_aliases(own.also.iter().copied());
        if own.default.is_empty() { arg } else { arg.default_value(own.default) }
    }

    /// The argument with this help in the words of the tool.
    fn explained(&self, arg: Arg, help: &str) -> Arg {
        let text = self.worded(help);
        let first = text.split("\n\n").next().unwrap_or_default().to_owned();
        let arg = arg.help(first.clone());
        if first == text { arg.long_help(Resettable::Reset) } else { arg.long_help(text) }
    }

    fn worded(&self, help: &str) -> String {
        let capital = |word: &str| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
        help.replace("Exchanges", &capital(self.nouns))
            .replace("exchanges", self.nouns)
            .replace("exchange", self.noun)
            .replace("session", self.session)
            .replace("--rate", &self.flag("rate"))
    }
}

/// A tool that has names of its own.
pub trait Spells: 'static {
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

impl<S: Spells> Args for Spelled<S> {
    fn augment_args(command: Command) -> Command {
        S::SPELLING.spell(LoadOptions::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        S::SPELLING.spell(LoadOptions::augment_args_for_update(command))
    }
}

impl<S: Spells> FromArgMatches for Spelled<S> {
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

    #[derive(Debug)]
    struct Pings;

    impl Spells for Pings {
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
    fn every_name_of_a_tool_is_the_same_option() {
        for line in ["--pace 90/m", "-q 90/m", "-R90/m", "--speed=90/m"] {
            let read = read_of(line).unwrap();
            assert_eq!(read.rate.map(|rate| rate.per_second()), Some(1.5), "{line}");
            assert_eq!(read.timeout.map(|it| it.as_secs()), Some(3), "{line}");
        }
        assert!(read_of("--rate 5").is_err());
    }

    #[test]
    fn what_a_tool_lacks_is_refused_with_the_reason() {
        assert!(read_of("--think 5s").unwrap_err().contains("nobody thinks"));
    }

    #[test]
    fn contradictions_are_named_in_the_words_of_the_tool() {
        for (line, said) in [
            ("--stages 5/s --pace 5", "--stages cannot be used with --pace"),
            ("--stages 5/s --rate-file x", "--stages cannot be used with --rate-file"),
            ("--arrival poisson", "--arrival needs --pace: it spreads the pings of a rate"),
            ("--backlog 5", "--backlog needs --pace, --stages or --rate-file"),
        ] {
            let refused = read_of(line).unwrap_err();
            assert!(refused.contains(said), "{line}: {refused}");
        }
    }

    #[test]
    fn the_help_speaks_of_what_the_tool_does() {
        use clap::CommandFactory as _;
        let help = Line::command().render_long_help().to_string();
        let help = help.split_once("Load:").map(|(_, options)| options).unwrap();
        assert!(help.contains("Pings per second") && help.contains("socket"), "{help}");
        assert!(!help.contains("xchange") && !help.contains("think"), "{help}");
        assert!(help.contains("--pace") && !help.contains("--rate "), "{help}");
    }
}
