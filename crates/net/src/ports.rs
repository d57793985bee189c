//! [`Budget`]: whether this machine has enough ports for a plan that opens and closes connections.
//!
//! The kernel's settings are read once and the rest is arithmetic, which is shown to the user: the port of a connection
//! that this side closed first stays in `TIME_WAIT` for a minute, per pair of source address and target. Linux fixes
//! that minute; `tcp_fin_timeout` concerns another state, and `tcp_tw_recycle`, which old manuals recommend, left Linux
//! in 4.12. It must not open a connection.

use super::close::Close;
use std::fmt;
use std::path::{Path, PathBuf};

/// How many seconds Linux keeps a closed connection (`TCP_TIMEWAIT_LEN` in `include/net/tcp.h`).
const TIME_WAIT_SECONDS: f64 = 60.0;
/// After how many seconds a port in `TIME_WAIT` may be used again if `tcp_tw_reuse` allows it.
const REUSE_SECONDS: f64 = 1.0;

/// Where the kernel's `net.ipv4.tcp_tw_reuse` lets a port in `TIME_WAIT` be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// For no target.
    Never,
    /// For every target.
    Always,
    /// For targets on this machine, the default since Linux 4.19.
    Loopback,
}

/// What this machine offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The first and the last port given to connections.
    pub range: (u16, u16),
    /// How many ports of the range are reserved by `ip_local_reserved_ports`.
    pub reserved: u32,
    /// Whether waiting ports may be used again.
    pub reuse: Reuse,
}

/// What a plan requires.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Connections opened and closed again per second.
    pub churn_per_second: f64,
    /// Connections held open at the same time.
    pub open: u64,
    /// Source addresses the connections start from, at least 1.
    pub sources: usize,
    /// Distinct pairs of target address and port, at least 1.
    pub targets: usize,
    /// How connections end.
    pub close: Close,
    /// Whether every target is on this machine.
    pub loopback: bool,
}

/// A plan needs more ports than are available; contains the arithmetic and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "find enough local ports: {churn} connections/s held for {held_seconds} s each, and {open} open at once, need \
     {needed} ports, but {sources} source address(es) x {targets} target(s) x {per_pair} ports \
     ({first}-{last}{reserved}) are {available}; {remedy}"
)]
pub struct Shortage {
    churn: f64,
    held_seconds: f64,
    open: u64,
    needed: u64,
    sources: usize,
    targets: usize,
    per_pair: u32,
    first: u16,
    last: u16,
    reserved: Reserved,
    available: u64,
    remedy: Remedy,
}

/// Why the kernel's settings could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BudgetError {
    /// A file of `/proc` could not be read.
    #[error("read {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file does not have the expected content.
    #[error("understand {path}: it holds '{text}'")]
    Meaning {
        /// The file.
        path: PathBuf,
        /// Its first characters.
        text: String,
    },
}

impl Budget {
    /// The settings of the running kernel.
    pub fn read() -> Result<Self, BudgetError> {
        Self::read_from(Path::new("/proc/sys/net/ipv4"))
    }

    /// Whether the plan can run. At most [`available`](Self::available) ports can be bound at once;
    /// those in `TIME_WAIT` count as well, unless connections are reset.
    pub fn check(&self, demand: &Demand) -> Result<(), Shortage> {
        let held_seconds = self.held_seconds(demand);
        let available = self.available(demand);
        let needed = self.needed(demand);
        if needed <= available {
            return Ok(());
        }
        Err(Shortage {
            churn: demand.churn_per_second,
            held_seconds,
            open: demand.open,
            needed,
            sources: demand.sources,
            targets: demand.targets,
            per_pair: self.per_pair(),
            first: self.range.0,
            last: self.range.1,
            reserved: Reserved(self.reserved),
            available,
            remedy: Remedy {
                sources: needed
                    .div_ceil(u64::from(self.per_pair()).max(1) * demand.targets.max(1) as u64),
                held: held_seconds > REUSE_SECONDS,
                widen: self.per_pair() < 60_000,
            },
        })
    }

    /// The ports that the plan occupies at once: those of open connections and those of closed ones
    /// that are still held.
    pub fn needed(&self, demand: &Demand) -> u64 {
        (demand.churn_per_second * self.held_seconds(demand)).ceil() as u64 + demand.open
    }

    /// The ports that connections of this demand can have at once: the range, once for each pair of
    /// source address and target.
    pub fn available(&self, demand: &Demand) -> u64 {
        u64::from(self.per_pair()) * demand.sources.max(1) as u64 * demand.targets.max(1) as u64
    }

    /// The highest churn that this machine can sustain, in connections per second; infinite if no closed connection is
    /// kept.
    pub fn churn_max(&self, demand: &Demand) -> f64 {
        self.available(demand).saturating_sub(demand.open) as f64 / self.held_seconds(demand)
    }

    fn per_pair(&self) -> u32 {
        let (first, last) = self.range;
        (u32::from(last) + 1).saturating_sub(u32::from(first)).saturating_sub(self.reserved)
    }

    fn held_seconds(&self, demand: &Demand) -> f64 {
        match (demand.close, self.reuse) {
            (Close::Reset, _) => 0.0,
            (Close::Fin, Reuse::Always) => REUSE_SECONDS,
            (Close::Fin, Reuse::Loopback) if demand.loopback => REUSE_SECONDS,
            (Close::Fin, _) => TIME_WAIT_SECONDS,
        }
    }

    fn read_from(directory: &Path) -> Result<Self, BudgetError> {
        let read = |name: &str| {
            let path = directory.join(name);
            match std::fs::read_to_string(&path) {
                Ok(text) => Ok((path, text)),
                Err(error) => Err(BudgetError::Read { path, error }),
            }
        };
        let meaning = |(path, text): (PathBuf, String)| BudgetError::Meaning {
            path,
            text: text.chars().take(80).collect(),
        };
        let file = read("ip_local_port_range")?;
        let range = parse_range(&file.1).ok_or_else(|| meaning(file))?;
        let file = read("ip_local_reserved_ports")?;
        let reserved = count_reserved(&file.1, range).ok_or_else(|| meaning(file))?;
        let file = read("tcp_tw_reuse")?;
        let reuse = match file.1.trim() {
            "0" => Reuse::Never,
            "1" => Reuse::Always,
            "2" => Reuse::Loopback,
            _ => return Err(meaning(file)),
        };
        Ok(Self { range, reserved, reuse })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reserved(u32);

impl fmt::Display for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, " less {} reserved", self.0) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Remedy {
    sources: u64,
    held: bool,
    widen: bool,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "give {} source addresses (--source-ip)", self.sources)?;
        if self.held {
            f.write_str(
                ", keep connections open (-f, -F), reset them when closing, \
                 set net.ipv4.tcp_tw_reuse=1 (tcp_tw_recycle left Linux in 4.12)",
            )?;
        }
        if self.widen {
            f.write_str(", widen net.ipv4.ip_local_port_range")?;
        }
        f.write_str(", or ask for less")
    }
}

/// The two ports of `ip_local_port_range`.
fn parse_range(text: &str) -> Option<(u16, u16)> {
    let mut ports = text.split_whitespace().map(str::parse::<u16>);
    let range = (ports.next()?.ok()?, ports.next()?.ok()?);
    (range.0 <= range.1 && ports.next().is_none()).then_some(range)
}

/// How many ports of `range` the list `8080,9000-9010` reserves. The kernel prints it sorted and without overlap.
fn count_reserved(text: &str, range: (u16, u16)) -> Option<u32> {
    let mut count = 0;
    for piece in text.trim().split(',').filter(|piece| !piece.is_empty()) {
        let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
        let first = first.parse::<u16>().ok()?.max(range.0);
        let last = last.parse::<u16>().ok()?.min(range.1);
        count += (u32::from(last) + 1).saturating_sub(u32::from(first));
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Budget = Budget { range: (32768, 60999), reserved: 0, reuse: Reuse::Loopback };

    fn churn(per_second: f64) -> Demand {
        Demand {
            churn_per_second: per_second,
            open: 0,
            sources: 1,
            targets: 1,
            close: Close::Fin,
            loopback: false,
        }
    }

    #[test]
    fn port_budget_of_the_usual_range_is_470_per_second() {
        // 28,232 ports / 60 s = 470.53 a second.
        assert!(USUAL.check(&churn(470.0)).is_ok());
        assert!(USUAL.check(&churn(470.53)).is_ok());
        assert!(USUAL.check(&churn(470.6)).is_err());
        assert!((USUAL.churn_max(&churn(1.0)) - 470.533).abs() < 0.001);
    }

    #[test]
    fn port_budget_multiplies_by_source_and_target_pairs() {
        let demand = Demand { sources: 3, targets: 2, ..churn(2800.0) };
        assert_eq!(USUAL.available(&demand), 6 * 28_232);
        assert!(USUAL.check(&demand).is_ok());
        assert!(USUAL.check(&Demand { sources: 2, ..demand }).is_err());
    }

    #[test]
    fn port_budget_accounts_for_resets_and_reuse() {
        assert!(USUAL.check(&Demand { close: Close::Reset, ..churn(1e6) }).is_ok());
        assert!(USUAL.check(&Demand { loopback: true, ..churn(28_000.0) }).is_ok());
        assert!(USUAL.check(&Demand { loopback: true, ..churn(29_000.0) }).is_err());
        assert!(
            Budget { reuse: Reuse::Never, ..USUAL }
                .check(&Demand { loopback: true, ..churn(500.0) })
                .is_err()
        );
        assert!(Budget { reuse: Reuse::Always, ..USUAL }.check(&churn(28_000.0)).is_ok());
    }

    #[test]
    fn port_budget_needs_a_port_per_open_connection() {
        assert!(USUAL.check(&Demand { open: 28_232, ..churn(0.0) }).is_ok());
        let shortage = USUAL
            .check(&Demand { open: 28_233, close: Close::Reset, ..churn(0.0) })
            .unwrap_err()
            .to_string();
        assert!(shortage.contains("give 2 source addresses"), "{shortage}");
        assert!(!shortage.contains("-f, -F"), "{shortage}");
    }

    #[test]
    fn port_budget_message_shows_calculation_and_remedy() {
        let budget = Budget { reserved: 232, ..USUAL };
        let text = budget.check(&Demand { open: 10, ..churn(1000.0) }).unwrap_err().to_string();
        assert_eq!(
            text,
            "find enough local ports: 1000 connections/s held for 60 s each, and 10 open at once, need 60010 \
             ports, but \
             1 source address(es) x 1 target(s) x 28000 ports (32768-60999 less 232 reserved) are 28000; \
             give 3 source addresses (--source-ip), keep connections open (-f, -F), reset them when closing, \
             set net.ipv4.tcp_tw_reuse=1 (tcp_tw_recycle left Linux in 4.12), \
             widen net.ipv4.ip_local_port_range, or ask for less"
        );
    }

    #[test]
    fn port_budget_reads_the_kernel_files() {
        let directory = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        write("ip_local_port_range", "32768\t60999\n");
        write("ip_local_reserved_ports", "8080,32760-32770,40000\n");
        write("tcp_tw_reuse", "2\n");
        let budget = Budget::read_from(directory.path()).unwrap();
        assert_eq!(budget, Budget { reserved: 4, ..USUAL });
        write("ip_local_reserved_ports", "\n");
        assert_eq!(Budget::read_from(directory.path()).unwrap(), USUAL);
        write("ip_local_port_range", "60999 32768\n");
        let error = Budget::read_from(directory.path()).unwrap_err().to_string();
        assert!(error.contains("ip_local_port_range") && error.contains("60999 32768"), "{error}");
        assert!(Budget::read_from(&directory.path().join("nowhere")).is_err());
    }

    #[test]
    fn port_budget_of_this_kernel_is_readable() {
        let budget = Budget::read().unwrap();
        assert!(budget.per_pair() > 0);
    }
}
