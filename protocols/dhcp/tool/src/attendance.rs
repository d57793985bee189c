//! When the clients of a fleet got their leases: all of them for the first time, and all of them again after a power
//! cut.

use std::time::Duration;

use brunt_dhcp_driver::{FleetChanges, tally};

use crate::options::args::PowerCut;
use crate::report::{BAD_CHECKSUM, SERVER_QUEUE};

/// The names of their counts in the record, in the order of `brunt_dhcp_load`.
const TALLIES: [&str; 3] =
    ["clients with a lease", "clients that lost power", "clients back after the power cut"];

/// The names of everything that is counted beside exchanges: by the driver, for a fleet's clients, by the kernel, and
/// in the server's queue, if that is visible.
pub(crate) fn tallies(v6: bool, fleet: bool, queue: bool) -> Vec<String> {
    let mut names = tally::names(v6);
    names.push(BAD_CHECKSUM.to_owned());
    names.extend(TALLIES.into_iter().filter(|_| fleet).map(str::to_owned));
    names.extend(queue.then(|| SERVER_QUEUE.to_owned()));
    names
}

/// The lines about this number of clients in a run of this length.
pub(crate) fn lines(
    attendance: &FleetChanges,
    clients: u64,
    cut: Option<PowerCut>,
    lasted: Duration,
) -> Vec<String> {
    let (up, first) = attendance.up;
    let mut lines = vec![match up {
        0 => format!("none of the {clients} clients got a lease"),
        _ if up >= clients => format!("all {clients} clients had had a lease by {}", at(first)),
        _ => format!(
            "{up} of {clients} clients got a lease, the last of them at {}; {} got none",
            at(first),
            clients - up
        ),
    }];
    // The leases that a client loses at the cut are known in advance.
    let Some(cut) = cut.filter(|cut| lasted > cut.at) else { return lines };
    let (lost, (back, latest)) = (attendance.lost, attendance.back);
    let power = format!("{lost} clients that lost power at {}", at(cut.at));
    lines.push(match back {
        _ if lost == 0 => format!("no client was up when the power failed at {}", at(cut.at)),
        0 => format!("none of the {power} had a lease again"),
        _ if back >= lost => format!(
            "all {power} had a lease again by {}, {:.1} s later",
            at(latest),
            latest.saturating_sub(cut.at).as_secs_f64()
        ),
        _ => format!(
            "{back} of the {power} had a lease again, the last of them at {}; {} had none when the run ended",
            at(latest),
            lost - back
        ),
    });
    lines
}

fn at(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUT: PowerCut = PowerCut { at: Duration::from_secs(60), within: Duration::from_secs(5) };

    #[test]
    fn attendance_is_reported_when_complete() {
        let seconds = Duration::from_secs;
        let of = |up, lost, back, cut, lasted| {
            let (up, back) = ((up, seconds(9)), (back, Duration::from_millis(67_300)));
            lines(&FleetChanges { up, lost, back }, 50, cut, seconds(lasted)).join("; ")
        };
        assert_eq!(of(50, 0, 0, None, 100), "all 50 clients had had a lease by 9.0 s");
        assert_eq!(of(0, 0, 0, None, 100), "none of the 50 clients got a lease");
        assert_eq!(
            of(50, 48, 48, Some(CUT), 100),
            "all 50 clients had had a lease by 9.0 s; all 48 clients that lost power at 60.0 s had a lease again by \
             67.3 s, 7.3 s later"
        );
        assert_eq!(
            of(49, 48, 40, Some(CUT), 100),
            "49 of 50 clients got a lease, the last of them at 9.0 s; 1 got none; 40 of the 48 clients that lost \
             power at 60.0 s had a lease again, the last of them at 67.3 s; 8 had none when the run ended"
        );
        assert_eq!(of(50, 48, 0, Some(CUT), 59), "all 50 clients had had a lease by 9.0 s");
        assert!(of(50, 48, 0, Some(CUT), 61).ends_with("60.0 s had a lease again"));
        assert!(
            of(50, 0, 0, Some(CUT), 61)
                .ends_with("no client was up when the power failed at 60.0 s")
        );
    }
}
