//! What the target reported itself: a few lines for each source, those about its work first.

use brunt_record::{MonitorRecord, ReadingRecord, Record};

use super::COLUMN;
use crate::figure::{printable, short};
use crate::grid::Grid;
use crate::screen::Screen;
use crate::wrapped::wrapped;

/// How many readings of a source are shown; the record has all.
const SHOWN: usize = 6;

pub(super) fn monitors(text: &mut String, record: &Record, screen: Screen) {
    for monitor in &record.monitors {
        let node = if record.nodes.is_empty() {
            String::new()
        } else {
            format!(", node {}", monitor.node)
        };
        let title = format!("Target's own figures ({}{node})", printable(&monitor.source));
        let mut grid = Grid::new(title, ["first", "last", "per second"], COLUMN);
        for reading in shown(monitor) {
            let rate = reading.rate.map_or_else(String::new, short);
            let cells = [short(reading.first), short(reading.last), rate];
            grid.row(&format!("  {}", printable(&reading.name)), "", cells);
        }
        *text += &grid.text(screen);
        if monitor.failed > 0 {
            let why = monitor.failure.as_deref().unwrap_or("no reason given");
            let all = monitor.failed + monitor.samples;
            let line =
                format!("not read {} of {all} times: failed to {}", monitor.failed, printable(why));
            *text += &wrapped(&line, "  ", screen.columns());
        }
        text.push('\n');
    }
}

/// The readings that changed: those that only rise, by the most, come first, then those that went
/// up and down.
fn shown(monitor: &MonitorRecord) -> Vec<&ReadingRecord> {
    let mut shown: Vec<_> =
        monitor.readings.iter().filter(|reading| reading.least < reading.most).collect();
    shown.sort_by(|one, other| {
        let of = |reading: &ReadingRecord| reading.rate.unwrap_or(-1.0);
        of(other).total_cmp(&of(one))
    });
    shown.truncate(SHOWN);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::Readings;
    use std::time::Duration;

    #[test]
    fn monitor_readings_that_rose_most_come_first() {
        let mut readings = Readings::default();
        for second in 0..3_u32 {
            let values = [("slow", 1.0), ("fast", 1000.0), ("still", 0.0)];
            let values = values.map(|(name, by)| (name.to_owned(), by * f64::from(second)));
            readings.absorb(Duration::from_secs(second.into()), values);
        }
        readings.failed("ask \x1b[31m/run/kea: gone");
        let monitor = readings.record("kea:/run/kea".to_owned(), 0);
        let names: Vec<_> = shown(&monitor).iter().map(|reading| reading.name.as_str()).collect();
        assert_eq!(names, ["fast", "slow"]);
    }
}
