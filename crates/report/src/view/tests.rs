//! A view contains for each second what was put into it.

use super::*;
use crate::summary::tests::measured;
use brunt_record::{Catalogue, Histogram, Interval, Series};
use std::time::Duration;

fn value(view: &View, row: usize, key: &str) -> Option<f64> {
    let at = view.columns.iter().position(|column| column.key == key).unwrap();
    view.rows[row].values[at]
}

#[test]
fn view_row_has_the_figures_of_its_second() {
    let view = View::new(&measured(&[])).unwrap();
    assert_eq!(view.rows.len(), 2);
    for row in 0..2 {
        let of = |key| value(&view, row, key);
        assert_eq!([of("offered"), of("achieved"), of("goodput")], [55.0, 50.0, 40.0].map(Some));
        assert_eq!([of("errors"), of("dropped")], [Some(10.0), Some(5.0)]);
        assert_eq!([of("p50"), of("p99"), of("max")], [Some(3.0); 3]);
        assert_eq!([of("s50"), of("s99"), of("lag99")], [Some(2.0), Some(2.0), Some(1.0)]);
        assert_eq!([of("busy"), of("late99")], [Some(25.0), Some(0.25)]);
    }
    assert!(view.rows.iter().all(|row| row.values.len() == view.columns.len()));
    assert_eq!(view.rows[1].own, [[50.0, 40.0, 10.0, 3.0, 3.0, 3.0, 2.0].map(Some)]);
    assert_eq!((view.rows[1].from_s, view.rows[1].lasted_s), (1.0, 1.0));
    // 2 ms and 3 ms: 12 classes to a power of ten above a microsecond.
    assert_eq!(view.rows[0].heat, [39, 10, 0, 40]);
    let (q, ms) = (view.spectra[0].response[2], view.spectra[0].response[3]);
    assert!((q - 0.1).abs() < 1e-9 && (ms - 2.0).abs() < 0.01, "{q} {ms}");
}

/// Seconds of two operations, one of which is a thousand times as slow.
fn fast_and_slow() -> Record {
    let mut record = measured(&[]);
    let fast = record.operations[0].clone();
    record.operations.push(fast);
    record.operations[1].name = "slow".to_owned();
    let mut slow = Histogram::new();
    (0..7).for_each(|_| slow.record(Duration::from_secs(2)));
    for step in &mut record.series {
        let mut operation = step.operations[0].clone();
        operation.response = brunt_record::Latency::new(&slow, &[]);
        step.operations.push(operation);
    }
    record
}

#[test]
fn view_heat_maps_of_operations_add_up() {
    let view = View::new(&fast_and_slow()).unwrap();
    let count = |classes: &[u64]| classes.iter().skip(1).sum::<u64>();
    for row in &view.rows {
        let [fast, slow] = row.own_heat.as_slice() else { panic!("{row:?}") };
        assert_eq!(*fast, [39, 10, 0, 40]);
        // Two seconds are 6.3 powers of ten above a microsecond.
        assert_eq!(*slow, [75, 7]);
        assert_eq!(count(&row.heat), count(fast) + count(slow));
    }
    // A single operation is the same as the whole, and is listed once.
    let one = View::new(&measured(&[])).unwrap();
    assert!(one.rows.iter().all(|row| row.own_heat.is_empty()));
}

#[test]
fn view_row_size_is_estimated() {
    let view = View::new(&fast_and_slow()).unwrap();
    for row in &view.rows {
        let bytes = serde_json::to_string(row).unwrap().len();
        assert!(
            row.bytes() >= bytes * 9 / 10 && row.bytes() < bytes * 2,
            "{} {bytes}",
            row.bytes()
        );
    }
}

#[test]
fn view_lines_refer_to_existing_columns() {
    let view = View::new(&measured(&[])).unwrap();
    let known = |key: &str| view.columns.iter().any(|column| column.key == key);
    for line in view.plots.iter().flat_map(|plot| &plot.lines) {
        assert!(known(&line.column), "{}", line.column);
    }
    assert_eq!(view.own.len(), columns::own().len());
    assert!(view.own.iter().all(|column| known(&column.key)));
}

#[test]
fn view_row_of_a_live_second_equals_the_record() {
    let mut interval = Interval::new(1, 0);
    interval.reset(0, Phase::Steady, Duration::ZERO);
    interval.to = Duration::from_secs(1);
    let moment = brunt_exchange::Moment::from_nanos;
    let stamps = brunt_exchange::Stamps {
        due: moment(0),
        free: moment(0),
        sent: moment(1_000_000),
        ended: moment(4_000_000),
    };
    let outcomes = [brunt_exchange::Outcome::Ok(0), brunt_exchange::Outcome::TimedOut];
    for outcome in outcomes {
        interval.record(0, outcome, &stamps, 0, brunt_record::Own::default());
        interval.plan();
    }
    interval.span(0, brunt_exchange::Outcome::Ok(0), Duration::from_millis(9));
    let mut series = Series::new();
    series.push(&interval);
    let [one, other] = [Slice::of_interval(&interval), Slice::of_step(&series.steps()[0])]
        .map(|one| one.row(&Shown { operations: vec![0], spans: vec![0] }));
    assert_eq!(one, other);
    assert_eq!([one.own[0][3], one.own[1][3]], [Some(4.0), Some(9.0)]);
    // What is of all operations does not contain the span, whose exchanges they are.
    let without = Slice::of_interval(&interval).row(&Shown { operations: vec![0], spans: vec![] });
    assert_eq!((&one.values, &one.heat), (&without.values, &without.heat));
}

#[test]
fn view_of_a_long_run_has_few_rows_without_loss() {
    let mut record = measured(&[]);
    let step = record.series[0].clone();
    record.series = (0..2_048_u32)
        .map(|second| {
            let (from_s, to_s) = (f64::from(second), f64::from(second + 1));
            brunt_record::StepRecord { from_s, to_s, ..step.clone() }
        })
        .collect();
    let slices = Slice::of_record(&record, ROWS_MAX).unwrap();
    assert!(slices.len() <= ROWS_MAX && slices.len() > ROWS_MAX / 2, "{}", slices.len());
    let mut all = Histogram::new();
    for slice in &slices {
        all.merge(&slice.operations[0].response);
    }
    assert_eq!(all.count(), 2_048 * 50);
    assert_eq!(slices.iter().map(|slice| slice.due.planned).sum::<u64>(), 2_048 * 55);
    assert_eq!(slices[5].row(&Shown { operations: vec![0], spans: vec![] }).own[0][0], Some(50.0));
}

#[test]
fn view_of_a_run_in_progress_keeps_rows_even() {
    let tool = brunt_record::Tool { name: "brunt".into(), version: "0.1.0".into() };
    let started = "2026-01-02T03:04:05Z".parse().unwrap();
    let (plan, catalogue) = (brunt_record::Plan::open(1.0, 1, 7), Catalogue::new(["bind"], []));
    let head = Head::new("a".repeat(32), started, tool, plan, catalogue);
    let view = |seconds: u64| {
        let mut series = Series::new();
        for second in 0..seconds {
            // Exchanges of the warm-up that ended late are recorded beside the first second after
            // it.
            let phases: &[Phase] = match second {
                0 => &[Phase::WarmUp],
                1 => &[Phase::Steady, Phase::WarmUp],
                _ => &[Phase::Steady],
            };
            for phase in phases {
                let mut interval = Interval::new(1, 0);
                interval.reset(second, *phase, Duration::from_secs(second));
                interval.to = Duration::from_secs(second + 1);
                interval.plan();
                series.push(&interval);
            }
        }
        View::so_far(&head, series.steps())
    };
    let short = view(4);
    let starts: Vec<f64> = short.rows.iter().map(|row| row.from_s).collect();
    assert_eq!(starts, [0.0, 1.0, 2.0, 3.0]);
    let offered = |row| value(&short, row, "offered");
    assert_eq!([offered(0), offered(1), offered(2)], [Some(1.0), Some(2.0), Some(1.0)]);
    assert!(!short.over);
    let long = view(5_000);
    assert!((100..=ROWS_MAX).contains(&long.rows.len()), "{}", long.rows.len());
    assert!(
        long.rows.windows(2).all(|pair| pair[0].from_s + pair[0].lasted_s <= pair[1].from_s + 1e-9)
    );
    let due: f64 = (0..long.rows.len())
        .map(|row| value(&long, row, "offered").unwrap() * long.rows[row].lasted_s)
        .sum();
    assert!((due - 5_001.0).abs() < 5.0, "{due}");
}

#[test]
fn view_figures_have_four_digits() {
    let shown = [0.0, 0.000_123_456, 12.345_6, 19_998.1, 1.0, f64::NAN].map(columns::figures);
    let shown = shown.map(|figure| figure.to_string());
    assert_eq!(shown, ["0", "0.0001235", "12.35", "20000", "1", "0"]);
}
