//! A plan that is tried once: one user performs each scenario, and a person reads what was sent and answered.

use std::path::Path;

use brunt_envelope::{Answer, RunTask};
use brunt_flow_tool::plan::{Granted, Secrets, once_granted};
use brunt_history::DATA;
use brunt_run::World;
use brunt_run::options::refusal::Refusal;

use super::confinement::{self, Access, Confinement};
use super::run::{free, on_a_site};
use super::{network, plan};
use crate::commands::failed;

/// The most bytes of output: a plan may have many steps.
const OUTPUT_MAX: usize = 128 << 10;

/// Tries a plan. It is refused while a run is active on this machine, which it would disturb.
pub(super) fn once(task: &RunTask, world: &World) -> Answer<String> {
    match tried(task, world) {
        Ok(reported) => Answer::Done(reported),
        Err(refusal) => Answer::Failed(on_a_site(&refusal.text)),
    }
}

fn tried(task: &RunTask, world: &World) -> Result<String, Refusal> {
    let _machine = free(&task.lock).map_err(failed)?;
    confinement::limit_run().map_err(failed)?;
    let data = task.requested.data.iter().map(|name| Path::new(DATA).join(name));
    let mut access = Access { write: None, ..Access::of_run() };
    access.read.extend(data);
    let confinement = Confinement::enter(&access).map_err(failed)?;
    let network = network(&task.requested, world)?;
    let granted = Granted {
        submitted: &task.requested,
        confined: confinement.holds(),
        files: world.files.clone(),
        secrets: Secrets::new(&task.secrets),
    };
    let mut words: Vec<String> = ["run", "plan.toml", "--once"].map(str::to_owned).to_vec();
    words.extend(task.requested.grant.allow.iter().map(|text| format!("--allow={text}")));
    let output = World { files: world.files.clone(), ..World::kept(world.environment.clone()) };
    once_granted(&plan(&words)?, &granted, &output, &network)?;
    let reported = output.console.output() + &output.console.errors();
    let end =
        (0..=reported.len().min(OUTPUT_MAX)).rev().find(|end| reported.is_char_boundary(*end));
    Ok(reported[..end.unwrap_or_default()].to_owned())
}
