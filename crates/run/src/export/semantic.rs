//! [`Semantic`]: what OpenTelemetry's semantic conventions call an operation.

use super::labels;

/// A request over HTTP, as OpenTelemetry's conventions describe it: `http.client.request.duration`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Semantic {
    /// The method; `_OTHER` for one that RFC 9110 and RFC 5789 do not define.
    pub method: &'static str,
    /// The scheme, the host and the port of requests; empty if they are known only in the run.
    pub scheme: String,
    /// The host.
    pub address: String,
    /// The port.
    pub port: String,
}

impl Semantic {
    /// The values of the labels of [`HTTP_CLIENT`](super::family::HTTP_CLIENT).
    pub(super) fn labels(&self, error: &str, operation: &str, phase: &str) -> Vec<String> {
        let Self { method, scheme, address, port } = self;
        let all = [*method, scheme, address, port, error, operation, phase];
        all.map(labels::value).to_vec()
    }
}
