//! The hidden command by which an agent carries out its share of one step of a search.
//!
//! A step sets what no option of the command can: arrivals at any rate, and the number of the first exchange. So the
//! command is read as `find-max` reads it, and the step precedes it as JSON.

use brunt_cluster::message;
use brunt_net::Network;
use brunt_net::allowed::Allowed;
use brunt_record::Node;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::RunOptions;
use brunt_run::options::start_at::StartAt;
use brunt_run::options::weights::Weights;
use brunt_run::{self as run, ExitPolicy, Step, StepLoad, exit};

use super::inner::Inner;
use crate::commands::agent::StepTask;
use crate::commands::failed;

/// Carries out a share of a step; these words are the command.
pub(crate) fn step_child(task: &str, words: &[String], world: &World) -> Result<Exit, Refusal> {
    let task: StepTask = serde_json::from_str(task).map_err(failed)?;
    let allowed: Result<Vec<Allowed>, _> =
        task.step.allow.iter().map(|text| text.parse()).collect();
    let mut inner = Inner::read(words, Some(task.seed), world)?;
    let network =
        run::address_policy::around(allowed.map_err(failed)?, inner.run_options(), world)?;
    let ended = share(task, &mut inner, (world, &network));
    run::address_policy::judged(ended, &network)
}

fn share(
    task: StepTask,
    inner: &mut Inner,
    (world, network): (&World, &Network),
) -> Result<Exit, Refusal> {
    let weights = Some(task.weights.clone()).filter(|all| !all.is_empty()).map(Weights::Given);
    let node = Node::even(task.rank, task.of);
    inner.share(node.clone(), weights.clone());
    let load = inner.prepare(world, network, &|_| Ok(()))?;
    let results = RunOptions {
        node: Some(node),
        weights,
        events: Some(task.events),
        record: Some(task.record),
        start_at: Some(StartAt::StandardInput),
        ..RunOptions::default()
    };
    let step = step_of(&task.step, results);
    let mut finished = load.carry_out(&step, &mut [], world).map_err(Refusal::failed)?;
    finished.losses.keep(load.give_back(&world.signals.stop()));
    let early = finished.early();
    let ended = exit(&finished.record, early, ExitPolicy::Ours);
    Ok(finished.losses.report(ended))
}

fn step_of(step: &message::Step, results: RunOptions) -> Step {
    Step {
        load: step.rate.map_or(StepLoad::Alone, StepLoad::Poisson),
        warm_up: step.warm_up,
        lasting: step.lasting,
        drain: step.drain,
        interval: step.interval,
        first: step.first,
        all_cores: step.all_cores,
        results,
    }
}
