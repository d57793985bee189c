//! Command lines of brunt for HTTP, and what is read from their records.

use std::collections::BTreeMap;
use std::process::Command;

use brunt_testbed::Lan;
pub(crate) use brunt_testbed::{Ended as Run, Trial as Brunt};

/// `brunt TOOL`, with the seed given so that a failure can be reproduced.
pub(crate) fn command(tool: &str) -> Brunt {
    with_tool(Command::new(env!("CARGO_BIN_EXE_brunt")), tool)
}

/// `brunt run` with this plan.
pub(crate) fn planned(plan: &str) -> Brunt {
    with_plan(command("run"), plan)
}

/// The same on the clients' host of a network.
pub(crate) fn planned_on(lan: &Lan, plan: &str) -> Brunt {
    with_plan(with_tool(lan.client(env!("CARGO_BIN_EXE_brunt")), "run"), plan)
}

fn with_tool(command: Command, tool: &str) -> Brunt {
    Brunt::brunt(command, &[tool, "--seed", "7"])
}

fn with_plan(brunt: Brunt, plan: &str) -> Brunt {
    let path = brunt.file("plan.toml", plan);
    brunt.arg(path)
}

/// How many answers of each status there were, whatever was made of them.
pub(crate) fn statuses(run: &Run) -> BTreeMap<u16, u64> {
    let mut statuses = BTreeMap::new();
    for ((class, code), count) in run.ends() {
        if ["ok", "result", "check", "exceeded", "unexamined"].contains(&&*class) {
            *statuses.entry(code as u16).or_default() += count;
        }
    }
    statuses
}
