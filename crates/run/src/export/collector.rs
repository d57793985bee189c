//! [`Collector`]: the destination of metrics, and one POST to it.

use std::time::Duration;

use brunt_net::Network;
use brunt_net::keystore::Store;
use brunt_net::tls::Trust;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use hyper::body::Bytes;

use super::protobuf::{Value, fields};
use crate::environment::Environment;
use crate::options::base_url::BaseUrl;
use crate::service::{Service, ServiceError, ServiceOptions};
use crate::world::World;

/// How long a message may take, from connecting to the answer.
const WITHIN: Duration = Duration::from_secs(3);
/// The largest answer, in bytes.
const ANSWER_MAX: usize = 64 << 10;
/// The variables in which OpenTelemetry programs look for headers, including keys, and for certificates.
const HEADERS: [&str; 2] = ["OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"];
const CERTIFICATES: [&str; 2] =
    ["OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE"];
/// Options of a run have no effect on this connection; this variable has.
const ADVICE: &str = "; for a collector OTEL_EXPORTER_OTLP_CERTIFICATE names a PEM file to trust";

/// Why a collector cannot be used, or did not take a message.
#[derive(Debug, thiserror::Error)]
pub enum CollectorError {
    /// A variable with headers is wrong.
    #[error("read {variable}: {error}")]
    Headers {
        /// The variable.
        variable: &'static str,
        /// What is wrong.
        error: HeaderError,
    },
    /// It cannot be reached, or its answer is none.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// It refused the message.
    #[error("the collector answered {0}")]
    Refused(StatusCode),
    /// It took only a part of the message.
    #[error("the collector rejected {points} points: {why}")]
    Rejected {
        /// How many points it did not take.
        points: i64,
        /// Its reason.
        why: String,
    },
}

/// A header that is none, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {0} is not a header; write name=value,name=value")]
pub struct HeaderError(usize);

/// An OpenTelemetry collector.
pub(super) struct Collector {
    service: Service,
    path: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Collector {
    /// Reads its settings from the environment. The error says why nothing can ever be sent to it.
    pub(super) fn new(url: &BaseUrl, world: &World) -> Result<Self, CollectorError> {
        let headers = match set(HEADERS, &world.environment) {
            Some((variable, text)) => {
                headers(&text).map_err(|error| CollectorError::Headers { variable, error })?
            }
            None => Vec::new(),
        };
        let trust = match set(CERTIFICATES, &world.environment) {
            Some((_, path)) => Trust::Stores(vec![Store { path: path.into(), password: None }]),
            None => Trust::System,
        };
        let settings =
            ServiceOptions { trust, advice: ADVICE, within: WITHIN, answer_max: ANSWER_MAX };
        let service = Service::new(url, settings, &Network::open(&world.files))?;
        Ok(Self { service, path: url.path().to_owned(), headers })
    }

    /// Sends a message. The error says why it did not arrive.
    pub(super) fn post(&self, message: Vec<u8>) -> Result<(), CollectorError> {
        let (status, body) = self.service.send(self.request(message))?;
        if !status.is_success() {
            return Err(CollectorError::Refused(status));
        }
        taken(&body)
    }

    fn request(&self, message: Vec<u8>) -> http::Result<Request<Full<Bytes>>> {
        let mut request = self
            .service
            .request(Method::POST, &self.path)
            .header(header::CONTENT_TYPE, "application/x-protobuf");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(Full::from(message))
    }
}

/// Whether a collector that accepted a message accepted all of it.
fn taken(body: &[u8]) -> Result<(), CollectorError> {
    const PARTIAL_SUCCESS: u64 = 1;
    const REJECTED_POINTS: u64 = 1;
    const ERROR_MESSAGE: u64 = 2;
    let (mut points, mut why) = (0, String::new());
    for (field, value) in fields(body) {
        let (PARTIAL_SUCCESS, Value::Bytes(partly)) = (field, value) else { continue };
        for (field, value) in fields(partly) {
            match (field, value) {
                (REJECTED_POINTS, Value::Number(rejected)) => points = rejected.cast_signed(),
                (ERROR_MESSAGE, Value::Bytes(text)) => why = String::from_utf8_lossy(text).into(),
                _ => {}
            }
        }
    }
    if points > 0 {
        return Err(CollectorError::Rejected { points, why });
    }
    Ok(())
}

/// The first of these variables that is set and not empty.
fn set(names: [&'static str; 2], environment: &Environment) -> Option<(&'static str, String)> {
    let reported = |name| environment.text(name).filter(|text| !text.is_empty());
    names.into_iter().find_map(|name| Some((name, reported(name)?)))
}

/// Headers in OpenTelemetry's notation: `name=value,name=value`, percent-encoded. The error contains no value, since a
/// value may be a key.
fn headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, HeaderError> {
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let mut value = HeaderValue::from_bytes(&decoded(value.trim())?).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value))
    };
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty()).enumerate();
    pairs.map(|(at, pair)| header(pair).ok_or(HeaderError(at + 1))).collect()
}

/// Text without its percent-encoding.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let (mut decoded, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            decoded.push(*first);
        }
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_proto::tonic::collector::metrics::v1::{
        ExportMetricsPartialSuccess, ExportMetricsServiceResponse,
    };
    use prost::Message as _;

    #[test]
    fn header_variable_is_parsed_like_opentelemetry() {
        let read = headers("api-key=a%20b, x-tenant=7,").unwrap();
        let read: Vec<_> =
            read.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(read, [("api-key", &b"a b"[..]), ("x-tenant", b"7")]);
        for wrong in ["api-key", "a b=c", "a=%zz", "a=%4", "a=b%0A"] {
            let why = headers(&format!("x=1,{wrong}")).unwrap_err();
            assert_eq!(why.to_string(), "entry 2 is not a header; write name=value,name=value");
        }
    }

    #[test]
    fn rejected_points_are_an_error() {
        taken(b"").unwrap();
        let rejected = |points| {
            let partly = ExportMetricsPartialSuccess {
                rejected_data_points: points,
                error_message: "too old".to_owned(),
            };
            let answer = ExportMetricsServiceResponse { partial_success: Some(partly) };
            taken(&answer.encode_to_vec())
        };
        rejected(0).unwrap();
        let why = rejected(3).unwrap_err().to_string();
        assert_eq!(why, "the collector rejected 3 points: too old");
    }
}
