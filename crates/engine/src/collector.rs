//! The [`Collector`]: merges the measurements of the workers and passes them on, row by row.
//!
//! [`Rows`] decides how long a row waits for which worker, in the same way as for several machines. The collector must
//! not know what made the workers measure.

use crate::in_step::CollectorPace;
use crate::start::Ready;
use crate::stop::{Stop, Urgency};
use crate::waiting::Waiting;
use crate::worker::WorkerIntervals;
use brunt_exchange::{Clock, Moment, Monotonic};
use brunt_record::{Interval, Machine, Phase, Row, Rows, Stall};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

/// How long a row waits for the last worker once the first has reported.
const PATIENCE: Duration = Duration::from_millis(250);

/// How long workers have to report their last step after a request to end at once.
const GRACE: Duration = Duration::from_millis(500);
/// How often the collector checks for that request, and for what the run waits for. Each check has a price that a run
/// pays whatever its load.
const LOOK: Duration = Duration::from_millis(250);

/// Receives the intervals of a run as they are completed.
pub trait Sink {
    /// One step of one phase, over all workers. Steps are passed in order; a step in which exchanges of an earlier
    /// phase ended gives an interval for each phase, the earlier phase first.
    fn interval(&mut self, interval: &Interval);

    /// The run has waited for something for a while, without intervals. Called once for each wait.
    fn waiting(&mut self, waiting: Waiting) {
        let _ = waiting;
    }

    /// Every session is ready, or has failed to become ready, and the run waits for the signal to begin. Called once.
    fn ready(&mut self, ready: &Ready) {
        let _ = ready;
    }

    /// The run was stopped at once, and a worker has not ended since: it may never end. What was measured until then
    /// was passed on, except for what only that worker knows.
    fn overdue(&mut self) {}
}

impl<F: FnMut(&Interval)> Sink for F {
    fn interval(&mut self, interval: &Interval) {
        self(interval);
    }
}

/// What the machine did since the last call, and when the generator stood still.
pub(crate) type Observe<'a> = &'a dyn Fn() -> (Machine, Vec<Stall>);

/// What the run waits for at this moment, and what is ready if it waits for the signal to begin.
pub(crate) type Waits<'a> = (&'a dyn Fn() -> Option<Waiting>, &'a dyn Fn() -> Option<Ready>);

pub(crate) struct Collector {
    rows: Rows,
    spent: Vec<SyncSender<Interval>>,
    totals: BTreeMap<Phase, Interval>,
    pace: Option<CollectorPace>,
}

impl Collector {
    /// A collector for as many workers as there are channels for returning spent intervals.
    pub(crate) fn new(spent: Vec<SyncSender<Interval>>) -> Self {
        Self { rows: Rows::new(spent.len(), PATIENCE), spent, totals: BTreeMap::new(), pace: None }
    }

    /// The same for simulated workers, with which it takes turns.
    pub(crate) fn in_step(self, pace: CollectorPace) -> Self {
        Self { pace: Some(pace), ..self }
    }

    /// Collects until every worker has reported its last step or is gone; returns the totals by
    /// phase.
    pub(crate) fn collect(
        mut self,
        measured: &Receiver<WorkerIntervals>,
        observe: Observe<'_>,
        (waits, ready): Waits<'_>,
        stop: &Stop,
        sink: &mut dyn Sink,
    ) -> BTreeMap<Phase, Interval> {
        let pace = self.pace.take();
        let machine = Monotonic::new();
        let now = || pace.as_ref().map_or_else(|| machine.now(), CollectorPace::now);
        let (mut reported, mut aborted, mut overdue) = (None, None, false);
        let mut awaited = true;
        while !self.rows.is_over() {
            let wait = self.rows.wait(now().since_origin()).unwrap_or(PATIENCE);
            let received = match &pace {
                Some(_) => measured.recv().map_err(|_| RecvTimeoutError::Disconnected),
                None => measured.recv_timeout(wait.min(LOOK)),
            };
            match received {
                Ok(measured) => self.lay(measured, now()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.hand_on(now(), observe, sink);
            if awaited && let Some(ready) = ready() {
                awaited = false;
                sink.ready(&ready);
            }
            if let Some(waiting) = waits() {
                let kind = std::mem::discriminant(&waiting);
                if reported.replace(kind) != Some(kind) {
                    sink.waiting(waiting);
                }
            }
            if stop.urgency() == Urgency::Abort && !overdue {
                let since = *aborted.get_or_insert(now());
                overdue = now() - since >= GRACE;
                if overdue {
                    sink.overdue();
                }
            }
            if let Some(pace) = &pace {
                pace.done();
            }
        }
        (0..self.spent.len()).for_each(|worker| self.rows.over(worker));
        self.hand_on(now(), observe, sink);
        self.totals
    }

    fn lay(&mut self, measured: WorkerIntervals, now: Moment) {
        let WorkerIntervals { worker, index, last, intervals } = measured;
        for interval in intervals {
            if let Some(interval) = self.rows.lay(worker, interval, now.since_origin()) {
                // A worker that has ended does not need the memory back.
                let _ = self.spent[worker].try_send(interval);
            }
        }
        if last {
            self.rows.over(worker);
        } else {
            self.rows.reached(worker, index, Phase::Drain);
        }
    }

    /// Passes on the rows that are complete or have waited long enough.
    fn hand_on(&mut self, now: Moment, observe: Observe<'_>, sink: &mut dyn Sink) {
        while let Some(Row { mut interval, source, .. }) = self.rows.next(now.since_origin()) {
            // What the machine did belongs to the step, and is recorded in the last of its rows.
            if self.rows.next_index() != Some(interval.index) {
                let (machine, stalls) = observe();
                interval.health.observe(&machine, &stalls);
            }
            sink.interval(&interval);
            match self.totals.get_mut(&interval.phase) {
                Some(total) => total.append(&interval),
                None => {
                    self.totals.insert(interval.phase, interval.to_sum());
                }
            }
            let _ = self.spent[source].try_send(interval);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    fn measured(worker: usize, index: u64, planned: u64, last: bool) -> WorkerIntervals {
        let mut interval = Interval::new(1, 0);
        interval.reset(index, Phase::Steady, Duration::from_secs(index));
        interval.to = Duration::from_secs(index + 1);
        interval.planned = planned;
        WorkerIntervals { worker, index, last, intervals: vec![interval] }
    }

    fn collected(measured: Vec<WorkerIntervals>, workers: usize) -> (Vec<(u64, u64)>, u64) {
        let (sender, receiver) = sync_channel(64);
        for measured in measured {
            sender.send(measured).unwrap();
        }
        drop(sender);
        let (spent, kept): (Vec<_>, Vec<_>) = (0..workers).map(|_| sync_channel(64)).unzip();
        let mut rows = Vec::new();
        let mut sink = |interval: &Interval| rows.push((interval.index, interval.planned));
        let totals = Collector::new(spent).collect(
            &receiver,
            &Default::default,
            (&|| None, &|| None),
            &Stop::new(),
            &mut sink,
        );
        drop(kept);
        (rows, totals[&Phase::Steady].planned)
    }

    #[test]
    fn rows_wait_for_every_worker_and_stay_in_order() {
        let measured = vec![
            measured(0, 1, 10, false),
            measured(0, 2, 20, false),
            measured(1, 1, 1, false),
            measured(1, 2, 2, true),
            measured(0, 3, 30, true),
        ];
        assert_eq!(collected(measured, 2), (vec![(1, 11), (2, 22), (3, 30)], 63));
    }

    #[test]
    fn late_measurements_are_added_to_the_next_row() {
        let (sender, receiver) = sync_channel(64);
        let (spent, _kept): (Vec<_>, Vec<_>) = (0..2).map(|_| sync_channel(64)).unzip();
        let mut rows = Vec::new();
        let (seen, saw) = std::sync::mpsc::channel();
        let mut sink = |interval: &Interval| {
            rows.push((interval.index, interval.planned));
            // The receiver is gone after the first row.
            let _ = seen.send(());
        };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                sender.send(measured(0, 1, 10, false)).unwrap();
                // Only the expired patience can have released this row: worker 1 has not reported.
                saw.recv().unwrap();
                sender.send(measured(1, 1, 1, false)).unwrap();
                sender.send(measured(0, 2, 20, true)).unwrap();
                sender.send(measured(1, 2, 2, true)).unwrap();
            });
            let totals = Collector::new(spent).collect(
                &receiver,
                &Default::default,
                (&|| None, &|| None),
                &Stop::new(),
                &mut sink,
            );
            assert_eq!(totals[&Phase::Steady].planned, 33);
        });
        assert_eq!(rows, [(1, 10), (2, 23)]);
    }

    struct Shown {
        rows: usize,
        overdue: usize,
        /// Ends the worker that is waited for.
        ends: Option<SyncSender<WorkerIntervals>>,
    }

    impl Sink for Shown {
        fn interval(&mut self, _: &Interval) {
            self.rows += 1;
        }

        fn overdue(&mut self) {
            self.overdue += 1;
            drop(self.ends.take());
        }
    }

    #[test]
    fn overdue_worker_is_reported() {
        let (sender, receiver) = sync_channel(64);
        sender.send(measured(0, 0, 10, true)).unwrap();
        let (spent, _kept): (Vec<_>, Vec<_>) = (0..2).map(|_| sync_channel(64)).unzip();
        let mut shown = Shown { rows: 0, overdue: 0, ends: Some(sender) };
        let stop = Stop::new();
        stop.abort();
        Collector::new(spent).collect(
            &receiver,
            &Default::default,
            (&|| None, &|| None),
            &stop,
            &mut shown,
        );
        assert_eq!((shown.rows, shown.overdue), (1, 1));
    }
}
