//! [`Digest`]: the data of one interval that the view needs, small enough to be sent to another thread.

use std::time::Duration;

use brunt_exchange::Outcome;
use brunt_record::{Counts, Histogram, Interval, Names, Operation, Phase, WorkerLoad};

use super::provisional_verdict::ProvisionalVerdict;

/// The number of operations with times of their own; each costs some microseconds an interval.
pub(super) const OPERATIONS_MAX: usize = 64;
/// The longest text of a failure.
const TEXT_MAX: usize = 200;

/// Response and service times of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Ended - due.
    pub response: Quantiles,
    /// Ended - sent.
    pub service: Quantiles,
}

/// Seconds at each of the percentiles [`Times::AT`]; none if nothing ended.
pub(super) type Quantiles = [Option<f64>; 3];

impl Times {
    /// The percentiles.
    pub const AT: [f64; 3] = [0.5, 0.99, 0.999];

    fn new(response: &Histogram, service: &Histogram) -> Self {
        let at = |times: &Histogram| {
            Self::AT.map(|quantile| times.quantile(quantile).map(|time| time.as_secs_f64()))
        };
        Self { response: at(response), service: at(service) }
    }
}

/// An outcome of exchanges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its name.
    pub name: String,
    /// Whether it is a success.
    pub ok: bool,
    /// How many exchanges ended with it.
    pub count: u64,
}

/// One operation, or one span, in an interval in which it was active.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationDigest {
    /// Its number in the catalogue, in which the spans follow the operations.
    pub number: usize,
    /// Whether it is a span: its exchanges are counted under their own names too.
    pub is_span: bool,
    /// The counts of exchanges that ended.
    pub counts: Counts,
    /// How many of them the target answered.
    pub answered: u64,
    /// How they ended.
    pub codes: Vec<Code>,
    /// Their times; empty for operations beyond the first [`OPERATIONS_MAX`].
    pub times: Times,
}

/// The state of the generator in an interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generator {
    /// The share of a core that each worker used.
    pub workers: Vec<f64>,
    /// The share of the time in which the worker that waited most was ready to run but had no core.
    pub waited: Option<f64>,
    /// Cores of this machine that other processes used, and the number of cores.
    pub others: Option<(f64, u32)>,
    /// Sent - free to send, at p99, in seconds.
    pub lateness: Option<f64>,
    /// Exchanges that were due and waited for a session, at most.
    pub backlog: u64,
    /// Exchanges in flight at the end of the interval.
    pub in_flight: u64,
    /// Datagrams that its sockets lost.
    pub socket_drops: u64,
    /// Exchanges for which it had no local port or no descriptor.
    pub lacked: u64,
    /// How long the generator was stalled.
    pub stalled: Duration,
}

/// The data of one interval that the view needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Digest {
    /// The phase that the interval belongs to.
    pub phase: Phase,
    /// Its beginning, from the origin of the run.
    pub from: Duration,
    /// Its end.
    pub to: Duration,
    /// The counts of exchanges that became due and that ended.
    pub counts: Counts,
    /// How many exchanges the target answered.
    pub answered: u64,
    /// The times of all exchanges that ended.
    pub times: Times,
    /// The operations that were active, followed by the spans.
    pub operations: Vec<OperationDigest>,
    /// The state of the generator.
    pub generator: Generator,
    /// A failure as text, as the session reported it.
    pub failure: Option<String>,
    /// The provisional verdict on the run, if it was computed again in this interval.
    pub standing: Option<ProvisionalVerdict>,
}

impl Digest {
    /// The digest of `interval`; `names` has the names of its outcomes.
    pub fn new(interval: &Interval, names: Names<'_>) -> Self {
        let (mut response, mut service) = (Histogram::new(), Histogram::new());
        let mut operations = Vec::new();
        for (number, operation) in interval.measured() {
            if operation.counts == Counts::default() {
                continue;
            }
            let (its_response, its_service) = times(operation);
            let is_span = number >= interval.operations.len();
            if !is_span {
                response.merge(&its_response);
                service.merge(&its_service);
            }
            let own_times =
                (number < OPERATIONS_MAX).then(|| Times::new(&its_response, &its_service));
            operations.push(OperationDigest {
                number,
                is_span,
                counts: operation.counts,
                answered: operation.codes.answered(),
                codes: codes(number, operation, names),
                times: own_times.unwrap_or_default(),
            });
        }
        // Exchanges that were dropped waited as well: the figures of a run include them, and so do these.
        response.merge(&interval.dropped_after);
        Self {
            phase: interval.phase,
            from: interval.from,
            to: interval.to,
            counts: interval.counts(),
            answered: operations.iter().filter(|one| !one.is_span).map(|one| one.answered).sum(),
            times: Times::new(&response, &service),
            operations,
            generator: generator(interval),
            failure: interval.samples.last().map(|sample| shortened(&sample.text)),
            standing: None,
        }
    }

    /// How long it lasted, in seconds.
    pub fn seconds(&self) -> f64 {
        self.to.saturating_sub(self.from).as_secs_f64().max(1e-9)
    }
}

/// For all exchanges that were due: one without an answer took at least as long as it had waited.
fn times(operation: &Operation) -> (Histogram, Histogram) {
    let mut service = operation.service_ended();
    service.merge(&operation.service_cut_off);
    (operation.response.due(), service)
}

fn codes(number: usize, operation: &Operation, names: Names<'_>) -> Vec<Code> {
    let codes = operation.codes.sorted().into_iter().map(|(outcome, count)| {
        let ok = matches!(outcome, Outcome::Ok(_));
        Code { name: names(number, outcome).name, ok, count }
    });
    let other = operation.codes.other();
    let other = (other > 0).then(|| Code { name: "other".to_owned(), ok: false, count: other });
    codes.chain(other).collect()
}

fn generator(interval: &Interval) -> Generator {
    let (health, machine) = (&interval.health, &interval.health.machine);
    let seconds = machine.wall.as_secs_f64();
    let codes = interval.operations.iter().flat_map(|operation| operation.codes.sorted());
    let ours = |outcome| matches!(outcome, Outcome::Failed(class, _) if class.ours());
    let lacked = codes.chain(interval.unready.sorted()).filter(|(outcome, _)| ours(*outcome));
    Generator {
        workers: health.workers.iter().filter_map(WorkerLoad::share).collect(),
        waited: health.workers.iter().filter_map(WorkerLoad::waited_share).reduce(f64::max),
        others: (seconds > 0.0).then(|| (machine.others.as_secs_f64() / seconds, machine.cores)),
        lateness: interval.lateness.quantile(0.99).map(|time| time.as_secs_f64()),
        backlog: interval.backlog_peak,
        in_flight: interval.in_flight,
        socket_drops: health.socket_drops,
        lacked: lacked.map(|(_, count)| count).sum(),
        stalled: health.stalled,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(TEXT_MAX).collect()
}
