//! `brunt http`: one URL or many, with the flags that are familiar from wrk, wrk2, oha, hey and ab.
//!
//! A command line becomes a plan ([`wanted()`]) and the plan a run, as in `brunt run`. With `--details` a
//! short block like those tools' is printed beside the figures of every run ([`figures`]).

mod callers;
mod figures;
mod http_plan;
mod targets;

use std::path::Path;
use std::sync::Arc;

use brunt_feed::{Files, file};
use brunt_flow_driver::Flow;
use brunt_flow_plan::compile::{CompileEnvironment, compile};
use brunt_http_driver::Network;
use brunt_report::distribution;
use brunt_run::World;
use brunt_run::load::SubjectCheck;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::summary::{Ending, Stream};
use brunt_run::{
    Caller, Job, Load, Outcome, Repeatable, Unsuitable, Verbosity, console, search_words, share,
};

use crate as flow;
use crate::options::http::HttpArgs;
use crate::trace::TraceFile;
use crate::{Done, FlowJob, once};

use http_plan::HttpPlan;

impl Load for HttpArgs {
    fn name(&self) -> &'static str {
        "http"
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

    fn run(&self, world: &World, network: &brunt_net::Network) -> Result<Exit, Refusal> {
        if self.to_plan {
            let text = toml::to_string_pretty(&wanted(self, &world.files)?.plan)
                .map_err(|error| usage(&error))?;
            return world.console.print(&text);
        }
        if self.trace.once {
            return once::carry_out(job(self, (world, network), Verbosity::Normal)?, world);
        }
        self.measure(world, network, Verbosity::Normal).map(|outcome| outcome.exit)
    }

    fn measure(
        &self,
        world: &World,
        network: &brunt_net::Network,
        verbosity: Verbosity,
    ) -> Result<Outcome, Refusal> {
        let mut done = flow::run(job(self, (world, network), verbosity)?, world)?;
        if verbosity == Verbosity::Normal {
            print(self, &mut done, world)?;
        }
        Ok(done.outcome())
    }

    fn examine(&self, world: &World, network: &brunt_net::Network) -> Result<Job, Refusal> {
        flow::prepare(job(self, (world, network), Verbosity::Quiet)?, world)
            .map(|prepared| prepared.job)
    }

    fn prepare<'a>(
        &'a self,
        world: &'a World,
        network: &brunt_net::Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let prepared = flow::prepare(job(self, (world, network), Verbosity::Quiet)?, world)?;
        check(prepared.subject())?;
        Ok(Box::new(prepared))
    }
}

fn wanted(args: &HttpArgs, files: &Files) -> Result<HttpPlan, Refusal> {
    HttpPlan::new(args, &|path| files.read(path, file::DATA_MAX)).map_err(|error| usage(&error))
}

/// The run of the command line.
fn job(
    args: &HttpArgs,
    (world, network): (&World, &brunt_net::Network),
    verbosity: Verbosity,
) -> Result<FlowJob, Refusal> {
    let HttpPlan { plan, notes } = wanted(args, &world.files)?;
    let shows = verbosity == Verbosity::Normal;
    if shows {
        for note in &notes {
            world.console.note(note);
        }
    }
    let seed = args.output.seed.unwrap_or_else(console::seed);
    let surroundings = CompileEnvironment { surroundings: world, base: Path::new("") };
    let node = share::requested(&args.output.run, args.output.seed).map_err(Refusal::usage)?;
    let compiled = compile(&plan, node, seed, &surroundings).map_err(|fault| {
        usage(&format!("convert the command line into a plan: {fault} (--to-plan shows the plan)"))
    })?;
    let network = Network::new(compiled.http, network).map_err(|error| failed(&error))?;
    let mut settings = compiled.settings;
    settings.interval = args.output.interval.unwrap_or(settings.interval);
    let target = args.url.clone().or_else(|| plan.http.as_ref().and_then(|http| http.base.clone()));
    Ok(FlowJob {
        command: args.output.typed.clone(),
        search: search_words(args),
        flow: Flow { traceparent: args.trace.identity.traceparent, ..compiled.flow },
        network: Arc::new(network),
        settings,
        objectives: compiled.objectives,
        output: args.output.files().shown(shows),
        target: target.map(|target| brunt_redact::url(&target)).unwrap_or_default(),
        trace: TraceFile::new(&args.trace),
        every: None,
        every_around: None,
    })
}

fn print(args: &HttpArgs, done: &mut Done, world: &World) -> Result<(), Refusal> {
    let ending = Ending::new(&args.output.run, Stream::Output, &world.console);
    ending.report(&done.record, &mut done.losses).map_err(Refusal::failed)?;
    if ending.details {
        let figures = figures::text(&done.record).map_err(|error| failed(&error))?;
        done.losses.print(&format!("\n{figures}"));
    }
    if args.latency {
        let text = distribution(&done.record).map_err(|error| failed(&error))?;
        let (above, below) = if ending.details { ("\n", "") } else { ("", "\n") };
        done.losses
            .print(&format!("{above}Response time percentiles (HdrHistogram)\n{text}{below}"));
    }
    let written = done.written.as_deref();
    ending.close(&done.record, written, &mut done.losses).map_err(Refusal::failed)
}

fn usage(error: &dyn std::fmt::Display) -> Refusal {
    Refusal::usage(format!("failed to {error}"))
}

fn failed(error: &dyn std::fmt::Display) -> Refusal {
    Refusal::failed(format!("failed to {error}"))
}
