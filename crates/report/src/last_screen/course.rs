//! How the run went over time, a line for each figure, and what failed.

use super::{label, millis};
use crate::failures;
use crate::figure::{printable, rate, thousands};
use crate::screen::Screen;
use crate::wrapped::shortened;
use brunt_record::{Phase, Record, StepRecord};

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', ',', '-', '=', '+', '*', '#'];
/// With fewer steps nothing can be seen.
const STEPS_MIN: usize = 2;
/// The names of figures; the first three are of an overload.
pub(super) const NAMES: [&str; 5] = ["offered", "achieved", "waiting", "p99 over time", "failed"];
/// How wide a line is, and the room for the figure after it.
const WIDE: usize = 44;
const FIGURE: usize = 21;

/// The lines.
pub(super) fn lines(record: &Record, screen: Screen, room: usize, width: usize) -> Vec<String> {
    if record.counts.ok == 0 {
        return Vec::new();
    }
    let steps: Vec<&StepRecord> =
        record.series.iter().filter(|step| step.phase == Phase::Steady).collect();
    let mut lines = Vec::new();
    if let Some(why) = failures(record) {
        let note = format!("{}{}", label(NAMES[4]), printable(&why));
        lines.push(shortened(&note, width, screen.either("…", "..")));
    }
    if steps.len() >= STEPS_MIN {
        let until = record.rates.from_s + record.rates.seconds;
        let overload = record.rates.overload.as_ref().map(|_| overload(&steps, until));
        let figures: Vec<FigureLine> =
            overload.into_iter().flatten().chain(slowest(record, &steps)).collect();
        let drawn = figures.iter().map(|figure| figure.line(screen, width));
        let failed = std::mem::replace(&mut lines, drawn.collect());
        lines.extend(failed);
    }
    lines.truncate(room);
    lines
}

/// A figure over time.
struct FigureLine {
    name: &'static str,
    values: Vec<f64>,
    note: String,
}

impl FigureLine {
    fn line(&self, screen: Screen, width: usize) -> String {
        let name = label(self.name);
        let room = width.saturating_sub(name.chars().count() + FIGURE).clamp(1, WIDE);
        let drawn = drawn(&self.values, room, screen);
        format!("{name}{drawn}  {}", self.note)
    }
}

/// What was offered and achieved, and how much waited. The last step continues after the end of the load, when nothing
/// is offered any more.
fn overload(steps: &[&StepRecord], until: f64) -> Vec<FigureLine> {
    let per_second =
        |count: u64, lasted: f64| if lasted > 0.0 { count as f64 / lasted } else { 0.0 };
    let of = |figure: &dyn Fn(&StepRecord) -> f64| -> Vec<f64> {
        steps.iter().map(|step| figure(step)).collect()
    };
    let offered = of(&|step| per_second(step.due.planned, step.to_s.min(until) - step.from_s));
    let answered = |step: &StepRecord| step.ended.ok + step.ended.failed;
    let achieved = of(&|step| per_second(answered(step), step.to_s - step.from_s));
    let waiting = of(&|step| step.backlog_peak as f64);
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    // One scale for both rates, so that their lines can be compared.
    let note = [&offered, &achieved].map(|values| format!("at most {}/s", rate(most(values))));
    let waited = format!("at most {}", thousands(most(&waiting) as u64));
    let scale = most(&offered).max(most(&achieved)).max(f64::MIN_POSITIVE);
    let scaled = |values: Vec<f64>| values.into_iter().map(|value| value / scale).collect();
    let [offered_note, achieved_note] = note;
    vec![
        FigureLine { name: NAMES[0], values: scaled(offered), note: offered_note },
        FigureLine { name: NAMES[1], values: scaled(achieved), note: achieved_note },
        FigureLine { name: NAMES[2], values: relative(waiting), note: waited },
    ]
}

/// The highest p99 of an operation in each step.
fn slowest(record: &Record, steps: &[&StepRecord]) -> Option<FigureLine> {
    let of = |step: &&StepRecord| {
        let percentiles =
            step.operations.iter().flat_map(|operation| &operation.response.percentiles);
        let p99 = percentiles.filter(|it| (it.percentile - 99.0).abs() < 1e-9).map(|it| it.us);
        p99.fold(0.0, f64::max)
    };
    let values: Vec<f64> = steps.iter().map(of).collect();
    let (at, most) = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    let since = steps[at].from_s - record.rates.from_s;
    let note = format!("{} ms at {:.0} s", millis(*most), since.max(0.0));
    (*most > 0.0).then(|| FigureLine { name: NAMES[3], values: relative(values), note })
}

/// Shares of the greatest.
fn relative(values: Vec<f64>) -> Vec<f64> {
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    values.into_iter().map(|value| value / most).collect()
}

/// Shares from 0 to 1 as characters: of several steps in one place the greatest is drawn.
fn drawn(shares: &[f64], room: usize, screen: Screen) -> String {
    let places = room.min(shares.len());
    let looks = screen.either(BLOCKS, ASCII);
    let place = |place: usize| {
        let (from, to) = (place * shares.len() / places, (place + 1) * shares.len() / places);
        let most = shares[from..to].iter().copied().fold(0.0, f64::max);
        looks[((most * 7.0).round() as usize).min(7)]
    };
    (0..places).map(place).collect()
}
