//! [`Spelling`]: the names that a tool has for the options that loads have in common.
//!
//! wrk, perfdhcp and OpenDJ's tools each have their own words for a rate; scripts and users know them. A tool lists
//! only what differs, and why it lacks an option, if its protocol does not permit it.

use std::ffi::OsStr;

use clap::builder::{Resettable, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};

use super::row::dashed;

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
    /// The field of [`LoadOptions`](super::load_options::LoadOptions).
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

    /// Every way to type the option of a field.
    pub fn spelled_as(&self, id: &str) -> Vec<String> {
        let own = self.own(id);
        let also = own.map(|own| own.also).unwrap_or_default();
        let letters = own.map(|own| own.shorts).unwrap_or_default();
        let also = also.iter().map(|name| dashed(name));
        let letters = letters.iter().map(|letter| format!("-{letter}"));
        std::iter::once(self.flag(id)).chain(also).chain(letters).collect()
    }

    /// The same with its first letter, if it has a name and letters.
    pub fn names(&self, id: &str) -> String {
        let letter = self.own(id).and_then(|own| own.shorts.first());
        let letter = letter.map(|letter| format!(" (-{letter})")).unwrap_or_default();
        self.flag(id) + &letter
    }

    /// A declaration in which the options with these ids are in the names of the tool.
    pub fn spell(&self, declared: Command, common: &[String]) -> Command {
        declared.mut_args(|arg| {
            let id = arg.get_id().to_string();
            if common.contains(&id) { self.spelled(&id, arg) } else { arg }
        })
    }

    fn spelled(&self, id: &str, arg: Arg) -> Arg {
        if let Some(why) = self.lacks(id) {
            let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
            let message = format!("there is no {} here: {why}\n", self.flag(id));
            return arg.hide(true).value_parser(Lacking { is_switch, message });
        }
        let own = self.own(id);
        let common = || arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
        let help = own.map(|own| own.help.to_owned()).filter(|help| !help.is_empty());
        let help = help.or_else(common).unwrap_or_default();
        let arg = explained(arg, &self.worded(&help));
        let Some(own) = own else { return arg };
        let (first, rest) =
            own.shorts.split_first().map_or((None, &[][..]), |(f, r)| (Some(*f), r));
        let arg = arg.long(own.long).visible_short_aliases(rest.iter().copied());
        let arg = first.map_or_else(|| arg.clone(), |first| arg.clone().short(first));
        let arg = arg.visible_aliases(own.also.iter().copied());
        if own.default.is_empty() { arg } else { arg.default_value(own.default) }
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

/// The argument with this help: its first paragraph alone where there is little space.
pub(super) fn explained(arg: Arg, text: &str) -> Arg {
    let first = text.split("\n\n").next().unwrap_or_default().to_owned();
    let arg = arg.help(first.clone());
    if first == text { arg.long_help(Resettable::Reset) } else { arg.long_help(text.to_owned()) }
}

/// Refuses an option that a tool does not have.
#[derive(Clone)]
struct Lacking {
    is_switch: bool,
    message: String,
}

impl TypedValueParser for Lacking {
    type Value = bool;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<bool, clap::Error> {
        // A switch that was not given has this value.
        if self.is_switch && value == "false" {
            return Ok(false);
        }
        Err(clap::Error::raw(ErrorKind::ArgumentConflict, &self.message))
    }
}
