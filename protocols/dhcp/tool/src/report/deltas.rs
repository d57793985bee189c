//! What happened since the last line of `-t`, beside its sums: what was offered, sent, received and dropped.

use std::time::Duration;

use super::{Exchanges, LineForm, StageFigures};

/// Remembers where the last line stood.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deltas {
    due: u64,
    dropped: u64,
    stages: Vec<[u64; 3]>,
}

/// The counts of a stage, in the order of the columns.
const fn stands(stage: &StageFigures) -> [u64; 3] {
    [stage.sent, stage.received, stage.drops]
}

const COLUMNS: [&str; 3] = ["sent", "received", "drops"];

impl Deltas {
    /// The line for what happened in this time, which follows the line of the sums; with a separator, further values of
    /// the same line. `due` and `dropped` are exchanges so far: all that the load requested, and those of them that
    /// could not be started.
    pub(crate) fn line(
        &mut self,
        figures: &Exchanges,
        (due, dropped): (u64, u64),
        over: Duration,
        dress: LineForm<'_>,
    ) -> String {
        let seconds = over.as_secs_f64();
        let rate = |now: u64, before: u64| {
            let more = now.saturating_sub(before) as f64;
            if seconds > 0.0 { (more / seconds).round() } else { 0.0 }
        };
        self.stages.resize(figures.stages.len(), [0; 3]);
        let now: Vec<[u64; 3]> = figures.stages.iter().map(stands).collect();
        let of = |column: usize| {
            let stages = now.iter().zip(&self.stages);
            stages.map(move |(now, before)| rate(now[column], before[column]).to_string())
        };
        let offered = [rate(due, self.due), rate(dropped, self.dropped)].map(|it| it.to_string());
        let line = match dress {
            LineForm::Bare(between) => {
                let columns = (0..COLUMNS.len()).flat_map(of);
                let values: Vec<String> = offered.iter().cloned().chain(columns).collect();
                values.join(between)
            }
            LineForm::Kea | LineForm::Guide => {
                let column =
                    |(at, name)| format!("{name}: {}", of(at).collect::<Vec<_>>().join("/"));
                let columns: Vec<String> = COLUMNS.into_iter().enumerate().map(column).collect();
                let [due, dropped] = &offered;
                format!(
                    "  per second, last {seconds:.1} s: offered: {due}; not started: {dropped}; {}",
                    columns.join("; ")
                )
            }
        };
        (self.due, self.dropped, self.stages) = (due, dropped, now);
        line + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::nothing;
    use super::*;

    fn stages(counts: &[[u64; 3]]) -> Exchanges {
        let stages = counts.iter().map(|&[sent, received, drops]| StageFigures {
            sent,
            received,
            drops,
            ..StageFigures::default()
        });
        Exchanges { stages: stages.collect(), ..nothing() }
    }

    #[test]
    fn deltas_cover_the_time_since_the_last_line() {
        let mut deltas = Deltas::default();
        let second = Duration::from_secs(1);
        let first = stages(&[[100, 98, 0], [98, 98, 0]]);
        assert_eq!(
            deltas.line(&first, (100, 0), second, LineForm::Kea),
            "  per second, last 1.0 s: offered: 100; not started: 0; sent: 100/98; received: 98/98; drops: 0/0\n"
        );
        let then = stages(&[[400, 300, 90], [298, 200, 10]]);
        let line = deltas.line(&then, (600, 200), 2 * second, LineForm::Bare(","));
        assert_eq!(line, "250,100,150,100,101,51,45,5\n");
        let still = deltas.line(&then, (600, 200), second, LineForm::Guide);
        assert!(
            still.ends_with("offered: 0; not started: 0; sent: 0/0; received: 0/0; drops: 0/0\n")
        );
    }
}
