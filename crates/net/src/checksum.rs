//! [`ChecksumErrors`]: datagrams that the kernel dropped because their UDP checksum was wrong.
//!
//! The kernel counts such a datagram among the drops of the socket that it was for (`sk_drops`), as if the socket's
//! buffer had been full, but also as `InCsumErrors` of the network namespace (`/proc/net/snmp`, `/proc/net/snmp6`).
//! These are counted before the drop is, so drops of a socket are read first. It must not depend on a socket.

use std::fs;
use std::path::{Path, PathBuf};

/// The checksum errors of this network namespace, since they are watched.
#[derive(Debug)]
pub struct ChecksumErrors {
    directory: PathBuf,
    before: u64,
}

impl ChecksumErrors {
    /// Begins to watch them.
    pub fn watch() -> Self {
        Self::watch_in(Path::new("/proc/thread-self/net"))
    }

    fn watch_in(directory: &Path) -> Self {
        let mut watch = Self { directory: directory.to_owned(), before: 0 };
        watch.before = watch.counted();
        watch
    }

    /// How many there were since then; none if they cannot be read.
    pub fn grown(&self) -> u64 {
        self.counted().saturating_sub(self.before)
    }

    fn counted(&self) -> u64 {
        let table = |name| fs::read_to_string(self.directory.join(name)).unwrap_or_default();
        v4(&table("snmp")).unwrap_or(0) + v6(&table("snmp6")).unwrap_or(0)
    }
}

/// Reads the two lines of UDP: names, and the figures below them.
fn v4(table: &str) -> Option<u64> {
    let mut lines = table.lines().filter_map(|line| line.strip_prefix("Udp: "));
    let (names, figures) = (lines.next()?, lines.next()?);
    let at = names.split_whitespace().position(|name| name == "InCsumErrors")?;
    figures.split_whitespace().nth(at)?.parse().ok()
}

/// Reads the line of UDP over IPv6.
fn v6(table: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.strip_prefix("Udp6InCsumErrors"))?;
    line.trim().parse().ok()
}

/// Which of the drops of several sockets checksum errors explain.
#[derive(Debug)]
pub struct ExplainedDrops {
    errors: ChecksumErrors,
    /// Of each socket: its drops when it was last looked at, and how many of them are explained.
    sockets: Vec<(u64, u64)>,
}

impl ExplainedDrops {
    /// Begins to watch, for this number of sockets that have dropped nothing.
    pub fn watch(sockets: usize) -> Self {
        Self { errors: ChecksumErrors::watch(), sockets: vec![(0, 0); sockets] }
    }

    /// How many of the drops of a socket, of which there are this many by now, are explained. An error explains one
    /// drop, and a drop that was not explained at once remains so.
    pub fn of(&mut self, socket: usize, drops: u64) -> u64 {
        let taken = self.all();
        let Some((seen, explained)) = self.sockets.get_mut(socket) else { return 0 };
        if drops > *seen {
            let left = self.errors.grown().saturating_sub(taken);
            *explained += left.min(drops - *seen);
            *seen = drops;
        }
        *explained
    }

    /// How many of all sockets' drops are explained.
    pub fn all(&self) -> u64 {
        self.sockets.iter().map(|(_, explained)| explained).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(directory: &Path, v4: u64, v6: u64) {
        let heading =
            "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors";
        let table = format!("Ip: Forwarding\nIp: 1\n{heading}\nUdp: 9 9 9 9 9 9 {v4}\n");
        fs::write(directory.join("snmp"), table).unwrap();
        let table = format!("Udp6InDatagrams 9\nUdp6InCsumErrors                \t{v6}\n");
        fs::write(directory.join("snmp6"), table).unwrap();
    }

    #[test]
    fn checksum_errors_explain_socket_drops_once() {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), 7, 1);
        let errors = ChecksumErrors::watch_in(directory.path());
        let mut drops = ExplainedDrops { errors, sockets: vec![(0, 0); 2] };
        assert_eq!((drops.of(0, 5), drops.of(1, 0)), (0, 0), "a full buffer");
        write(directory.path(), 12, 3);
        assert_eq!((drops.of(0, 5), drops.of(0, 9)), (0, 4), "what was not explained stays so");
        assert_eq!((drops.of(1, 10), drops.of(0, 9)), (3, 4));
        assert_eq!((drops.of(1, 12), drops.all(), drops.of(2, 1)), (3, 7, 0));
    }

    #[test]
    fn checksum_errors_unreadable_explain_nothing() {
        assert_eq!(ChecksumErrors::watch_in(Path::new("/nonexistent")).grown(), 0);
        assert_eq!(v4("Udp: NoPorts\nUdp: 1\n"), None);
    }
}
