//! `echo`: its options, its job, and what it supplies to its runs.

use std::net::SocketAddr;
use std::time::Duration;

use brunt_engine::{EngineRun, Plan};
use brunt_exchange::{Class, Named, Outcome as ExchangeOutcome};
use brunt_net::Network;
use brunt_net::udp::OpenError;
use brunt_record::Catalogue;
use brunt_run::World;
use brunt_run::load::SubjectCheck;
use brunt_run::options::about::About;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::pacing::Pacing;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::spelled::{Spelled, ToolSpelling};
use brunt_run::options::spelling::{Own, Spelling};
use brunt_run::summary::{Ending, Stream};
use brunt_run::tool::{Grammar, Reading, Tool, nothing_refused, purpose};
use brunt_run::{
    Caller, EngineError, ExitPolicy, Job, JobError, Load, Outcome, Prepared, Protocol,
    ProtocolError, Repeatable, SettingsError, Unsuitable, Verbosity, carry_out, console, exit,
    is_endless, objectives, search_words, share,
};
use clap::{ArgMatches, Args, Command, FromArgMatches as _};

use crate::load::EchoSessions;

/// How long to wait for an echo if nothing else is given.
const PATIENCE: Duration = Duration::from_secs(1);

/// The command.
pub(crate) const TOOLS: &[Tool] = &[Tool {
    name: "echo",
    aliases: &[],
    is_linked: false,
    makes_load: true,
    declared: |name| {
        purpose(EchoArgs::augment_args(Command::new(name)), "Send messages to a UDP echo server")
    },
    grammar: Grammar::Clap { refusal: nothing_refused, read },
    abouts: &[("echo", &ABOUT)],
    secrets: &[],
}];

/// The help and the page beside the options.
const ABOUT: About = About {
    description: "Sends datagrams to a server that sends them back (RFC 862), and measures how long that takes.",
    examples: &[(
        "1,000 messages per second for 10 s:",
        "brunt echo --rate 1000 --duration 10s 127.0.0.1:7007",
    )],
    short: &[
        ("server", "Address and port of the server"),
        ("rate", "Messages per second, such as 10k"),
    ],
};

fn read(matches: &ArgMatches, typed: Vec<String>) -> Result<Reading, clap::Error> {
    EchoArgs::from_arg_matches(matches).map(|args| Reading::load(args, typed))
}

/// Options of `echo`.
#[derive(Args, Clone, Debug)]
struct EchoArgs {
    /// Address and port of the server
    server: SocketAddr,
    /// Messages in flight at once
    #[arg(long, value_name = "NUMBER", default_value_t = 16)]
    window: u32,
    /// What every load takes.
    #[command(flatten)]
    load: Spelled<Messages>,
    /// Where results go.
    #[command(flatten)]
    output: OutputArgs,
}

/// The names of `echo` for the options that loads have in common.
#[derive(Debug)]
struct Messages;

impl ToolSpelling for Messages {
    const SPELLING: &'static Spelling = &Spelling {
        noun: "message",
        nouns: "messages",
        session: "place in the window",
        is_open: false,
        own: &[Own::new("count", "messages")],
        lacks: &[],
    };
}

impl Load for EchoArgs {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }

    fn output_mut(&mut self) -> &mut OutputArgs {
        &mut self.output
    }

    fn pacing(&self) -> Vec<Pacing> {
        self.load.pacing(Messages::SPELLING)
    }

    fn refuses(&self, _: Caller, _: &[String]) -> Result<(), Unsuitable> {
        Ok(())
    }

    fn measure(
        &self,
        world: &World,
        network: &Network,
        verbosity: Verbosity,
    ) -> Result<Outcome, Refusal> {
        let Prepared { job, protocol: echo, .. } = self.ready(network)?;
        let shows = verbosity == Verbosity::Normal;
        let job = Job { output: job.output.shown(shows), ..job };
        let mut finished = carry_out(&job, &echo, &mut [], world).map_err(Refusal::failed)?;
        if shows {
            let ending = Ending::new(&self.output.run, Stream::Output, &world.console);
            let told = ending.report(&finished.record, &mut finished.losses);
            told.map_err(Refusal::failed)?;
            let written = finished.written.as_deref();
            let closed = ending.close(&finished.record, written, &mut finished.losses);
            closed.map_err(Refusal::failed)?;
        }
        let exit =
            finished.losses.report(exit(&finished.record, finished.early(), ExitPolicy::Ours));
        Ok(Outcome { record: finished.record, exit })
    }

    fn examine(&self, _world: &World, network: &Network) -> Result<Job, Refusal> {
        self.ready(network).map(|prepared| prepared.job)
    }

    fn prepare<'a>(
        &'a self,
        _world: &'a World,
        network: &Network,
        check: SubjectCheck<'_>,
    ) -> Result<Box<dyn Repeatable + 'a>, Refusal> {
        let prepared = self.ready(network)?;
        check(prepared.subject())?;
        Ok(Box::new(prepared))
    }

    fn guard(&self) -> Option<&'static str> {
        Some("timeouts<0.1%")
    }
}

impl EchoArgs {
    fn ready(&self, network: &Network) -> Result<Prepared<Echo>, Refusal> {
        // The address policy judges the address before the run, which opens its sockets only as it begins.
        network.address_policy().expect(&[self.server]);
        let job = self.job(network).map_err(|error| Refusal::usage(format!("error: {error}")))?;
        let patience = self.load.timeout.unwrap_or(PATIENCE);
        let echo = Echo { server: self.server, patience, network: network.clone() };
        Ok(Prepared::new(job, echo, None))
    }

    fn plan(&self, network: &Network) -> Result<Plan, SettingsError> {
        let load = self.load.load(Messages::SPELLING, network.files())?;
        let mut settings = self.load.settings(load, self.window);
        settings.seed = self.output.seed.unwrap_or_else(console::seed);
        settings.interval = self.output.interval.unwrap_or(settings.interval);
        // The hub ends exchanges that have waited too long, and so must outlast them.
        settings.operation_timeout = Duration::ZERO;
        let patience = self.load.timeout.unwrap_or(PATIENCE);
        settings.drain = Some(self.load.drain.unwrap_or(patience * 2));
        let node = share::requested(&self.output.run, self.output.seed)?;
        let settings = share::divided(settings, node, 1)?;
        Ok(Plan::new(settings, 1)?)
    }

    fn job(&self, network: &Network) -> Result<Job, JobError> {
        let plan = self.plan(network)?;
        let operations = ["message"];
        let catalogue = Catalogue::new(operations, [""; 0]);
        let target = format!("udp://{}", self.server);
        let job = Job {
            objectives: objectives(&self.output.run.objectives, &self.output.run, &operations)?,
            output: self.output.files(),
            search: search_words(self),
            endless: is_endless(&plan),
            ..Job::new(self.output.typed.clone(), catalogue, target, plan, network.clone())
        };
        Ok(job.called("message", "messages"))
    }
}

/// The sockets of a run cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("failed to {0}")]
struct SocketError(#[source] OpenError);

/// What `echo` supplies to its runs.
struct Echo {
    server: SocketAddr,
    patience: Duration,
    network: Network,
}

impl Protocol for Echo {
    fn outcome(&self, _: usize, outcome: ExchangeOutcome) -> Named {
        match outcome {
            ExchangeOutcome::Ok(_) => "echo".into(),
            ExchangeOutcome::TimedOut => "no echo in time".into(),
            ExchangeOutcome::Failed(Class::Connect, errno) => {
                format!("not sent (errno {errno})").into()
            }
            ExchangeOutcome::Failed(class, _) => class.word().into(),
            ExchangeOutcome::CutOff => "cut off".into(),
            ExchangeOutcome::Skipped => "skipped".into(),
        }
    }

    fn drive(&self, run: EngineRun<'_>) -> Result<brunt_engine::Finished, ProtocolError> {
        let of_run = (run.plan.workers(), run.time.clone());
        let sessions = EchoSessions::open(&self.network, self.server, self.patience, of_run);
        Ok(sessions.map_err(SocketError)?.run(run).map_err(EngineError)?)
    }
}
