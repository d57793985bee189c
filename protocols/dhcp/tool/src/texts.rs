//! [`Texts`]: what perfdhcp prints when a run is over.

use brunt_dhcp_driver::captures::MessageTimes;
use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::limits::Reason;
use brunt_dhcp_driver::{Dhcp, Stage};
use brunt_engine::{Ended, Finished};
use brunt_net::carrier::Carrier;

use super::diagnostics::Diagnostics;
use super::resolved::Resolved;
use crate::options::args::{Scenario, Style};
use crate::report::{
    Exchanges, ExitReason, Letter, Offsets, Provisioned, Trip, guide, internals, kea, leases,
    server_id, template, trips,
};

/// The input of the texts.
pub(crate) struct Texts<'a, D: Diagnostics, C> {
    pub resolved: &'a Resolved<'a>,
    pub dhcp: &'a Dhcp<D, C>,
    pub finished: &'a Finished,
    pub figures: &'a Exchanges,
}

impl<D: Diagnostics, C: Carrier + 'static> Texts<'_, D, C> {
    /// The text for standard output, in the order of the original tool.
    pub(crate) fn all(&self) -> String {
        let figures = self.figures;
        let shown = self.resolved.args.report.diagnostics;
        let mut text = String::new();
        if shown.exit_reason
            && let Some(reason) = self.reason()
        {
            text.push_str(reason.line());
        }
        text.push_str(&match self.resolved.args.report.style {
            Style::Kea => kea(figures),
            Style::Guide => guide(figures),
        });
        if self.resolved.args.scenario == Scenario::Avalanche {
            let clients = self.resolved.args.clients.count.get().into();
            let provisioned = Provisioned { clients, took: self.finished.lasted };
            text.push_str(&provisioned.lines(figures));
        }
        if shown.rate {
            text.push_str(&internals(&self.internals()));
        }
        if shown.timers {
            text.push_str(&self.stamps());
        }
        if shown.server_id
            && let Some(id) = self.dhcp.captures().server()
        {
            text.push_str(&server_id(&id));
        }
        if shown.templates {
            text.push_str(&self.templates());
        }
        if shown.leases {
            text.push_str(&self.leases());
        }
        text
    }

    fn reason(&self) -> Option<ExitReason> {
        match self.dhcp.limits().reason() {
            Some(Reason::Requests) => Some(ExitReason::Requests),
            Some(Reason::Drops(_)) => Some(ExitReason::Drops),
            Some(Reason::DropsShare(_)) => Some(ExitReason::DropShare),
            Some(Reason::Unsent(_)) => Some(ExitReason::Interrupted),
            None => match self.finished.ended {
                Ended::Time => Some(ExitReason::Period),
                Ended::Count => Some(ExitReason::Requests),
                Ended::Stopped | Ended::Aborted => Some(ExitReason::Interrupted),
                Ended::Exhausted => None,
            },
        }
    }

    /// The internal counts, under names of their own: there is no main loop here whose iterations could be counted.
    fn internals(&self) -> Vec<(&'static str, u64)> {
        let whole = &self.finished.counts;
        let peak = self.finished.totals.values().map(|total| total.backlog_peak).max();
        vec![
            ("Exchanges due", whole.planned),
            ("Exchanges dropped without a free session", whole.dropped),
            ("Exchanges without a lease to renew or release", whole.skipped),
            ("Most exchanges waiting for a session", peak.unwrap_or(0)),
            ("Datagrams dropped in brunt's own sockets", self.figures.socket_drops),
        ]
    }

    fn stamps(&self) -> String {
        let v6 = self.resolved.args.family == Family::V6;
        let stamps = self.dhcp.captures().take_stamps();
        let origin = stamps.first().map(|stamped| stamped.sent);
        let stages = Stage::ALL.into_iter().filter(|stage| {
            let title = stage.title(v6);
            self.figures.stages.iter().any(|shown| shown.title == title)
        });
        let of = |stage: Stage| {
            let trip = |stamped: &MessageTimes| {
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
            let Some(bytes) = self.dhcp.captures().pair(stage).sent else { continue };
            let found = D::offsets(self.dhcp.plan(), stage, &bytes);
            let second = stage == Stage::Second;
            let offsets = Offsets {
                xid: found.xid.unwrap_or_default(),
                random: found.identity.unwrap_or_default(),
                server_id: found.server_id.filter(|_| second),
                time: found.elapsed.filter(|_| second),
                ip: found.lease.filter(|_| second),
            };
            text.push_str(&template(&Letter { bytes: &bytes, offsets }));
        }
        text
    }

    fn leases(&self) -> String {
        let row = |lease| D::row(self.dhcp.plan(), &self.resolved.population, lease);
        let rows: Vec<_> = self.dhcp.take_leases().iter().map(row).collect();
        let stages = &self.figures.stages;
        let last = stages.get(1).or(stages.first()).map_or("", |stage| stage.title.as_str());
        leases(last, self.resolved.args.family == Family::V6, &rows)
    }
}
