//! The last screen, for every outcome and for records with much in them.

use super::*;
use crate::summary::tests::measured;
use brunt_record::{
    Away, CodeRecord, Counts, IterationRates, Overload, OwnPart, Phase, Reason, RunOutcome,
    SampleRecord, SloOutcome, Status, StepRecord, Verdict,
};

fn screen(width: usize) -> Screen {
    Screen { width, ..Screen::default() }
}

fn shown(record: &Record) -> String {
    last_screen(record, screen(80), Some("run.json")).unwrap()
}

/// A record with this outcome.
fn with(outcome: RunOutcome) -> Record {
    let mut record = measured(&["bind.ok.p99<1ms", "goodput>=70%"]);
    record.verdict = Verdict::default();
    for slo in &mut record.slo {
        slo.outcome = SloOutcome::Met;
    }
    let blame = |status| Verdict {
        status,
        reasons: vec![Reason::from_text(status, "it was the machine; use another")],
        ..Verdict::default()
    };
    match outcome {
        RunOutcome::NothingWorked => {
            (record.counts.ok, record.counts.failed) = (0, 100);
            record.operations[0].counts = record.counts;
            record.operations[0].codes.retain(|code| code.class != "ok");
            record.operations[0].codes[0].count = 100;
        }
        RunOutcome::Unavailable => record.away.push(Away {
            from_s: 0.5,
            to_s: Some(1.2),
            answered_before: true,
            ..Away::default()
        }),
        RunOutcome::NotReliable => record.verdict = blame(Status::GeneratorLimited),
        RunOutcome::Incomplete => {
            record.verdict = Verdict { cut_short: true, ..blame(Status::Partial) };
        }
        RunOutcome::Overloaded => {
            record.rates.overload = Some(Overload { waiting: 40, ..Overload::default() });
        }
        RunOutcome::Missed => record.slo[1].outcome = SloOutcome::Missed,
        RunOutcome::Undecided => record.slo[0].outcome = SloOutcome::Undecided,
        RunOutcome::Passed => {}
        RunOutcome::Measured | RunOutcome::Other => record.slo.clear(),
    }
    assert_eq!(record.outcome(), outcome);
    record
}

/// Makes everything in it long or many.
fn crowded(mut record: Record) -> Record {
    record.plan.target = Some(format!("https://{}.example:8443", "long-name-of-a-host".repeat(9)));
    record.command =
        ["brunt", "run", &"a-plan/".repeat(20), "--slo", "p99<1s"].map(str::to_owned).to_vec();
    record.command[2].push_str("plan.toml");
    let mut operation = record.operations[0].clone();
    operation.name = "a step whose name goes on and on and on, until it has no end".to_owned();
    operation.codes = record.operations[0].codes.clone();
    record.operations.extend(std::iter::repeat_n(operation, 40));
    if let Some(slo) = record.slo.first().cloned() {
        record.slo.extend(std::iter::repeat_n(slo, 30));
        record.slo[0].expr = format!("{}<1ms", "step.".repeat(40));
        record.slo[0].why = Some("without the delay added by brunt ".repeat(9));
    }
    let text = "the server\x1b[31m said a lot ".repeat(60);
    let sample = record.samples.first().cloned();
    record
        .samples
        .insert(0, SampleRecord { text, sent: Some("sent ".repeat(99)), ..sample.unwrap() });
    let step: StepRecord =
        record.series.iter().find(|it| it.phase == Phase::Steady).unwrap().clone();
    record.series.extend(std::iter::repeat_n(step, 3_600));
    for reason in &mut record.verdict.reasons {
        reason.text = reason.text.replace(';', ",").repeat(30);
    }
    record
}

#[test]
fn last_screen_fits_22_lines_of_80_columns() {
    for outcome in RunOutcome::ALL {
        for record in [with(outcome), crowded(with(outcome))] {
            for width in [40, 60, 80, 200] {
                for unicode in [true, false] {
                    let screen = Screen { unicode, ..screen(width) };
                    let text = last_screen(&record, screen, Some("run.json")).unwrap();
                    assert!(text.lines().count() <= LINES_MAX, "{outcome:?}: {text}");
                    let longest = text.lines().map(|line| line.chars().count()).max();
                    assert!(longest.unwrap() <= width.min(80), "{outcome:?}, {width}: {text}");
                    assert!(unicode || text.is_ascii(), "{text}");
                    assert!(!text.contains('\x1b'), "{text}");
                    let word = outcome.words().to_uppercase();
                    assert!(text.contains(&format!("\n\n{word} ")), "{outcome:?}: {text}");
                    assert!(text.contains("\nnext  "), "{outcome:?}: {text}");
                }
            }
        }
    }
}

#[test]
fn last_screen_of_a_good_run() {
    assert_eq!(
        shown(&with(RunOutcome::Passed)),
        "\
authrate, 2026-01-02 03:04 UTC, 2 s

PASSED  55 operations a second offered, 50 achieved. Half took at most 3.00 ms,
        the slowest 1 of 100 more than 7.00 ms. Of 110, 20 failed, 10 were
        dropped unsent (27.3%).
        The figures can be trusted: the run is complete, and brunt was not the
        limit.

  objective            limit       measured
  bind.ok.p99          < 1ms        3.00 ms   met
  goodput             >= 70%         72.7 %   met

                      sent  goodput/s   failed     p50     p99   p99.9   max ms
bind                   100         40       20    3.00    3.00    3.00     3.00

p99 over time  ██  3.00 ms at 1 s
failed         49 invalidCredentials 20 times

next  brunt report run.json --details            all figures
"
    );
}

#[test]
fn last_screen_of_an_overload_shows_offered_and_achieved() {
    let mut record = with(RunOutcome::Overloaded);
    let steady = record.series.iter().find(|step| step.phase == Phase::Steady).unwrap().clone();
    (record.rates.from_s, record.rates.seconds) = (0.0, 4.0);
    record.series = (0..4u64)
        .map(|second| StepRecord {
            from_s: second as f64,
            // Answers were waited for until three seconds after the load had ended.
            to_s: [1.0, 2.0, 3.0, 7.0][second as usize],
            due: Counts { planned: 100 * (second + 1), ..Counts::default() },
            ended: Counts { ok: [100, 200, 200, 800][second as usize], ..Counts::default() },
            backlog_peak: [0, 0, 600, 1_400][second as usize],
            ..steady.clone()
        })
        .collect();
    let text = shown(&record);
    // Seven steps from the lowest to the highest character; both rates have the scale of the greater.
    for line in [
        "offered        ▃▅▆█  at most 400/s\n",
        "achieved       ▃▅▅▅  at most 200/s\n",
        "waiting        ▁▁▄█  at most 1,400\n",
    ] {
        assert!(text.contains(line), "{line} {text}");
    }
    let output = "OVERLOADED  55 operations a second offered, 50 achieved. 40 were waiting when\n";
    assert!(text.contains(output), "{text}");
    assert!(!text.contains("Half took"), "they depend on how long the run lasted: {text}");
    let plain = last_screen(&record, Screen { unicode: false, ..screen(80) }, None).unwrap();
    assert!(plain.contains("offered        ,=+#  at most"), "{plain}");
}

/// 8,000 a second for two seconds, of which two sessions of 10 ms carried 198.
fn far_too_much() -> Record {
    let mut record = with(RunOutcome::Overloaded);
    record.slo.clear();
    record.command = "brunt http -q 8000 -c 2 -z 2s --record run.json http://127.0.0.1:8080/"
        .split(' ')
        .map(str::to_owned)
        .collect();
    record.search = ["--", "http", "-c", "2", "http://127.0.0.1:8080/"].map(str::to_owned).to_vec();
    let counts =
        Counts { planned: 16_000, sent: 2_184, dropped: 13_816, ok: 2_182, ..Counts::default() };
    record.counts = Counts { cut_off: 2, ..counts };
    let operation = &mut record.operations[0];
    operation.counts = record.counts;
    operation.service.mean_us = Some(10_100.0);
    operation.codes.retain(|code| code.class == "ok");
    operation.codes.push(CodeRecord {
        class: "cut-off".to_owned(),
        code: None,
        name: "cut-off".to_owned(),
        meaning: None,
        count: 2,
    });
    record.plan.sessions = 2;
    (record.rates.offered, record.rates.achieved) = (Some(8_000.0), Some(198.0));
    record.rates.overload = Some(Overload { waiting: 1_788, ..Overload::default() });
    record
}

#[test]
fn last_screen_explains_unsent_exchanges_by_the_overload() {
    let text = shown(&far_too_much());
    let (output, rest) = text.split_once("\n\n                ").unwrap();
    let output = output.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        output.ends_with(
            "OVERLOADED 8,000 operations a second offered, 198 achieved. 1,788 were waiting when the load ended. 2 \
             sessions whose requests take 10.1 ms each carry 198 a second: 8,000 need 81, if requests take no \
             longer then. Half of those sent took at most 2.00 ms at the target, beside waiting here. Of 16,000, 2 \
             had no answer, 13,816 were dropped unsent (86.4%). The figures can be trusted: the run is complete, \
             and brunt was not the limit."
        ),
        "{output}"
    );
    for line in ["\nbind  ", "\noffered  ", "\nachieved  ", "\nwaiting  ", "\np99 over time  "] {
        assert!(rest.contains(line), "{line}: {text}");
    }
    assert!(text.ends_with(
        "\n\nnext  brunt find-max --slo 'errors<1%' --to 220/s -- http -c 2 \\\n        \
         http://127.0.0.1:8080/\n      brunt report run.json --details            all figures\n"
    ));
}

#[test]
fn last_screen_proposes_a_search_only_if_it_can_be_typed() {
    let next = |change: &dyn Fn(&mut Record)| {
        let mut record = far_too_much();
        change(&mut record);
        shown(&record).split_once("\nnext  ").unwrap().1.to_owned()
    };
    let slo = measured(&["goodput>=70%"]).slo;
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let searched = next(&|it| it.slo.clone_from(&slo));
    assert!(
        searched.starts_with("brunt find-max --slo 'goodput>=70%' --to 220/s -- http -c 2 \\\n"),
        "{searched}"
    );
    let own = next(&|it| {
        it.slo.clone_from(&slo);
        it.search = words("--allow 10.0.0.0/8 -- authrate -h ds1");
    });
    let own = own.replace(" \\\n        ", " ");
    assert!(
        own.starts_with(
            "brunt find-max --slo 'goodput>=70%' --to 220/s --allow 10.0.0.0/8 -- authrate -h ds1\n"
        ),
        "{own}"
    );
    for line in [
        "",
        "-- http -H ***REDACTED*** http://h/",
        &format!("-- http http://h/{}", "long/".repeat(60)),
    ] {
        let other = next(&|it| it.search = words(line));
        assert!(other.starts_with("brunt report run.json"), "{line}: {other}");
    }
    assert!(next(&|it| it.rates.achieved = Some(0.0)).starts_with("brunt report"));
    // The rate of a plan is that of its iterations, and it has its objectives itself.
    let of_plan = |it: &mut Record| {
        it.search = words("-- run login.toml --unset run.rate");
        let achieved = Some(40.0);
        it.rates.iterations = Some(IterationRates { achieved, ..IterationRates::default() });
    };
    let without = next(&of_plan);
    let plain = "brunt find-max --slo 'errors<1%' --to 44/s -- run login.toml";
    assert!(without.replace(" \\\n        ", " ").starts_with(plain), "{without}");
    let with = next(&|it| {
        of_plan(it);
        it.slo.clone_from(&slo);
    });
    let own = "brunt find-max --to 44/s -- run login.toml --unset run.rate\n";
    assert!(with.replace(" \\\n        ", " ").starts_with(own), "{with}");
}

#[test]
fn last_screen_says_most_failed_only_if_true() {
    let output = |ok: u64, failed: u64, dropped: u64| {
        let mut record = with(RunOutcome::Measured);
        record.counts = Counts {
            planned: ok + failed + dropped,
            sent: ok + failed,
            ok,
            failed,
            dropped,
            ..Counts::default()
        };
        let text = shown(&record);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(output(40, 60, 0).contains("MEASURED Most failed: 49 invalidCredentials 20 times."));
    assert!(
        output(40, 10, 60)
            .contains("MEASURED Most were dropped unsent: no session became free in time.")
    );
    assert!(
        output(40, 40, 30)
            .contains("MEASURED Less than half succeeded: 49 invalidCredentials 20 times.")
    );
    assert!(output(60, 30, 20).contains("MEASURED 55 operations a second offered"));
    assert!(output(100, 0, 0).contains("None of 100 failed."));
    assert!(output(99, 0, 1).contains("Of 100, 1 was dropped unsent (1.0%)."));
}

#[test]
fn last_screen_shows_figures_without_generator_delay() {
    let mut record = with(RunOutcome::NotReliable);
    let own = |percentile, us| OwnPart {
        node: None,
        operation: "bind".to_owned(),
        percentile,
        us: 3_000.0,
        without_own_us: us,
        ours: true,
        too_few: None,
    };
    record.verdict.own = vec![own(50.0, 1_500.0), own(99.9, 2_000.0)];
    let row = |record: &Record| {
        let text = shown(record);
        let line = text.lines().find(|line| line.starts_with("without brunt"));
        line.map(|line| line.split_whitespace().skip(2).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(row(&record).as_deref(), Some("1.50 2.00"));
    record.verdict.own.iter_mut().for_each(|part| part.ours = false);
    assert_eq!(row(&record), None);
}

#[test]
fn last_screen_without_success_shows_the_cause_first() {
    let mut record = with(RunOutcome::NothingWorked);
    record.command = ["brunt", "run", "password.toml"].map(str::to_owned).to_vec();
    record.plan.target = Some("ldaps://ds1.lab".to_owned());
    record.slo[1].outcome = SloOutcome::Missed;
    let text = shown(&record);
    assert_eq!(
        text,
        "\
password.toml at ldaps://ds1.lab, 2026-01-02 03:04 UTC, 2 s

NOTHING WORKED  None of 110 operations succeeded: 49 invalidCredentials 100
                times; 10 were dropped unsent.
                This run says nothing about speed.

  first failure  step bind, at 0.000 s
  answered       no such [31m user

  objective            limit       measured
  goodput             >= 70%         72.7 %   missed

next  brunt run password.toml --once             one user; shows every answer
      brunt report run.json --details            all figures
"
    );
}

#[test]
fn last_screen_shortens_a_reason_but_not_the_outcome() {
    let mut record = with(RunOutcome::Undecided);
    record.slo[0].why = Some("without the delay added by brunt it is 0.049s".to_owned());
    let text = shown(&record);
    let line = text.lines().find(|line| line.starts_with("  bind.ok.p99 ")).unwrap();
    assert!(line.contains(" 3.00 ms   undecided: without the "), "{text}");
    assert!(line.ends_with(" ..") && line.chars().count() <= 80, "{text}");
}

#[test]
fn last_screen_without_success_names_what_ended_the_run() {
    let mut record = with(RunOutcome::NothingWorked);
    let ended = |record: &Record| {
        let words = shown(record).split_whitespace().collect::<Vec<_>>().join(" ");
        words.split_once("says nothing about speed. ").unwrap().1.to_owned()
    };
    let text = "errors>50% held for 10 s (--abort-on); look at the target".to_owned();
    record.verdict.reasons.push(Reason::from_text(Status::Partial, text));
    assert!(ended(&record).starts_with("first failure"), "it was not cut short");
    record.verdict.cut_short = true;
    assert!(ended(&record).starts_with("Errors>50% held for 10 s (--abort-on). first failure"));
}

#[test]
fn last_screen_names_the_cause_of_the_outcome() {
    for (outcome, output) in [
        (RunOutcome::Unavailable, "The target did not respond from 0.5 s to 1.2 s."),
        (RunOutcome::NotReliable, "brunt or its machine changed the figures: it was the machine."),
        (RunOutcome::Incomplete, "the run is incomplete: it was the machine."),
        (RunOutcome::Missed, "missed"),
        (RunOutcome::Undecided, "undecided"),
        (RunOutcome::Measured, "55 operations a second offered, 50 achieved."),
    ] {
        let text = shown(&with(outcome));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(output), "{outcome:?}: {text}");
    }
    let text = shown(&with(RunOutcome::Missed));
    let place = |word: &str| text.find(word).unwrap();
    assert!(place("goodput             >=") < place("bind.ok.p99"), "missed ones first: {text}");
    assert!(!shown(&with(RunOutcome::Measured)).contains("objective"));
    assert!(shown(&with(RunOutcome::NotReliable)).contains("brunt calibrate"));
}

#[test]
fn last_screen_colours_only_the_outcome() {
    for (outcome, code) in [
        (RunOutcome::Passed, "1;32"),
        (RunOutcome::NothingWorked, "1;31"),
        (RunOutcome::Incomplete, "1;33"),
        (RunOutcome::Measured, "1"),
    ] {
        let record = with(outcome);
        let colour = Screen { colour: true, ..screen(80) };
        let text = last_screen(&record, colour, Some("run.json")).unwrap();
        let word = outcome.words().to_uppercase();
        assert!(text.contains(&format!("\n\x1b[{code}m{word}\x1b[0m ")), "{text}");
        let bare = text.replace(&format!("\x1b[{code}m"), "").replace("\x1b[0m", "");
        assert_eq!(bare, shown(&record));
    }
}

/// The words of the table in the glossary.
fn words_for_figures() -> Vec<&'static str> {
    const GLOSSARY: &str = include_str!("../../../../docs/glossary.md");
    let (_, table) = GLOSSARY.split_once("## Words for figures").unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")).skip(1);
    rows.flat_map(|row| row.split(" |").next().unwrap().split(", ")).collect()
}

/// The words that other tools have for the same figures.
const SYNONYMS: [&str; 6] = ["throughput", "latency", "latencies", "tps", "rps", "median"];

#[test]
fn last_screen_headings_are_in_the_glossary() {
    let known = words_for_figures();
    assert!(known.len() > 10, "{known:?}");
    for heading in rows::COLUMNS.map(|(title, _)| title).into_iter().chain(course::NAMES) {
        let word = heading.split(['/', ' ']).next().unwrap();
        assert!(known.contains(&word), "{heading} is not in {known:?}");
    }
    let record = with(RunOutcome::Overloaded);
    let page = crate::run::page(&record).unwrap();
    let titles = page.view.iter().flat_map(|view| &view.plots).map(|plot| plot.title.clone());
    let html = page.html();
    let headings = html.split("<th").skip(1).filter_map(|rest| rest.split("</th").next());
    let names = crate::junit(&record);
    let names = names.split("name=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let shown = shown(&record);
    let shown = shown.lines().skip(1).map(str::to_owned);
    let all: Vec<String> =
        titles.chain(headings.chain(names).map(str::to_owned)).chain(shown).collect();
    for heading in &all {
        let lower = heading.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphabetic());
        assert_eq!(words.find(|word| SYNONYMS.contains(word)), None, "{heading}");
    }
    assert!(all.iter().any(|it| it.contains("goodput")), "{all:?}");
}

#[test]
fn last_screen_shows_request_and_answer_of_the_first_failure() {
    let mut record = with(RunOutcome::NothingWorked);
    let mut told = |sent: Option<&str>| {
        record.samples[0].text = "not here".to_owned();
        record.samples[0].sent = sent.map(str::to_owned);
        let text = last_screen(&record, screen(80), None).unwrap();
        text[text.find("  first failure").unwrap()..text.find("\n\nnext").unwrap()].to_owned()
    };
    assert!(told(None).ends_with(" s\n  answered       not here"));
    let text = told(Some("GET http://h/none"));
    assert!(
        text.ends_with(" s\n  sent           GET http://h/none\n  answered       not here"),
        "{text}"
    );
}
