//! The kernel's counts of a host's datagrams.

use brunt_testbed::Lan;
use std::process::Command;

/// The counters of a host, since it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Datagrams {
    /// Handed to programs.
    pub(crate) received: u64,
    /// Lost because a program's receive buffer was full.
    pub(crate) lost: u64,
}

impl Datagrams {
    /// Of the clients' host.
    pub(crate) fn of_client(lan: &Lan) -> Self {
        Self::read_with(lan.client("cat"))
    }

    /// Of the server's host.
    pub(crate) fn of_server(lan: &Lan) -> Self {
        Self::read_with(lan.server("cat"))
    }

    /// What was added since `before`.
    pub(crate) const fn since(self, before: Self) -> Self {
        Self { received: self.received - before.received, lost: self.lost - before.lost }
    }

    fn read_with(mut cat: Command) -> Self {
        let output = cat.arg("/proc/net/snmp").output().expect("cat starts");
        Self::read(&String::from_utf8_lossy(&output.stdout))
            .unwrap_or_else(|| panic!("the kernel does not count datagrams: {output:?}"))
    }

    /// The counters stand on a line beneath their names.
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp: "));
        let (names, counts) = (lines.next()?, lines.next()?);
        let find = |name: &str| {
            let at = names.split_whitespace().position(|known| known == name)?;
            counts.split_whitespace().nth(at)?.parse().ok()
        };
        Some(Self { received: find("InDatagrams")?, lost: find("RcvbufErrors")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_name() {
        let text = "Tcp: RtoAlgorithm RtoMin\nTcp: 1 200\n\
            Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n\
            Udp: 81 2 30 92 28 0\nUdpLite: InDatagrams\nUdpLite: 7\n";
        let read = Datagrams::read(text).unwrap();
        assert_eq!(read, Datagrams { received: 81, lost: 28 });
        let before = Datagrams { received: 80, lost: 8 };
        assert_eq!(read.since(before), Datagrams { received: 1, lost: 20 });
        assert_eq!(Datagrams::read("Udp: InDatagrams\nUdp: 1\n"), None);
    }
}
