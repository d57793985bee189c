//! The page of a run, figure by figure. The expected figures are taken from the record in another way than the page
//! uses.

use super::*;
use crate::summary::tests::measured;
use brunt_record::{MonitorRecord, ReadingRecord, StepRecord};

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

/// The figure above this name.
fn tile<'a>(html: &'a str, name: &str) -> &'a str {
    let rest = html.split_once(&format!("<dt>{name}</dt><dd>")).unwrap().1;
    rest.split_once(" <small>").unwrap().0
}

#[test]
fn figures_are_those_of_the_record() {
    let record = measured(&["bind.ok.p99<1ms", "goodput>=70%"]);
    let html = html(&record);
    // 110 due in two seconds: 80 binds succeeded, 20 were refused, 10 were dropped after 7 ms.
    assert_eq!(tile(&html, "offered"), "55.0");
    assert_eq!(tile(&html, "achieved"), "50.0");
    assert_eq!(tile(&html, "goodput"), "40.0");
    assert_eq!(tile(&html, "response p50"), "3.000");
    assert_eq!(tile(&html, "response p99"), "&gt;7.000");
    assert_eq!(tile(&html, "failed, 30 of 110"), "27");
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
    assert_eq!(row(&html, "Objectives", "bind.ok.p99&lt;1ms")[1..], ["missed", "3.000ms"]);
    for fact in [
        "busiest worker, of its core</dt><dd>25.0 %",
        "ceiling of this machine</dt><dd>1000/s, of which 5.0 %",
    ] {
        assert!(html.contains(fact), "{fact}");
    }
}

#[test]
fn it_begins_with_a_sentence_and_the_verdict() {
    let mut record = measured(&[]);
    let sentence = |record: &Record| sentence::sentence(record).unwrap().replace('\u{a0}', " ");
    record.verdict = brunt_record::Verdict::default();
    record.plan.target = Some("ldap://ds1 over 10 connections".to_owned());
    assert_eq!(
        sentence(&record),
        "ldap://ds1 carried out 40.0 of the 55.0 requests a second that were asked of it for 2 seconds; half were \
         answered within 3.000 ms, the slowest 1 % took more than 7.000 ms, and 27 % (30 of 110) failed or were never \
         sent."
    );
    record.verdict.status = Status::GeneratorLimited;
    assert!(
        sentence(&record)
            .starts_with("Not reliable, because brunt or its machine was the limit: ldap://ds1")
    );
    let text = html(&record);
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}"));
    let order = [
        "class=\"lead\"",
        "class=\"verdict bad\"",
        "class=\"tiles\"",
        "data-plot=\"rates\"",
        "data-plot=\"latencies\"",
        "data-plot=\"spectrum\"",
        "data-plot=\"heat\"",
        "<caption>Operations",
        "<caption>Outcomes",
        "<caption>Parts",
        "<h2>The generator",
        "<pre class=\"command\"",
        "<h2>Plan",
    ];
    let places = order.map(at);
    assert!(places.is_sorted(), "{places:?}");
    record.verdict.status = Status::Valid;
    record.counts = brunt_record::Counts::default();
    assert_eq!(sentence(&record), "Nothing was measured: no operation was scheduled.");
}

#[test]
fn the_command_can_be_typed_again() {
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
fn its_sections_have_the_names_that_links_and_live_pages_use() {
    let page = page(&measured(&[])).unwrap();
    let names: Vec<String> = page.sections().into_iter().map(|(name, _)| name).collect();
    let expected = [
        "top",
        "over-time",
        "percentile-spectrum",
        "heat-map",
        "operations-and-outcomes",
        "connecting-and-its-parts",
        "the-generator",
        "environment-and-how-to-repeat-the-run",
        "plan",
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
    let drawings = live.blocks.iter().filter(|block| matches!(block, Block::Drawing(_)));
    assert_eq!(drawings.count(), 7);
}

#[test]
fn a_run_that_did_all_it_was_asked_is_said_to() {
    let mut record = measured(&[]);
    record.verdict = brunt_record::Verdict::default();
    record.rates.goodput = Some(19_999.6);
    record.rates.target = Some(20_000.0);
    record.rates.seconds = 300.0;
    record.counts.ok = record.counts.planned;
    (record.counts.failed, record.counts.dropped) = (0, 0);
    record.response = None;
    let sentence = sentence::sentence(&record).unwrap().replace('\u{a0}', " ");
    assert_eq!(
        sentence,
        "the target carried out all 20,000 requests a second that were asked of it for 5 minutes; half were answered \
         within 3.000 ms and 99 % within 3.000 ms, and none failed."
    );
}

#[test]
fn an_overload_and_a_run_without_a_success_are_said_to_be_that() {
    let mut record = measured(&[]);
    record.verdict = brunt_record::Verdict::default();
    let said = |record: &Record| sentence::sentence(record).unwrap();
    record.rates.overload = Some(brunt_record::Overload::default());
    assert!(said(&record).starts_with("Overloaded: the target carried out "));
    record.counts.ok = 0;
    assert_eq!(
        said(&record),
        "Nothing worked: none of 110 requests to the target succeeded (49 invalidCredentials 20 times)."
    );
}

#[test]
fn without_a_script_there_are_pictures() {
    let html = html(&measured(&[]));
    for plot in ["rates", "latencies", "spectrum", "heat", "lateness", "busy"] {
        assert!(html.contains(&format!("id=\"still-{plot}d\"")), "{plot}");
    }
    // No exchange ever waited, so there is no chart of that.
    assert!(!html.contains("data-plot=\"waiting\""));
}

#[test]
fn what_others_wrote_is_shown_and_not_obeyed() {
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
fn an_hour_of_several_operations_is_less_than_400_kilobytes() {
    let html = html(&hour(5));
    assert!(html.len() < 400_000, "{} bytes", html.len());
    assert!(html.contains("3,600 intervals are shown in"), "the reader is told");
}
