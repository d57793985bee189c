//! The families of metrics: the name, the unit and the meaning of each.
//!
//! One table for every format. Prometheus builds the name of a family from its name, its unit and a suffix for its kind
//! (`brunt_response_seconds`, `brunt_exchanges_total`); OpenTelemetry uses the name after `brunt.` with the unit beside
//! it (`brunt.response` in `s`), from which collectors derive Prometheus's names. So one dashboard works with both.
//! `docs/integrations.md` lists the same table, and a test compares them.

/// The kind of figure in a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A count that only grows.
    Counter,
    /// A figure that can rise and fall.
    Gauge,
    /// Durations in buckets.
    Histogram,
    /// Text about the run, as labels of the figure 1.
    Info,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A number of things.
    Count,
    /// Seconds.
    Seconds,
}

/// One family.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Family {
    /// Its name, without unit and suffix.
    pub name: &'static str,
    pub kind: Kind,
    pub unit: Unit,
    /// The labels of its points, in order.
    pub labels: &'static [&'static str],
    /// Its description.
    pub help: &'static str,
}

impl Family {
    /// Its name in Prometheus, without the suffix for its kind.
    pub(super) fn prometheus(&self) -> String {
        match self.unit {
            Unit::Count => self.name.to_owned(),
            Unit::Seconds => format!("{}_seconds", self.name),
        }
    }

    /// Whether its name is one of brunt, and not one of OpenTelemetry's conventions, which only OTLP has.
    pub(super) fn is_ours(&self) -> bool {
        self.name.starts_with("brunt_")
    }

    /// Its name in OpenTelemetry.
    pub(super) fn opentelemetry(&self) -> String {
        if !self.is_ours() {
            return self.name.to_owned();
        }
        let name = self.name.replacen('_', ".", 1);
        if self.kind == Kind::Info { format!("{name}_info") } else { name }
    }
}

/// The requests over HTTP under the name and with the attributes that OpenTelemetry's conventions give them.
pub(super) const HTTP_CLIENT: &Family = &Family {
    name: "http.client.request.duration",
    kind: Kind::Histogram,
    unit: Unit::Seconds,
    labels: &[
        "http.request.method",
        "url.scheme",
        "server.address",
        "server.port",
        "error.type",
        "operation",
        "phase",
    ],
    help: "Duration of HTTP client requests",
};

macro_rules! families {
    ($($constant:ident = $name:literal, $kind:ident, $unit:ident, [$($label:literal),*], $help:literal;)*) => {
        $(pub(super) const $constant: &Family = &Family {
            name: $name,
            kind: Kind::$kind,
            unit: Unit::$unit,
            labels: &[$($label),*],
            help: $help,
        };)*

        /// All of them, in the order in which they are shown.
        #[cfg(test)]
        pub(super) const ALL: &[&Family] = &[$($constant),*];
    };
}

families! {
    RUN = "brunt_run", Info, Count, ["run", "version", "mode", "target", "node"],
        "The run: its id, the version of brunt, whether load is open or closed, what is loaded, and which node this is";
    ELAPSED = "brunt_run_elapsed", Gauge, Seconds, [],
        "Time since the run began";
    FINISHED = "brunt_run_finished", Gauge, Count, [],
        "1 once the run is over and no figure changes any more, else 0";
    PHASE = "brunt_phase", Gauge, Count, ["phase"],
        "1 for the phase of the last interval, 0 for the others";
    TARGET_RATE = "brunt_target_rate", Gauge, Count, [],
        "Operations a second that were requested; absent for as many as possible";
    TARGET_ITERATIONS = "brunt_target_iterations", Gauge, Count, [],
        "Iterations a second that were requested, where an iteration is several operations";
    SESSIONS = "brunt_sessions", Gauge, Count, [],
        "Sessions: connections times concurrent requests, or virtual users";
    DUE = "brunt_exchanges_due", Counter, Count, ["phase"],
        "Operations that were scheduled, dropped ones included";
    EXCHANGES = "brunt_exchanges", Counter, Count, ["operation", "outcome", "phase"],
        "Operations that ended, by how: ok, failed, timed-out, cut-off or skipped";
    DROPPED = "brunt_exchanges_dropped", Counter, Count, ["phase"],
        "Operations that were due and given up because no session came free";
    CODES = "brunt_exchange_codes", Counter, Count, ["operation", "class", "code", "phase"],
        "Operations that ended, by the class and the name of their code";
    ITEMS = "brunt_items", Counter, Count, ["operation", "phase"],
        "What the operations returned, such as entries of a search";
    RESPONSE = "brunt_response", Histogram, Seconds, ["operation", "phase"],
        "Response time, from due to ended; what has no answer is in it with the time it waited";
    SERVICE = "brunt_service", Histogram, Seconds, ["operation", "phase"],
        "Service time, from sent to ended; what has no answer is in it with the time it waited";
    GROUPS = "brunt_groups", Counter, Count, ["group", "outcome", "phase"],
        "Groups of steps that ended, by how; their operations are counted under their own names";
    GROUP_CODES = "brunt_group_codes", Counter, Count, ["group", "class", "code", "phase"],
        "Groups of steps that ended, by the class and the name of their code";
    GROUP_TIME = "brunt_group_time", Histogram, Seconds, ["group", "phase"],
        "Time of a group of steps, from the beginning of its first operation to the end of its last";
    DROPPED_WAIT = "brunt_dropped_wait", Histogram, Seconds, ["phase"],
        "How long dropped operations had waited";
    PART = "brunt_part", Histogram, Seconds, ["part", "phase"],
        "Work beside the operations, such as connecting and TLS handshakes";
    LAG = "brunt_lag", Histogram, Seconds, ["phase"],
        "Lag, from due to sent: how long operations waited in brunt";
    LATENESS = "brunt_lateness", Histogram, Seconds, ["phase"],
        "Lateness: the part of the lag that is the generator's own";
    BACKLOG = "brunt_backlog", Gauge, Count, [],
        "The most operations of the last interval that were due and waited for a session";
    IN_FLIGHT = "brunt_in_flight", Gauge, Count, [],
        "Operations in flight at the end of the last interval";
    ORPHANS = "brunt_orphan_replies", Counter, Count, ["phase"],
        "Replies that answered nothing in flight";
    RECONNECTED = "brunt_reconnections", Counter, Count, ["phase"],
        "Connections reopened because the target had closed them while they were idle";
    RESENT = "brunt_resent_requests", Counter, Count, ["phase"],
        "Requests sent again because their connection was closed before an answer began";
    TALLIES = "brunt_tallies", Counter, Count, ["tally", "phase"],
        "Counters of the protocol";
    CPU = "brunt_generator_cpu", Counter, Seconds, ["worker"],
        "Processor time of a worker of the generator";
    WAITED = "brunt_generator_waited", Counter, Seconds, ["worker"],
        "Time in which a worker could have run and had no core to run on";
    STALLED = "brunt_generator_stalled", Counter, Seconds, [],
        "Time in which the generator stood still";
    SOCKET_DROPS = "brunt_generator_socket_drops", Counter, Count, [],
        "Datagrams that the kernel dropped because the generator did not read them in time";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    #[test]
    fn metric_names_follow_both_conventions() {
        assert_eq!(RESPONSE.prometheus(), "brunt_response_seconds");
        assert_eq!(RESPONSE.opentelemetry(), "brunt.response");
        assert_eq!(SOCKET_DROPS.opentelemetry(), "brunt.generator_socket_drops");
        assert_eq!(RUN.opentelemetry(), "brunt.run_info");
        for family in ALL {
            let same = ALL.iter().filter(|other| other.prometheus() == family.prometheus());
            assert_eq!(same.count(), 1, "{}", family.name);
            assert!(!family.help.ends_with('.'), "{}", family.help);
        }
    }

    #[test]
    fn metrics_are_all_listed_in_docs() {
        let mut table = String::new();
        for family in ALL {
            let (name, ending) = (family.prometheus(), super::super::exposition::ending(family));
            let labels = family.labels.iter().map(|label| format!("`{label}`"));
            let labels: Vec<String> = labels.collect();
            let kind = format!("{:?}", family.kind).to_lowercase();
            let _ = writeln!(
                table,
                "| `{name}{ending}` | {kind} | {} | {} |",
                labels.join(", "),
                family.help
            );
        }
        let page = include_str!("../../../../docs/integrations.md");
        assert!(page.contains(&table), "docs/integrations.md has to hold\n{table}");
    }
}
