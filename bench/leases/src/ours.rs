//! brunt as it is measured: started like a user's run, with its times read from the file it writes.

use brunt_bench_tool::{Lap, brunt, stopwatch, succeeded};
use serde_json::Value;
use std::process::Command;

/// Runs brunt with these arguments, and a file for its record; a lap for each phase.
pub(crate) fn laps(arguments: &[&str]) -> Vec<Lap> {
    laps_of(&run(arguments))
}

/// The same, and the whole of what brunt wrote down.
pub(crate) fn run(arguments: &[&str]) -> Value {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let file = scratch.path().join("record.json");
    let mut command = Command::new(brunt());
    command.args(arguments).arg("--record").arg(&file);
    if arguments.first() == Some(&"leases") {
        command.arg("--quiet");
    }
    let time = stopwatch();
    succeeded(&mut command);
    let whole = time().as_secs_f64();
    let text = std::fs::read_to_string(&file).expect("brunt has written its record");
    let record: Value = serde_json::from_str(&text).expect("a record is JSON");
    let phases: f64 = laps_of(&record).iter().map(|lap| lap.seconds).sum();
    assert!(phases < whole, "brunt says its phases took {phases} s, but it ran for {whole} s");
    record
}

fn laps_of(collection: &Value) -> Vec<Lap> {
    let cells = collection["cells"].as_array().expect("a collection has cells");
    cells.iter().map(lap).collect()
}

fn lap(cell: &Value) -> Lap {
    let figure = |name: &str| {
        cell["figures"][name].as_f64().unwrap_or_else(|| panic!("no {name} in {}", cell["figures"]))
    };
    assert!(cell["notes"].as_array().is_none_or(Vec::is_empty), "a note: {}", cell["notes"]);
    Lap {
        phase: cell["labels"]["phase"].as_str().expect("a cell has a phase").to_owned(),
        operations: figure("operations") as u64,
        seconds: figure("seconds"),
        done: done(cell),
    }
}

/// How many did what was asked: those with the code of a hit.
fn done(cell: &Value) -> u64 {
    let operations = cell["record"]["operations"].as_array().expect("a record has operations");
    let codes = operations.iter().filter_map(|operation| operation["codes"].as_array()).flatten();
    let hits = codes.filter(|code| code["class"] == "ok" && code["code"] == 0);
    hits.filter_map(|code| code["count"].as_u64()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lap_equals_its_cell() {
        let cell = json!({
            "labels": {"phase": "search"},
            "figures": {"operations": 1000.0, "seconds": 0.5, "rate": 2000.0},
            "notes": [],
            "record": {"operations": [
                {"codes": []},
                {"codes": [
                    {"class": "ok", "code": 0, "count": 900},
                    {"class": "ok", "code": 1, "count": 98},
                    {"class": "check", "code": 0, "count": 2},
                ]},
            ]},
        });
        let expected =
            Lap { phase: "search".to_owned(), operations: 1_000, seconds: 0.5, done: 900 };
        assert_eq!(lap(&cell), expected);
    }
}
