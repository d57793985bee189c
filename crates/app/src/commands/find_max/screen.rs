//! [`Screen`]: shows the progress of a search on standard error.
//!
//! The objectives and the duration of the search come first; then a row for each step that is over, and one line that
//! is updated in place for the current step. Nothing of this is a result: results are printed when the search is over.

use std::time::Duration;

use brunt_capacity::{Goals, Kind, Order, Progress, Settings, Step, Verdict};
use brunt_record::{Histogram, Interval, Phase};
use brunt_report::figure::thousands;
use brunt_run::Console;
use brunt_run::Subject;
use brunt_run::console::StatusLine;

use super::search_observer::SearchObserver;

/// The titles of a row's figures.
const TITLES: [&str; 6] = ["time", "step", "rate", "p50", "p99", "errors"];
/// A verdict is never cut to fewer characters than this, even on a narrow screen.
const WORDS_MIN: usize = 24;

/// Shows the progress of a search.
pub(super) struct Screen {
    console: Console,
    line: StatusLine,
    /// The text of the status line about the current step: its kind and rate, and why it is made.
    doing: String,
    why: String,
    /// The text of the status line about what is known so far.
    known: String,
    /// Seconds since the search began.
    elapsed_s: f64,
}

impl Screen {
    pub(super) fn new(console: &Console) -> Self {
        Self {
            console: console.clone(),
            line: StatusLine::new(console),
            doing: String::new(),
            why: String::new(),
            known: String::new(),
            elapsed_s: 0.0,
        }
    }

    /// Shows how far the step is, and as much of what is known as there is room for.
    fn show(&self, elapsed_s: f64, at: &str, p99: &str) {
        // The last column stays free.
        let room = self.console.screen_of_stderr().width.saturating_sub(1);
        let begin = format!("{} {} {at}: {}", clock(elapsed_s), self.doing, self.why);
        self.line.show(&with_room(begin, &[p99, &self.known], room));
    }
}

impl SearchObserver for Screen {
    fn opens(&mut self, subject: &Subject, goals: &Goals, settings: &Settings) {
        let of = subject.command.first().map_or("", String::as_str);
        let given: Vec<&str> = goals.given().collect();
        let added: Vec<&str> = goals.added().collect();
        let added =
            if added.is_empty() { String::new() } else { format!("; added: {}", added.join(", ")) };
        self.console.message(&format!(
            "Finding the highest rate of {of} on {} that meets {}{added}.",
            subject.target,
            given.join(", ")
        ));
        if subject.iterations {
            self.console.message("Rates count iterations of the plan.");
        }
        let (usual, longest) = settings.expected_s();
        self.console.message(&format!(
            "The search usually takes {} and at most {}. ^C ends it and shows the result so far.",
            minutes(usual),
            minutes(longest)
        ));
        self.console.message(&format!(
            "A claimed rate was held for {} s: events less often than every {:.0} s can be missed.\n",
            settings.confirm_s,
            f64::from(settings.confirm_s) / 10.0
        ));
        self.console.message(&format!("{}verdict", columns(&TITLES)));
    }

    fn begins(&mut self, order: &Order) {
        let at = order.rate.map_or_else(|| "one session".to_owned(), per_second);
        self.doing = format!("{} {at}", order.kind.word());
        self.why.clone_from(&order.why);
        let idle = order.idle.as_secs();
        let waits = if idle > 0 { format!("no load for {idle} s") } else { "begins".to_owned() };
        self.show(self.elapsed_s, &waits, "");
    }

    fn second(&mut self, interval: &Interval, seconds: u32, of: u32) {
        if !self.line.shows() {
            return;
        }
        let at = match interval.phase {
            Phase::Steady => format!("{}/{of} s", seconds + 1),
            phase => phase.word().to_owned(),
        };
        let mut response = Histogram::new();
        interval.operations.iter().for_each(|it| response.merge(&it.response.due()));
        let p99 = response
            .quantile(0.99)
            .map_or(String::new(), |p99| format!("p99 {}", milliseconds(p99.as_secs_f64())));
        self.show(self.elapsed_s + interval.to.as_secs_f64(), &at, &p99);
    }

    fn judged(&mut self, step: &Step, progress: &Progress) {
        self.elapsed_s = progress.elapsed_s;
        let bound = |what: &str, rate: Option<f64>| {
            rate.map_or(String::new(), |rate| format!(", {what} {}", per_second(rate)))
        };
        let known = bound("passed", progress.passed) + &bound("failed", progress.failed);
        self.known = if known.is_empty() { known } else { format!("so far{}", &known[1..]) };
        let before = columns(&TITLES).len();
        let most = || self.console.screen_of_stderr().width.saturating_sub(before).max(WORDS_MIN);
        // Lines are not folded in a log, so there is room for the whole text.
        let room = if self.line.shows() { most() } else { usize::MAX };
        let row = row(step, progress.elapsed_s);
        self.console.message(&format!("{row}{}", cut(&row_words(step, room), room)));
    }

    fn closes(&mut self) {
        self.line.clear();
    }
}

/// The figures of a step.
fn row(step: &Step, elapsed_s: f64) -> String {
    let rate = step.order.rate.or(step.measured.achieved).map_or("-".to_owned(), per_second);
    let figures = &step.measured;
    columns(&[
        &clock(elapsed_s),
        step.order.kind.word(),
        &rate,
        &milliseconds(figures.response.p50_s),
        &milliseconds(figures.response.p99_s),
        &share(figures.errors),
    ])
}

/// The beginning of a row, with the same column widths in all rows.
fn columns([time, step, rate, p50, p99, errors]: &[&str; 6]) -> String {
    format!("{time:>6}  {step:<8} {rate:>9} {p50:>9} {p99:>9} {errors:>6}  ")
}

/// The conclusion from a step: in full where there is room, else in as few words as possible.
fn row_words(step: &Step, room: usize) -> String {
    let words = match (step.verdict, step.order.kind) {
        (Verdict::None, Kind::Baseline) => "unloaded".to_owned(),
        (Verdict::None, _) | (_, Kind::Sentinel) => step.why.clone(),
        (verdict, _) => format!("{verdict}: {}", step.why),
    };
    if words.chars().count() <= room { words } else { few_words(step, room).unwrap_or(words) }
}

fn few_words(step: &Step, room: usize) -> Option<String> {
    let verdict = step.verdict;
    if step.order.kind == Kind::Sentinel {
        return Some(format!("service {:.3} ms", 1e3 * step.measured.service.mean_s));
    }
    if verdict == Verdict::Void {
        return Some(format!("void: {}", step.why.split(':').next().unwrap_or_default()));
    }
    let evidence = step.evidence.as_ref()?;
    if evidence.at_once {
        return Some(format!("{verdict}: over half is bad"));
    }
    if evidence.grows {
        return Some(format!("{verdict}: the queue grows"));
    }
    let worst = evidence.worst()?;
    let bad = share(worst.share);
    let verdict = if verdict == Verdict::Undecided { "unclear" } else { verdict.word() };
    Some(if worst.is_mean() {
        format!("{verdict}: mean {}", milliseconds(worst.share))
    } else {
        let whole = format!("{verdict}: {} {bad}", worst.objective);
        if whole.chars().count() <= room { whole } else { format!("{verdict}: {bad} bad") }
    })
}

/// A text, followed by as many of these additions as there is room for.
fn with_room(mut text: String, more: &[&str], room: usize) -> String {
    for part in more.iter().filter(|part| !part.is_empty()) {
        if text.chars().count() + 3 + part.chars().count() <= room {
            text.push_str(" | ");
            text.push_str(part);
        }
    }
    cut(&text, room)
}

/// As much of a text as there is room for.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(2)).chain("..".chars()).collect()
}

/// A rate, with as many digits as are significant.
pub(super) fn per_second(rate: f64) -> String {
    if rate >= 100.0 {
        format!("{}/s", thousands(rate.round() as u64))
    } else {
        format!("{rate:.1}/s")
    }
}

pub(super) fn milliseconds(seconds: f64) -> String {
    match seconds * 1e3 {
        none if none <= 0.0 => "-".to_owned(),
        long if long >= 100.0 => format!("{} ms", thousands(long.round() as u64)),
        time if time >= 10.0 => format!("{time:.1} ms"),
        short => format!("{short:.2} ms"),
    }
}

fn share(share: f64) -> String {
    match share * 100.0 {
        none if none <= 0.0 => "0%".to_owned(),
        few if few < 0.01 => "<0.01%".to_owned(),
        some if some < 10.0 => format!("{some:.2}%"),
        many => format!("{many:.0}%"),
    }
}

/// `12:07`
fn clock(seconds: f64) -> String {
    let seconds = Duration::from_secs_f64(seconds.max(0.0)).as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

fn minutes(seconds: f64) -> String {
    let minutes = (seconds / 60.0).ceil();
    if minutes <= 1.0 { "a minute".to_owned() } else { format!("{minutes:.0} minutes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_figures_are_short() {
        assert_eq!((per_second(8_192.4), per_second(30.83)), ("8,192/s".into(), "30.8/s".into()));
        let times = [0.0, 0.000_21, 0.0123, 1.5].map(milliseconds);
        assert_eq!(times, ["-", "0.21 ms", "12.3 ms", "1,500 ms"]);
        assert_eq!([0.0, 0.000_01, 0.0123, 0.5].map(share), ["0%", "<0.01%", "1.23%", "50%"]);
        assert_eq!((cut("12345", 5), cut("123456", 5)), ("12345".into(), "123..".into()));
        let longest = ["12:07", "sentinel", "123,456/s", "12,345 ms", "12,345 ms", "<0.01%"];
        assert_eq!(columns(&longest).len(), columns(&TITLES).len());
        let line = |room| with_room("0:12 ramp".to_owned(), &["p99 5 ms", "so far"], room);
        assert_eq!(line(40), "0:12 ramp | p99 5 ms | so far");
        // An addition that has no room is left out, and a shorter one may still fit.
        assert_eq!((line(18), line(8)), ("0:12 ramp | so far".into(), "0:12 r..".into()));
        assert_eq!((clock(727.9), minutes(61.0)), ("12:07".into(), "2 minutes".into()));
    }
}
