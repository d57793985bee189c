//! [`Collector`]: where metrics are sent to, and one POST to it.
//!
//! Each message has a connection of its own: there is one a second at most, and a collector that was started anew is
//! found at once. HTTP is hyper's, TLS that of the drivers. Every wait has a limit, and an answer is read as far as
//! that of a collector can be long.

use std::env;
use std::time::Duration;

use brunt_drivers::net::Failure;
use brunt_drivers::net::keystore::Store;
use brunt_drivers::net::stream::Stream;
use brunt_drivers::net::tls::{self, Name, Options, Trust};
use http::{HeaderName, HeaderValue, Method, Request, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;
use prost::Message as _;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

use crate::cli::exports::OtlpUrl;

/// How long a message may take, from connecting to the answer.
const WITHIN: Duration = Duration::from_secs(3);
/// The most bytes of an answer.
const ANSWER_MAX: usize = 64 << 10;
/// Where OpenTelemetry's programs look for headers, keys among them, and for certificates.
const HEADERS: [&str; 2] = ["OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"];
const CERTIFICATES: [&str; 2] =
    ["OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE"];

/// A collector of OpenTelemetry.
pub(super) struct Collector {
    url: OtlpUrl,
    headers: Vec<(HeaderName, HeaderValue)>,
    tls: Option<(tls::Client, Name)>,
    runtime: Runtime,
}

impl Collector {
    /// Reads what the environment says of it. The error says why nothing can ever be sent there.
    pub(super) fn new(url: &OtlpUrl) -> Result<Self, String> {
        let headers = match set(HEADERS) {
            Some((name, text)) => headers(&text).map_err(|why| format!("read {name}: {why}"))?,
            None => Vec::new(),
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let tls = if url.is_secure() { Some(secured(url)?) } else { None };
        Ok(Self { url: url.clone(), headers, tls, runtime })
    }

    /// Sends a message. The error says why it did not arrive.
    pub(super) fn post(&self, message: Vec<u8>) -> Result<(), String> {
        let conversation = async { tokio::time::timeout(WITHIN, self.converse(message)).await };
        self.runtime
            .block_on(conversation)
            .unwrap_or_else(|_| Err(format!("no answer within {} s", WITHIN.as_secs())))
    }

    async fn converse(&self, message: Vec<u8>) -> Result<(), String> {
        let (host, port) = (self.url.host(), self.url.port());
        let plain = TcpStream::connect((host, port)).await;
        let plain = Stream::Plain(plain.map_err(|error| error.to_string())?);
        let stream = match &self.tls {
            None => plain,
            Some((tls, name)) => {
                plain.secure(tls, name, None).await.map_err(|failure| untrusted(&failure))?
            }
        };
        let told = |error: hyper::Error| error.to_string();
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(told)?;
        let request = self.request(message)?;
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
        if !status.is_success() {
            return Err(format!("the collector answered {status}"));
        }
        taken(&body)
    }

    fn request(&self, message: Vec<u8>) -> Result<Request<Full<Bytes>>, String> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(self.url.path())
            .header(header::HOST, self.url.authority())
            .header(header::CONTENT_TYPE, "application/x-protobuf")
            .header(header::USER_AGENT, concat!("brunt/", env!("CARGO_PKG_VERSION")))
            .header(header::CONNECTION, "close");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(Full::from(message)).map_err(|error| error.to_string())
    }
}

/// Whether a collector that took a message took all of it.
fn taken(body: &[u8]) -> Result<(), String> {
    let answer = ExportMetricsServiceResponse::decode(body).unwrap_or_default();
    match answer.partial_success {
        Some(partly) if partly.rejected_data_points > 0 => Err(format!(
            "the collector rejected {} points: {}",
            partly.rejected_data_points, partly.error_message
        )),
        _ => Ok(()),
    }
}

/// Why there is no TLS. What options of a run change has no meaning here; a variable has.
fn untrusted(failure: &Failure) -> String {
    format!("{failure}; for a collector {} names a PEM file to trust", CERTIFICATES[1])
}

fn secured(url: &OtlpUrl) -> Result<(tls::Client, Name), String> {
    let trust = match set(CERTIFICATES) {
        Some((_, path)) => Trust::Stores(vec![Store { path: path.into(), password: None }]),
        None => Trust::System,
    };
    let client = tls::Client::new(&Options { trust, ..Options::default() });
    let client = client.map_err(|error| error.to_string())?;
    let name = client.name_for(url.host()).map_err(|error| error.to_string())?;
    Ok((client, name))
}

/// The first of these variables that says something.
fn set(names: [&'static str; 2]) -> Option<(&'static str, String)> {
    let said = |name| env::var(name).ok().filter(|text| !text.is_empty()).map(|text| (name, text));
    names.into_iter().find_map(said)
}

/// Headers as OpenTelemetry writes them: `name=value,name=value`, percent-encoded. The error holds no value, which may
/// be a key.
fn headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let mut value = HeaderValue::from_bytes(&decoded(value.trim())?).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value))
    };
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty()).enumerate();
    let wrong = |at: usize| format!("entry {} is no header; write name=value,name=value", at + 1);
    pairs.map(|(at, pair)| header(pair).ok_or_else(|| wrong(at))).collect()
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
    use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsPartialSuccess;

    #[test]
    fn headers_are_read_as_opentelemetry_writes_them() {
        let read = headers("api-key=a%20b, x-tenant=7,").unwrap();
        let read: Vec<_> =
            read.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(read, [("api-key", &b"a b"[..]), ("x-tenant", b"7")]);
        for wrong in ["api-key", "a b=c", "a=%zz", "a=%4", "a=b%0A"] {
            let why = headers(&format!("x=1,{wrong}")).unwrap_err();
            assert_eq!(why, "entry 2 is no header; write name=value,name=value");
        }
    }

    #[test]
    fn what_a_collector_rejected_did_not_arrive() {
        assert_eq!(taken(b""), Ok(()));
        let rejected = |points| {
            let partly = ExportMetricsPartialSuccess {
                rejected_data_points: points,
                error_message: "too old".to_owned(),
            };
            let answer = ExportMetricsServiceResponse { partial_success: Some(partly) };
            taken(&answer.encode_to_vec())
        };
        assert_eq!(rejected(0), Ok(()));
        assert_eq!(rejected(3), Err("the collector rejected 3 points: too old".to_owned()));
    }
}
