//! [`Counts`]: what a target counts itself: a directory below `cn=monitor`, or Kea through its control socket.
//!
//! Neither source knows its processor time, and none is estimated for it. Their counts are shown beside brunt's own, so
//! that load from other clients and messages that never arrived become visible. A source may be slow to answer while it
//! is overloaded, so it is read on a thread of its own, and a reading that is not there when the next is due is
//! skipped.

use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_run::monitor::{Opener, Reading, SourceError, WITHIN};

use super::{Seen, ServerFigures};

/// What a kind of source counts.
pub(super) struct Counted {
    /// The names of its readings that count the work done; the first one that is present is used.
    names: &'static [&'static str],
    /// What is counted, for a page.
    noun: &'static str,
    /// Where else processor time can be found.
    instead: &'static str,
}

/// For a directory: the name in OpenLDAP, and the name in 389 Directory Server.
pub(super) const DIRECTORY: Counted = Counted {
    names: &["operations completed", "opscompleted"],
    noun: "operations by cn=monitor",
    instead: "cn=monitor counts operations and knows no processor time: use local, pid:PID or prometheus:URL for that",
};

/// For Kea: messages that it read from its sockets.
pub(super) const KEA: Counted = Counted {
    names: &["pkt4-received", "pkt6-received"],
    noun: "messages received by Kea",
    instead: "Kea counts messages and knows no processor time: use local, pid:PID or prometheus:URL for that",
};

/// The least time between two readings: each reading is load as well.
const EVERY: Duration = Duration::from_secs(1);

/// A reading and when it was received.
type Taken = (Moment, Reading);

/// The counts of a target.
pub(super) struct Counts {
    of: Counted,
    requests: Sender<()>,
    taken: Receiver<Taken>,
    clock: Monotonic,
    /// Whether a reading is in progress.
    requested: bool,
    /// When the last reading of this step was requested.
    requested_at: Option<Moment>,
    first: Option<(Moment, f64)>,
    last: Option<(Moment, f64)>,
    /// Why a reading failed, the first time.
    failure: Option<SourceError>,
    unnamed: bool,
}

impl Counts {
    /// Opens the source on a thread of its own, and reads it once.
    pub(super) fn open(of: Counted, opener: Opener) -> Result<Self, SourceError> {
        let (requests, requested) = mpsc::channel::<()>();
        let (readings, taken) = mpsc::channel::<Taken>();
        let clock = Monotonic::new();
        let read = move || {
            let mut source = match opener() {
                Ok(source) => source,
                Err(why) => return drop(readings.send((clock.now(), Err(why)))),
            };
            while requested.recv().is_ok() {
                let reading = source.read();
                if readings.send((clock.now(), reading)).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("server".to_owned()).spawn(read);
        thread?;
        let mut counts = Self {
            of,
            requests,
            taken,
            clock,
            requested: false,
            requested_at: None,
            first: None,
            last: None,
            failure: None,
            unnamed: false,
        };
        counts.poll();
        // A thread that could not open the source has ended, and accepts no further request: wait for its reason.
        counts.requested = true;
        counts.receive(2 * WITHIN);
        if let Some(why) = counts.failure.take() {
            return Err(why);
        }
        (counts.first, counts.last, counts.requested_at) = (None, None, None);
        Ok(counts)
    }

    /// Takes the readings that arrive within this time.
    fn receive(&mut self, within: Duration) {
        if !self.requested {
            return;
        }
        let Ok((at, reading)) = self.taken.recv_timeout(within) else { return };
        self.requested = false;
        match reading {
            Err(why) => drop(self.failure.get_or_insert(why)),
            Ok(values) => match counted(self.of.names, &values) {
                Some(count) => {
                    self.first.get_or_insert((at, count));
                    self.last = Some((at, count));
                }
                None => self.unnamed = true,
            },
        }
    }
}

/// The best available reading among those that count.
fn counted(names: &[&str], values: &[(String, f64)]) -> Option<f64> {
    names.iter().find_map(|name| {
        let known = values.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map(|(_, value)| *value)
    })
}

impl ServerFigures for Counts {
    fn poll(&mut self) {
        self.receive(Duration::ZERO);
        let now = self.clock.now();
        let is_due = self.requested_at.is_none_or(|at| now - at >= EVERY);
        if is_due && !self.requested && self.requests.send(()).is_ok() {
            (self.requested, self.requested_at) = (true, Some(now));
        }
    }

    fn seen(&mut self) -> Seen {
        self.receive(WITHIN);
        self.requested_at = None;
        let (first, last) = (self.first.take(), self.last.take());
        let counted = first.zip(last).and_then(|((from, before), (to, after))| {
            let lasted = (to - from).as_secs_f64();
            (lasted > 0.0 && after >= before).then(|| (after - before) / lasted)
        });
        Seen { cores: None, counted }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("server counts", self.of.noun.to_owned())]
    }

    fn missing(&self) -> Option<String> {
        let failed = self.failure.as_ref().map(|why| format!("a reading failed to {why}. "));
        let unnamed = self.unnamed.then(|| "it reports none of the known counts. ".to_owned());
        let [failed, unnamed] = [failed, unnamed].map(Option::unwrap_or_default);
        Some(format!("{failed}{unnamed}{}", self.of.instead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_run::monitor::Source;

    /// Counts up by ten a reading, and fails the third time.
    struct Steps(f64);

    impl Source for Steps {
        fn read(&mut self) -> Reading {
            self.0 += 10.0;
            if self.0 > 25.0 && self.0 < 35.0 {
                return Err("get an answer".into());
            }
            Ok(vec![("pkt4-received".to_owned(), self.0)])
        }
    }

    fn open() -> Counts {
        Counts::open(KEA, Box::new(|| Ok(Box::new(Steps(0.0))))).unwrap()
    }

    #[test]
    fn server_counts_are_read_each_second_and_failures_skipped() {
        let mut counts = open();
        for _ in 0..3 {
            counts.poll();
            counts.receive(WITHIN);
            counts.requested_at = None;
        }
        let (from, to) = (counts.first.unwrap(), counts.last.unwrap());
        // Opening made the first reading; 20, an error and 40 remain for the step.
        assert_eq!((from.1, to.1), (20.0, 40.0));
        let seconds = (to.0 - from.0).as_secs_f64();
        let seen = counts.seen();
        assert_eq!((seen.cores, seen.counted), (None, Some(20.0 / seconds)));
        assert_eq!(counts.seen(), Seen::default(), "the next step begins anew");
        let missing = counts.missing().unwrap();
        assert!(
            missing.contains("failed to get an answer") && missing.contains("pid:PID"),
            "{missing}"
        );
    }

    #[test]
    fn server_counts_source_that_fails_to_open_says_why() {
        let refused = Counts::open(DIRECTORY, Box::new(|| Err("reach the server".into())));
        assert_eq!(refused.err().unwrap().to_string(), "reach the server");
        let values = [("OpsCompleted".to_owned(), 7.0)];
        assert_eq!(
            (counted(DIRECTORY.names, &values), counted(KEA.names, &values)),
            (Some(7.0), None)
        );
    }
}
