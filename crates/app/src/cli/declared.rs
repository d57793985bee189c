//! Every command as it is declared to clap.
//!
//! clap's generators need declarations also for the tools with grammars of their own; they are made here from the
//! tables of these tools. Those declarations only describe: no such tool is ever parsed by them.

use brunt_dhcp_tool::options::{self as dhcp, switches};
use brunt_ldap_tool::options::prose;
use brunt_ldap_tool::options::table::{self as options, Kind};
use brunt_ldap_tool::options::tool::Tool;
use brunt_leases_tool::options::ubench::{self, Ubench};
use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::args::Brunt;

/// Every command, including those that clap does not parse.
pub(super) fn program() -> Command {
    Brunt::command()
        .subcommands(Tool::ALL.map(describe))
        .subcommand(describe_perfdhcp())
        .subcommands(Ubench::ALL.map(describe_lease_benchmark))
}

fn sentence(purpose: &str) -> String {
    format!("{}{}", purpose[..1].to_uppercase(), &purpose[1..])
}

fn describe_perfdhcp() -> Command {
    let options = switches::all().into_iter().map(|switch| {
        let arg = Arg::new(switch.name).help(switch.help);
        let arg = switch.names().fold(arg, |arg, name| match name.chars().next() {
            Some(short) if name.len() == 1 => arg.short(short),
            _ => arg.long(name),
        });
        match switch.kind {
            switches::Kind::Flag => arg.action(ArgAction::SetTrue),
            switches::Kind::Choice(words) => {
                arg.value_name(switch.value).value_parser(words.to_vec())
            }
            switches::Kind::Path => {
                arg.value_name(switch.value).value_hint(clap::ValueHint::FilePath)
            }
            switches::Kind::Attached => attached(arg, switch.value),
            _ => arg.value_name(switch.value),
        }
    });
    Command::new(dhcp::NAME)
        .about(sentence(dhcp::PURPOSE))
        .long_about(dhcp::help::description())
        .disable_help_flag(true)
        .args(options)
        .arg(Arg::new("server").value_name("server"))
}

/// An argument whose value follows an `=` or is omitted.
fn attached(arg: Arg, value: &'static str) -> Arg {
    arg.value_name(value).num_args(0..=1).require_equals(true)
}

fn describe_lease_benchmark(program: Ubench) -> Command {
    let old = ubench::SWITCHES.into_iter().map(|(letter, value, help)| {
        let arg = Arg::new(letter).short(letter.chars().next()).help(sentence(help));
        if value.is_empty() { arg.action(ArgAction::SetTrue) } else { arg.value_name(value) }
    });
    let ours = ubench::OURS.into_iter().map(|(name, value, help)| {
        let arg = Arg::new(name).long(name).help(sentence(help));
        match value {
            "" => arg.action(ArgAction::SetTrue),
            "FILE" => arg.value_name(value).value_hint(clap::ValueHint::FilePath),
            _ => arg.value_name(value),
        }
    });
    Command::new(program.name())
        .about(sentence(program.purpose()))
        .long_about(ubench::description())
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(old.chain(ours))
}

fn describe(tool: Tool) -> Command {
    let about = sentence(tool.purpose());
    let command = Command::new(tool.name()).about(about).long_about(prose::description(tool));
    let options = options::of(tool).into_iter().map(|option| {
        let arg = Arg::new(option.long).long(option.long).help(option.help);
        let arg = option.short.map_or(arg.clone(), |short| arg.short(short));
        match option.kind {
            Kind::Switch => arg.action(ArgAction::SetTrue),
            Kind::Choice(words) => arg.value_name(option.value).value_parser(words.to_vec()),
            Kind::Path => arg.value_name(option.value).value_hint(clap::ValueHint::FilePath),
            Kind::Attached => attached(arg, option.value),
            _ => arg.value_name(option.value),
        }
    });
    command
        .disable_help_flag(true)
        .args(options)
        .arg(Arg::new("trailing").value_name(tool.trailing()).num_args(0..))
}
