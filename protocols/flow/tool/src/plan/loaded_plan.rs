//! [`LoadedPlan`]: the plan of a command line or a submission, read and compiled.

use std::fmt::Display;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brunt_engine::timer::Time as _;
use brunt_feed::Files;
use brunt_feed::file::unmarked;
use brunt_flow_driver::{Each, Flow};
use brunt_flow_plan::compile::{CompileEnvironment, Compiled, compile};
use brunt_flow_plan::key_error::PlanError;
use brunt_flow_plan::model::{Iterations, Plan, Run, Scenario};
use brunt_flow_plan::reader::{Text, Written, read};
use brunt_flow_plan::values::Time;
use brunt_flow_plan::{merged, preview};
use brunt_http_driver::Network;
use brunt_record::AbortRule;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::{World, console, share};

use super::granted::{self, Granted};
use super::proposal;
use crate::FlowJob;
use crate::options::run::RunArgs;
use crate::trace::TraceFile;

/// The largest plan that is read; the bodies of requests can be in separate files.
const PLAN_MAX: u64 = 16 << 20;

/// A plan that was read and compiled.
pub(super) struct LoadedPlan {
    pub plan: Plan,
    pub compiled: Compiled,
    /// What to type for a search of its highest rate.
    search: Vec<String>,
}

impl LoadedPlan {
    /// The plan that a command line names.
    pub(super) fn read(args: &RunArgs, surroundings: &dyn Surroundings) -> Result<Self, PlanError> {
        let path = args.plan.clone().unwrap_or_else(|| PathBuf::from("-"));
        let (name, text) = source(&path, &surroundings.files())?;
        let text = Text { name: &name, text: &text, unset: &args.unset, overrides: &args.set };
        let base = path.parent().unwrap_or(Path::new(""));
        Self::new(&text, args, &CompileEnvironment { surroundings, base }).map(|(wanted, _)| wanted)
    }

    /// A submitted plan, if it does nothing beyond its grant; otherwise how a run of it would end.
    pub(super) fn granted(
        args: &RunArgs,
        granted: &Granted<'_>,
    ) -> Result<Self, (PlanError, Exit)> {
        let submitted = granted.submitted;
        let text = Text {
            name: "plan.toml",
            text: &submitted.plan,
            unset: &args.unset,
            overrides: &args.set,
        };
        let environment = CompileEnvironment { surroundings: granted, base: Path::new("") };
        let (wanted, written) =
            Self::new(&text, args, &environment).map_err(|error| (error, Exit::Usage))?;
        granted::examine(&wanted.plan, &wanted.compiled, submitted)
            .map_err(|fault| (written.error(fault), Exit::Unsafe))?;
        Ok(wanted)
    }

    fn new(
        text: &Text<'_>,
        args: &RunArgs,
        environment: &CompileEnvironment<'_>,
    ) -> Result<(Self, Written), PlanError> {
        let mut written: Written = read(text, &|name| environment.surroundings.variable(name))?;
        if written.plan.run.iterations == Some(Iterations::Each(1)) && sets_length(args) {
            written.plan.run.iterations = None;
        }
        if let Some(duration) = args.duration {
            written.plan.run.duration = Some(Time(duration));
        }
        let objectives = args.output.run.objectives.iter();
        written.plan.objectives.extend(objectives.map(|slo| slo.text().to_owned()));
        let abort_on = args.output.run.abort_on.iter().map(ToString::to_string);
        written.plan.abort_on.extend(abort_on);
        let seed = args.output.seed.or(written.plan.run.seed);
        let node = share::requested(&args.output.run, seed)
            .map_err(|error| PlanError::Usage(error.to_string()))?;
        let seed = seed.unwrap_or_else(console::seed);
        let compiled = compile(&written.plan, node, seed, environment);
        let mut compiled = compiled.map_err(|fault| written.error(fault))?;
        compiled.settings.interval = args.output.interval.unwrap_or(compiled.settings.interval);
        let search = proposal::words(args, &written);
        Ok((Self { plan: written.plan.clone(), compiled, search }, written))
    }

    /// The plan with its defaults.
    pub(super) fn merged(&self) -> String {
        let settings = &self.compiled.settings;
        merged::text(&self.plan, self.compiled.flow.users, settings.seed)
    }

    /// The merged plan, and its description.
    pub(super) fn check(&self, notes: &[String]) -> String {
        let merged = self.merged();
        let mut comes_to = preview::text(&self.plan, &self.compiled);
        comes_to.extend(notes.iter().map(|note| format!("\nNote: {note}\n")));
        format!(
            "# The plan with its defaults.\n\n{merged}\n# The resulting load and first requests.\n\n{comes_to}"
        )
    }

    /// The run, with all its resources opened; `shows` is whether progress is shown.
    pub(super) fn job(
        self,
        args: &RunArgs,
        (world, network): (&World, &brunt_net::Network),
        shows: bool,
    ) -> Result<FlowJob, Refusal> {
        let Self { plan, mut compiled, search } = self;
        let network = &network.or_marked(compiled.dscp);
        if let Some(directory) = compiled.directory {
            let tolerated = compiled.abort_on.iter().filter_map(AbortRule::locked_tolerated).min();
            let opened =
                directory.open(network, compiled.flow.users, compiled.flow.seed, tolerated);
            let opened = opened.map_err(failed)?;
            let flow = &mut compiled.flow;
            for around in flow.prepare.iter_mut().chain(&mut flow.clean_up) {
                around.flow.ldap = Some(Arc::clone(&opened));
            }
            flow.ldap = Some(opened);
        }
        if let Some(leases) = compiled.leases {
            let clock = Arc::new(world.run_time().clock());
            compiled.flow.dhcp = Some(leases.open(network, clock).map_err(failed)?);
        }
        let network = Network::new(compiled.http, network);
        let network = network.map_err(failed)?;
        let mut output = args.output.files().shown(shows);
        output.run.abort_on = compiled.abort_on;
        Ok(FlowJob {
            command: args.output.typed.clone(),
            search,
            flow: Flow { traceparent: args.trace.identity.traceparent, ..compiled.flow },
            network: Arc::new(network),
            settings: compiled.settings,
            objectives: compiled.objectives,
            output,
            target: target(&plan),
            trace: TraceFile::new(&args.trace),
            every: None,
            every_around: None,
        })
    }
}

fn failed(error: impl Display) -> Refusal {
    Refusal::failed(format!("failed to {error}"))
}

/// Whether a command line sets how long the run is or when iterations begin, and not how many there are. Then a plan's
/// one iteration of each user, which is there to try the plan out, as in every imported plan, does not end the run.
fn sets_length(args: &RunArgs) -> bool {
    let sets = |keys: &[&str]| {
        let mut set = args.set.iter().filter_map(|set| set.split_once('='));
        set.any(|(key, _)| keys.iter().any(|known| key.trim().starts_with(known)))
    };
    let lasts = args.duration.is_some()
        || sets(&["run.duration", "run.rate", "run.rate-file", "run.stages", "run.trace"]);
    lasts && !sets(&["run.iterations"])
}

/// Why a plan cannot be carried out many times. It is part of a sentence about a search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unsearchable {
    #[error(
        "use this plan with find-max: 'run.{0}' says when iterations begin, and find-max tries that out; leave it out \
         of the plan"
    )]
    Limit(&'static str),
    #[error(
        "use this plan with find-max: its scenarios have loads of their own, and find-max raises one rate; give the \
         scenarios weights"
    )]
    OwnLoads,
    #[error(
        "use this plan with find-max: '{0}.each' is \"user\", and find-max has other users at each rate; use each = \
         \"node\""
    )]
    EachUser(&'static str),
}

/// Refuses limits in the plan: a caller that carries it out many times sets the number and the duration of its runs.
pub(super) fn refuse_limits(run: &Run) -> Result<(), Unsearchable> {
    let given = [
        ("rate", run.rate.is_some()),
        ("stages", run.stages.is_some()),
        ("trace", run.trace.is_some()),
        ("rate-file", run.rate_file.is_some()),
        ("duration", run.duration.is_some()),
        ("warm-up", run.warm_up.is_some()),
        ("iterations", run.iterations.is_some()),
        ("rounds", !run.rounds.is_empty()),
        ("think", run.think.is_some()),
        ("back-off", run.back_off.is_some()),
        ("ramp-up", run.ramp_up.is_some()),
        ("groups", run.groups.is_some()),
    ];
    let given = given.into_iter().find(|(_, given)| *given);
    given.map_or(Ok(()), |(key, _)| Err(Unsearchable::Limit(key)))
}

/// Refuses what each user does before or after the load, and loads of scenarios: a search has one rate after the other
/// and other users at each.
pub(super) fn refuse_each_user(flow: &Flow) -> Result<(), Unsearchable> {
    if flow.own.is_some() {
        return Err(Unsearchable::OwnLoads);
    }
    for (key, around) in [("prepare", &flow.prepare), ("clean-up", &flow.clean_up)] {
        if around.as_ref().is_some_and(|around| around.each == Each::User) {
            return Err(Unsearchable::EachUser(key));
        }
    }
    Ok(())
}

/// Users of a plan without a number of them: as many as begin in two seconds, so that slow ones delay no others.
pub(super) fn users_of(per_second: f64) -> u32 {
    ((per_second * 2.0).ceil() as u32).clamp(50, 10_000)
}

/// The name of a plan in messages, and its text.
fn source(path: &Path, files: &Files) -> Result<(String, String), PlanError> {
    let standard = path.as_os_str() == "-";
    let name = if standard { "standard input".to_owned() } else { path.display().to_string() };
    let unreadable = |why: String| PlanError::Unreadable { file: name.clone(), why };
    let mut bytes = Vec::new();
    let read = if standard {
        std::io::stdin().lock().take(PLAN_MAX + 1).read_to_end(&mut bytes)
    } else {
        files.open(path).and_then(|file| file.take(PLAN_MAX + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        unreadable(format!("{error}; give the path of a plan, or - for standard input"))
    })?;
    if bytes.len() as u64 > PLAN_MAX {
        return Err(unreadable(format!(
            "it is longer than {PLAN_MAX} bytes; move bodies into files"
        )));
    }
    let text = String::from_utf8(unmarked(bytes)).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|byte| *byte == b'\n').count();
        unreadable(format!("line {line} is not UTF-8"))
    })?;
    Ok((name, text))
}

/// The target, in one line.
fn target(plan: &Plan) -> String {
    let base = plan.http.as_ref().and_then(|http| http.base.clone());
    let ldap = plan.ldap.as_ref().map(|ldap| ldap.server.clone());
    let dhcp = plan.dhcp.as_ref().map(|dhcp| dhcp.server.to_string());
    let all = [base, ldap, dhcp].into_iter().flatten();
    let all: Vec<String> = all.map(|target| brunt_redact::url(&target)).collect();
    let named = |target: String| match &plan.name {
        Some(name) => format!("{target} ({name})"),
        None => target,
    };
    if !all.is_empty() {
        return named(all.join(", "));
    }
    let steps = plan.scenario.iter().flat_map(Scenario::leaves);
    let urls = steps.flat_map(|step| step.requests()).filter_map(|(_, url)| url);
    let origin = |url: &str| {
        let after = url.find("://").map_or(0, |at| at + 3);
        url[..url[after..].find(['/', '?', '#']).map_or(url.len(), |at| after + at)].to_owned()
    };
    named(urls.map(origin).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_flow_driver::Iterations as Compiled;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        run: RunArgs,
    }

    /// The iterations and the duration of a plan with these, for a command line.
    fn wanted(iterations: &str, line: &str) -> (Compiled, Option<u64>) {
        let text = format!(
            "[run]\niterations = {{ {iterations} }}\n[[scenario]]\n\
             steps = [{{ get = \"http://127.0.0.1/\" }}, {{ get = \"http://127.0.0.1/a\" }}]\n"
        );
        let words = ["run", "p.toml"].into_iter().chain(line.split_whitespace());
        let args = Line::try_parse_from(words).unwrap().run;
        let text = Text { name: "p.toml", text: &text, unset: &args.unset, overrides: &args.set };
        let environment =
            CompileEnvironment { surroundings: &World::of_process(), base: Path::new("") };
        let (wanted, _) =
            LoadedPlan::new(&text, &args, &environment).unwrap_or_else(|error| panic!("{error}"));
        let lasting = wanted.compiled.settings.stop.time.map(|time| time.as_secs());
        (wanted.compiled.flow.iterations, lasting)
    }

    #[test]
    fn duration_or_rate_replaces_the_iteration_of_an_import() {
        for line in ["--duration 5s", "--set run.duration=5s", "--set run.rate=10/s --duration 5s"]
        {
            let (iterations, lasting) = wanted("each = 1", line);
            assert!(matches!(iterations, Compiled::Endless), "{line}: {iterations:?}");
            assert_eq!(lasting, Some(5), "{line}");
        }
    }

    #[test]
    fn duration_keeps_other_iterations() {
        assert!(matches!(wanted("each = 1", "").0, Compiled::Each(1)));
        assert!(matches!(wanted("each = 1", "--set run.users=5").0, Compiled::Each(1)));
        assert!(matches!(wanted("each = 2", "--duration 5s").0, Compiled::Each(2)));
        assert!(matches!(wanted("shared = 9", "--duration 5s").0, Compiled::Shared(_)));
        let both = wanted("each = 1", "--duration 5s --set run.iterations.each=1");
        assert!(matches!(both.0, Compiled::Each(1)), "{both:?}");
    }
}
