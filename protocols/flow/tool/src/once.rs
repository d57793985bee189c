//! `--once`: each scenario of a flow is performed once by one user, and every exchange is printed when it ends.
//!
//! It is carried out like every run, with a load of its own: one user, one worker, no pause longer than a second. The
//! printed exchanges come from the same trace that `--trace` writes to a file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brunt_engine::{Settings, ThinkTime};
use brunt_exchange::Outcome;
use brunt_flow_driver::{
    Around, Between, Control, Flow, Iterations, Order, Start, Step, TracedExchange,
};
use brunt_flow_plan::sample::Sample;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::Progress;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Signal;
use brunt_run::{Console, summary};

use super::around::{PREPARE, ShowAround};
use super::trace::{Reporting, text};
use super::{Done, FlowJob};

/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Performs every scenario once.
pub(crate) fn carry_out(mut job: FlowJob, world: &World) -> Result<Exit, Refusal> {
    let scenarios: Vec<String> =
        job.flow.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let unfilled: Vec<String> =
        Sample::draw(&job.flow).why.iter().map(ToString::to_string).collect();
    job.settings = settings(&job.settings);
    shape(&mut job.flow);
    (job.objectives, job.output.progress) = (Vec::new(), Progress::Quiet);
    let printed = Arc::new(Mutex::new(Printed::new(&world.console)));
    let reporting = Reporting::new(&job.flow, job.network.settings(), world.clock);
    let shown = Arc::clone(&printed);
    job.every = Some(Box::new(move |exchange| {
        shown.lock().unwrap_or_else(PoisonError::into_inner).show(exchange, &reporting);
    }));
    job.every_around = Some(around(&job, world));
    let done = super::run(job, world)?;
    let printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
    let mut conclusion = printed.conclusion(&scenarios, &unfilled);
    for (name, _) in done.tallies.never_taken(&done.counts) {
        let _ = writeln!(conclusion, "{name} was passed over");
    }
    world.console.print(&conclusion)?;
    summary::conclude(&done.record, &world.console).map_err(Refusal::failed)?;
    Ok(printed.exit(&done, scenarios.len()))
}

/// Prints what is done before the scenarios and after them, which is none of their steps.
fn around(job: &FlowJob, world: &World) -> ShowAround {
    let reporting = |around: &Option<Box<Around>>| {
        let flow = around.as_ref().map(|around| &around.flow);
        flow.map(|flow| Reporting::new(flow, job.network.settings(), world.clock))
    };
    let both = [reporting(&job.flow.prepare), reporting(&job.flow.clean_up)];
    let (console, last) = (world.console.clone(), Mutex::new(String::new()));
    Arc::new(move |exchange| {
        let half = usize::from(exchange.scenario != PREPARE);
        let Some(reporting) = &both[half] else { return };
        let report = reporting.report(exchange);
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = String::new();
        if *last != report.exchange.scenario {
            out.push_str(&text::scenario(&report.exchange));
            last.clone_from(&report.exchange.scenario);
        }
        out.push_str(&text::exchange(&report));
        // The reader may have closed its end.
        let _ = console.print(&out);
    })
}

/// A load of one user that ends with the user's iterations.
fn settings(requested: &Settings) -> Settings {
    Settings {
        seed: requested.seed,
        operation_timeout: requested.operation_timeout,
        interval: requested.interval,
        workers: Some(1),
        pin: false,
        ..Settings::closed(ThinkTime::None, 1)
    }
}

/// Changes a flow so that it performs each scenario once.
fn shape(flow: &mut Flow) {
    flow.order = Order::Turns;
    flow.iterations = Iterations::Each(flow.scenarios.len() as u64);
    flow.start = Start::Together;
    flow.between = Between::default();
    flow.own = None;
    (flow.users, flow.first_user, flow.arrivals) = (1, 0, false);
    shorten(flow);
    for around in flow.prepare.iter_mut().chain(&mut flow.clean_up) {
        (around.flow.users, around.flow.first_user) = (1, 0);
        shorten(&mut around.flow);
    }
}

/// Shortens the pauses of a flow.
fn shorten(flow: &mut Flow) {
    for step in flow.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps) {
        match step {
            Step::Pause(pause) => pause.time = shortened(pause.time),
            Step::Control(Control::Again(repetition)) => {
                let pause = Arc::make_mut(repetition).pause.iter_mut();
                pause.for_each(|pause| pause.time = shortened(pause.time));
            }
            Step::Exchange(act) => {
                let pause = act.retry.iter_mut().filter_map(|retry| retry.pause.as_mut());
                pause.for_each(|pause| pause.time = shortened(pause.time));
            }
            Step::Control(_) => {}
        }
    }
}

/// A pause that is short enough for a user who watches the screen.
fn shortened(time: ThinkTime) -> ThinkTime {
    match time {
        ThinkTime::None => ThinkTime::None,
        ThinkTime::Constant(time)
        | ThinkTime::Uniform(time, _)
        | ThinkTime::Exponential(time)
        | ThinkTime::Normal { mean: time, .. } => ThinkTime::Constant(time.min(PAUSE_MAX)),
    }
}

/// What has been printed so far.
struct Printed {
    console: Console,
    scenario: Option<usize>,
    scenarios: BTreeSet<usize>,
    passed: usize,
    skipped: usize,
    /// Steps that were skipped because another had failed.
    left_out: usize,
    failed: Vec<String>,
}

impl Printed {
    fn new(console: &Console) -> Self {
        Self {
            console: console.clone(),
            scenario: None,
            scenarios: BTreeSet::new(),
            passed: 0,
            skipped: 0,
            left_out: 0,
            failed: Vec::new(),
        }
    }

    fn show(&mut self, exchange: TracedExchange, reporting: &Reporting) {
        let report = reporting.report(exchange);
        let exchange = &report.exchange;
        let mut out = String::new();
        if self.scenario.replace(exchange.scenario_number) != Some(exchange.scenario_number) {
            self.scenarios.insert(exchange.scenario_number);
            out.push_str(&text::scenario(exchange));
        }
        out.push_str(&text::exchange(&report));
        match exchange.outcome {
            Outcome::Ok(_) => self.passed += 1,
            Outcome::Skipped => {
                self.skipped += 1;
                self.left_out += usize::from(!self.failed.is_empty());
            }
            _ => self.failed.push(text::failure(&report)),
        }
        // The reader may have closed its end; the result is in the exit code nevertheless.
        let _ = self.console.print(&out);
    }

    /// The result, and each failure again, since it may have scrolled away.
    fn conclusion(&self, scenarios: &[String], unfilled: &[String]) -> String {
        let mut out = String::new();
        let missing = |number: &usize| !self.scenarios.contains(number);
        for scenario in (0..scenarios.len()).filter(missing) {
            let why = if unfilled.is_empty() {
                "it has no step that sends anything, or the run was ended before".to_owned()
            } else {
                format!("the run failed to {}", unfilled.join("; "))
            };
            let _ = writeln!(out, "\nFAILED  {}: nothing was sent: {why}", scenarios[scenario]);
        }
        let all = self.passed + self.failed.len() + self.skipped;
        let count = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let parts = [
            count(self.passed, "passed"),
            count(self.failed.len(), "failed"),
            count(self.skipped, "skipped"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let steps = if all == 1 { "step" } else { "steps" };
        let _ = writeln!(out, "\n{all} {steps}: {}", parts.join(", "));
        for failed in &self.failed {
            let _ = writeln!(out, "FAILED  {failed}");
        }
        out
    }

    fn exit(&self, done: &Done, scenarios: usize) -> Exit {
        let exit = match done.signal.map(Signal::exit) {
            Some(exit) => exit,
            None if self.passed == 0 => Exit::Failed,
            None if self.failed.is_empty()
                && self.left_out == 0
                && self.scenarios.len() == scenarios =>
            {
                Exit::Ok
            }
            None => Exit::SomeFailed,
        };
        done.losses.report(exit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_flow_driver::{AfterFailure, ExchangeStep, Pause, Payload, Scenario};
    use brunt_run::environment::Environment;

    #[test]
    fn once_shortens_pauses_and_runs_every_scenario() {
        let ms = Duration::from_millis;
        let pause = |time| Step::Pause(Pause { time, name: "think".to_owned() });
        let steps = vec![
            pause(ThinkTime::Constant(ms(20_000))),
            pause(ThinkTime::Uniform(ms(200), ms(9_000))),
            Step::Exchange(Box::new(ExchangeStep::new(
                0,
                Payload::Dhcp(brunt_dhcp_driver::Kind::Acquire),
            ))),
        ];
        let scenario =
            |steps| Scenario { name: "visit".to_owned(), steps, after_failure: AfterFailure::Skip };
        let mut flow = Flow {
            scenarios: vec![scenario(steps), scenario(Vec::new())],
            order: Order::Weights(vec![1, 0]),
            users: 50,
            arrivals: true,
            ..Flow::default()
        };
        shape(&mut flow);
        assert!(
            matches!(flow.order, Order::Turns) && matches!(flow.iterations, Iterations::Each(2))
        );
        assert_eq!((flow.users, flow.arrivals), (1, false));
        let paused: Vec<ThinkTime> = flow.scenarios[0]
            .steps
            .iter()
            .filter_map(|step| match step {
                Step::Pause(pause) => Some(pause.time),
                Step::Exchange(_) | Step::Control(_) => None,
            })
            .collect();
        assert_eq!(paused, [ThinkTime::Constant(ms(1_000)), ThinkTime::Constant(ms(200))]);
    }

    #[test]
    fn once_names_a_scenario_without_requests() {
        let console = Console::kept(Environment::default());
        let printed = Printed { passed: 1, scenarios: [0].into(), ..Printed::new(&console) };
        let scenarios = ["a".to_owned(), "b".to_owned()];
        let conclusion =
            printed.conclusion(&scenarios, &["draw 'user': no row is left".to_owned()]);
        assert!(
            conclusion.contains("FAILED  b: nothing was sent: the run failed to draw 'user'"),
            "{conclusion}"
        );
        assert!(conclusion.ends_with("1 step: 1 passed\n"), "{conclusion}");
    }
}
