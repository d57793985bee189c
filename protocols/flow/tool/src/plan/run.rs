//! `brunt run`: from the name of a plan to the report of a run.

use brunt_envelope::{Checked, Finding};
use brunt_flow_plan::{preview, schema};
use brunt_net::Network;
use brunt_run::World;
use brunt_run::load::SubjectCheck;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::summary::{Ending, Stream};
use brunt_run::{Caller, Job, Load, Outcome, Repeatable, Unsuitable, Verbosity};
use jiff::tz::TimeZone;

use super::granted::{self, Granted};
use super::loaded_plan::{LoadedPlan, refuse_each_user, refuse_limits, users_of};
use super::{callers, searched};
use crate as flow;
use crate::loadgen::of_plan;
use crate::loadgen::table::Counted;
use crate::options::run::RunArgs;
use crate::report::Report;
use crate::{fit, once};

impl Load for RunArgs {
    fn name(&self) -> &'static str {
        "run"
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }

    fn output_mut(&mut self) -> &mut OutputArgs {
        &mut self.output
    }

    fn pacing(&self) -> Vec<Pacing> {
        callers::pacing(self)
    }

    fn refuses(&self, caller: Caller, _: &[String]) -> Result<(), Unsuitable> {
        callers::refuses(self, caller)
    }

    /// Carries a plan out, or describes it.
    fn run(&self, world: &World, network: &Network) -> Result<Exit, Refusal> {
        if self.schema {
            return world.console.print(&schema::text());
        }
        let requested = LoadedPlan::read(self, world).map_err(Refusal::usage)?;
        if self.check {
            return describe(&requested, world);
        }
        if self.trace.once {
            return once::carry_out(requested.job(self, (world, network), false)?, world);
        }
        carry_out(requested, self, (world, network), Verbosity::Normal).map(|outcome| outcome.exit)
    }

    fn measure(
        &self,
        world: &World,
        network: &Network,
        verbosity: Verbosity,
    ) -> Result<Outcome, Refusal> {
        let requested = LoadedPlan::read(self, world).map_err(Refusal::usage)?;
        carry_out(requested, self, (world, network), verbosity)
    }

    fn examine(&self, world: &World, network: &Network) -> Result<Job, Refusal> {
        let requested = LoadedPlan::read(self, world).map_err(Refusal::usage)?;
        flow::prepare(requested.job(self, (world, network), false)?, world)
            .map(|prepared| prepared.job)
    }

    fn prepare<'a>(
        &'a self,
        world: &'a World,
        network: &Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let requested = LoadedPlan::read(self, world).map_err(Refusal::usage)?;
        refuse_limits(&requested.plan.run).map_err(Refusal::usage)?;
        refuse_each_user(&requested.compiled.flow).map_err(Refusal::usage)?;
        let named = requested.plan.run.users.is_some();
        let search = requested.compiled.search.clone();
        let prepared = flow::prepare(requested.job(self, (world, network), false)?, world)?
            .with_search(search);
        let prepared = if named { prepared } else { prepared.with_sessions(users_of) };
        check(prepared.subject())?;
        Ok(Box::new(prepared))
    }

    fn may_limit_search(&self) -> bool {
        true
    }
}

/// Prints what a plan would do.
fn describe(requested: &LoadedPlan, world: &World) -> Result<Exit, Refusal> {
    // Each user may have a connection of its own: the number of users per connection only limits the number of
    // workers.
    let load = brunt_engine::Plan::new(requested.compiled.settings.clone(), 1);
    load.map_err(|error| Refusal::usage(format!("failed to {error}")))?;
    let notes = fit::examine(&requested.compiled.flow, world.now())
        .map_err(|error| Refusal::usage(format!("failed to {error}")))?;
    world.console.print(&requested.check(&notes))
}

/// Carries out a submitted plan without output, if its grant allows that. A plan that has the form of a LoadGen job
/// also gets its report.
pub fn run_granted(
    args: &RunArgs,
    granted: &Granted<'_>,
    world: &World,
    network: &Network,
) -> Result<(Exit, Option<Report>), Refusal> {
    let requested = LoadedPlan::granted(args, granted).map_err(|(error, exit)| {
        let refusal = Refusal::usage(error);
        Refusal { exit, ..refusal }
    })?;
    let (plan, users) = (requested.plan.clone(), requested.compiled.flow.users);
    let operations = requested.compiled.flow.operations.clone();
    let started = world.now().to_zoned(TimeZone::UTC);
    let done = flow::run(requested.job(args, (world, network), false)?, world)?;
    let counted =
        Counted { tallies: &done.tallies, counts: &done.counts, started, lasted: done.lasted };
    let report = of_plan::report(&plan, users, &counted, &operations);
    Ok((done.outcome().exit, report))
}

/// Performs each scenario of a submitted plan once, as `--once` does, if its grant allows that.
pub fn once_granted(
    args: &RunArgs,
    granted: &Granted<'_>,
    world: &World,
    network: &Network,
) -> Result<Exit, Refusal> {
    let requested = LoadedPlan::granted(args, granted);
    let requested = requested.map_err(|(error, exit)| Refusal { exit, ..Refusal::usage(error) })?;
    once::carry_out(requested.job(args, (world, network), false)?, world)
}

/// Reports what is wrong with a submitted plan, or describes it.
pub fn check_granted(args: &RunArgs, granted: &Granted<'_>, world: &World) -> Checked {
    let requested = match LoadedPlan::granted(args, granted) {
        Ok(requested) => requested,
        Err((error, _)) => {
            return granted::wrong(granted::finding(&error, granted.submitted));
        }
    };
    let whole = |text: String| granted::wrong(Finding { text, ..Finding::default() });
    if let Err(why) = searched::examine(&requested, granted.submitted) {
        return whole(why.to_string());
    }
    if let Err(error) = brunt_engine::Plan::new(requested.compiled.settings.clone(), 1) {
        return whole(format!("failed to {error}"));
    }
    if let Some(why) = granted.submitted.agents.and_then(|_| granted::stays_here(&granted.files)) {
        return whole(why);
    }
    match fit::examine(&requested.compiled.flow, world.now()) {
        Err(error) => whole(format!("failed to {error}")),
        Ok(notes) => Checked {
            findings: Vec::new(),
            preview: preview::text(&requested.plan, &requested.compiled),
            merged: requested.merged(),
            load: Some(granted::load(&requested.compiled)),
            notes,
            secrets: granted.secrets.named(),
            abort_on: requested.plan.abort_on.clone(),
        },
    }
}

fn carry_out(
    requested: LoadedPlan,
    args: &RunArgs,
    (world, network): (&World, &Network),
    verbosity: Verbosity,
) -> Result<Outcome, Refusal> {
    let shows = verbosity == Verbosity::Normal;
    let mut done = flow::run(requested.job(args, (world, network), shows)?, world)?;
    if shows {
        let ending = Ending::new(&args.output.run, Stream::Output, &world.console);
        ending.report(&done.record, &mut done.losses).map_err(Refusal::failed)?;
        let written = done.written.as_deref();
        ending.close(&done.record, written, &mut done.losses).map_err(Refusal::failed)?;
    }
    Ok(done.outcome())
}
