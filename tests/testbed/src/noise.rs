//! [`Noise`]: how much of this machine others use, and how late its timer is.
//!
//! What a test itself uses is no noise. It is told from the rest by descent: the processes that this one started, and
//! those that these started. A process whose parent has ended becomes a child of this one.

use rustix::process::{Pid, set_child_subreaper};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long each sample lasts. The kernel's counters advance by ten milliseconds.
const SAMPLE: Duration = Duration::from_millis(500);
/// Sleeps by which the timer is judged, and how long each is.
const SLEEPS: usize = 200;
const SLEEP: Duration = Duration::from_millis(1);
/// How much of one core others may use, or the host may take away, in any sample. More delays what a test measures by
/// tens of milliseconds.
const USED_MAX: f64 = 0.2;
/// How late the timer of an idle machine may be, at the 99th percentile.
const LATE_MAX: Duration = Duration::from_millis(2);

/// The greatest that was seen of each disturbance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Noise {
    /// What the host took away, in cores.
    stolen: f64,
    /// What processes used that are not of the test, in cores.
    others: f64,
    /// How late the timer was, at the 99th percentile. It is measured on the idle machine alone.
    late: Duration,
}

impl Noise {
    /// Measures it while this test does nothing.
    pub(crate) fn of_idle_machine() -> Self {
        let before = Usage::read();
        let begun = now();
        let late = lateness();
        let mut noise = before.until(&Usage::read(), begun.elapsed());
        noise.late = late;
        noise
    }

    /// Why a test about time can state nothing on this machine, if it cannot.
    pub(crate) fn forbids(&self) -> Option<String> {
        let Self { stolen, others, late } = *self;
        let mut why = Vec::new();
        if stolen > USED_MAX {
            why.push(format!("the host took {:.0} % of a core", stolen * 100.0));
        }
        if others > USED_MAX {
            why.push(format!("other processes used {:.0} % of a core", others * 100.0));
        }
        if late > LATE_MAX {
            why.push(format!("the timer was {:.1} ms late", late.as_secs_f64() * 1e3));
        }
        (!why.is_empty()).then(|| why.join(", "))
    }

    /// A machine whose host took away so much of a core.
    #[cfg(test)]
    pub(crate) fn stolen(stolen: f64) -> Self {
        Self { stolen, ..Self::default() }
    }

    fn worst(self, other: Self) -> Self {
        Self {
            stolen: self.stolen.max(other.stolen),
            others: self.others.max(other.others),
            late: self.late.max(other.late),
        }
    }
}

/// A thread that measures the noise beside a test.
pub(crate) struct Watch {
    over: Sender<()>,
    thread: JoinHandle<Noise>,
}

impl Watch {
    pub(crate) fn start() -> Self {
        set_child_subreaper(Some(Pid::INIT)).expect("any process may be a reaper");
        let (over, ended) = mpsc::channel();
        let thread = thread::spawn(move || {
            let (mut noise, mut before, mut begun) = (Noise::default(), Usage::read(), now());
            while ended.recv_timeout(SAMPLE) == Err(RecvTimeoutError::Timeout) {
                let usage = Usage::read();
                noise = noise.worst(before.until(&usage, begun.elapsed()));
                (before, begun) = (usage, now());
            }
            noise
        });
        Self { over, thread }
    }

    pub(crate) fn stop(self) -> Noise {
        drop(self.over);
        self.thread.join().expect("reading counters does not fail")
    }
}

/// Processor time since the machine started, in ticks of ten milliseconds.
#[derive(Debug, Default)]
struct Usage {
    stolen: u64,
    others: u64,
}

impl Usage {
    fn read() -> Self {
        let cpu = fs::read_to_string("/proc/stat").unwrap_or_default();
        let stolen =
            cpu.lines().next().and_then(|line| line.split_whitespace().nth(8)?.parse().ok());
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let stats = processes.filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((id, Process::parse(&stat)?))
        });
        let others = others(std::process::id(), &stats.collect());
        Self { stolen: stolen.unwrap_or(0), others }
    }

    fn until(&self, later: &Self, took: Duration) -> Noise {
        let cores = |before: u64, after: u64| {
            after.saturating_sub(before) as f64 / 100.0 / took.as_secs_f64()
        };
        let stolen = cores(self.stolen, later.stolen);
        let others = cores(self.others, later.others);
        Noise { stolen, others, late: Duration::ZERO }
    }
}

/// What `/proc/PID/stat` says of a process: its parent, and the ticks that it and its ended children have used.
#[derive(Debug, PartialEq)]
struct Process {
    parent: u32,
    used: u64,
}

impl Process {
    fn parse(stat: &str) -> Option<Self> {
        // The name in parentheses may contain spaces and parentheses.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let parent = fields.get(1)?.parse().ok()?;
        let used = fields.get(11..15)?.iter().map(|ticks| ticks.parse::<u64>().unwrap_or(0)).sum();
        Some(Self { parent, used })
    }
}

/// The ticks of all processes that neither descend from `own` nor are threads of the kernel, whose work for the network
/// is done for a test.
fn others(own: u32, processes: &BTreeMap<u32, Process>) -> u64 {
    const KERNEL: u32 = 2;
    let descends = |mut id: u32| {
        let mut seen = BTreeSet::new();
        while id != own && id != KERNEL && seen.insert(id) {
            let Some(process) = processes.get(&id) else { return false };
            id = process.parent;
        }
        id == own || id == KERNEL
    };
    processes.iter().filter(|(id, _)| !descends(**id)).map(|(_, process)| process.used).sum()
}

#[expect(clippy::disallowed_methods, reason = "the timer of this machine is what is measured")]
fn lateness() -> Duration {
    let mut late: Vec<Duration> = (0..SLEEPS)
        .map(|_| {
            let begun = Instant::now();
            thread::sleep(SLEEP);
            begun.elapsed().saturating_sub(SLEEP)
        })
        .collect();
    late.sort_unstable();
    late[SLEEPS - 1 - SLEEPS / 100]
}

#[expect(clippy::disallowed_methods, reason = "what others use in real time is measured")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_excludes_own_children_and_kernel_threads() {
        let stats = [
            (1, "1 (init) S 0 1 1 0 -1 0 0 0 0 0 1 2 3 4 20 0"),
            (2, "2 (kthreadd) S 0 0 0 0 -1 0 0 0 0 0 100 0 0 0 20 0"),
            (3, "3 (ksoftirqd/0) S 2 0 0 0 -1 0 0 0 0 0 100 0 0 0 20 0"),
            (10, "10 (a b) c) S 1 1 1 0 -1 0 0 0 0 0 1000 0 0 0 20 0"),
            (11, "11 (slapd) S 10 1 1 0 -1 0 0 0 0 0 1000 1000 0 0 20 0"),
            (12, "12 (cc) R 1 1 1 0 -1 0 0 0 0 0 20 30 0 0 20 0"),
        ];
        let parsed = stats.map(|(id, stat)| (id, Process::parse(stat).expect("it is whole")));
        assert_eq!(parsed[3].1, Process { parent: 1, used: 1000 });
        let processes = BTreeMap::from(parsed);
        assert_eq!(others(10, &processes), 10 + 50);
        assert_eq!(others(12, &processes), 10 + 3000);
        assert_eq!(Process::parse("10 (cut"), None);
    }

    #[test]
    fn noise_limits_and_their_texts() {
        assert_eq!(Noise::default().forbids(), None);
        let quiet = Noise { stolen: 0.19, others: 0.19, late: LATE_MAX };
        assert_eq!(quiet.forbids(), None);
        let stolen = Noise { stolen: 0.3, ..quiet };
        let others = Noise { others: 0.5, ..quiet };
        let late = Noise { late: Duration::from_micros(4_200), ..quiet };
        assert_eq!(stolen.forbids().unwrap(), "the host took 30 % of a core");
        assert_eq!(
            stolen.worst(others).worst(late).forbids().unwrap(),
            "the host took 30 % of a core, other processes used 50 % of a core, the timer was 4.2 ms late"
        );
    }

    #[test]
    fn noise_is_counted_in_cores() {
        let before = Usage { stolen: 100, others: 1000 };
        let after = Usage { stolen: 125, others: 1100 };
        let noise = before.until(&after, SAMPLE);
        assert_eq!(noise, Noise { stolen: 0.5, others: 2.0, late: Duration::ZERO });
    }

    /// A process of this machine that is no child of this one counts as another, and one that is does not.
    #[test]
    fn noise_excludes_this_process() {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let own = Process::parse(&stat).unwrap();
        let all = BTreeMap::from([(std::process::id(), own)]);
        assert_eq!(others(std::process::id(), &all), 0);
    }
}
