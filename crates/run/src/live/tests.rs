//! Tests of the whole view, from intervals with known figures, on screens of several sizes.

use std::time::Duration;

use brunt_exchange::{Class, Moment, Named, Outcome, Stamps};
use brunt_record::{Interval, Own, Phase, RunOutcome, Sample, SloOutcome, Status, WorkerLoad};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

use super::digest::Digest;
use super::draw::draw;
use super::keys::Key;
use super::model::{About, Choice, Model};
use super::picture::Picture;
use super::provisional_verdict::{Judgement, ProvisionalVerdict};
use super::theme::Theme;

const PLAIN: Theme = Theme { colour: false, unicode: false };
const COLOURED: Theme = Theme { colour: true, unicode: true };

/// A second of a run: 160 become due, of which 100 binds succeed after 4 ms, 40 searches after 20 ms of which they
/// waited 15, ten searches are refused and ten have no answer.
fn second(index: u64, phase: Phase) -> Interval {
    let mut interval = Interval::new(2, 0);
    interval.reset(index, phase, Duration::from_secs(index));
    interval.to = Duration::from_secs(index + 1);
    let took = |waited: u64, service: u64| Stamps {
        due: Moment::ZERO,
        free: Moment::from_nanos(waited * 1_000_000),
        sent: Moment::from_nanos(waited * 1_000_000),
        ended: Moment::from_nanos((waited + service) * 1_000_000),
    };
    let refused = Outcome::Failed(Class::Result, 51);
    for (operation, outcome, count, stamps) in [
        (0, Outcome::Ok(0), 100, took(0, 4)),
        (1, Outcome::Ok(0), 40, took(15, 5)),
        (1, refused, 10, took(15, 5)),
        (1, Outcome::TimedOut, 10, took(15, 985)),
    ] {
        for _ in 0..count {
            interval.plan();
            interval.record(operation, outcome, &stamps, 1, Own::default());
        }
    }
    interval.health.record(WorkerLoad {
        node: 0,
        worker: 0,
        cpu: Duration::from_millis(450),
        wall: Duration::from_secs(1),
        waited: Duration::ZERO,
        runs: 1,
        unseen: false,
    });
    (interval.backlog_peak, interval.in_flight) = (7, 50);
    interval.health.socket_drops = 3;
    interval
}

fn name(_: usize, outcome: Outcome) -> Named {
    match outcome {
        Outcome::Ok(_) => "success".into(),
        Outcome::Failed(..) => "busy".into(),
        other => format!("{other:?}").into(),
    }
}

fn about() -> About {
    About {
        title: "run plan.toml".to_owned(),
        target: "ldap://127.0.0.1:1389".to_owned(),
        operations: vec!["bind".to_owned(), "search".to_owned()],
        lasting: Some(Duration::from_secs(60)),
        count: None,
        objectives: 2,
        ports: Some((12_000, 28_231)),
        page: None,
    }
}

fn standing() -> ProvisionalVerdict {
    let judgement = |objective: &str, outcome, value: &str| Judgement {
        objective: objective.to_owned(),
        outcome,
        value: value.to_owned(),
    };
    ProvisionalVerdict {
        at: Duration::from_secs(10),
        outcome: RunOutcome::Missed,
        status: Status::Unstable,
        reasons: vec!["throughput was changing".to_owned()],
        objectives: vec![
            judgement("p50<20ms", SloOutcome::Met, "4.00ms"),
            judgement("errors<1%", SloOutcome::Missed, "12.5%"),
        ],
        measured: true,
        rates: Some((160.0, 150.0)),
    }
}

/// Two seconds of warm-up and ten measured seconds.
fn model() -> Model {
    let mut model = Model::new(about());
    for index in 0..12 {
        let phase = if index < 2 { Phase::WarmUp } else { Phase::Steady };
        let mut digest = Digest::new(&second(index, phase), &name);
        digest.standing = (index == 11).then(standing);
        model.add(digest, Duration::from_secs(index + 1));
    }
    model
}

#[test]
fn live_group_has_a_row_but_is_in_no_sum() {
    let mut about = about();
    about.operations.push("login".to_owned());
    let mut model = Model::new(about);
    let mut interval = second(0, Phase::Steady);
    let counts = interval.counts();
    for _ in 0..7 {
        interval.span(0, Outcome::Failed(Class::Check, 0), Duration::from_millis(900));
    }
    let digest = Digest::new(&interval, &name);
    assert_eq!(digest.counts, counts);
    assert_eq!(digest.times, Digest::new(&second(0, Phase::Steady), &name).times);
    model.add(digest, Duration::from_secs(1));
    let all = screen(&model, &Choice::default(), (120, 50), COLOURED);
    let row = all.iter().find(|row| row.contains("[login]")).expect("a row of the group");
    assert!(row.contains(" 7 ") && row.contains("900 ms"), "{row}");
    let busy = |rows: &[String]| {
        let after = rows.iter().find_map(|row| Some(row.split_once("busy ")?.1));
        after.and_then(|rest| rest.split_whitespace().next()).map(str::to_owned)
    };
    let failed = counts.failed.to_string();
    assert_eq!(busy(&all), Some(failed), "{}", text(&all));
    let mut choice = Choice::default();
    choice.press(Key::Previous, &model);
    let chosen = screen(&model, &choice, (120, 50), COLOURED);
    assert!(text(&chosen).contains("Outcomes of group login"), "{}", text(&chosen));
    assert_eq!(busy(&chosen), Some("7".to_owned()), "{}", text(&chosen));
}

/// The content of a screen of this size at the last interval.
fn screen(
    model: &Model,
    choice: &Choice,
    (width, height): (u16, u16),
    theme: Theme,
) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let picture = Picture { model, choice, now: Duration::from_secs(12), theme };
    terminal.draw(|frame| draw(&picture, frame.buffer_mut())).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(row).collect()
}

fn text(rows: &[String]) -> String {
    rows.join("\n")
}

/// Checks the figures that a screen of any size shows for these twelve seconds.
#[track_caller]
fn shows_all(rows: &[String]) {
    let text = text(rows);
    for words in [
        "run plan.toml > ldap://127.0.0.1:1389",
        "12 s of 1:00",
        // Twelve of sixty seconds.
        "20 %, 48 s left",
        "missed; unstable; 150 of 160/s achieved: throughput was changing",
        // Missed objectives come first.
        "missed errors<1% (12.5%), met p50<20ms (4.00ms)",
        // 160 became due, all but ten had an answer, 140 a good one.
        "offered 160",
        "answered 150",
        "goodput 140",
        // A chart shows at least twenty seconds.
        "whole run: 20 s",
        // Of 160 the 80th took 4 ms and the 159th 1 s; at the target it was 15 ms less.
        "Response r p50 4.00 ms R p99 1.00 s",
        "Service s p50 4.00 ms S p99 985 ms",
        "own drops",
        "12,000 of 28,231",
        "p pause view | w whole run | o operation: all | s stop | ? help",
    ] {
        assert!(text.contains(words), "{words:?} is missing in\n{text}");
    }
}

#[test]
fn live_screen_of_80_by_24_shows_everything() {
    let rows = screen(&model(), &Choice::default(), (80, 24), PLAIN);
    shows_all(&rows);
    let row = |begin: &str| rows.iter().find(|row| row.starts_with(begin)).expect(begin).as_str();
    // Of the ten measured seconds, without the warm-up: 1,000 binds; 400 searches, and 200 errors.
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let bind = ["bind", "100", "1,000", "0", "4.00", "ms", "4.00", "ms", "4.00", "ms"];
    assert_eq!(words(row("bind")), bind);
    let search = ["search", "50", "400", "200", "20.0", "ms", "1.00", "s", "985", "ms"];
    assert_eq!(words(row("search")), search);
    assert!(row("Outcomes:").contains("success 1,400  busy 100  TimedOut 100"), "{rows:#?}");
    let at = rows.iter().position(|row| row.starts_with("Generator:")).unwrap();
    let generator = format!("{} {}", rows[at].trim_end(), rows[at + 1].trim_end());
    // Three datagrams in each of twelve seconds.
    for figure in ["busiest core 45 %", "backlog 7", "in flight 50", "own drops 36"] {
        assert!(generator.contains(figure), "{generator}");
    }
    assert!(rows.iter().all(|row| row.is_ascii()), "{}", text(&rows));
}

#[test]
fn live_screen_of_200_by_50_shows_tables() {
    let rows = screen(&model(), &Choice::default(), (200, 50), PLAIN);
    shows_all(&rows);
    let text = text(&rows);
    for words in ["busiest core      45 %", "worker 0          #########----------- 45 %"] {
        assert!(text.contains(words), "{words:?}\n{text}");
    }
    let at_right = |name: &str| {
        let row = rows.iter().find(|row| row.contains(&format!("  {name}  "))).expect(name);
        row[row.find(&format!("  {name}  ")).unwrap()..]
            .split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
    };
    // 1,400 of 1,600.
    assert_eq!(at_right("success"), ["1,400", "88", "%"]);
    assert_eq!(at_right("busy"), ["100", "6.2", "%"]);
}

/// Reads the chart of times as a user would: where a mark stands between two labels of a logarithmic axis.
#[test]
fn live_chart_marks_match_the_axis_labels() {
    let rows = screen(&model(), &Choice::default(), (80, 24), PLAIN);
    let top = rows.iter().position(|row| row.starts_with("Response")).unwrap() + 1;
    let height = rows[top..].iter().take_while(|row| row.as_bytes()[8] == b'|').count();
    assert!(height >= 5, "{}", text(&rows));
    let (low, high) = (&rows[top + height - 1][..8], &rows[top][..8]);
    assert_eq!((low.trim(), high.trim()), ("1.00 ms", "1.00 s"), "{}", text(&rows));
    let decades = 3.0;
    for (mark, seconds) in [('R', 1.0_f64), ('r', 0.004)] {
        let row = rows[top..].iter().position(|row| row[9..].contains(mark)).unwrap();
        let shown = 0.001 * 10_f64.powf(decades * (1.0 - row as f64 / (height - 1) as f64));
        let half_a_row = 10_f64.powf(decades / (height - 1) as f64 / 2.0) * 1.001;
        assert!(shown / seconds < half_a_row && seconds / shown < half_a_row, "{mark}: {shown}");
    }
    // Ten seconds out of the minimum of twenty are shown, from the left.
    let marks = rows[top].chars().filter(|mark| *mark == 'R').count();
    assert_eq!(marks, (71.0_f64 * 12.0 / 20.0).ceil() as usize, "{}", text(&rows));
}

#[test]
fn live_chart_shades_waiting_time() {
    let mut model = Model::new(about());
    for index in 0..30 {
        // Each waits 99 ms for a session, and then takes a millisecond.
        let mut interval = Interval::new(2, 0);
        interval.reset(index, Phase::Steady, Duration::from_secs(index));
        interval.to = Duration::from_secs(index + 1);
        let [sent, ended] = [99_000_000, 100_000_000].map(Moment::from_nanos);
        let stamps = Stamps { due: Moment::ZERO, free: sent, sent, ended };
        interval.record(0, Outcome::Ok(0), &stamps, 1, Own::default());
        model.add(Digest::new(&interval, &name), Duration::from_secs(index));
    }
    let rows = screen(&model, &Choice::default(), (80, 24), PLAIN);
    let column: Vec<char> = rows.iter().map(|row| row.chars().nth(60).unwrap()).collect();
    let top = column.iter().position(|mark| *mark == 'R').expect("response");
    let bottom = column.iter().position(|mark| *mark == 'S').expect("service");
    assert!(
        bottom > top + 2 && column[top + 1..bottom].iter().all(|mark| *mark == ':'),
        "{}",
        text(&rows)
    );
}

#[test]
fn live_keys_choose_what_is_shown() {
    let model = model();
    let mut choice = Choice::default();
    let shown = |choice: &Choice| text(&screen(&model, choice, (80, 24), PLAIN));
    assert!(!choice.press(Key::Next, &model) && !choice.press(Key::Next, &model));
    let search = shown(&choice);
    // Exchanges that become due belong to no operation.
    assert!(search.contains("answered 50") && !search.contains("offered"), "{search}");
    assert!(search.contains("Response r p50 20.0 ms") && search.contains("> search"), "{search}");
    assert!(search.contains("success 400  busy 100"), "{search}");
    choice.press(Key::Next, &model);
    assert!(shown(&choice).contains("operation: all"));
    choice.press(Key::Previous, &model);
    assert!(shown(&choice).contains("operation: search"));
    let mut windows = Vec::new();
    for _ in 0..5 {
        choice.press(Key::Window, &model);
        windows.push(
            shown(&choice).split("| w ").nth(1).unwrap().split(" |").next().unwrap().to_owned(),
        );
    }
    assert_eq!(windows, ["last minute", "last 5 min", "last 15 min", "last hour", "whole run"]);
    choice.press(Key::Pause, &model);
    assert!(shown(&choice).contains("view paused, the run goes on"));
    choice.press(Key::Help, &model);
    assert!(shown(&choice).contains("hold the picture; the run goes on"));
    choice.press(Key::Help, &model);
    // Pressing the key twice must not end the run at once.
    assert!(choice.press(Key::Stop, &model) && !choice.press(Key::Stop, &model));
    assert!(shown(&choice).contains("stopping"));
}

#[test]
fn live_view_works_with_and_without_colour() {
    for (theme, coloured) in [(PLAIN, false), (COLOURED, true)] {
        for size in [(80, 24), (200, 50)] {
            let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
            let (model, choice) = (model(), Choice::default());
            let picture = Picture { model: &model, choice: &choice, now: Duration::ZERO, theme };
            terminal.draw(|frame| draw(&picture, frame.buffer_mut())).unwrap();
            let cells = terminal.backend().buffer().content();
            let plain = cells.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset);
            assert_eq!(plain, !coloured);
        }
    }
}

#[test]
fn live_view_shows_the_whole_page_address() {
    let page = format!("http://127.0.0.1:40213/{}/", "0".repeat(32));
    let model = Model::new(About { page: Some(page.clone()), ..about() });
    for size in [(80, 24), (200, 50)] {
        let rows = screen(&model, &Choice::default(), size, PLAIN);
        assert!(text(&rows).contains(&format!("web: {page}")), "{}", text(&rows));
        let without = screen(&Model::new(about()), &Choice::default(), size, PLAIN);
        assert!(!text(&without).contains("web:"));
        assert_eq!(rows.last(), without.last(), "keys stay where they were");
    }
}

#[test]
fn live_view_escapes_text_of_servers_and_plans() {
    let hostile = "\u{1b}[2J\u{1b}]0;x\u{7}<script>\u{202e}\u{9b}31m\nx";
    let all = About {
        title: hostile.to_owned(),
        target: hostile.to_owned(),
        operations: vec![hostile.to_owned(); 2],
        ..about()
    };
    let mut model = Model::new(all);
    let mut interval = second(0, Phase::Steady);
    let outcome = Outcome::Failed(Class::Result, 51);
    let sample = Sample {
        operation: 1,
        outcome,
        at: Duration::ZERO,
        text: hostile.to_owned(),
        unreached: None,
        sent: None,
        answer: None,
    };
    interval.samples.push(sample);
    let mut digest = Digest::new(&interval, &|_, _| hostile.into());
    digest.standing = Some(ProvisionalVerdict {
        reasons: vec![hostile.to_owned()],
        objectives: vec![Judgement {
            objective: hostile.to_owned(),
            ..standing().objectives[0].clone()
        }],
        ..standing()
    });
    model.add(digest, Duration::ZERO);
    for size in [(80, 24), (200, 50)] {
        let rows = screen(&model, &Choice::default(), size, PLAIN);
        let shown = text(&rows);
        assert!(shown.contains("\\u{1b}[2J") && shown.contains("<script>"), "{shown}");
        let acts = |char: char| char != '\n' && (char.is_control() || char == '\u{202e}');
        assert!(!shown.chars().any(acts), "{shown}");
    }
}

#[test]
fn live_view_draws_at_any_size() {
    let (full, empty) = (model(), Model::new(About::default()));
    let mut help = Choice::default();
    help.press(Key::Help, &full);
    for width in [1, 2, 9, 10, 20, 39, 40, 60, 79, 119, 120, 400] {
        for height in [1, 2, 5, 9, 10, 15, 23, 29, 30, 31, 90] {
            for (model, theme) in [(&full, PLAIN), (&empty, PLAIN), (&full, COLOURED)] {
                screen(model, &Choice::default(), (width, height), theme);
                screen(model, &help, (width, height), theme);
            }
        }
    }
}

#[test]
fn live_view_shows_the_end_that_comes_first() {
    let mut model = model();
    // 160 a second: after twelve seconds 1,920 of 2,400, and three seconds are left, of a minute 48.
    model.about.count = Some(2_400);
    let (done, left) = model.progress(Duration::from_secs(12)).unwrap();
    assert!((done - 0.8).abs() < 1e-9 && (left - 3.0).abs() < 1e-9, "{done} {left}");
    (model.about.count, model.about.lasting) = (None, None);
    assert_eq!(model.progress(Duration::from_secs(12)), None);
    let rows = screen(&model, &Choice::default(), (80, 24), PLAIN);
    assert!(text(&rows).contains("no end of its own"));
}
