//! The row of a [`Slice`]: what a view shows of it.

use super::shown::Shown;
use super::slice::Slice;
use super::{Row, columns, heat, number};
use brunt_record::Histogram;

impl Slice {
    /// The row of a view of what is shown.
    pub fn row(&self, shown: &Shown) -> Row {
        let (mut response, mut service) = (Histogram::new(), Histogram::new());
        for operation in &self.operations {
            response.merge(&operation.response);
            service.merge(&operation.service);
        }
        let spans = shown.spans.iter().map(|&number| self.spans.get(number));
        let operations = shown.operations.iter().map(|&number| self.operations.get(number));
        let ended = || operations.clone().chain(spans.clone());
        let own = ended().map(|ended| ended.map(|ended| columns::own_values(self, ended)));
        let own_heat = ended().map(|ended| ended.map(|ended| heat::classes(&ended.response)));
        let own_heat = own_heat.filter(|_| shown.len() > 1);
        Row {
            from_s: rounded(self.from_s),
            lasted_s: rounded(self.seconds()),
            phase: number(self.phase),
            values: columns::values(self, &response, &service),
            heat: heat::classes(&response),
            own: own.map(Option::unwrap_or_default).collect(),
            own_heat: own_heat.map(Option::unwrap_or_default).collect(),
        }
    }
}

/// To the millisecond: axes show no more.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}
