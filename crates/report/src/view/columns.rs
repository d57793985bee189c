//! The meaning of the values of a row: [`Column`], and the values of one slice.

use super::slice::{Ended, Slice};
use brunt_record::Histogram;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The meaning of one value of each row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The key that lines refer to.
    pub key: String,
    /// What a reader calls it.
    pub name: String,
    /// Its unit: `/s`, `ms`, `%`, or empty for a count.
    pub unit: String,
}

/// Key, name and unit of a row's values, in the order of [`values`].
const ALL: [(&str, &str, &str); 17] = [
    ("offered", "offered", "/s"),
    ("achieved", "achieved", "/s"),
    ("goodput", "goodput", "/s"),
    ("errors", "errors", "/s"),
    ("dropped", "dropped", "/s"),
    ("p50", "response p50", "ms"),
    ("p90", "response p90", "ms"),
    ("p99", "response p99", "ms"),
    ("p999", "response p99.9", "ms"),
    ("max", "response max", "ms"),
    ("s50", "service p50", "ms"),
    ("s99", "service p99", "ms"),
    ("flight", "in flight", ""),
    ("backlog", "backlog peak", ""),
    ("busy", "busiest worker", "%"),
    ("lag99", "lag p99", "ms"),
    ("late99", "lateness p99", "ms"),
];

/// Those of them that each operation also has, in the order of [`own_values`].
const OWN: [&str; 7] = ["achieved", "goodput", "errors", "p50", "p99", "max", "s99"];

/// The columns of a row.
pub(super) fn all() -> Vec<Column> {
    ALL.map(column).to_vec()
}

/// The columns of an operation in a row.
pub(super) fn own() -> Vec<Column> {
    let of = |key: &str| ALL.into_iter().find(|(known, ..)| *known == key).map(column);
    OWN.iter().filter_map(|key| of(key)).collect()
}

fn column((key, name, unit): (&str, &str, &str)) -> Column {
    Column { key: key.to_owned(), name: name.to_owned(), unit: unit.to_owned() }
}

/// The values of a slice, where these are the times of all its operations together.
pub(super) fn values(slice: &Slice, response: &Histogram, service: &Histogram) -> Vec<Option<f64>> {
    let seconds = slice.seconds();
    vec![
        rate(slice.due.due(), seconds),
        rate(slice.ended.completed(), seconds),
        rate(slice.ended.ok, seconds),
        rate(slice.ended.errors(), seconds),
        rate(slice.ended.dropped, seconds),
        millis(response.quantile(0.5)),
        millis(response.quantile(0.9)),
        millis(response.quantile(0.99)),
        millis(response.quantile(0.999)),
        millis(response.max()),
        millis(service.quantile(0.5)),
        millis(service.quantile(0.99)),
        Some(slice.in_flight as f64),
        Some(slice.backlog_peak as f64),
        slice.busiest.map(|share| figures(100.0 * share)),
        millis(slice.lag.quantile(0.99)),
        millis(slice.lateness.quantile(0.99)),
    ]
}

/// The values of one operation in a slice.
pub(super) fn own_values(slice: &Slice, ended: &Ended) -> Vec<Option<f64>> {
    let seconds = slice.seconds();
    vec![
        rate(ended.counts.completed(), seconds),
        rate(ended.counts.ok, seconds),
        rate(ended.counts.errors(), seconds),
        millis(ended.response.quantile(0.5)),
        millis(ended.response.quantile(0.99)),
        millis(ended.response.max()),
        millis(ended.service.quantile(0.99)),
    ]
}

fn rate(count: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| figures(count as f64 / seconds))
}

fn millis(took: Option<Duration>) -> Option<f64> {
    took.map(|took| figures(took.as_nanos() as f64 / 1e6))
}

/// Four digits: more than a chart shows, and the precision of a histogram.
pub(super) fn figures(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    // Dividing by a power of ten is exact to the last digit, multiplying with its inverse is not.
    let digits = 3 - value.abs().log10().floor() as i32;
    if digits >= 0 {
        let scale = 10_f64.powi(digits);
        (value * scale).round() / scale
    } else {
        let scale = 10_f64.powi(-digits);
        (value / scale).round() * scale
    }
}
