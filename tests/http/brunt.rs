//! Command lines of brunt for HTTP, and what is read from their records.

pub(crate) use brunt_test_program::{Ended as Run, Trial as Brunt};
use brunt_test_program::{binary, brunt};
use brunt_testbed::Lan;
use std::collections::BTreeMap;

/// `brunt TOOL`, with the seed given so that a failure can be reproduced.
pub(crate) fn command(tool: &str) -> Brunt {
    brunt(tool).typed("--seed 7").recorded()
}

/// `brunt run` with this plan.
pub(crate) fn planned(plan: &str) -> Brunt {
    with_plan(command("run"), plan)
}

/// The same on the clients' host of a network.
pub(crate) fn planned_on(lan: &Lan, plan: &str) -> Brunt {
    with_plan(Brunt::new(lan.client(binary())).typed("run --seed 7").recorded(), plan)
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
