//! The use of the cores since the machine started, from `/proc/stat`, for the cores that this process may use.

use super::counter_file::CounterFile;
use std::time::Duration;

/// Cumulative times, over several cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CoreTimes {
    /// Time in which some process or the kernel ran.
    pub(super) busy: Duration,
    /// Time in which a hypervisor ran something else although this machine had work.
    pub(super) steal: Duration,
}

/// The counters of some cores.
#[derive(Debug)]
pub(super) struct CoreTicks {
    file: Option<CounterFile>,
    cores: Vec<usize>,
}

impl CoreTicks {
    /// Those of `cores`.
    pub(super) fn of(cores: Vec<usize>) -> Self {
        Self { file: CounterFile::open("/proc/stat"), cores }
    }

    /// How many cores there are.
    pub(super) const fn cores(&self) -> u32 {
        self.cores.len() as u32
    }

    /// The current times, if they can be read.
    pub(super) fn read(&mut self) -> Option<CoreTimes> {
        let text = self.file.as_mut()?.read()?;
        Some(parse(text, &self.cores, rustix::param::clock_ticks_per_second()))
    }
}

/// Adds up the lines of `cores`. A line is `cpu3 user nice system idle iowait irq softirq steal guest guest_nice`, in
/// ticks; guests are counted in `user` and `nice` already.
fn parse(text: &str, cores: &[usize], ticks_per_second: u64) -> CoreTimes {
    let (mut busy, mut steal) = (0, 0);
    for line in text.lines() {
        let mut fields = line.split_ascii_whitespace();
        let name = fields.next().and_then(|name| name.strip_prefix("cpu"));
        // The line with the sum of all cores has no number.
        let Some(core) = name.and_then(|number| number.parse().ok()) else { continue };
        if !cores.contains(&core) {
            continue;
        }
        let ticks: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
        if let [user, nice, system, _idle, _iowait, irq, softirq, rest @ ..] = ticks.as_slice() {
            busy += user + nice + system + irq + softirq;
            steal += rest.first().copied().unwrap_or(0);
        }
    }
    let time = |ticks: u64| Duration::from_secs(ticks) / ticks_per_second.max(1) as u32;
    CoreTimes { busy: time(busy), steal: time(steal) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "\
cpu  600 6 66 6000 60 6 12 30 100 0
cpu0 100 1 11 1000 10 1 2 5 50 0
cpu1 200 2 22 2000 20 2 4 10 50 0
cpu12 300 3 33 3000 30 3 6 15 0 0
intr 598094 0 0 0
ctxt 1990473
btime 1700000000
";

    #[test]
    fn requested_cores_are_added_up() {
        let times = parse(STAT, &[1], 100);
        assert_eq!(times.busy, Duration::from_millis(2300));
        assert_eq!(times.steal, Duration::from_millis(100));
        let times = parse(STAT, &[0, 12], 100);
        assert_eq!(times.busy, Duration::from_millis(1150 + 3450));
        assert_eq!(times.steal, Duration::from_millis(200));
    }

    #[test]
    fn tick_length_comes_from_the_kernel() {
        assert_eq!(parse(STAT, &[1], 1000).busy, Duration::from_millis(230));
        assert_eq!(parse(STAT, &[1], 0).busy, Duration::from_secs(230));
    }

    #[test]
    fn short_or_unknown_stat_lines_are_tolerated() {
        let old = parse("cpu0 100 0 50 1000 0 5 5\n", &[0], 100);
        assert_eq!(old, CoreTimes { busy: Duration::from_millis(1600), steal: Duration::ZERO });
        assert_eq!(parse("cpu0 100 0\ncpuX 1 1 1 1 1 1 1 1\n", &[0], 100), CoreTimes::default());
        assert_eq!(parse("", &[0], 100), CoreTimes::default());
    }
}
