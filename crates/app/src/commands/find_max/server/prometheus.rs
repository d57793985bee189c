//! [`Prometheus`]: the processor time of the target, from a Prometheus server that scrapes it.
//!
//! The query is for the raw samples of a counter, within the part of a step that counts. So the scrape interval affects
//! only how long a step must be: two samples of a series make a figure, fewer make none. Times are relative to the
//! server's own clock, which need not agree with this machine's.

use std::time::Duration;

use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_net::Network;
use brunt_net::tls::Trust;
use brunt_run::options::server_cpu::PrometheusQuery;
use brunt_run::service::{Service, ServiceError, ServiceOptions};
use http::Method;
use http_body_util::Full;
use serde_json::Value;

use super::{Seen, ServerFigures};

/// How long an answer may take, counted from connecting.
const WITHIN: Duration = Duration::from_secs(5);
/// The most bytes of an answer: the samples of hundreds of series.
const ANSWER_MAX: usize = 4 << 20;

/// Why a query has no figure.
#[derive(Debug, thiserror::Error)]
pub(super) enum QueryError {
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error("its answer is no JSON")]
    NoJson,
    #[error("it answered: {0}")]
    Refused(String),
    #[error("no series matches {0}")]
    NoSeries(String),
    #[error("{:.0} s were too short for two samples: Prometheus scrapes less often", .0.as_secs_f64())]
    Short(Duration),
}

/// A Prometheus server and the query.
pub(super) struct Prometheus {
    query: PrometheusQuery,
    service: Service,
    clock: Monotonic,
    first: Option<Moment>,
    last: Option<Moment>,
    /// The numbers of steps with a figure, and without.
    steps: (u32, u32),
    /// Why a step has no figure, the first time.
    failure: Option<QueryError>,
}

impl Prometheus {
    /// Prepares the query, and checks once whether the series exist.
    pub(super) fn open(
        query: &PrometheusQuery,
        files: &brunt_feed::Files,
    ) -> Result<Self, QueryError> {
        let options = ServiceOptions {
            trust: Trust::System,
            advice: "",
            within: WITHIN,
            answer_max: ANSWER_MAX,
        };
        let service = Service::new(query.server(), options, &Network::open(files))?;
        let prometheus = Self {
            query: query.clone(),
            service,
            clock: Monotonic::new(),
            first: None,
            last: None,
            steps: (0, 0),
            failure: None,
        };
        let answer = prometheus.query(query.selector())?;
        let known = answer["data"]["result"].as_array().is_some_and(|series| !series.is_empty());
        if !known {
            return Err(QueryError::NoSeries(query.selector().to_owned()));
        }
        Ok(prometheus)
    }

    /// Queries the value of an expression now.
    fn query(&self, expression: &str) -> Result<Value, QueryError> {
        let path = self.query.path(expression);
        let request = self.service.request(Method::GET, &path).body(Full::default());
        let (status, body) = self.service.send(request)?;
        // The description of an error in the query is in the body, as JSON.
        if !status.is_success() && !body.starts_with(b"{") {
            return Err(ServiceError::Status(status).into());
        }
        let answer: Value = serde_json::from_slice(&body).map_err(|_| QueryError::NoJson)?;
        if answer["status"] == "success" {
            return Ok(answer);
        }
        let error = answer["error"].as_str().unwrap_or("an error without a message");
        Err(QueryError::Refused(error.to_owned()))
    }

    /// The cores in use between these moments, from the samples.
    fn cores(&self, from: Moment, to: Moment) -> Result<f64, QueryError> {
        let milliseconds = |time: Duration| time.as_millis().max(1);
        let (window, ago) = (milliseconds(to - from), milliseconds(self.clock.now() - to));
        let selector = self.query.selector();
        let answer = self.query(&format!("{selector}[{window}ms] offset {ago}ms"))?;
        slopes(&answer).ok_or(QueryError::Short(to - from))
    }
}

/// The sum over all series of the increase of each per second. A counter that fell was reset, so the result is unknown.
fn slopes(answer: &Value) -> Option<f64> {
    let series = answer["data"]["result"].as_array()?;
    let slope = |one: &Value| {
        let values = one["values"].as_array()?;
        let sample =
            |value: &Value| Some((value[0].as_f64()?, value[1].as_str()?.parse::<f64>().ok()?));
        let samples: Vec<(f64, f64)> = values.iter().filter_map(sample).collect();
        let ((from, before), (to, after)) = (*samples.first()?, *samples.last()?);
        let rises = samples.windows(2).all(|pair| pair[1].1 >= pair[0].1);
        (rises && to > from && after.is_finite()).then(|| (after - before) / (to - from))
    };
    let all: Option<Vec<f64>> = series.iter().map(slope).collect();
    all.filter(|slopes| !slopes.is_empty()).map(|slopes| slopes.iter().sum())
}

impl ServerFigures for Prometheus {
    fn poll(&mut self) {
        let now = self.clock.now();
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    fn seen(&mut self) -> Seen {
        let (Some(from), Some(to)) = (self.first.take(), self.last.take()) else {
            return Seen::default();
        };
        match self.cores(from, to) {
            Ok(cores) => {
                self.steps.0 += 1;
                Seen { cores: Some(cores), counted: None }
            }
            Err(why) => {
                self.steps.1 += 1;
                self.failure.get_or_insert(why);
                Seen::default()
            }
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("server processor time", self.query.to_string())]
    }

    fn missing(&self) -> Option<String> {
        let (seen, unseen) = self.steps;
        let why = self.failure.as_ref()?;
        Some(format!(
            "{unseen} of {} steps have no processor time, the first because {why}",
            seen + unseen
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(series: &[&[(f64, &str)]]) -> Value {
        let series: Vec<Value> =
            series.iter().map(|values| json!({ "metric": {}, "values": values })).collect();
        json!({ "status": "success", "data": { "resultType": "matrix", "result": series } })
    }

    #[test]
    fn prometheus_series_are_summed_by_their_samples() {
        let two =
            answer(&[&[(10.0, "5"), (15.0, "7.5")], &[(11.0, "1"), (13.0, "1.2"), (21.0, "2")]]);
        // 2.5 / 5 and 1 / 10 of a core.
        assert!((slopes(&two).unwrap() - 0.6).abs() < 1e-12);
        for unknown in [
            answer(&[]),
            answer(&[&[(10.0, "5")]]),
            // One of the two has a single sample: the sum would be too small.
            answer(&[&[(10.0, "5"), (15.0, "7.5")], &[(11.0, "1")]]),
            // The counter was reset.
            answer(&[&[(10.0, "5"), (15.0, "0.5")]]),
            answer(&[&[(10.0, "5"), (15.0, "NaN")]]),
            json!({ "data": 7 }),
        ] {
            assert_eq!(slopes(&unknown), None, "{unknown}");
        }
    }
}
