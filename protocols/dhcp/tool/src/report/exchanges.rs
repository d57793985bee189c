//! The figures of a DHCP run by stage, from which every text here is made.
//!
//! They come from what any run records: tallies and parts, which are found by their names. So a text can be made while
//! the run is in progress, at its end, and from a file years later.

use brunt_record::{Catalogue, Histogram, Interval, Phase, Totals};
#[cfg(test)]
use brunt_record::{HistogramError, Record, StepRecord};
use std::time::Duration;

/// The tallies of each stage. The name of a tally is the name of the stage, a blank and this word.
pub(crate) const TALLIES_OF_A_STAGE: [&str; 14] = [
    "sent",
    "resent",
    "received",
    "naks",
    "unusable",
    "drops",
    "cut off",
    "unasked",
    "late",
    "duplicates",
    "rejected leases",
    "non unique addresses",
    "retried",
    "drops because brunt stood still",
];

/// The tallies of all stages together.
pub(crate) const TALLIES_OF_ALL: [&str; 9] = [
    "foreign",
    "malformed",
    "tooshort",
    "unexpected",
    "locallimit",
    "leases forgotten",
    "preload sent",
    "preload received",
    "refused (ICMP port unreachable)",
];

/// The tally of datagrams that the server's own receive queue lost, in a run that could observe it.
pub(crate) const SERVER_QUEUE: &str = "lost in the server's queue";
/// The name of the count of replies that the kernel did not deliver because their UDP checksum was wrong.
pub(crate) const BAD_CHECKSUM: &str = "bad UDP checksum";

/// The prefix of the tallies of messages that were sent before the load began.
const PRELOAD: &str = "preload";

/// What the rate counts, by its original names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// DORA and SARR.
    FourWay,
    /// The first half of DORA.
    Offers,
    /// The first half of SARR.
    Advertisements,
    /// Rapid commit for IPv4 (RFC 4039), which the original tool does not have.
    RapidAcks,
    /// Rapid commit for IPv6.
    RapidReplies,
}

impl Counted {
    /// The name after the rate.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FourWay => "4-way exchanges",
            Self::Offers => "DISCOVER-OFFER",
            Self::Advertisements => "Solicit-Advertise",
            Self::RapidAcks => "Discover-Ack",
            Self::RapidReplies => "Solicit-Reply",
        }
    }
}

/// The requested settings of a run that its texts show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReportSettings {
    /// What the rate counts.
    pub counted: Counted,
    /// New exchanges a second, if a rate was given.
    pub rate: Option<f64>,
    /// The titles of the stages to show, in their order, whether or not anything was sent in them. Other stages are
    /// shown after them if anything was sent in them.
    pub titles: Vec<String>,
}

/// One message and its answer, over the whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StageFigures {
    /// `DISCOVER-OFFER`.
    pub title: String,
    /// Messages sent, each counted once even if it was repeated.
    pub sent: u64,
    /// Repetitions.
    pub resent: u64,
    /// Messages that were repeated at least once.
    pub retried: u64,
    /// Answers to messages of the stage.
    pub received: u64,
    /// Refusals.
    pub naks: u64,
    /// Messages whose reply ended the exchange without being an answer.
    pub unusable: u64,
    /// Messages without an answer within the drop time.
    pub drops: u64,
    /// Messages whose answer was not waited for until the end of the drop time.
    pub cut_off: u64,
    /// Messages that no server answers.
    pub no_reply_expected: u64,
    /// Answers after the drop time.
    pub late: u64,
    /// Answers after a first answer.
    pub duplicates: u64,
    /// Answers without the requested lease.
    pub rejected: u64,
    /// Addresses that another client had already.
    pub non_unique: u64,
    /// Drops whose drop time ended while this program stood still, or that were sent in the burst after it.
    pub drops_stalled: u64,
    /// Received - sent.
    pub delay: Histogram,
}

impl StageFigures {
    /// Replies that answered a message of the stage but arrived too late or twice.
    pub(crate) fn orphans(&self) -> u64 {
        self.late + self.duplicates
    }

    /// Messages that the run has forgotten without an answer. The original tool finds messages that waited too long
    /// only when it happens to check; here all of them are counted.
    pub(crate) fn collected(&self) -> u64 {
        self.drops
    }

    /// The counts in the order of [`TALLIES_OF_A_STAGE`].
    fn of_counts(title: &str, counts: [u64; 14], delay: Histogram) -> Self {
        let [
            sent,
            resent,
            received,
            naks,
            unusable,
            drops,
            cut_off,
            no_reply_expected,
            late,
            duplicates,
            rejected,
            non_unique,
            retried,
            drops_stalled,
        ] = counts;
        Self {
            title: title.to_owned(),
            sent,
            resent,
            received,
            naks,
            unusable,
            drops,
            cut_off,
            no_reply_expected,
            late,
            duplicates,
            rejected,
            non_unique,
            retried,
            drops_stalled,
            delay,
        }
    }
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exchanges {
    /// What the rate counts.
    pub counted: Counted,
    /// The requested rate.
    pub expected: Option<f64>,
    /// Exchanges that succeeded while there was load.
    pub completed: u64,
    /// How long there was load.
    pub lasted: Duration,
    /// The stages.
    pub stages: Vec<StageFigures>,
    /// Replies to an unknown client.
    pub foreign: u64,
    /// Datagrams that are not messages of the protocol.
    pub malformed: u64,
    /// Datagrams shorter than the shortest message.
    pub tooshort: u64,
    /// Messages that no client waits for.
    pub unexpected: u64,
    /// Messages that the local system refused to send.
    pub locallimit: u64,
    /// Leases given up because there was no room to remember them.
    pub leases_forgotten: u64,
    /// Messages sent before the run (`-P`).
    pub preload_sent: u64,
    /// Answers to these messages.
    pub preload_received: u64,
    /// Messages that were returned because no process listens on the server's port.
    pub unreachable: u64,
    /// Datagrams lost in our own sockets' buffers.
    pub socket_drops: u64,
    /// Replies that the kernel did not deliver because their UDP checksum was wrong.
    pub bad_checksum: u64,
    /// Datagrams lost in the server's receive queue, if the server is on this machine.
    pub server_drops: Option<u64>,
}

impl Exchanges {
    /// The figures of a run so far. What happened before the load to be counted is excluded; answers that arrived after
    /// it are included.
    pub(crate) fn of_run(
        requested: &ReportSettings,
        catalogue: &Catalogue,
        totals: &Totals,
    ) -> Self {
        let mut whole = Interval::new(catalogue.operations.len(), catalogue.parts.len());
        let counted = || totals.phases().iter().filter(|interval| counts(interval.phase));
        // A sum of intervals begins where the first of them does.
        whole.from = counted().map(|interval| interval.from).min().unwrap_or_default();
        whole.to = whole.from;
        let mut completed = 0;
        // From the first moment of load to the last. A phase whose last answers arrive in the next phase extends into
        // it, so the sum of the lengths of phases would be too long.
        let mut loaded: Option<(Duration, Duration)> = None;
        for interval in counted() {
            whole.append(interval);
            if interval.phase != Phase::Drain {
                completed += interval.operations.first().map_or(0, |acquiring| acquiring.counts.ok);
                let (from, to) = loaded.unwrap_or((interval.from, interval.to));
                loaded = Some((from.min(interval.from), to.max(interval.to)));
            }
        }
        let mut lasted = loaded.map_or(Duration::ZERO, |(from, to)| to.saturating_sub(from));
        let tally = |name: &str| {
            let Some(number) = catalogue.tally(name) else { return 0 };
            let held = |interval: &Interval| interval.tallies.get(number).copied().unwrap_or(0);
            if name.starts_with(PRELOAD) {
                return totals.phases().iter().map(held).sum();
            }
            held(&whole)
        };
        let part = |name: &str| {
            let number = catalogue.parts.iter().position(|known| known == name);
            number.and_then(|number| whole.parts.get(number)).cloned().unwrap_or_default()
        };
        let mut figures = Self::named(requested, &catalogue.tallies, tally, part);
        if let Some(acquiring) = whole.operations.first() {
            let all = acquiring.counts.ok;
            (completed, lasted) = pace((completed, lasted), (all, whole.lasted()));
        }
        (figures.completed, figures.lasted) = (completed, lasted);
        figures.socket_drops = whole.health.socket_drops;
        figures
    }

    /// The same from a record, for a test: a second way to the figures. A record keeps the stages' times for all phases
    /// together, so those of a warm-up are among them.
    #[cfg(test)]
    pub(crate) fn of_record(
        requested: &ReportSettings,
        record: &Record,
    ) -> Result<Self, HistogramError> {
        let steps: Vec<&StepRecord> =
            record.series.iter().filter(|step| counts(step.phase)).collect();
        let tally = |name: &str| {
            let number = record.tallies.iter().position(|tally| tally.name == name);
            let held = |step: &&StepRecord| number.and_then(|at| step.tallies.get(at)).copied();
            if name.starts_with(PRELOAD) {
                return record.series.iter().filter_map(|step| held(&step)).sum();
            }
            steps.iter().filter_map(held).sum()
        };
        let mut parts = Vec::new();
        for part in &record.parts {
            parts.push((part.name.as_str(), part.took.histogram()?));
        }
        let part = |name: &str| {
            let found = parts.iter().find(|(known, _)| *known == name);
            found.map(|(_, took)| took.clone()).unwrap_or_default()
        };
        let names: Vec<String> = record.tallies.iter().map(|tally| tally.name.clone()).collect();
        let mut figures = Self::named(requested, &names, tally, part);
        let (mut completed, mut all) = (0, 0);
        let (mut loaded, mut whole) = (None, None);
        for step in steps {
            let Some(acquiring) = step.operations.first() else { continue };
            all += acquiring.counts.ok;
            whole = Some(span(whole, step));
            if step.phase != Phase::Drain {
                completed += acquiring.counts.ok;
                loaded = Some(span(loaded, step));
            }
        }
        let time = |span: Option<(f64, f64)>| {
            let seconds = span.map_or(0.0, |(from, to)| to - from);
            Duration::try_from_secs_f64(seconds).unwrap_or_default()
        };
        (figures.completed, figures.lasted) = pace((completed, time(loaded)), (all, time(whole)));
        figures.socket_drops = record.generator.socket_drops;
        Ok(figures)
    }

    /// Extends the time to that in which exchanges became due. A run that a number of exchanges ends is over with the
    /// last of them, but its load lasted until another one would have been due: three exchanges at ten a second take
    /// three tenths of a second, not two. The original tool counts the same time, before its first exchange.
    pub(crate) fn last_at_least(&mut self, window: Duration) {
        self.lasted = self.lasted.max(window);
    }

    /// Successful exchanges a second.
    pub(crate) fn rate(&self) -> f64 {
        if self.lasted.is_zero() {
            return 0.0;
        }
        self.completed as f64 / self.lasted.as_secs_f64()
    }

    /// Exchanges of all stages without an answer within the drop time.
    pub(crate) fn drops(&self) -> u64 {
        self.stages.iter().map(|stage| stage.drops).sum()
    }

    fn named(
        requested: &ReportSettings,
        tallies: &[String],
        tally: impl Fn(&str) -> u64,
        part: impl Fn(&str) -> Histogram,
    ) -> Self {
        let of_stages = tallies.iter().filter(|name| !TALLIES_OF_ALL.contains(&name.as_str()));
        let others = of_stages.filter_map(|name| name.strip_suffix(" sent"));
        let others = others.filter(|title| {
            requested.titles.iter().all(|requested| requested != title)
                && tally(&format!("{title} sent")) > 0
        });
        let titles = requested.titles.iter().map(String::as_str).chain(others);
        let stages = titles.map(|title| {
            let counts = TALLIES_OF_A_STAGE.map(|word| tally(&format!("{title} {word}")));
            StageFigures::of_counts(title, counts, part(title))
        });
        let [
            foreign,
            malformed,
            tooshort,
            unexpected,
            locallimit,
            leases_forgotten,
            preload_sent,
            preload_received,
            unreachable,
        ] = TALLIES_OF_ALL.map(&tally);
        Self {
            counted: requested.counted,
            expected: requested.rate,
            completed: 0,
            lasted: Duration::ZERO,
            stages: stages.collect(),
            foreign,
            malformed,
            tooshort,
            unexpected,
            locallimit,
            leases_forgotten,
            preload_sent,
            preload_received,
            unreachable,
            socket_drops: 0,
            bad_checksum: tally(BAD_CHECKSUM),
            server_drops: tallies
                .iter()
                .any(|name| name == SERVER_QUEUE)
                .then(|| tally(SERVER_QUEUE)),
        }
    }
}

/// From the first second to the last of the steps so far and one more.
#[cfg(test)]
fn span(known: Option<(f64, f64)>, step: &StepRecord) -> (f64, f64) {
    let (from, to) = known.unwrap_or((step.from_s, step.to_s));
    (from.min(step.from_s), to.max(step.to_s))
}

/// Whether the figures include what happens in a phase.
fn counts(phase: Phase) -> bool {
    !matches!(phase, Phase::Prepare | Phase::WarmUp)
}

/// The successful exchanges, and the time they took. Only while there is load: the rate at which a server works off its
/// backlog afterwards is not one it could sustain. If a run is so short that no exchange ended in it, the time after it
/// is included.
fn pace(loaded: (u64, Duration), whole: (u64, Duration)) -> (u64, Duration) {
    if loaded.0 > 0 { loaded } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Moment, Named, Outcome, Part, Stamps};
    use brunt_record::{Conclusion, Ending, Head, Own, Plan, Series, Timing, Tool, WorkerLoad};

    const FIRST: &str = "DISCOVER-OFFER";
    const RENEW: &str = "REQUEST-ACK (renewal)";

    fn catalogue() -> Catalogue {
        let of_stages = [FIRST, "REQUEST-ACK", RENEW]
            .iter()
            .flat_map(|title| TALLIES_OF_A_STAGE.map(|word| format!("{title} {word}")));
        let tallies: Vec<String> = of_stages.chain(TALLIES_OF_ALL.map(str::to_owned)).collect();
        Catalogue::new(["acquire", "renew"], [FIRST, "REQUEST-ACK", RENEW]).with_tallies(tallies)
    }

    fn requested() -> ReportSettings {
        let titles = [FIRST, "REQUEST-ACK"].map(str::to_owned).to_vec();
        ReportSettings { counted: Counted::FourWay, rate: Some(4.0), titles }
    }

    /// An interval in which `ended` acquisitions succeeded after 5 ms, of which the generator caused one millisecond,
    /// and each tally grew by its number and one.
    fn interval(index: u64, phase: Phase, ended: u64) -> Interval {
        let catalogue = catalogue();
        let mut interval = Interval::new(2, 4);
        interval.reset(index, phase, Duration::from_secs(index));
        interval.to = Duration::from_secs(index + 1);
        let [due, sent, ended_at] = [0, 1_000_000, 5_000_000].map(Moment::from_nanos);
        for _ in 0..ended {
            interval.planned += 1;
            interval.record(
                0,
                Outcome::Ok(5),
                &Stamps { due, free: due, sent, ended: ended_at },
                0,
                Own::default(),
            );
            interval.part(Part(0), Duration::from_millis(1));
            interval.part(Part(1), Duration::from_millis(3));
        }
        for number in 0..catalogue.tallies.len() {
            interval.tally(number, number as u64 + 1);
        }
        interval.health.record(WorkerLoad::default());
        interval.health.socket_drops = 11;
        interval
    }

    fn run() -> [Interval; 5] {
        [
            interval(0, Phase::Prepare, 100),
            interval(1, Phase::WarmUp, 0),
            interval(2, Phase::Steady, 3),
            interval(3, Phase::Steady, 4),
            interval(4, Phase::Drain, 1),
        ]
    }

    fn totals() -> Totals {
        let mut totals = Totals::new();
        for interval in &run() {
            totals.absorb(interval);
        }
        totals
    }

    #[test]
    fn tallies_during_and_after_the_load_are_found_by_name() {
        let figures = Exchanges::of_run(&requested(), &catalogue(), &totals());
        let titles: Vec<&str> = figures.stages.iter().map(|stage| stage.title.as_str()).collect();
        assert_eq!(titles, [FIRST, "REQUEST-ACK", RENEW], "renewals happened, if nobody asked");
        // Three intervals count; the tallies of the second stage are numbers 15 to 28.
        let second = &figures.stages[1];
        assert_eq!((second.sent, second.resent, second.received), (45, 48, 51));
        assert_eq!((second.naks, second.unusable, second.drops), (54, 57, 60));
        assert_eq!((second.cut_off, second.no_reply_expected), (63, 66));
        assert_eq!((second.late, second.duplicates), (69, 72));
        assert_eq!((second.rejected, second.non_unique, second.retried), (75, 78, 81));
        assert_eq!(second.drops_stalled, 84);
        assert_eq!((second.orphans(), second.collected()), (141, 60));
        assert_eq!((figures.foreign, figures.malformed, figures.tooshort), (129, 132, 135));
        // The messages before the load were sent before any phase that counts.
        assert_eq!((figures.preload_sent, figures.preload_received), (245, 250));
        assert_eq!(figures.server_drops, None);
        assert_eq!(
            (figures.unexpected, figures.locallimit, figures.leases_forgotten),
            (138, 141, 144)
        );
        assert_eq!(figures.unreachable, 153);
        assert_eq!(figures.socket_drops, 33);
        assert_eq!(second.delay.mean(), Some(Duration::from_millis(3)));
        assert_eq!(second.delay.count(), 8);
    }

    #[test]
    fn server_queue_losses_are_known_if_monitored() {
        let mut catalogue = catalogue();
        catalogue.tallies.push(SERVER_QUEUE.to_owned());
        let mut interval = interval(0, Phase::Steady, 1);
        let number = catalogue.tally(SERVER_QUEUE).unwrap();
        for expected in [0, 5] {
            interval.tally(number, expected);
            let mut totals = Totals::new();
            totals.absorb(&interval);
            let figures = Exchanges::of_run(&requested(), &catalogue, &totals);
            assert_eq!(figures.server_drops, Some(expected));
        }
    }

    #[test]
    fn rate_is_that_of_the_time_under_load() {
        let figures = Exchanges::of_run(&requested(), &catalogue(), &totals());
        // Seven in two seconds; the eighth answer arrived afterwards.
        assert_eq!((figures.completed, figures.lasted), (7, Duration::from_secs(2)));
        assert!((figures.rate() - 3.5).abs() < 1e-12);
        let mut short = Totals::new();
        short.absorb(&interval(0, Phase::Steady, 0));
        short.absorb(&interval(1, Phase::Drain, 1));
        let figures = Exchanges::of_run(&requested(), &catalogue(), &short);
        assert!((figures.rate() - 0.5).abs() < 1e-12, "one in two seconds");
        assert!(Exchanges::of_run(&requested(), &catalogue(), &Totals::new()).rate().abs() < 1e-12);
    }

    #[test]
    fn rate_of_a_counted_run_lasts_until_the_next_exchange() {
        let mut figures = Exchanges::of_run(&requested(), &catalogue(), &totals());
        figures.last_at_least(Duration::from_millis(3_500));
        assert!((figures.rate() - 2.0).abs() < 1e-12, "seven in three and a half seconds");
        figures.last_at_least(Duration::from_secs(1));
        assert!((figures.rate() - 2.0).abs() < 1e-12, "answers that came later count");
    }

    /// The last answers of a ramp arrive while the steady phase runs, and are recorded in an interval of the ramp at
    /// the same time as one of the steady phase.
    #[test]
    fn overlapping_phases_are_not_added_up() {
        let mut totals = Totals::new();
        for (index, phase, ended) in
            [(0, Phase::Ramp, 2), (1, Phase::Ramp, 1), (1, Phase::Steady, 3), (2, Phase::Steady, 3)]
        {
            totals.absorb(&interval(index, phase, ended));
        }
        let figures = Exchanges::of_run(&requested(), &catalogue(), &totals);
        assert_eq!((figures.completed, figures.lasted), (9, Duration::from_secs(3)));
    }

    #[test]
    fn figures_of_the_record_equal_the_run() {
        let (catalogue, mut series, mut totals) = (catalogue(), Series::new(), Totals::new());
        // Without the messages before the load: a record has the times of all phases together.
        for interval in &run()[2..] {
            series.push(interval);
            totals.absorb(interval);
        }
        let tool = Tool { name: "brunt".into(), version: "0".into() };
        let started = "2026-01-02T03:04:05Z".parse().unwrap();
        let plan = Plan::open(4.0, 1, 7);
        let conclusion = Conclusion {
            head: Head {
                percentiles: vec![50.0],
                ..Head::new("a".repeat(32), started, tool, plan, catalogue.clone())
            },
            names: &|_, _| Named::default(),
            totals: &totals,
            series: &series,
            ending: Ending::planned(Timing::default()),
        };
        let recorded = Exchanges::of_record(&requested(), &conclusion.record().unwrap()).unwrap();
        let measured = Exchanges::of_run(&requested(), &catalogue, &totals);
        // Socket losses are kept only for the steady phase.
        assert_eq!(recorded, Exchanges { socket_drops: 22, ..measured });
    }

    #[test]
    fn unused_stages_are_omitted_unless_requested() {
        let mut totals = Totals::new();
        totals.absorb(&Interval::new(2, 4));
        let figures = Exchanges::of_run(&requested(), &catalogue(), &totals);
        let titles: Vec<&str> = figures.stages.iter().map(|stage| stage.title.as_str()).collect();
        assert_eq!(titles, [FIRST, "REQUEST-ACK"]);
    }
}
