//! `brunt cluster keys`: creates everything that the parties of a cluster need to trust each other, in one directory.

use std::fmt::Write as _;

use brunt_cluster::keys::{self, Made, Wanted};
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use jiff::{Timestamp, ToSpan as _, tz::TimeZone};

use super::failed;
use crate::cli::cluster_keys::KeysArgs;

/// Creates what is missing, and prints what each part is for.
pub(crate) fn cluster_keys(args: &KeysArgs, world: &World) -> Result<Exit, Refusal> {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let wanted = Wanted {
        agents: args.agents,
        hosts: args.hosts.clone(),
        port: args.port,
        // The clocks of other machines may be slow.
        from: today.saturating_sub(1.day()),
        until: today.saturating_add(i32::from(args.days).days()),
    };
    let made = keys::make(&args.directory, &wanted).map_err(failed)?;
    world.console.print(&summary_text(args, &made, &wanted.until.to_string()))
}

fn summary_text(args: &KeysArgs, made: &Made, until: &str) -> String {
    let place = args.directory.display();
    let mut text = match made.added.len() {
        0 => format!("All {} agents in {place} had keys; nothing was added.\n", made.agents.len()),
        added if added == made.agents.len() => {
            format!("Keys of {added} agents, valid until {until}, are in {place}.\n")
        }
        _ => format!(
            "Keys of {}, valid until {until}, were added to {place}, which has those of {} agents now.\n",
            made.added.join(", "),
            made.agents.len()
        ),
    };
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "
  nats/          for the machine of the broker: cd nats && nats-server -c nats.conf
  coordinator/   for whoever orders runs; order.seed signs the orders
  agents/NAME/   for one agent each; its owner edits agent.toml, which says what may be ordered
  ca.key         signs certificates: keep it where no agent is

Orders are signed by {}
",
        made.order_key
    );
    if made.kept {
        text.push_str(
            "\nThe certificate of the broker was kept. Remove nats/server.pem to make one for other hosts. If the\n\
             broker runs, have it read its configuration again: nats-server --signal reload\n",
        );
    }
    text
}
