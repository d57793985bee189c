//! `brunt run`: from the name of a plan to the report of a run.

use brunt_envelope::{Checked, Finding};
use brunt_flow_plan::{preview, schema};
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::surroundings::Machine;
use brunt_run::signals::Signals;
use brunt_run::summary::{Ending, Stream};
use brunt_run::{Outcome, Prepared, Verbosity, console};
use jiff::tz::TimeZone;

use super::asked::{Asked, refuse_limits, users_of};
use super::granted::{self, Granted};
use super::searched;
use crate as flow;
use crate::loadgen::of_plan;
use crate::loadgen::table::Counted;
use crate::options::run::RunArgs;
use crate::report::Report;
use crate::{Users, fit, once};

/// Carries a plan out, or describes it.
pub fn run(args: &RunArgs, signals: &Signals) -> Result<Exit, Refusal> {
    if args.schema {
        return console::print(&schema::text());
    }
    let asked = Asked::read(args, &Machine).map_err(Refusal::usage)?;
    if args.check {
        // Each user may have a connection of its own: the number of users per connection only limits the number of
        // workers.
        let load = brunt_engine::Plan::new(asked.compiled.settings.clone(), 1);
        load.map_err(|error| Refusal::usage(format!("failed to {error}")))?;
        let notes = fit::examine(&asked.compiled.flow)
            .map_err(|error| Refusal::usage(format!("failed to {error}")))?;
        return console::print(&asked.check(&notes));
    }
    if args.trace.once {
        return once::carry_out(asked.job(args, false)?, signals);
    }
    carry_out(asked, args, signals, Verbosity::Normal).map(|outcome| outcome.exit)
}

/// Carries out a submitted plan without output, if its grant allows that. A plan that has the form of a LoadGen job
/// also gets its report.
pub fn run_granted(
    args: &RunArgs,
    granted: &Granted<'_>,
    signals: &Signals,
) -> Result<(Exit, Option<Report>), Refusal> {
    let asked = Asked::granted(args, granted).map_err(|(error, exit)| {
        let refusal = Refusal::usage(error);
        Refusal { exit, ..refusal }
    })?;
    let (plan, users) = (asked.plan.clone(), asked.compiled.flow.users);
    let operations = asked.compiled.flow.operations.clone();
    let started = console::now().to_zoned(TimeZone::UTC);
    let done = flow::run(asked.job(args, false)?, signals)?;
    let counted =
        Counted { tallies: &done.tallies, counts: &done.counts, started, lasted: done.lasted };
    let report = of_plan::report(&plan, users, &counted, &operations);
    Ok((done.outcome().exit, report))
}

/// Reports what is wrong with a submitted plan, or describes it.
pub fn check_granted(args: &RunArgs, granted: &Granted<'_>) -> Checked {
    let asked = match Asked::granted(args, granted) {
        Ok(asked) => asked,
        Err((error, _)) => {
            return granted::wrong(granted::finding(&error, granted.submitted));
        }
    };
    let whole = |text: String| granted::wrong(Finding { text, ..Finding::default() });
    if let Err(why) = searched::examine(&asked, granted.submitted) {
        return whole(why);
    }
    if let Err(error) = brunt_engine::Plan::new(asked.compiled.settings.clone(), 1) {
        return whole(format!("failed to {error}"));
    }
    if let Some(why) = granted.submitted.agents.and_then(|_| granted::stays_here()) {
        return whole(why);
    }
    match fit::examine(&asked.compiled.flow) {
        Err(error) => whole(format!("failed to {error}")),
        Ok(notes) => Checked {
            findings: Vec::new(),
            preview: preview::text(&asked.plan, &asked.compiled),
            merged: asked.merged(),
            load: Some(granted::load(&asked.compiled)),
            notes,
            secrets: granted.secrets.named(),
            abort_on: asked.plan.abort_on.clone(),
        },
    }
}

/// Carries a plan out.
pub fn measure(
    args: &RunArgs,
    signals: &Signals,
    verbosity: Verbosity,
) -> Result<Outcome, Refusal> {
    let asked = Asked::read(args, &Machine).map_err(Refusal::usage)?;
    carry_out(asked, args, signals, verbosity)
}

/// Reads everything that a plan names, and sends nothing.
pub fn examine(args: &RunArgs) -> Result<Prepared<Users>, Refusal> {
    let asked = Asked::read(args, &Machine).map_err(Refusal::usage)?;
    flow::prepare(asked.job(args, false)?)
}

/// Prepares a plan to be carried out many times.
pub fn prepare(args: &RunArgs) -> Result<Prepared<Users>, Refusal> {
    let asked = Asked::read(args, &Machine).map_err(Refusal::usage)?;
    refuse_limits(&asked.plan.run).map_err(Refusal::usage)?;
    let named = asked.plan.run.users.is_some();
    let search = asked.compiled.search.clone();
    let prepared = flow::prepare(asked.job(args, false)?)?.with_search(search);
    Ok(if named { prepared } else { prepared.with_sessions(users_of) })
}

fn carry_out(
    asked: Asked,
    args: &RunArgs,
    signals: &Signals,
    verbosity: Verbosity,
) -> Result<Outcome, Refusal> {
    let shows = verbosity == Verbosity::Normal;
    let mut done = flow::run(asked.job(args, shows)?, signals)?;
    if shows {
        let ending = Ending::of(&args.output.run, Stream::Output);
        ending.tell(&done.record, &mut done.losses).map_err(Refusal::failed)?;
        let written = done.written.as_deref();
        ending.close(&done.record, written, &mut done.losses).map_err(Refusal::failed)?;
    }
    Ok(done.outcome())
}
