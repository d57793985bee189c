//! The page of a run, figure by figure. The expected figures are taken from the record in another way than the page
//! uses.

use super::*;
use crate::summary::tests::measured;
use brunt_record::{
    Away, MonitorRecord, OperationRecord, OutcomeTone, Overload, ReadingRecord, Reason, RunOutcome,
    SloOutcome, Status, StepRecord,
};

fn html(record: &Record) -> String {
    page(record).unwrap().html()
}

/// The cells of the first row of a table that begins with this one.
fn row<'a>(html: &'a str, caption: &str, first: &str) -> Vec<&'a str> {
    let table = html.split_once(&format!("<caption>{caption}</caption>")).unwrap().1;
    let row = table.split("<tr").find(|row| row.contains(&format!(">{first}</th>"))).unwrap();
    let cells = row.split("</t").filter_map(|cell| Some(cell.rsplit_once('>')?.1.trim()));
    cells.filter(|cell| !cell.is_empty()).collect()
}

/// A figure at the top, and its name.
fn number<'a>(html: &'a str, key: &str) -> [&'a str; 2] {
    let (before, rest) = html.split_once(&format!("<dd data-figure=\"{key}\"")).unwrap();
    let value = rest.split_once('>').unwrap().1.split_once(" <small>").unwrap().0;
    let name = before.rsplit_once("<dt>").unwrap().1.split_once("</dt>").unwrap().0;
    [value, name]
}

/// What the objective of this text says: what was measured, and the word for it.
fn goal<'a>(html: &'a str, text: &str) -> [&'a str; 2] {
    let rest = html.split_once(&format!("<li><span>{text}</span><span class=\"v\">")).unwrap().1;
    let (found, rest) = rest.split_once("</span>").unwrap();
    let rest = rest.split_once("<span class=\"out").unwrap().1.split_once('>').unwrap().1;
    [found, rest.split_once("</span>").unwrap().0]
}

#[test]
fn page_figures_equal_the_record() {
    let record = measured(&["bind.ok.p99<1ms", "goodput>=70%"]);
    let html = html(&record);
    // 110 due in two seconds: 80 binds succeeded, 20 were refused, 10 were dropped after 7 ms.
    assert_eq!(number(&html, "achieved"), ["50.0", "achieved of 55.0/s offered"]);
    assert!(html.contains("<dd class=\"base\">40.0/s of them succeeded</dd>"));
    assert_eq!(number(&html, "p50"), ["3.00", "half within (p50)"]);
    assert_eq!(number(&html, "p99")[0], "&gt;7.00");
    assert_eq!(number(&html, "failed"), ["27", "failed, 30 of 110"]);
    assert!(html.contains("<dd class=\"base\">10 of them dropped unsent</dd>"));
    let operations = "Operations: rates, and response times in milliseconds";
    assert_eq!(
        row(&html, operations, "bind"),
        [
            "bind", "100", "50.0", "40.0", "80.00", "20", "0", "2.800", "3.000", "3.000", "3.000",
            "3.000", "3.000", "3.000"
        ]
    );
    assert_eq!(row(&html, operations, "service")[1], "1.800");
    assert_eq!(row(&html, operations, "all, with dropped")[7..9], ["&gt;3.182", "3.000"]);
    assert_eq!(row(&html, "Outcomes", "bind")[1..], ["success", "ok", "0", "80", "80.00"]);
    assert!(html.contains(
        "<td>20</td><td>20.00</td><td class=\"name\">at 0.0 s: no such\u{fffd}[31m user</td>"
    ));
    assert_eq!(row(&html, "Parts, in milliseconds", "connect")[1..3], ["2", "5.000"]);
    assert_eq!(row(&html, "Waiting on our side, in milliseconds", "lag")[1..3], ["100", "1.000"]);
    assert_eq!(row(&html, "Phases", "steady")[1..], ["0.0", "2.0", "110", "100", "80", "20", "10"]);
    assert_eq!(goal(&html, "bind.ok.p99&lt;1ms"), ["3.00 ms", "missed"]);
    assert!(html.contains("<h2>Objectives: 1 of 2 met</h2>"));
    assert_eq!(
        row(&html, "What failed", "bind")[1..],
        ["49 invalidCredentials", "20", "20.000", "0.000"]
    );
    for fact in [
        "busiest worker, of its core</dt><dd>25.0 %",
        "ceiling of this machine</dt><dd>1000/s, of which 5.0 %",
    ] {
        assert!(html.contains(fact), "{fact}");
    }
}

#[test]
fn page_begins_with_outcome_and_trust() {
    let mut record = measured(&["goodput>=70%"]);
    record.verdict = brunt_record::Verdict::default();
    record.plan.target = Some("ldap://ds1 over 10 connections".to_owned());
    let text = html(&record);
    assert!(
        text.contains(
            "<p class=\"lead\"><span class=\"out good\">Passed.</span> 55 operations a second offered, 50 achieved. \
             Half took at most 3.00 ms"
        ),
        "{text}"
    );
    assert!(text.contains("<strong>The figures can be trusted:</strong> the run is complete"));
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}"));
    let order = [
        "<h1>",
        "class=\"lead\"",
        "class=\"trust\"",
        "class=\"tiles four\"",
        "data-plot=\"rates\"",
        "data-plot=\"latencies\"",
        "<h2>Objectives",
        "<h2>What next",
        "<nav aria-label",
        "data-plot=\"spectrum\"",
        "data-plot=\"heat\"",
        "<caption>Operations",
        "<caption>Outcomes",
        "<caption>What failed",
        "<caption>Parts",
        "<h2>Generator",
        "<h2>Environment",
        "<h2>Configuration",
    ];
    let places = order.map(at);
    assert!(places.is_sorted(), "{places:?}");
}

/// A record of which this came.
fn record_of(outcome: RunOutcome) -> Record {
    let mut record = measured(&["p99<20ms"]);
    record.verdict = brunt_record::Verdict::default();
    record.command = ["run", "plan.toml"].map(str::to_owned).to_vec();
    record.search = ["--", "run", "plan.toml"].map(str::to_owned).to_vec();
    let blame = |status| {
        let text = "two cores were used by others; end them";
        let reasons = vec![Reason::from_text(status, text)];
        brunt_record::Verdict { status, reasons, ..brunt_record::Verdict::default() }
    };
    record.slo[0].outcome = SloOutcome::Met;
    match outcome {
        RunOutcome::NothingWorked => {
            record.counts.failed += record.counts.ok;
            record.counts.ok = 0;
        }
        RunOutcome::Unavailable => record.away.push(Away { from_s: 0.5, ..Away::default() }),
        RunOutcome::NotReliable => record.verdict = blame(Status::GeneratorLimited),
        RunOutcome::Incomplete => {
            record.verdict = blame(Status::Partial);
            record.verdict.cut_short = true;
        }
        RunOutcome::Overloaded => {
            record.rates.overload = Some(Overload {
                waiting: 20_000,
                kept_up_per_second: Some(45.0),
                kept_up_s: Some(1.0),
                stages: Vec::new(),
            });
            record.series.iter_mut().for_each(|step| step.backlog_peak = 20_000);
        }
        RunOutcome::Missed => record.slo[0].outcome = SloOutcome::Missed,
        RunOutcome::Undecided => record.slo[0].outcome = SloOutcome::Undecided,
        RunOutcome::Passed => {}
        RunOutcome::Measured | RunOutcome::Other => record.slo.clear(),
    }
    record
}

#[test]
fn page_outcome_has_word_mark_and_next_step() {
    for (outcome, trust, next) in [
        (RunOutcome::NothingWorked, "This run says nothing about speed", "Try one request"),
        (RunOutcome::Unavailable, "The figures can be trusted", "When was it away?"),
        (RunOutcome::NotReliable, "The figures cannot be trusted", "What used the processor?"),
        (RunOutcome::Incomplete, "The figures are of a part", "Run again"),
        (RunOutcome::Overloaded, "The figures can be trusted", "Search for the limit"),
        (RunOutcome::Missed, "The figures can be trusted", "When did it change?"),
        (RunOutcome::Undecided, "The figures can be trusted", "Run again"),
        (RunOutcome::Passed, "The figures can be trusted", "How much more can it take?"),
        (RunOutcome::Measured, "The figures can be trusted", "How much more can it take?"),
    ] {
        let record = record_of(outcome);
        assert_eq!(record.outcome(), outcome);
        let html = html(&record);
        let mark = match outcome.tone() {
            OutcomeTone::Good => "out good",
            OutcomeTone::Care => "out care",
            OutcomeTone::Bad => "out bad",
            OutcomeTone::Plain => "out",
        };
        let lead = format!("<p class=\"lead\"><span class=\"{mark}\">{}.</span> ", outcome.words());
        for part in [lead.as_str(), &format!("<strong>{trust}:</strong>"), next] {
            assert!(html.contains(part), "{outcome:?}: {part} in {html}");
        }
        // A page that fails everything is green nowhere.
        let is_good = outcome.tone() == OutcomeTone::Good;
        let top = html.split_once("<section id=\"objectives\">").unwrap().0;
        assert_eq!(top.contains("out good"), is_good, "{outcome:?}");
    }
}

#[test]
fn page_of_an_overload_shows_the_queue() {
    let html = html(&record_of(RunOutcome::Overloaded));
    let top = html.split_once("<section id=\"objectives\">").unwrap().0;
    assert!(top.contains("data-plot=\"waiting\"") && top.contains("kept up until here, 45/s"));
    assert_eq!(html.matches("data-plot=\"waiting\"").count(), 1);
    assert_eq!(number(&html, "achieved")[0], "50.0");
    assert!(
        top.contains("data-figure=\"achieved\" class=\"bad\"")
            && top.contains("kept up until 45/s")
    );
    let calm = self::html(&record_of(RunOutcome::Passed));
    assert!(!calm.contains("kept up until"));
}

#[test]
fn page_without_success_omits_latencies_and_shows_the_failure() {
    let mut record = record_of(RunOutcome::NothingWorked);
    record.samples[0].sent = Some("bind uid=user.17".to_owned());
    record.samples[0].answer = Some("49\nno entry user.17".to_owned());
    let html = html(&record);
    let (top, rest) = html.split_once("<section id=\"objectives\">").unwrap();
    for part in [
        "The first failure: bind: 49 invalidCredentials, at 0.000 s",
        "bind uid=user.17",
        "no entry user.17",
    ] {
        assert!(top.contains(part), "{part} in {top}");
    }
    assert_eq!(number(&html, "achieved"), ["0.0", "succeeded of 55.0/s offered"]);
    assert_eq!([number(&html, "p50")[0], number(&html, "p99")[0]], ["-", "-"]);
    // They are read first, and by nobody who did not sign in.
    assert!(rest.find("<h2>Failures").unwrap() < rest.find("<h2>Latency").unwrap());
    for (id, section) in page(&record).unwrap().sections() {
        assert!(!crate::page::without_samples(&section).contains("user.17"), "{id}");
    }
}

#[test]
fn page_keeps_the_first_failure_of_up_to_twenty_kinds() {
    let mut record = measured(&[]);
    let one = record.samples[0].clone();
    let at = |at_s: u32, code: u32| {
        let text = format!("no {at_s}");
        brunt_record::SampleRecord { at_s: f64::from(at_s), code: Some(code), text, ..one.clone() }
    };
    record.samples = (0..30).map(|second| at(second, 49)).chain([at(99, 50)]).collect();
    let html = html(&record);
    assert_eq!(html.matches("<details class=\"sample\">").count(), 20);
    let place = |text: &str| html.find(&format!("<p>{text}</p>"));
    assert!(place("no 0").unwrap() < place("no 99").unwrap() && place("no 99") < place("no 1"));
    assert!(place("no 29").is_none());
}

#[test]
fn page_without_objectives_proposes_one() {
    let html = html(&record_of(RunOutcome::Measured));
    assert!(html.contains("<h2>No objectives</h2>") && html.contains("p99&lt;8.8ms"), "{html}");
}

#[test]
fn page_chart_shows_its_limit_and_a_logarithmic_scale() {
    let mut record = measured(&["p99<2ms"]);
    let view = View::new(&record).unwrap();
    let plot = view.plots.iter().find(|plot| plot.id == "latencies").unwrap();
    let limit = plot.limit.clone().unwrap();
    assert_eq!(
        (limit.column.as_str(), limit.text.as_str(), plot.logarithmic),
        ("p99", "p99<2ms", false)
    );
    assert!((limit.value - 2.0).abs() < 1e-9);
    let shown = html(&record);
    assert!(shown.contains("class=\"over\"") && shown.contains(">p99&lt;2ms<"), "{shown}");
    assert!(shown.contains("Response times <span class=\"unit\">milliseconds</span>"));
    assert!(shown.contains("milliseconds, logarithmic</span>"), "the spectrum");
    // From 3 ms to 3 s.
    let mut slow = brunt_record::Histogram::new();
    slow.record(std::time::Duration::from_secs(3));
    record.series[1].operations[0].response = brunt_record::Latency::new(&slow, &[]);
    let shown = html(&record);
    assert!(shown.contains("Response times <span class=\"unit\">milliseconds, logarithmic</span>"));
}

#[test]
fn page_command_can_be_typed_again() {
    let mut record = measured(&[]);
    let shown = |record: &Record| {
        let html = html(record);
        let rest = html.split_once("<pre class=\"command\" tabindex=\"0\">").unwrap().1;
        rest.split_once("</pre>").unwrap().0.to_owned()
    };
    assert_eq!(shown(&record), "brunt authrate -M 55");
    record.command = ["authrate", "-D", "uid={} & 'co'", "-w", "***"].map(str::to_owned).to_vec();
    assert_eq!(
        shown(&record),
        r"brunt authrate -D &#39;uid={} &amp; &#39;\&#39;&#39;co&#39;\&#39;&#39;&#39; -w &#39;***&#39;"
    );
    assert!(html(&record).contains("Secrets are replaced by stars: fill them in."));
    record.started = "2026-01-02T03:04:05.123456789Z".to_owned();
    assert!(html(&record).contains("<p class=\"meta\">2026-01-02 03:04:05 UTC · "));
}

#[test]
fn page_sections_have_stable_ids() {
    let page = page(&measured(&[])).unwrap();
    let names: Vec<String> = page.sections().into_iter().map(|(name, _)| name).collect();
    let expected = [
        "top",
        "result",
        "objectives",
        "next",
        "latency",
        "operations",
        "failures",
        "connections",
        "generator",
        "environment",
        "configuration",
    ];
    assert_eq!(names, expected);
    // The page of a run in progress has every chart, since each may still get data.
    let live = live_page(&measured(&[]), View::default()).unwrap();
    assert!(
        live.blocks.iter().all(|block| !matches!(block, Block::Drawing(_))),
        "no view, no charts"
    );
    let view = View { rows: Vec::new(), ..View::new(&measured(&[])).unwrap() };
    let live = live_page(&measured(&[]), view).unwrap();
    let drawings = live.blocks.iter().flat_map(|block| match block {
        Block::Columns(blocks) => blocks.as_slice(),
        block => std::slice::from_ref(block),
    });
    assert_eq!(drawings.filter(|block| matches!(block, Block::Drawing(_))).count(), 7);
}

#[test]
fn page_without_script_shows_svg_charts() {
    let html = html(&measured(&[]));
    for plot in ["rates", "latencies", "spectrum", "heat", "lateness", "busy"] {
        let figure = html.split_once(&format!("data-plot=\"{plot}\"")).unwrap().1;
        let figure = figure.split_once("</figure>").unwrap().0;
        assert!(figure.contains("<div class=\"still\"><svg class="), "{plot}: {figure}");
    }
    // No exchange ever waited, so there is no chart of that.
    assert!(!html.contains("data-plot=\"waiting\""));
}

#[test]
fn page_escapes_foreign_text() {
    const EVIL: &str = "</script><img src=x onerror=alert(1)>'\"&\u{1b}[31m";
    let evil = || EVIL.to_owned();
    let mut record = measured(&[]);
    record.command = vec!["brunt".to_owned(), evil()];
    record.plan.target = Some(evil());
    record.run = Some(evil());
    record.started = evil();
    record.environment.host = evil();
    record.environment.os = Some(evil());
    record.operations[0].name = evil();
    record.operations[0].codes[0].name = evil();
    record.operations[0].codes[0].class = evil();
    record.parts[0].name = evil();
    record.samples[0].text = evil();
    record.samples[0].sent = Some(format!("GET http://a/\n{EVIL}"));
    record.samples[0].answer = Some(evil());
    record.samples[0].operation = evil();
    record.samples[0].class = evil();
    record.verdict.notes.push(evil());
    record.conservation.imbalance = Some(evil());
    let readings = vec![ReadingRecord { name: evil(), most: 1.0, ..ReadingRecord::default() }];
    let monitor = MonitorRecord {
        source: evil(),
        failed: 1,
        failure: Some(evil()),
        readings,
        ..MonitorRecord::default()
    };
    record.monitors.push(monitor);
    let page = page(&record).unwrap();
    let html = page.html();
    assert!(!html.contains("<img") && !html.contains('\u{1b}'));
    assert_eq!(html.matches("</script>").count(), 2, "the island and the script");
    for (name, section) in page.sections() {
        assert!(!section.contains("<img"), "{name}");
    }
}

/// An hour in steps of a second with this many operations, whose figures differ from second to second.
fn hour(operations: usize) -> Record {
    let mut record = measured(&[]);
    let operation = record.operations[0].clone();
    record.operations = (0..operations)
        .map(|number| {
            let mut operation = operation.clone();
            operation.name = format!("search and modify {number}");
            operation
        })
        .collect();
    let steps: Vec<StepRecord> =
        (0..1_800_u32).map(|step| busy_step(step, operations, &record.series[0])).collect();
    record.series = steps;
    record
}

/// Two seconds in which every operation took long and short times, differently in each.
fn busy_step(step: u32, operations: usize, like: &StepRecord) -> StepRecord {
    let mut state = u64::from(step) + 1;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as u32
    };
    let mut operation = like.operations[0].clone();
    let mut one = || {
        let mut histogram = brunt_record::Histogram::new();
        for _ in 0..60 {
            let decades = f64::from(random() % 3_000) / 1_000.0;
            histogram.record(std::time::Duration::from_secs_f64(1e-4 * 10_f64.powf(decades)));
        }
        operation.response = brunt_record::Latency::new(&histogram, &[]);
        operation.service = operation.response.clone();
        operation.counts.ok = 1_000 + u64::from(random() % 1_000);
        operation.counts.failed = u64::from(random() % 100);
        operation.clone()
    };
    let operations: Vec<_> = (0..operations).map(|_| one()).collect();
    let mut ended = like.ended;
    ended.ok = operations.iter().map(|operation| operation.counts.ok).sum();
    ended.failed = operations.iter().map(|operation| operation.counts.failed).sum();
    StepRecord {
        from_s: f64::from(2 * step),
        to_s: f64::from(2 * step + 2),
        intervals: 2,
        ended,
        in_flight: u64::from(step % 97),
        backlog_peak: u64::from(step % 89),
        operations,
        ..like.clone()
    }
}

#[test]
fn page_of_an_hour_is_below_400_kilobytes() {
    let html = html(&hour(5));
    assert!(html.len() < 400_000, "{} bytes", html.len());
    assert!(html.contains("3,600 intervals are shown in"), "the reader is told");
}

#[test]
fn page_shows_groups_as_a_tree() {
    let mut record = measured(&[]);
    assert!(!html(&record).contains("class=\"tree\""));
    let named = |name: &str, within: Option<&str>| OperationRecord {
        name: name.to_owned(),
        within: within.map(str::to_owned),
        ..record.operations[0].clone()
    };
    let operations =
        [named("page", Some("login")), named("search", Some("visit")), named("leave", None)];
    let spans = [
        named("search retry", Some("visit")),
        named("login", Some("visit")),
        named("visit work", Some("visit")),
        named("visit", None),
        // Records from elsewhere may contain circles; these are in no tree.
        named("here", Some("there")),
        named("there", Some("here")),
    ];
    (record.operations, record.spans) = (operations.into(), spans.into());
    let html = html(&record);
    let tree = html.split_once("<table class=\"tree\">").unwrap().1;
    let tree = tree.split_once("</table>").unwrap().0;
    let name = |row: &str| {
        let (level, rest) = row.split_once('"')?;
        let name = rest.split_once("</th>")?.0.rsplit_once('>')?.1;
        Some(format!("{level} {name}"))
    };
    let rows: Vec<String> = tree.split("<tr data-level=\"").skip(1).filter_map(name).collect();
    let expected =
        ["0 visit", "1 visit work", "1 login", "2 page", "1 search", "1 search retry", "0 leave"];
    assert_eq!(rows, expected);
    assert_eq!(
        row(&html, "Groups: times in milliseconds", "login")[1..5],
        ["100", "80", "20", "0"]
    );
}
