//! [`Prometheus`]: the processor time of the target as a Prometheus server has it, which scrapes it anyway.
//!
//! What is asked for are the raw samples of a counter, within the part of a step that counts. So nothing depends on how
//! often the target is scraped but the length that a step must have: two samples of a series make a figure, fewer make
//! none. Times are relative to the server's own clock, which need not agree with this machine's.

use std::time::Duration;

use brunt_drivers::net::stream::Stream;
use brunt_drivers::net::tls::{self, Name, Options, Trust};
use brunt_exchange::{Clock as _, Moment, Monotonic};
use http::{Request, header};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

use super::{Seen, ServerFigures};
use crate::cli::server_cpu::PrometheusQuery;

/// How long an answer may take, from connecting on.
const WITHIN: Duration = Duration::from_secs(5);
/// The most bytes of an answer: the samples of hundreds of series.
const ANSWER_MAX: usize = 4 << 20;

/// A Prometheus server and what it is asked.
pub(super) struct Prometheus {
    query: PrometheusQuery,
    tls: Option<(tls::Client, Name)>,
    runtime: Runtime,
    clock: Monotonic,
    first: Option<Moment>,
    last: Option<Moment>,
    /// Steps with a figure, and without.
    steps: (u32, u32),
    /// Why one has none, the first time.
    failure: Option<String>,
}

impl Prometheus {
    /// Gets ready, and asks once whether the series are there.
    pub(super) fn open(query: &PrometheusQuery) -> Result<Self, String> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let tls = if query.is_secure() { Some(secured(query)?) } else { None };
        let prometheus = Self {
            query: query.clone(),
            tls,
            runtime,
            clock: Monotonic::new(),
            first: None,
            last: None,
            steps: (0, 0),
            failure: None,
        };
        let answer = prometheus.ask(query.selector())?;
        let known = answer["data"]["result"].as_array().is_some_and(|series| !series.is_empty());
        if !known {
            return Err(format!("no series matches {}", query.selector()));
        }
        Ok(prometheus)
    }

    /// Asks for the value of an expression now.
    fn ask(&self, expression: &str) -> Result<Value, String> {
        let conversation = async { tokio::time::timeout(WITHIN, self.converse(expression)).await };
        let body = self
            .runtime
            .block_on(conversation)
            .unwrap_or_else(|_| Err(format!("no answer within {} s", WITHIN.as_secs())))?;
        let answer: Value =
            serde_json::from_slice(&body).map_err(|_| "its answer is no JSON".to_owned())?;
        if answer["status"] == "success" {
            return Ok(answer);
        }
        Err(format!(
            "it answered: {}",
            answer["error"].as_str().unwrap_or("an error without words")
        ))
    }

    async fn converse(&self, expression: &str) -> Result<Bytes, String> {
        let plain = TcpStream::connect((self.query.host(), self.query.port())).await;
        let plain = Stream::Plain(plain.map_err(|error| error.to_string())?);
        let stream = match &self.tls {
            None => plain,
            Some((tls, name)) => {
                plain.secure(tls, name, None).await.map_err(|failure| failure.to_string())?
            }
        };
        let told = |error: hyper::Error| error.to_string();
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(told)?;
        let request = Request::get(self.query.path(expression))
            .header(header::HOST, self.query.authority())
            .header(header::USER_AGENT, concat!("brunt/", env!("CARGO_PKG_VERSION")))
            .header(header::CONNECTION, "close")
            .body(Empty::<Bytes>::new())
            .map_err(|error| error.to_string())?;
        let answered = async {
            let answer = sender.send_request(request).await.map_err(told)?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, ANSWER_MAX).collect().await;
            let body = body.map_err(|error| error.to_string())?.to_bytes();
            drop(sender);
            Ok::<_, String>((head.status, body))
        };
        let (_, answered) = tokio::join!(connection, answered);
        let (status, body) = answered?;
        // What is wrong with a query is in the body, as JSON.
        if status.is_success() || body.starts_with(b"{") {
            return Ok(body);
        }
        Err(format!("it answered {status}"))
    }

    /// The cores that the samples between these moments say.
    fn cores(&self, from: Moment, to: Moment) -> Result<f64, String> {
        let milliseconds = |time: Duration| time.as_millis().max(1);
        let (window, ago) = (milliseconds(to - from), milliseconds(self.clock.now() - to));
        let selector = self.query.selector();
        let answer = self.ask(&format!("{selector}[{window}ms] offset {ago}ms"))?;
        slopes(&answer).ok_or_else(|| {
            format!(
                "{:.0} s were too short for two samples: it scrapes less often",
                (to - from).as_secs_f64()
            )
        })
    }
}

/// The sum over all series of what each rose by a second. A counter that fell began anew, so nothing is known of it.
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

fn secured(query: &PrometheusQuery) -> Result<(tls::Client, Name), String> {
    let client = tls::Client::new(&Options { trust: Trust::System, ..Options::default() });
    let client = client.map_err(|error| error.to_string())?;
    let name = client.name_for(query.host()).map_err(|error| error.to_string())?;
    Ok((client, name))
}

impl ServerFigures for Prometheus {
    fn look(&mut self) {
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
            "{unseen} of {} steps have no processor time, the first since {why}",
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
    fn series_add_up_by_their_own_samples() {
        let two =
            answer(&[&[(10.0, "5"), (15.0, "7.5")], &[(11.0, "1"), (13.0, "1.2"), (21.0, "2")]]);
        // 2.5 / 5 and 1 / 10 of a core.
        assert!((slopes(&two).unwrap() - 0.6).abs() < 1e-12);
        for unknown in [
            answer(&[]),
            answer(&[&[(10.0, "5")]]),
            // One of two has a single sample: the sum would be too small.
            answer(&[&[(10.0, "5"), (15.0, "7.5")], &[(11.0, "1")]]),
            // It was started anew.
            answer(&[&[(10.0, "5"), (15.0, "0.5")]]),
            answer(&[&[(10.0, "5"), (15.0, "NaN")]]),
            json!({ "data": 7 }),
        ] {
            assert_eq!(slopes(&unknown), None, "{unknown}");
        }
    }
}
