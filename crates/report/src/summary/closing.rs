//! The three lines at the end of every run: the result, whether the objectives were met, whether to trust it.
//!
//! They are for a reader who reads nothing else, so they use no word that they do not explain, and each can be read by
//! itself. The summary has the details.

use super::judged::found;
use super::overload::{overloaded, sessions_needed};
use super::times::millis;
use super::{coloured, met};
use crate::failures::{cause, explained, lost};
use crate::figure::{printable, thousands};
use crate::page::Page;
use crate::screen::Screen;
use crate::trust::Trust;
use crate::wrapped::wrapped;
use brunt_record::{
    Cell, Collection, HistogramError, Latency, Noun, OutcomeTone, Reach, Record, RunOutcome,
    SloOutcome, SloResult, Status,
};

/// The percentile in the result.
const PERCENTILE: f64 = 0.99;
/// The operation of the LDAP tools that search, and a tally that only they have.
const SEARCH: &str = "search";
const REFERENCES: &str = "references not followed";
const FOUND_NOTHING: &str =
    "no search found an entry: check the base DN, the filter and the rights of the bind DN";
const NO_OBJECTIVES: &str = "none were set (--slo 'p99<20ms' sets one)";

/// The three lines, each folded where it is longer than the screen is wide.
pub fn closing(record: &Record, screen: Screen) -> Result<String, HistogramError> {
    let status = record.verdict.status;
    let mut text = line("Result:", &result(record)?, screen, tone(record.outcome()));
    text += &line("Objectives:", &objectives(record), screen, worst(record.slo.iter()));
    text += &line("Trust:", &Trust::new(record).to_string(), screen, Some(status));
    Ok(text)
}

/// The three lines of a comparison of many runs, below its page.
pub fn closing_of_all(page: &Page, collection: &Collection, screen: Screen) -> String {
    let all = OfAll::new(page, collection);
    line("Result:", &all.result, screen, None)
        + &line("Objectives:", &all.objectives, screen, all.worst)
        + &line("Trust:", &all.trust, screen, Some(all.status))
}

/// The three lines for many runs.
pub(super) struct OfAll {
    pub(super) result: String,
    pub(super) objectives: String,
    /// The status of the objective that was missed by most, if there are any.
    pub(super) worst: Option<Status>,
    pub(super) trust: String,
    pub(super) status: Status,
}

impl OfAll {
    pub(super) fn new(page: &Page, collection: &Collection) -> Self {
        let records = || collection.cells.iter().filter_map(|cell| cell.record.as_deref());
        let slos: Vec<&SloResult> = records().flat_map(|record| &record.slo).collect();
        let all = collection.cells.len();
        let (due, errors) = records().fold((0, 0), |(due, errors), record| {
            (due + record.counts.due(), errors + record.counts.errors())
        });
        let (due, errors) = (thousands(due), thousands(errors));
        let many = Noun::common(records().map(|record| &record.plan.noun)).many;
        let result = format!("{all} measurements; of {due} {many}, {errors} failed");
        let not_met = slos.iter().filter(|slo| slo.outcome != SloOutcome::Met).count();
        let objectives = match (slos.len(), not_met) {
            (0, _) => NO_OBJECTIVES.to_owned(),
            (all, 0) => format!("all {all} met"),
            (all, not_met) => format!("{not_met} of {all} not met"),
        };
        let (doubtful, judged, things) = match page.doubtful {
            Some((doubtful, judged)) => (doubtful, judged, "figures"),
            None => (
                collection.cells.iter().filter(|cell| is_doubtful(cell)).count(),
                all,
                "measurements",
            ),
        };
        let trust = match doubtful {
            0 if all > 0 => "yes: no measurement is in doubt".to_owned(),
            0 => "nothing was measured".to_owned(),
            doubtful => {
                format!("in part: {doubtful} of {judged} {things} are in doubt, see the warnings")
            }
        };
        let status = if doubtful == 0 { Status::Valid } else { Status::Partial };
        Self { result, objectives, worst: worst(slos.into_iter()), trust, status }
    }
}

/// Whether the times of a cell mean nothing, or the verdict of its run speaks against them.
fn is_doubtful(cell: &Cell) -> bool {
    let judged = cell.record.as_ref().is_some_and(|record| record.verdict.status != Status::Valid);
    judged || cell.figure("invalid").is_some_and(|figure| figure != 0.0)
}

/// One line of a closing.
pub(crate) fn line(label: &str, words: &str, screen: Screen, status: Option<Status>) -> String {
    let text = wrapped(&printable(words), &format!("{label:<12}"), screen.columns());
    let dressed = match status {
        Some(status) => coloured(screen, status, label),
        None => screen.dress(super::BOLD, label),
    };
    text.replacen(label, &dressed, 1)
}

pub(super) fn result(record: &Record) -> Result<String, HistogramError> {
    let counts = &record.counts;
    if counts.due() == 0 {
        let one = &record.plan.noun.one;
        return Ok(format!("nothing was measured: no {one} was scheduled"));
    }
    let words = match (&record.rates.overload, explained(record)) {
        (_, Some(why)) if counts.ok == 0 => why,
        (Some(overload), _) => overloaded(record, overload).join("; "),
        (None, _) => {
            let succeeded = [succeeded(record)];
            super::scenarios::overloaded(record)
                .into_iter()
                .chain(succeeded)
                .collect::<Vec<_>>()
                .join("; ")
        }
    };
    let cause = cause(record).filter(|_| counts.ok > 0);
    let words = cause.into_iter().chain([words]).collect::<Vec<_>>().join("; ");
    let mut words = format!("{}: {words}", record.outcome().words().to_uppercase());
    if let Some(latency) = response(record).filter(|_| counts.ok > 0) {
        words += &tail(latency)?;
    }
    let nothing = found_nothing(record).map(str::to_owned);
    let further = [lost(record)].into_iter().chain(sessions_needed(record)).chain(nothing);
    Ok(further.fold(words, |words, more| format!("{words}; {more}")))
}

/// Said where searches of a directory succeeded and none of them found an entry, which is likely a mistake.
pub(crate) fn found_nothing(record: &Record) -> Option<&'static str> {
    let directory = record.tallies.iter().any(|tally| tally.name == REFERENCES);
    let searches = || record.operations.iter().filter(|operation| operation.name == SEARCH);
    let nothing = directory
        && searches().any(|search| search.counts.ok > 0)
        && searches().all(|search| search.counts.items == 0);
    nothing.then_some(FOUND_NOTHING)
}

/// How much succeeded while the load ran, or why that is not known.
fn succeeded(record: &Record) -> String {
    let rates = &record.rates;
    if let Some(doubt) = rates.doubt {
        return doubt.words().to_owned();
    }
    let (goodput, requested, what) = match rates.iterations {
        Some(of) => (of.goodput, of.offered, "iterations"),
        None => (rates.goodput, rates.target, &*record.plan.noun.many),
    };
    let Some(goodput) = goodput else {
        // One exchange alone has no rate.
        let [ok, due] = [record.counts.ok, record.counts.due()].map(thousands);
        return format!("{ok} of {due} {what} succeeded");
    };
    match requested {
        Some(requested) => format!("{goodput:.1} of {requested:.1} {what} a second succeeded"),
        None => format!("{goodput:.1} {what} a second succeeded"),
    }
}

/// The response times of all that was due.
pub(crate) fn response(record: &Record) -> Option<&Latency> {
    record.response.as_ref().or_else(|| met(record).next().map(|operation| &operation.response))
}

fn tail(latency: &Latency) -> Result<String, HistogramError> {
    let Some(took) = latency.histogram()?.quantile(PERCENTILE) else { return Ok(String::new()) };
    let exact = latency.waits()?.quantile(PERCENTILE).is_none_or(Reach::is_exact);
    let took = millis(took);
    Ok(if exact {
        format!("; 99% took at most {took} ms")
    } else {
        format!("; the slowest 1% took more than {took} ms")
    })
}

pub(super) fn objectives(record: &Record) -> String {
    let all = &record.slo;
    if all.is_empty() {
        return NO_OBJECTIVES.to_owned();
    }
    let of =
        |outcome| -> Vec<&SloResult> { all.iter().filter(|slo| slo.outcome == outcome).collect() };
    let found_text = |slos: &[&SloResult]| {
        let phrases = slos.iter().map(|slo| {
            let why = slo.why.as_ref().filter(|_| slo.outcome == SloOutcome::Undecided);
            let why = why.map_or_else(String::new, |why| format!(" ({why})"));
            format!("{} was {}{why}", slo.expr, found(slo, record))
        });
        phrases.collect::<Vec<_>>().join(", ")
    };
    let (missed, undecided) = (of(SloOutcome::Missed), of(SloOutcome::Undecided));
    let mut words = Vec::new();
    if !missed.is_empty() {
        words.push(format!("{} of {} missed: {}", missed.len(), all.len(), found_text(&missed)));
    }
    if !undecided.is_empty() {
        let (count, of) = (undecided.len(), all.len());
        words.push(format!("{count} of {of} undecided: {}", found_text(&undecided)));
    }
    match (words.is_empty(), all.len()) {
        (false, _) => words.join("; "),
        (true, 1) => format!("met: {}", found_text(&[&all[0]])),
        (true, count) => format!("all {count} met"),
    }
}

/// The word for an outcome in its colour.
pub(crate) fn outcome_dressed(screen: Screen, outcome: RunOutcome, word: &str) -> String {
    match tone(outcome) {
        Some(status) => coloured(screen, status, word),
        None => screen.dress(super::BOLD, word),
    }
}

/// The status that has the colour of an outcome, if it has one.
const fn tone(outcome: RunOutcome) -> Option<Status> {
    match outcome.tone() {
        OutcomeTone::Bad => Some(Status::GeneratorLimited),
        OutcomeTone::Care => Some(Status::Partial),
        OutcomeTone::Good => Some(Status::Valid),
        OutcomeTone::Plain => None,
    }
}

/// The status of the worst of them.
fn worst<'a>(slos: impl Iterator<Item = &'a SloResult>) -> Option<Status> {
    let good = slos.map(|slo| match slo.outcome {
        SloOutcome::Met => Status::Valid,
        SloOutcome::Undecided => Status::Partial,
        SloOutcome::Missed => Status::GeneratorLimited,
    });
    good.max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;
    use brunt_record::{Overload, Reason, StageOverload, TallyRecord, Verdict};

    fn lines(record: &Record) -> String {
        let screen = Screen { width: 120, ..Screen::default() };
        closing(record, screen).unwrap()
    }

    fn judged(status: Status, text: &str) -> Record {
        let reasons = vec![Reason::from_text(status, text)];
        Record { verdict: Verdict { status, reasons, ..Verdict::default() }, ..measured(&[]) }
    }

    #[test]
    fn result_uses_the_noun_of_the_protocol() {
        let mut record = measured(&[]);
        record.plan.noun = Noun::new("search", "searches");
        let text = result(&record).unwrap();
        assert!(text.contains("searches a second") && !text.contains("operation"), "{text}");
    }

    #[test]
    fn result_mentions_searches_without_entries() {
        let is_mentioned = |tally: &str, operation: &str, items: u64| {
            let mut record = measured(&[]);
            record.tallies = vec![TallyRecord { name: tally.to_owned(), count: 0 }];
            record.operations.truncate(1);
            record.operations[0].name = operation.to_owned();
            record.operations[0].counts.items = items;
            result(&record).unwrap().contains("no search found an entry")
        };
        assert!(is_mentioned("references not followed", "search", 0));
        assert!(!is_mentioned("references not followed", "search", 1));
        assert!(!is_mentioned("references not followed", "bind", 0));
        // A step of HTTP with this name finds no entries.
        assert!(!is_mentioned("http connections opened", "search", 0));
    }

    #[test]
    fn closing_has_result_objectives_and_trust() {
        let mut record = measured(&["bind.ok.p99<1ms", "goodput>=70%"]);
        record.verdict = Verdict::default();
        assert_eq!(
            lines(&record),
            "Result:     MISSED: 40.0 of 55.0 operations a second succeeded; the slowest 1% took more than 7.000 ms; \
             of 110, 20\n\
             \x20           failed, 10 were dropped unsent (27.3%)\n\
             Objectives: 1 of 2 missed: bind.ok.p99<1ms was 3.000ms\n\
             Trust:      yes: the run is complete, and brunt was not the limit\n"
        );
        record.slo.clear();
        record.counts = brunt_record::Counts::default();
        assert_eq!(
            lines(&record).lines().take(2).collect::<Vec<_>>(),
            [
                "Result:     nothing was measured: no operation was scheduled",
                "Objectives: none were set (--slo 'p99<20ms' sets one)",
            ]
        );
        assert!(lines(&measured(&["goodput>=70%"])).contains("met: goodput>=70% was 72.727%\n"));
    }

    #[test]
    fn closing_mentions_late_answers_of_an_overload() {
        let unfolded = |record: &Record| lines(record).replace("\n            ", " ");
        let mut record = measured(&[]);
        record.rates.target = Some(55.0);
        (record.rates.share, record.rates.late) = (Some(0.5), Some(40));
        assert!(
            unfolded(&record)
                .contains("of 110, 40 were answered after the load had ended, 20 failed")
        );
        record.rates.share = Some(0.999);
        assert!(!unfolded(&record).contains("after the load"));
        record.rates.doubt = Some(brunt_record::RateDoubt::LongerThanHalf);
        let text = unfolded(&record);
        assert!(text.contains(": requests take longer than half of the run: run longer"), "{text}");
        record.rates.doubt = None;
        record.rates.iterations = Some(brunt_record::IterationRates {
            offered: Some(18.0),
            achieved: Some(17.5),
            goodput: Some(17.0),
        });
        assert!(unfolded(&record).contains("17.0 of 18.0 iterations a second succeeded"));
    }

    #[test]
    fn closing_of_an_overload_names_what_limited_it() {
        let unfolded = |record: &Record| lines(record).replace("\n            ", " ");
        let mut record = measured(&[]);
        record.verdict = Verdict::default();
        record.rates.overload = Some(Overload { waiting: 40, ..Overload::default() });
        (record.rates.share, record.rates.late) = (Some(0.5), Some(40));
        let text = unfolded(&record);
        assert!(
            text.starts_with(
                "Result:     OVERLOADED: 55 operations a second offered, 50 achieved; 40 were waiting when the \
                 load ended; the slowest 1% took more than 7.000 ms; of 110, 20 failed"
            ),
            "{text}"
        );
        record.counts.dropped = 0;
        assert!(unfolded(&record).contains("when the load ended, and their number grew; "));
        record.rates.overload.as_mut().unwrap().kept_up_per_second = Some(49.0);
        record.rates.overload.as_mut().unwrap().kept_up_s = Some(4.25);
        assert!(
            unfolded(&record).contains("; the load was kept up with until 49 a second, at 4.2 s; ")
        );
        let stage = |number| StageOverload {
            number,
            from_s: 10.0,
            to_s: 20.0,
            offered: 60.0,
            waiting: 1_050,
        };
        record.plan.stages_s = vec![0.0, 10.0, 20.0];
        record.rates.seconds = 30.0;
        record.rates.overload.as_mut().unwrap().stages = vec![stage(2)];
        let one = "; stage 2 of 3 was more than could be carried: 10.0 to 20.0 s, 60 a second offered, 1,050 waiting \
                   at its end; ";
        let text = unfolded(&record);
        assert!(text.contains(one) && !text.contains("when the load ended"), "{text}");
        let last = StageOverload { to_s: 30.0, ..stage(3) };
        record.rates.overload.as_mut().unwrap().stages = vec![stage(2), last];
        let both = "; stages 2 and 3 of 3 were more than could be carried: in stage 2, 10.0 to 20.0 s, 60 ";
        let text = unfolded(&record);
        assert!(text.contains(both) && text.contains("when the load ended"), "{text}");
        // Two sessions of 50 ms carry 40 a second.
        let mut operation = record.operations[0].clone();
        operation.service.mean_us = Some(50_000.0);
        (record.operations, record.plan.sessions) = (vec![operation], 2);
        (record.rates.offered, record.rates.achieved) = (Some(90.0), Some(39.0));
        let needed = "; 2 sessions whose requests take 50.0 ms each carry 40 a second: 90 need 5, \
                      if requests take no longer then\n";
        assert!(unfolded(&record).contains(needed), "{}", unfolded(&record));
        record.rates.achieved = Some(20.0);
        assert!(!unfolded(&record).contains("each carry"));
    }

    #[test]
    fn closing_with_little_success_names_the_cause_first() {
        let unfolded = |record: &Record| lines(record).replace("\n            ", " ");
        let mut record = measured(&[]);
        record.verdict = Verdict::default();
        (record.counts.ok, record.counts.failed) = (40, 60);
        let text = unfolded(&record);
        let most =
            "Result:     MEASURED: most failed: 49 invalidCredentials 20 times; 40.0 of 55.0 ";
        assert!(text.starts_with(most), "{text}");
        (record.counts.ok, record.counts.failed) = (80, 20);
        record.rates.goodput = None;
        assert!(
            unfolded(&record).starts_with("Result:     MEASURED: 80 of 110 operations succeeded; ")
        );
        record.counts.ok = 0;
        let text = unfolded(&record);
        let nothing = "Result:     NOTHING WORKED: 49 invalidCredentials 20 times; of ";
        assert!(text.starts_with(nothing), "{text}");
        assert!(!text.contains("took"), "refusals say nothing about speed: {text}");
        record.rates.overload = Some(Overload::default());
        assert!(unfolded(&record).starts_with(nothing), "whatever else it was");
        record.verdict = Verdict::default();
        let trust = "Trust:      nothing succeeded, so this run says nothing about speed\n";
        assert!(unfolded(&record).ends_with(trust));
    }

    #[test]
    fn closing_begins_with_the_outcome_in_its_colour() {
        let colours = |record: &Record| {
            let screen = Screen { colour: true, ..Screen::default() };
            let text = closing(record, screen).unwrap();
            let (before, rest) = text.split_once("Result:").unwrap();
            let word = rest.trim_start_matches("\x1b[0m").trim_start();
            (before.to_owned(), word.split(':').next().unwrap().to_owned())
        };
        let mut record = measured(&[]);
        record.verdict = Verdict::default();
        let mut see = |code: &str, word: &str, change: &dyn Fn(&mut Record)| {
            change(&mut record);
            assert_eq!(colours(&record), (format!("\x1b[{code}m"), word.to_owned()));
        };
        see("1", "MEASURED", &|_| {});
        let met = measured(&["goodput>=70%"]).slo;
        see("1;32", "PASSED", &|record| record.slo.clone_from(&met));
        see("1;33", "UNDECIDED", &|record| record.slo[0].outcome = SloOutcome::Undecided);
        see("1;31", "MISSED", &|record| record.slo[0].outcome = SloOutcome::Missed);
        see("1;31", "OVERLOADED", &|it| it.rates.overload = Some(Overload::default()));
        see("1;33", "INCOMPLETE", &|record| record.verdict.cut_short = true);
        see("1;33", "NOT RELIABLE", &|it| it.verdict.status = Status::GeneratorLimited);
        see("1;31", "UNAVAILABLE", &|it| it.away.push(brunt_record::Away::default()));
        see("1;31", "NOTHING WORKED", &|record| record.counts.ok = 0);
    }

    #[test]
    fn closing_explains_a_doubt() {
        for (status, message) in [
            (Status::Partial, "Trust:      in part, the run is incomplete: it was cut short\n"),
            (
                Status::Unstable,
                "Trust:      with care, throughput was still changing: it was cut short\n",
            ),
            (
                Status::GeneratorLimited,
                "Trust:      no, brunt or its machine changed the figures: it was cut short\n",
            ),
        ] {
            let text = lines(&judged(status, "it was cut short; start it again"));
            assert!(text.ends_with(message), "{text}");
            assert_eq!(text.matches('\n').count() - text.matches("\n ").count(), 3, "{text}");
        }
    }

    #[test]
    fn closing_mentions_a_doubt_about_one_figure() {
        let unfolded = |record: &Record| lines(record).replace("\n            ", " ");
        let mut record = measured(&["bind.ok.p99<5ms"]);
        record.verdict = Verdict::default();
        record.verdict.own = vec![brunt_record::OwnPart {
            node: None,
            operation: "bind".to_owned(),
            percentile: 99.0,
            us: 80_800.0,
            without_own_us: 100.0,
            ours: false,
            too_few: Some(120),
        }];
        let text = unfolded(&record);
        let trust = "Trust:      yes, but the bind response time p99 is 80.8 ms with and 0.10 ms without the \
                     delay added by brunt, and 120 samples are too few to judge it\n";
        assert!(text.ends_with(trust), "{text}");
        // Where it was judged, was too high, and no cause was observed, the answer is not yes.
        record.verdict.own[0] =
            brunt_record::OwnPart { ours: true, too_few: None, ..record.verdict.own[0].clone() };
        (record.generator.timer.samples, record.generator.timer.max_us) = (100, 90_000.0);
        assert!(unfolded(&record).contains("Trust:      yes: "), "{}", unfolded(&record));
        record.generator.timer.max_us = 500.0;
        let text = unfolded(&record);
        let trust = "Trust:      with care: the bind response time p99 is 80.8 ms with and 0.10 ms without the \
                     delay added by brunt, and no cause was observed\n";
        assert!(text.ends_with(trust), "{text}");
        record.slo[0].outcome = SloOutcome::Undecided;
        record.slo[0].why = Some("without the delay added by brunt it is 0.1ms".to_owned());
        let undecided = "1 of 1 undecided: bind.ok.p99<5ms was 3.000ms (without the delay added by brunt it is \
                         0.1ms)\n";
        assert!(unfolded(&record).contains(undecided), "{}", unfolded(&record));
    }

    #[test]
    fn closing_of_a_comparison_has_three_lines() {
        let mut whole = Cell::new([("store", "memfile")]);
        let mut record = measured(&["goodput>=70%"]);
        record.verdict = Verdict::default();
        whole.record = Some(Box::new(record));
        let mut doubtful = whole.clone();
        doubtful.record = Some(Box::new(judged(Status::Partial, "it was cut short")));
        let mut collection = Collection {
            schema: String::new(),
            subject: "leases".to_owned(),
            tool: brunt_record::Tool { name: String::new(), version: String::new() },
            started: String::new(),
            command: Vec::new(),
            environment: brunt_record::Environment::default(),
            facts: [].into(),
            figures: [].into(),
            cells: vec![whole, doubtful],
        };
        let mut page = Page::new("Comparison");
        assert_eq!(
            closing_of_all(&page, &collection, Screen::default()),
            "Result:     2 measurements; of 220 operations, 40 failed\n\
             Objectives: all 1 met\n\
             Trust:      in part: 1 of 2 measurements are in doubt, see the warnings\n"
        );
        collection.cells.pop();
        let text = closing_of_all(&page, &collection, Screen::default());
        assert!(text.ends_with("Trust:      yes: no measurement is in doubt\n"), "{text}");
        page.doubtful = Some((11, 40));
        let text = closing_of_all(&page, &collection, Screen::default());
        let trust = "Trust:      in part: 11 of 40 figures are in doubt, see the warnings\n";
        assert!(text.ends_with(trust), "{text}");
    }

    #[test]
    fn closing_fits_every_screen() {
        let record =
            judged(Status::Partial, "the target\x1b[31m stopped responding: away 1.2 s to 4.2 s");
        for width in 40..120 {
            let screen = Screen { width, ..Screen::default() };
            let text = closing(&record, screen).unwrap();
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
            assert!(!text.contains('\x1b'), "{text:?}");
        }
    }
}
