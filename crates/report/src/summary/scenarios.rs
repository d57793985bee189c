//! The results of scenarios that have loads of their own.

use super::times::millis;
use crate::figure::{NONE, printable, thousands};
use crate::grid::Grid;
use crate::page::{Page, Table, Tone};
use crate::screen::Screen;
use brunt_record::{Record, ScenarioRecord};
use std::time::Duration;

/// How wide columns are where there is room.
const COLUMN: usize = 12;
/// The figures of a scenario.
const TITLES: [&str; 11] = [
    "users",
    "due",
    "begun",
    "completed",
    "failed",
    "not begun",
    "offered /s",
    "achieved /s",
    "lag p50",
    "lag p99",
    "lag max",
];
/// The most scenarios that a table has.
const SCENARIOS_MAX: usize = 200;

/// The scenarios as a table; empty if none has a load of its own.
pub(crate) fn text(record: &Record, screen: Screen) -> String {
    if record.scenarios.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new("Scenarios", TITLES.into_iter().chain(["outcome"]), COLUMN);
    for scenario in record.scenarios.iter().take(SCENARIOS_MAX) {
        let outcome = scenario.outcome.words().to_lowercase();
        grid.row(&printable(&scenario.name), "", figures(scenario).into_iter().chain([outcome]));
    }
    grid.text(screen) + "\n"
}

/// Adds the scenarios to the page of a run.
pub(crate) fn add(page: &mut Page, record: &Record) {
    if record.scenarios.is_empty() {
        return;
    }
    page.heading("Scenarios");
    let mut table = Table::new("Scenarios: iterations, and waits for a user in milliseconds")
        .names(["scenario", "outcome"])
        .figures(TITLES);
    for scenario in record.scenarios.iter().take(SCENARIOS_MAX) {
        let names = [scenario.name.clone(), scenario.outcome.words().to_owned()];
        table.row(Tone::Plain, names.into_iter().chain(figures(scenario)));
    }
    table.note(
        "Lag is the time from when an iteration was due to its beginning. An iteration was not begun if no user of \
         the scenario was free until its load ended."
            .to_owned(),
    );
    page.table(table);
}

fn figures(scenario: &ScenarioRecord) -> [String; 11] {
    let none = || NONE.to_owned();
    let count = |count: Option<u64>| count.map_or_else(none, thousands);
    let rate = |rate: Option<f64>| rate.map_or_else(none, |rate| format!("{rate:.1}"));
    let lag = |micros: Option<f64>| {
        micros.map_or_else(none, |micros| millis(Duration::from_secs_f64(micros / 1e6)))
    };
    let ScenarioRecord { users, due, begun, completed, failed, not_begun, offered, .. } = scenario;
    let waited = scenario.lag.as_ref();
    [
        thousands(*users),
        count(*due),
        thousands(*begun),
        thousands(*completed),
        thousands(*failed),
        count(*not_begun),
        rate(*offered),
        rate(scenario.achieved),
        lag(waited.map(|lag| lag.p50_us)),
        lag(waited.map(|lag| lag.p99_us)),
        lag(waited.map(|lag| lag.max_us)),
    ]
}

/// Each scenario of which more iterations were due than its users could begin, in parts of a sentence.
pub(crate) fn overloaded(record: &Record) -> Vec<String> {
    let over = record.scenarios.iter().filter(|scenario| scenario.is_overloaded());
    let sentences = over.map(|scenario| {
        let [left, due] = [scenario.not_begun, scenario.due].map(Option::unwrap_or_default);
        let busy = match scenario.users {
            1 => "its user was".to_owned(),
            users => format!("its {} users were", thousands(users)),
        };
        format!(
            "scenario '{}': {} of {} iterations were not begun, since {busy} busy{}",
            scenario.name,
            thousands(left),
            thousands(due),
            needed(scenario)
        )
    });
    sentences.map(|text| printable(&text)).collect()
}

/// How many users a scenario would need, if its iterations took no longer then.
fn needed(scenario: &ScenarioRecord) -> String {
    let Some(due) = scenario.due.filter(|_| scenario.begun > 0) else { return String::new() };
    let needed = (scenario.users as f64 * due as f64 / scenario.begun as f64).ceil();
    format!(": about {} would be needed", thousands(needed as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;
    use brunt_record::ScenarioCounts;

    fn record() -> Record {
        let counts = |name: &str, due| ScenarioCounts {
            name: name.to_owned(),
            users: 3,
            seconds: 10.0,
            due,
            begun: 190,
            completed: 189,
            failed: 4,
            measured: Vec::new(),
        };
        let mut record = measured(&[]);
        record.verdict = brunt_record::Verdict::default();
        record.with_scenarios(vec![counts("login", Some(2_000)), counts("look", None)])
    }

    #[test]
    fn scenarios_have_a_row_each() {
        let sentences = text(&record(), Screen { width: 200, ..Screen::default() });
        let rows: Vec<Vec<&str>> =
            sentences.lines().map(|line| line.split_whitespace().collect()).collect();
        let login = "login 3 2,000 190 189 4 1,810 200.0 18.9 - - - overloaded";
        assert_eq!(rows[1].join(" "), login);
        assert_eq!(rows[2].join(" "), "look 3 - 190 189 4 - - 18.9 - - - measured");
        assert_eq!(text(&measured(&[]), Screen::default()), "");
        for width in 40..120 {
            let sentences = text(&record(), Screen { width, ..Screen::default() });
            assert!(
                sentences.lines().all(|line| line.chars().count() <= width),
                "{width}: {sentences}"
            );
        }
    }

    #[test]
    fn scenarios_result_names_the_one_with_too_few_users() {
        let sentences = overloaded(&record());
        let expected = "scenario 'login': 1,810 of 2,000 iterations were not begun, since its 3 users were busy: \
                        about 32 would be needed";
        assert_eq!(sentences, [expected]);
        let closing = crate::closing(&record(), Screen::default()).unwrap();
        let words: Vec<&str> = closing.split_whitespace().collect();
        assert!(words.join(" ").contains(&format!("OVERLOADED: {expected}; ")), "{closing}");
        let screen = crate::last_screen(&record(), Screen::default(), None).unwrap();
        let words: Vec<&str> = screen.split_whitespace().collect();
        assert!(words.join(" ").contains("1,810 of 2,000 iterations were not begun"), "{screen}");
    }

    #[test]
    fn scenarios_table_appears_only_for_scenario_loads() {
        let page = |record: &Record| crate::run::page(record).unwrap().html();
        assert!(page(&record()).contains("<h2>Scenarios"), "{}", page(&record()));
        assert!(!page(&measured(&[])).contains("Scenarios"));
    }
}
