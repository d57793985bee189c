//! [`Ending`]: the texts, the record and the exit code of a run that is over.

use brunt_drivers::dhcp::keepsakes::Stamped;
use brunt_drivers::dhcp::limits::Reason;
use brunt_drivers::dhcp::{Dhcp, Stage};
use brunt_drivers::net::carrier::Carrier;
use brunt_engine::{Ended, Finished, Load};
use brunt_record::{Basis, Catalogue, Environment, Mode, Names, Phase, Record};
use brunt_report::dhcp::{
    Exchanges, ExitReason, Letter, Provisioned, Trip, guide, internals, kea, leases, messages,
    server_id, template, trips,
};
use brunt_report::{Style as SummaryStyle, summary};

use super::letters::Letters;
use super::{Job, naming, silence};
use crate::cli::dhcp::args::{Family, Scenario, Style};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::console;
use crate::measured::Measured;
use crate::rates::{Outcome, Voice};
use crate::run::{Conclude, EndedBy, ended_by, is_partial, objectives};
use crate::signals::Signal;

/// Everything that is known when a run is over.
pub(super) struct Ending<'a, D: Letters, C> {
    pub(super) job: &'a Job<'a>,
    pub(super) dhcp: &'a Dhcp<D, C>,
    pub(super) catalogue: &'a Catalogue,
    pub(super) finished: &'a Finished,
    pub(super) signal: Option<Signal>,
    pub(super) ceiling: Option<f64>,
}

impl<D: Letters, C: Carrier + 'static> Ending<'_, D, C> {
    /// Writes what was asked for, prints the texts, and says how the program ends.
    pub(super) fn conclude(&self, measured: &Measured) -> Result<Outcome, String> {
        let output = &self.job.args.output;
        let files = Output {
            record: output.record.clone(),
            hgrm: output.hgrm.clone(),
            ..Output::default()
        };
        let record = self.run(measured).write(&files)?;
        let figures = Exchanges::of_run(&self.job.asked, self.catalogue, &measured.totals);
        if self.job.voice == Voice::Aloud {
            console::print(&self.texts(&figures)).map_err(|refusal| refusal.text)?;
            self.say(&record)?;
            let (Job { args, route, .. }, silence) = (self.job, self.dhcp.silence());
            if let Some(advice) = silence::advice(&figures, silence, args, route) {
                console::note(&advice);
            }
        }
        let exit = self.exit(&record);
        Ok(Outcome { record, exit })
    }

    /// What goes to standard output, in the order of old.
    fn texts(&self, figures: &Exchanges) -> String {
        let shown = self.job.args.output.diagnostics;
        let mut text = String::new();
        if shown.exit_reason
            && let Some(reason) = self.reason()
        {
            text.push_str(reason.line());
        }
        text.push_str(&match self.job.args.output.style {
            Style::Kea => kea(figures),
            Style::Guide => guide(figures),
        });
        if self.job.args.scenario == Scenario::Avalanche {
            let clients = self.job.args.clients.count.get().into();
            let provisioned = Provisioned { clients, took: self.finished.lasted };
            text.push_str(&provisioned.lines(figures));
        }
        if shown.rate {
            text.push_str(&internals(&self.internals(figures)));
        }
        if shown.timers {
            text.push_str(&self.stamps(figures));
        }
        if shown.server_id
            && let Some(id) = self.dhcp.keepsakes().server()
        {
            text.push_str(&server_id(&id));
        }
        if shown.templates {
            text.push_str(&self.templates());
        }
        if shown.leases {
            text.push_str(&self.leases(figures));
        }
        text
    }

    fn reason(&self) -> Option<ExitReason> {
        match self.dhcp.limits().reason() {
            Some(Reason::Requests) => Some(ExitReason::Requests),
            Some(Reason::Drops(_)) => Some(ExitReason::Drops),
            Some(Reason::DropsShare(_)) => Some(ExitReason::DropShare),
            None => match self.finished.ended {
                Ended::Time => Some(ExitReason::Period),
                Ended::Count => Some(ExitReason::Requests),
                Ended::Stopped | Ended::Aborted => Some(ExitReason::Interrupted),
                Ended::Exhausted => None,
            },
        }
    }

    /// What the machinery counted, under names of its own: it has no loop whose turns could be counted.
    fn internals(&self, figures: &Exchanges) -> Vec<(&'static str, u64)> {
        let whole = &self.finished.counts;
        let peak = self.finished.totals.values().map(|total| total.backlog_peak).max();
        vec![
            ("Exchanges due", whole.planned),
            ("Exchanges dropped without a free session", whole.dropped),
            ("Exchanges without a lease to renew or release", whole.skipped),
            ("Most exchanges waiting for a session", peak.unwrap_or(0)),
            ("Datagrams dropped in brunt's own sockets", figures.socket_drops),
        ]
    }

    fn stamps(&self, figures: &Exchanges) -> String {
        let v6 = self.job.args.family == Family::V6;
        let stamps = self.dhcp.keepsakes().take_stamps();
        let origin = stamps.first().map(|stamped| stamped.sent);
        let stages = Stage::ALL.into_iter().filter(|stage| {
            let title = stage.title(v6);
            figures.stages.iter().any(|shown| shown.title == title)
        });
        let of = |stage: Stage| {
            let trip = |stamped: &Stamped| {
                let origin = origin.unwrap_or(stamped.sent);
                let received = stamped.received? - origin;
                Some(Trip { sent: stamped.sent - origin, received })
            };
            let all: Vec<Trip> =
                stamps.iter().filter(|stamped| stamped.stage == stage).filter_map(trip).collect();
            trips(stage.title(v6), &all)
        };
        stages.map(of).collect()
    }

    fn templates(&self) -> String {
        let mut text = String::new();
        for stage in Stage::ALL {
            let Some(bytes) = self.dhcp.keepsakes().pair(stage).sent else { continue };
            let offsets = D::offsets(self.dhcp.plan(), stage, &bytes);
            text.push_str(&template(&Letter { bytes: &bytes, offsets }));
        }
        text
    }

    fn leases(&self, figures: &Exchanges) -> String {
        let row = |lease| D::row(self.dhcp.plan(), &self.job.population, lease);
        let rows: Vec<_> = self.dhcp.take_leases().iter().map(row).collect();
        let stages = &figures.stages;
        let last = stages.get(1).or(stages.first()).map_or("", |stage| stage.title.as_str());
        leases(last, self.job.args.family == Family::V6, &rows)
    }

    /// The summary goes to standard error: standard output holds what it held of old.
    fn say(&self, record: &Record) -> Result<(), String> {
        let style = SummaryStyle { colour: console::colours(), verdict_always: false };
        let text = summary(record, style).map_err(|error| format!("failed to {error}"))?;
        console::tell(&format!("\n{text}{}", messages(record).unwrap_or_default()));
        if let Some(path) = &self.job.args.output.record {
            console::say(&format!("record: {}", path.display()));
        }
        Ok(())
    }

    fn run<'b>(&'b self, measured: &'b Measured) -> Conclude<'b> {
        let names: Names<'b> = match self.job.args.family {
            Family::V4 => &|_, outcome| naming::name(Family::V4, outcome),
            Family::V6 => &|_, outcome| naming::name(Family::V6, outcome),
        };
        Conclude {
            started: self.job.started,
            command: self.job.args.words.clone(),
            plan: self.asked(),
            environment: Environment::read(),
            catalogue: self.catalogue,
            names,
            measured,
            finished: self.finished,
            percentiles: &[],
            ports: None,
            ceiling: self.ceiling,
            in_process: false,
            ended_by: self.ended_by(),
            objectives: &self.job.objectives,
        }
    }

    fn asked(&self) -> brunt_record::Plan {
        let settings = self.job.load.settings();
        let (mode, target_rate, constant) = match &settings.load {
            Load::Closed(_) => (Mode::Closed, None, self.job.args.scenario == Scenario::Basic),
            Load::Open(schedule) => {
                let whole = schedule.steady_per_second();
                let rate = whole.map(|rate| rate / f64::from(settings.node.world));
                (Mode::Open, rate, whole.is_some() && whole == schedule.peak_per_second())
            }
        };
        let scheme = if self.job.args.family == Family::V6 { "dhcp6" } else { "dhcp4" };
        brunt_record::Plan {
            mode,
            target_rate,
            constant,
            sessions: u64::from(settings.sessions),
            seed: self.job.seed,
            latency_basis: Basis::Response,
            target: Some(format!("{scheme}://{}", self.job.route.server)),
        }
    }

    /// What ended the run, if it did not end by itself.
    fn ended_by(&self) -> Option<EndedBy> {
        let seconds = self.finished.lasted.as_secs_f64();
        match self.dhcp.limits().reason() {
            Some(Reason::Drops(stage) | Reason::DropsShare(stage)) => {
                let title = stage.title(self.job.args.family == Family::V6);
                let what = format!("ended after {seconds:.1} s by the drops of {title} (-D)");
                return Some(EndedBy::CutShort(what));
            }
            Some(Reason::Requests) => return None,
            None => {}
        }
        let limits = &self.job.args.limits;
        let endless = limits.period.is_none() && limits.numbers[0].is_none();
        ended_by(self.signal, self.finished, endless)
    }

    /// As documented of old: 3 if any exchange did not do what it should. The first ^C is how a run without an end is
    /// ended, and no failure.
    fn exit(&self, record: &Record) -> Exit {
        match (self.signal, self.finished.ended) {
            (Some(Signal::Terminate), _) => return Exit::Terminated,
            (Some(Signal::Interrupt), Ended::Aborted) => return Exit::Interrupted,
            _ => {}
        }
        if let Some(exit) = objectives(record) {
            return exit;
        }
        if !record.slo.is_empty() && is_partial(record) {
            return Exit::Partial;
        }
        let whole = &record.conservation.counts;
        // What the second -n keeps from its second half did all that was asked for.
        let cut_off = whole.cut_off.saturating_sub(self.dhcp.limits().kept_back());
        let incomplete = whole.errors() + cut_off + self.unsent();
        if incomplete > 0 { Exit::SomeFailed } else { Exit::Ok }
    }

    /// Exchanges that fell due under load and were never sent. What still waited when somebody ended the run is not of
    /// their number: it was called off.
    fn unsent(&self) -> u64 {
        if matches!(self.finished.ended, Ended::Stopped | Ended::Aborted) {
            return 0;
        }
        self.finished.totals.get(&Phase::Steady).map_or(0, |steady| steady.dropped)
    }
}
