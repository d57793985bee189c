//! What this machine did beside the bench: figures of a shared machine also depend on its other programs.

use brunt_bench_tool::pass_for;
use std::fmt;
use std::time::Duration;

/// How long the machine is looked at before a trial.
const LOOK: Duration = Duration::from_millis(300);
/// A machine is disturbed if more than this share of its time went to others.
const SHARE_MAX: f64 = 0.1;

/// How many trials began on a machine that was busy with something else.
#[derive(Debug, Default)]
pub(crate) struct Disturbed {
    looks: u64,
    busy: u64,
}

impl Disturbed {
    /// Looks at the machine, while nothing of the bench runs.
    pub(crate) fn poll(&mut self) {
        let before = read();
        pass_for(LOOK);
        let share = before.zip(read()).and_then(|(before, after)| busy_share(before, after));
        self.add(share);
    }

    fn add(&mut self, share: Option<f64>) {
        self.looks += 1;
        self.busy += u64::from(share.is_some_and(|share| share > SHARE_MAX));
    }
}

impl fmt::Display for Disturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { looks, busy } = self;
        let percent = SHARE_MAX * 100.0;
        write!(
            f,
            "{busy} of {looks} trials began while other processes used more than {percent:.0} % of this machine."
        )?;
        if *busy > 0 {
            write!(f, " Alarms of those without trouble may be true ones.")?;
        }
        Ok(())
    }
}

/// Ticks in which the machine worked or was kept from it, and all of them.
type Ticks = (u64, u64);

fn read() -> Option<Ticks> {
    parse(&std::fs::read_to_string("/proc/stat").ok()?)
}

/// The first line: `cpu user nice system idle iowait irq softirq steal guest guest_nice`; guests are in `user` already.
fn parse(stat: &str) -> Option<Ticks> {
    let fields = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
    let ticks: Vec<u64> = fields.take(8).map_while(|field| field.parse().ok()).collect();
    let all = ticks.iter().sum::<u64>();
    let idle = ticks.get(3)? + ticks.get(4)?;
    Some((all - idle, all))
}

fn busy_share(before: Ticks, after: Ticks) -> Option<f64> {
    let (busy, all) = (after.0.saturating_sub(before.0), after.1.saturating_sub(before.1));
    (all > 0).then(|| busy as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_share_excludes_guest_ticks() {
        let before = parse("cpu  100 10 50 800 40 1 2 3 50 5\ncpu0 1 2 3\n").unwrap();
        assert_eq!(before, (166, 1006));
        let after = parse("cpu  110 10 55 880 40 1 2 8 60 5\n").unwrap();
        assert_eq!(busy_share(before, after), Some(0.2));
        assert_eq!(busy_share(after, after), None);
        assert_eq!(parse("intr 1 2 3\n"), None);
    }

    #[test]
    fn disturbance_begins_above_a_tenth() {
        let mut disturbed = Disturbed::default();
        for share in [None, Some(0.0), Some(0.1), Some(0.11)] {
            disturbed.add(share);
        }
        assert!(disturbed.to_string().starts_with("1 of 4 trials"), "{disturbed}");
    }
}
