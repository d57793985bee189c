//! The command that DHCP adds to the program: perfdhcp, with the grammar of the original tool.

use brunt_run::options::declared;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::tool::{Grammar, Manual, Reading, Tool, sentence};
use brunt_run::version;
use clap::{Arg, Command};

use crate::options::{self, Parsed, help, switches};

/// The commands.
pub const TOOLS: &[Tool] = &[Tool {
    name: options::NAME,
    aliases: &[],
    is_linked: true,
    makes_load: true,
    declared,
    grammar: Grammar::Own { read, help: |_| help::page(), manual: MANUAL },
    abouts: &[],
    secrets: &[],
}];

const MANUAL: Manual = Manual {
    examples: |_| Manual::examples(help::examples()),
    exits: || help::exits().collect(),
    guide: Some("dhcp"),
    page: None,
};

fn read(_: &str, words: &[String], surroundings: &dyn Surroundings) -> Result<Reading, Refusal> {
    match options::parse(words, surroundings) {
        Ok(Parsed::Help) => Ok(Reading::Print(help::page())),
        Ok(Parsed::Version) => Ok(Reading::Print(version())),
        Ok(Parsed::ExtendedVersion) => Ok(Reading::Print(extended_version())),
        Ok(Parsed::Run(args)) => Ok(Reading::Load(args)),
        Err(refused) => Err(Refusal { text: refused.page(), exit: refused.exit }),
    }
}

/// The output of `-V`, which also names the origin of the command line's syntax.
fn extended_version() -> String {
    format!(
        "{}accepts the command line of perfdhcp in Kea 3 and in the DHCP Performance Guide of 2012\n",
        version()
    )
}

/// The switches as clap's generators need them; clap never parses them.
fn declared(name: &'static str) -> Command {
    let options = switches::all().into_iter().map(|switch| declared::arg(&switch));
    Command::new(name)
        .about(sentence(options::PURPOSE))
        .long_about(help::description())
        .disable_help_flag(true)
        .args(options)
        .arg(Arg::new("server").value_name("server"))
}
