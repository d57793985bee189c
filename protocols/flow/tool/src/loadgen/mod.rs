//! LoadGen: performs its job, workload and task files on the engine, and prints its table.
//!
//! [`job`] reads the files and applies attributes at each level, [`draft`](mod@draft) decides what is sent, [`to_plan`]
//! makes a plan of that, which is carried out as any other plan, and [`table`] makes the report from the counts. All
//! files of a job are read before a byte is sent.

mod attributes;
mod check;
mod compile;
mod directories;
mod document;
mod draft;
mod drafting;
mod endpoints;
mod fields;
mod file_position;
mod files;
mod header;
mod job;
mod job_error;
mod kept;
mod mix;
mod names;
pub mod of_plan;
mod platform;
mod reader;
mod repairs;
mod request;
mod spinner;
pub mod table;
mod task;
mod to_plan;
mod wildcard;
mod workload;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_flow_driver::Flow;
use brunt_flow_plan::compile::Compiled;
use brunt_flow_plan::model;
use brunt_http_driver::{Network, NetworkError};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::load::SubjectCheck;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::{Output, OutputArgs, Progress};
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::resend::Resending;
use brunt_run::summary::{Ending, Stream};
use brunt_run::{Caller, Load, Repeatable, Unsuitable, console};
use jiff::tz::TimeZone;

use crate as flow;
use crate::options::loadgen::{LoadgenArgs, Mixing, NAME};
use crate::report::Compatibility;
use crate::report::opening;
use crate::trace::TraceFile;
use crate::{FlowJob, fit, once};

use draft::{Draft, Meaning};
use drafting::draft;
use files::Files;
use job::Job;
use spinner::Spinner;
use to_plan::{Connecting, Listed, unlisted};
use workload::Workload;

/// The number of redirects that Java's client follows.
const REDIRECTS: u8 = 20;
/// How long opening a connection may take if no threshold is shorter.
const CONNECT_MAX: Duration = Duration::from_secs(30);

impl Load for LoadgenArgs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }

    fn output_mut(&mut self) -> &mut OutputArgs {
        &mut self.output
    }

    fn pacing(&self) -> Vec<Pacing> {
        Vec::new()
    }

    fn refuses(&self, caller: Caller, _: &[String]) -> Result<(), Unsuitable> {
        Err(Unsuitable::Command(match caller {
            Caller::Search => {
                "find-max takes a LoadGen job as a plan: 'brunt loadgen --to-plan' converts it, and 'run' carries it \
                 out"
            }
            Caller::OwnAgents | Caller::AgentsOfOthers => {
                "'loadgen' cannot be ordered: 'brunt loadgen --to-plan' converts a job, and agents share 'brunt run'"
            }
        }))
    }

    /// Carries a job out, from its files to its report.
    fn run(&self, world: &World, network: &brunt_net::Network) -> Result<Exit, Refusal> {
        if self.output.run.node.is_some() {
            return Err(Refusal::usage(
                "--node cannot share a LoadGen job; make a plan of it with --to-plan, and share that with 'brunt \
                run --node'",
            ));
        }
        self.output
            .run
            .refuse_quiet_details()
            .map_err(|unfit| Refusal::usage(format!("error: {}", unfit.why)))?;
        let requested = LoadedJob::read(self, world)?;
        if self.check {
            requested.examine(world)?;
            return world.console.print(&check::text(&requested.job, &requested.draft));
        }
        if let Some(path) = &self.to_plan {
            let text = requested.plan_text((world, network))?;
            return if path.as_os_str() == "-" {
                world.console.print(&text)
            } else {
                console::write(path, &text)
            };
        }
        if self.trace.once {
            let compiled =
                requested.compiled(&requested.draft, &unlisted(&requested.draft), world)?;
            let network = requested.network(&compiled, network, &world.console).map_err(failed)?;
            let compiled = requested.with_lists(compiled, &requested.draft, &network, world)?;
            return once::carry_out(requested.requested(self, compiled, &network), world);
        }
        requested.carry_out(self, world, network)
    }

    fn prepare<'a>(
        &'a self,
        _: &'a World,
        _: &brunt_net::Network,
        _: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        Err(self.refuses(Caller::Search, &[]).map_or_else(Refusal::usage, |()| failed("repeat it")))
    }
}

/// A job as a plan, and notes about it. No service is contacted: the values it would list are missing.
pub fn as_plan(
    config: &Path,
    readable: &brunt_feed::Files,
) -> Result<(model::Plan, Vec<String>), Refusal> {
    let mut files = Files::new(config, readable);
    let job = reader::read(config, &mut files)?;
    let draft = draft(&job.workloads, Compatibility::Repaired, Mixing::default(), &mut files)?;
    let connecting = Connecting {
        redirects: REDIRECTS,
        resend: Resending::Always,
        limit: connecting(&draft),
        ca: None,
        insecure: false,
    };
    let mut notes = files.take_notes();
    notes.extend(to_plan::secrets(&draft).map(|name| {
        format!("the value of {name} is a secret, and not in the plan: it has to be given to the run as {name}")
    }));
    notes.extend(to_plan::notes(&job));
    notes.extend(draft.variables.iter().filter_map(|variable| match &variable.meaning {
        Meaning::Element(endpoint) => Some(format!(
            "the values of {0} are listed by {1}, which is not asked: write them into variables.{0}.choice, or have \
             'brunt loadgen --to-plan' fetch them",
            variable.name,
            brunt_redact::url(&endpoint.url)
        )),
        _ => None,
    }));
    Ok((to_plan::plan(&job, &draft, &Listed::new(), &connecting), notes))
}

/// A job that was read, with everything resolved.
struct LoadedJob {
    job: Job,
    draft: Draft,
    warm_up: Draft,
    connecting: Connecting,
    seed: u64,
}

impl LoadedJob {
    fn read(args: &LoadgenArgs, world: &World) -> Result<Self, Refusal> {
        let manner = if args.compat { Compatibility::Compatible } else { Compatibility::Repaired };
        let mut files = Files::new(&args.config, &world.files);
        let job = reader::read(&args.config, &mut files)?;
        let mut settle = |workloads: &[Workload]| draft(workloads, manner, args.mix, &mut files);
        let (measured, warm_up) = (settle(&job.workloads)?, settle(&job.warm_up)?);
        for note in files.take_notes() {
            world.console.note(&note);
        }
        let seed = args.output.seed.unwrap_or_else(console::seed);
        let connecting = Connecting {
            redirects: REDIRECTS,
            resend: args.resend,
            limit: connecting(&measured),
            ca: args.ca.clone(),
            insecure: args.insecure,
        };
        Ok(Self { job, draft: measured, warm_up, connecting, seed })
    }

    /// Checks whether the requests can be sent, as far as that is known without fetching values from a service.
    fn examine(&self, world: &World) -> Result<(), Refusal> {
        for draft in [&self.warm_up, &self.draft] {
            if draft.scenarios.is_empty() {
                continue;
            }
            let compiled = self.compiled(draft, &unlisted(draft), world)?;
            let notes = fit::examine(&compiled.flow, world.now())
                .map_err(|error| Refusal::usage(format!("failed to {error}")))?;
            for note in &notes {
                world.console.note(note);
            }
        }
        Ok(())
    }

    /// What is run of a draft.
    fn compiled(&self, draft: &Draft, listed: &Listed, world: &World) -> Result<Compiled, Refusal> {
        let plan = to_plan::plan(&self.job, draft, listed, &self.connecting);
        compile::compiled(&plan, draft, self.seed, world).map_err(Refusal::usage)
    }

    /// The connections of what is run.
    fn network(
        &self,
        compiled: &Compiled,
        way: &brunt_net::Network,
        console: &Console,
    ) -> Result<Arc<Network>, ConnectError> {
        if self.connecting.insecure {
            console.note("the server's certificate is not verified because of --insecure");
        }
        Ok(Arc::new(Network::new(compiled.http.clone(), way)?))
    }

    /// What is run of a draft, with the values that services list in place of placeholders.
    fn with_lists(
        &self,
        compiled: Compiled,
        draft: &Draft,
        network: &Arc<Network>,
        world: &World,
    ) -> Result<Compiled, Refusal> {
        let listed = endpoints::fetch(draft, network, world).map_err(failed)?;
        if listed.is_empty() { Ok(compiled) } else { self.compiled(draft, &listed, world) }
    }

    /// The plan as text.
    fn plan_text(&self, (world, way): (&World, &brunt_net::Network)) -> Result<String, Refusal> {
        let compiled = self.compiled(&self.draft, &unlisted(&self.draft), world)?;
        let network = self.network(&compiled, way, &world.console).map_err(failed)?;
        let listed = endpoints::fetch(&self.draft, &network, world).map_err(failed)?;
        let plan = to_plan::plan(&self.job, &self.draft, &listed, &self.connecting);
        for name in to_plan::secrets(&self.draft) {
            world.console.note(&format!(
                "the plan reads {name} from the environment: export {name} before running it"
            ));
        }
        for note in to_plan::notes(&self.job) {
            world.console.note(&note);
        }
        toml::to_string_pretty(&plan).map_err(failed)
    }

    fn carry_out(
        &self,
        args: &LoadgenArgs,
        world: &World,
        way: &brunt_net::Network,
    ) -> Result<Exit, Refusal> {
        let compiled = self.compiled(&self.draft, &unlisted(&self.draft), world)?;
        let network = self.network(&compiled, way, &world.console).map_err(failed)?;
        if !self.warm_up.scenarios.is_empty() {
            let warm_up = self.compiled(&self.warm_up, &unlisted(&self.warm_up), world)?;
            let warm_up = self.with_lists(warm_up, &self.warm_up, &network, world)?;
            world.console.note("the warm-up of the job runs first; no figure includes it");
            let warm_up = self.requested(args, warm_up, &network);
            let unmeasured = Output::default();
            let done = flow::run(
                FlowJob { objectives: Vec::new(), output: unmeasured, trace: None, ..warm_up },
                world,
            )?;
            if world.signals.received().is_some() {
                return Ok(done.end());
            }
        }
        let compiled = self.with_lists(compiled, &self.draft, &network, world)?;
        let started = world.now().to_zoned(TimeZone::system());
        world.console.print(&opening(self.job.threads, &started))?;
        let spinner = Spinner::start(&world.console);
        let done = flow::run(self.requested(args, compiled, &network), world);
        drop(spinner);
        let mut done = done?;
        let counted = table::Counted {
            tallies: &done.tallies,
            counts: &done.counts,
            started,
            lasted: done.lasted,
        };
        let report = table::report(&self.draft, &self.job, &counted);
        done.losses.print(&report.text());
        let ending = Ending::new(&args.output.run, Stream::Error, &world.console);
        ending.report(&done.record, &mut done.losses).map_err(failed)?;
        let written = done.written.as_deref();
        ending.close(&done.record, written, &mut done.losses).map_err(failed)?;
        Ok(done.end())
    }

    /// The run of a plan.
    fn requested(&self, args: &LoadgenArgs, compiled: Compiled, network: &Arc<Network>) -> FlowJob {
        let mut settings = compiled.settings;
        settings.interval = args.output.interval.unwrap_or(settings.interval);
        FlowJob {
            command: args.output.typed.clone(),
            search: Vec::new(),
            flow: Flow { traceparent: args.trace.identity.traceparent, ..compiled.flow },
            network: Arc::clone(network),
            settings,
            objectives: args.output.run.objectives.clone(),
            output: Output { progress: Progress::Table, ..args.output.files() },
            target: self.job.environment.clone().unwrap_or_default(),
            trace: TraceFile::new(&args.trace),
            every: None,
            every_around: None,
        }
    }
}

/// Connections that cannot be made with the settings of a job.
#[derive(Debug, thiserror::Error)]
#[error("failed to {0}")]
struct ConnectError(#[from] NetworkError);

/// How long connecting may take: as long as the longest threshold of a task.
fn connecting(draft: &Draft) -> Duration {
    let thresholds = draft.operations.iter().filter_map(|operation| operation.threshold);
    let most = thresholds.filter(|millis| *millis > 0).max();
    most.map_or(CONNECT_MAX, |millis| Duration::from_millis(millis).min(CONNECT_MAX))
}

fn failed(why: impl std::fmt::Display) -> Refusal {
    Refusal::failed(why)
}
