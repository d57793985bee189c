//! Pages of a search whose figures are worked out by hand.

use super::*;
use crate::Screen;
use brunt_capacity::{Demand, Sizing, Usl};
use brunt_record::{COLLECTION_SCHEMA, Cell, Collection, Environment, Tool};

const DEMAND: Demand = Demand {
    peak: 1_200.0,
    growth: 0.3,
    headroom: 0.4,
    spare: 1,
    tested_servers: 1,
    cores: Some(4.0),
};

fn step(kind: &str, verdict: &str, rate: f64, p99_ms: f64, share: f64) -> Cell {
    let mut cell = Cell::new([("kind", kind), ("verdict", verdict), ("objective", "p99<20ms")]);
    let figures = [
        ("rate", rate),
        ("achieved", rate),
        ("share", share),
        ("allowed", 0.01),
        ("clump", 3.0),
        ("errors", 0.0),
        ("p50_us", 900.0),
        ("p99_us", 1e3 * p99_ms),
        ("p999_us", 2e3 * p99_ms),
    ];
    cell.figures = figures.map(|(name, value)| (name.to_owned(), value)).into();
    cell.notes = vec!["why".to_owned(), "because".to_owned()];
    cell
}

fn found() -> Collection {
    let facts = [
        ("answer", "claim"),
        ("objective 1", "p99<20ms"),
        ("guard 1", "errors<0.1%"),
        (
            "remark 1",
            "confirmed for 300 s: what happens less often than every 30 s may have been missed",
        ),
        ("connections", "50"),
        ("noun", "binds"),
        ("target", "ldap://ds1:389"),
    ];
    let figures = [
        ("claim", 731.0),
        ("confirmed_s", 300.0),
        ("fails_at", 804.0),
        ("estimate_p10", 750.0),
        ("estimate_p50", 767.0),
        ("estimate_p90", 781.0),
        ("knee", 500.0),
        ("knee_mean_us", 2_000.0),
        ("took_s", 605.0),
    ];
    let mut recovery = Cell::new([("kind", "calm"), ("verdict", "none")]);
    recovery.figures.insert("recovery_s".to_owned(), 7.0);
    Collection {
        schema: COLLECTION_SCHEMA.to_owned(),
        subject: "find-max".to_owned(),
        tool: Tool { name: "brunt".to_owned(), version: "0.1.0".to_owned() },
        started: "2026-01-02T03:04:05Z".to_owned(),
        command: vec!["brunt".to_owned(), "find-max".to_owned()],
        environment: Environment::default(),
        facts: facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        figures: figures.map(|(name, value)| (name.to_owned(), value)).into(),
        cells: vec![
            step("ramp", "pass", 500.0, 9.0, 0.0),
            step("ramp", "fail", 1_000.0, 900.0, 0.8),
            recovery,
            step("confirm", "pass", 731.0, 17.1, 0.006),
            step("above", "fail", 804.0, 23.5, 0.02),
            step("search", "void", 900.0, 400.0, 0.5),
        ],
    }
}

fn sized(collection: &Collection, demand: Demand) -> Page {
    let reading = Reading::from_collection(collection).unwrap();
    let arithmetic = Sizing::new(&reading, demand).unwrap();
    sizing(&reading, &arithmetic, None)
}

fn columns(width: usize) -> Screen {
    Screen { width, ..Screen::default() }
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn curve_is_sorted_by_rate_and_omits_void_steps() {
    let collection = found();
    let reading = Reading::from_collection(&collection).unwrap();
    let table = curve::table(&reading);
    let rates: Vec<&str> = table.rows.iter().map(|row| row.cells[0].as_str()).collect();
    assert_eq!(rates, ["500", "731", "804", "900", "1000"]);
    assert_eq!(table.rows[1].cells[2], "0.6 % of 1.0 %");
    assert_eq!(table.rows[3].tone, crate::page::Tone::Doubtful);
    let crate::chart::Chart::Lines(lines) = curve::chart(&reading, None) else { panic!("lines") };
    let p99 = &lines.lines[1];
    assert_eq!(p99.points, [(500.0, 9.0), (731.0, 17.1), (804.0, 23.5), (1_000.0, 900.0)]);
    let marks: Vec<&str> = lines.lines[2..].iter().map(|line| line.name.as_str()).collect();
    assert_eq!(marks, ["confirmed 731/s", "fails 804/s", "knee 500/s"]);
    assert_eq!(lines.bands, [(731.0, 804.0, "the limit".to_owned())]);
}

#[test]
fn closing_lines_state_result_and_trust() {
    let closing_text = |change: &dyn Fn(&mut Collection)| {
        let mut collection = found();
        change(&mut collection);
        let text = closing(&Reading::from_collection(&collection).unwrap(), columns(80));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        flat(&text)
    };
    let set = |name: &'static str, value: &'static str| {
        move |it: &mut Collection| drop(it.facts.insert(name.to_owned(), value.to_owned()))
    };
    let claim = closing_text(&|_| {});
    assert!(claim.starts_with("Result: Sustains 731 binds/s (confirmed 300 s,"), "{claim}");
    let rare = "events less often than every 30 s may have been missed";
    assert!(claim.ends_with(&format!("Trust: yes, but: {rare}")), "{claim}");
    let here = closing_text(&set("target", "ldap://127.0.0.1:389"));
    let shared = "generator and target shared one machine";
    assert!(here.ends_with(&format!("Trust: yes, but: {shared}; {rare}")), "{here}");
    let drifted = closing_text(&|it| {
        let figures = [("before_us", 100.0), ("after_us", 200.0), ("drifted", 1.0)];
        it.figures.extend(figures.map(|(name, value)| (name.to_owned(), value)));
    });
    assert!(
        drifted.contains("Trust: in part: the target drifted during the search; events"),
        "{drifted}"
    );
    let none = closing_text(&set("answer", "no claim"));
    assert!(none.ends_with("Trust: no: no rate was confirmed"), "{none}");
}

#[test]
fn page_states_the_result_first_and_fits_80_columns() {
    let collection = found();
    let text = page(&Reading::from_collection(&collection).unwrap()).text(columns(80));
    let words = flat(&text);
    assert!(
        words.contains(
            "Sustains 731 binds/s (confirmed 300 s, Poisson, 50 connections): p99<20ms; fails at \
    804/s;"
        ),
        "{text}"
    );
    assert!(
        words.contains("; recovers within 7 s.") && words.contains("The search took 10 min 5 s."),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn sizing_page_shows_each_number_with_its_input() {
    let words = flat(&sized(&found(), DEMAND).text(columns(100)));
    // By hand: 1,200 x 1.3 = 1,560; 1,560 / 438.6 = 3.557; 1,560 / 731 = 2.134; 1,560 / 482.4 = 3.234; 1,560 / 804 =
    // 1.940.
    for expected in [
        "VALID: 731/s is sustained, 804/s is not. For 1560/s at peak: 4 servers, at either end of the range, one of \
         which may fail.",
        "1200/s x (1 + 30 % growth) = 1560/s",
        "confirmed R = 731/s 3.56 -> 4 2.13 -> 4 4",
        "fails at R = 804/s 3.23 -> 4 1.94 -> 3 4",
        "731/s / (1 server x 4 cores) = 183/s",
        "4 servers together (1 server tested)",
        "Longer than 300 s",
        "TLS: no handshake was seen.",
    ] {
        assert!(words.contains(expected), "{expected}\n{words}");
    }
}

#[test]
fn page_states_floor_drift_and_shared_machine_first() {
    let mut collection = found();
    collection.facts.insert("answer".to_owned(), "floor".to_owned());
    collection.facts.insert("why".to_owned(), "no more than 600/s was to be tried".to_owned());
    collection.facts.insert("target".to_owned(), "ldap://127.0.0.1:389".to_owned());
    collection.figures.extend([("floor".to_owned(), 600.0), ("floor_confirmed".to_owned(), 1.0)]);
    let words = flat(&sized(&collection, DEMAND).text(columns(100)));
    // 1,560 / 360 = 4.33 -> 5; 1,560 / 600 = 2.6 -> 3, and 1 spare.
    for expected in [
        "FLOOR: At least 600/s is sustained.",
        "no more than 5 servers are needed",
        "shared one machine",
        "More than 600/s.",
    ] {
        assert!(words.contains(expected), "{expected}\n{words}");
    }
    assert!(!words.contains("is not."), "a floor has no upper end: {words}");
    let drift = [("before_us", 1_000.0), ("after_us", 1_200.0), ("drifted", 1.0)];
    collection.figures.extend(drift.map(|(name, value)| (name.to_owned(), value)));
    let words = flat(&sized(&collection, DEMAND).text(columns(100)));
    assert!(
        words.contains("UNSTABLE")
            && words.contains("1.000 ms at the start and 1.200 ms at the end"),
        "{words}"
    );
}

#[test]
fn page_escapes_server_text() {
    let mut collection = found();
    let hostile = "<script>alert(1)</script>\u{1b}[2J";
    for name in ["target", "server", "remark 1", "connections"] {
        collection.facts.insert(name.to_owned(), hostile.to_owned());
    }
    let page = sized(&collection, DEMAND);
    assert!(!page.html().contains("<script>alert"));
    assert!(!page.text(columns(80)).contains('\u{1b}'));
    let reading = Reading::from_collection(&collection).unwrap();
    assert!(!super::page(&reading).text(columns(80)).contains('\u{1b}'));
}

#[test]
fn scalability_law_is_drawn_with_its_objections() {
    let mut collection = found();
    collection.cells.clear();
    // M/M/1 with 1,000/s, so X = 1000 N / (1 + N): lambda 500, sigma 1/2, kappa 0.
    for x in [100.0, 300.0, 500.0, 700.0, 800.0, 900.0] {
        let mut cell = step("ramp", "pass", x, 10.0, 0.001);
        cell.figures.insert("mean_us".to_owned(), 1e6 / (1_000.0 - x));
        collection.cells.push(cell);
    }
    let reading = Reading::from_collection(&collection).unwrap();
    let arithmetic = Sizing::new(&reading, DEMAND).unwrap();
    let page = |fit: &Result<Usl, brunt_capacity::UslError>| {
        super::sizing(&reading, &arithmetic, Some(fit))
            .text(Screen { width: 200, ..Screen::default() })
    };
    let fit = Usl::new(&reading);
    let text = page(&fit);
    assert!(
        text.contains("lambda 500.0 (500.0 to 500.0), sigma 0.5000 (0.5000 to 0.5000)"),
        "{text}"
    );
    assert!(text.contains("0.11 to 9.00 requests in the system"), "{text}");
    assert!(text.contains("no claim"), "{text}");
    let line = usl::line(fit.as_ref().unwrap(), 5);
    // At its ends are the least and the greatest concurrency: 1/9 and 9, so 100/s and 900/s.
    let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
    for ((x, y), (rate, millis)) in [(first, (100.0, 1e3 / 900.0)), (last, (900.0, 10.0))] {
        assert!((x - rate).abs() < 1e-3 && (y - millis).abs() < 1e-3, "{x} {y}");
    }
    collection.cells.truncate(5);
    let reading = Reading::from_collection(&collection).unwrap();
    let few = super::sizing(&reading, &arithmetic, Some(&Usl::new(&reading)));
    assert!(
        few.text(Screen { width: 200, ..Screen::default() }).contains("5 valid steps are too few")
    );
}

#[test]
fn page_lists_untested_points_and_all_steps() {
    let collection = found();
    let reading = Reading::from_collection(&collection).unwrap();
    let words = flat(&page(&reading).text(columns(100)));
    assert!(words.contains("Not tested") && words.contains("Longer than 300 s"), "{words}");
    let table = steps::table(&reading);
    let verdicts: Vec<&str> = table.rows.iter().map(|row| row.cells[7].as_str()).collect();
    assert_eq!(verdicts, ["pass", "fail", "-", "pass", "fail", "void"]);
    assert_eq!(table.rows[1].cells[8..], ["why", "because"]);
}

#[test]
fn page_of_a_search_in_progress_claims_nothing() {
    let mut collection = found();
    // The fact as it is written before there is an answer.
    collection.facts.insert("answer".to_owned(), "interrupted".to_owned());
    collection.figures.retain(|name, _| name.starts_with("estimate"));
    collection.cells.truncate(2);
    let going = SearchInProgress {
        doing: "Trying 731/s (search): where the limit is most likely",
        at: "4 of 30 s",
        passed: Some(500.0),
        failed: Some(1_000.0),
        elapsed_s: 67.0,
        expected_s: (600.0, 1_200.0),
    };
    let page = so_far(&Reading::from_collection(&collection).unwrap(), &going);
    let words = flat(&page.text(columns(100)));
    for expected in [
        "Trying 731/s (search): where the limit is most likely",
        "4 of 30 s",
        "passed so far 500/s",
        "failed so far 1000/s",
        "between 750/s and 781/s (80%)",
        "1:07 of usually 10:00, 20:00 at most",
        "These figures are not a claim",
    ] {
        assert!(words.contains(expected), "{expected}\n{words}");
    }
    assert!(!words.contains("Sustains") && !words.contains("confirmed"), "{words}");
    let ids: Vec<String> = page.sections().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["top", "steps-so-far", "response-times-so-far"]);
}
