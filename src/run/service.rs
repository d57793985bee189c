//! [`Service`]: a server beside the run that is asked something now and then, by one request of HTTP.
//!
//! Each request has a connection of its own: there is one a second at most, and a server that was started anew is found
//! at once. HTTP is hyper's, TLS that of the drivers. Every wait has a limit, and so has the length of an answer.

use std::net::SocketAddr;
use std::time::Duration;

use brunt_drivers::net::stream::Stream;
use brunt_drivers::net::tls::{self, Name, Options, Trust};
use http::request::Builder;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{self, Runtime};

use crate::cli::base_url::BaseUrl;

/// How a service is asked.
pub(crate) struct Manner {
    /// Who vouches for it.
    pub(crate) trust: Trust,
    /// What is said behind the reason where nobody does.
    pub(crate) advice: &'static str,
    /// How long an answer may take, from connecting on.
    pub(crate) within: Duration,
    /// The most bytes of an answer.
    pub(crate) answer_max: usize,
}

/// A server beside the run.
pub(crate) struct Service {
    url: BaseUrl,
    tls: Option<(tls::Client, Name)>,
    advice: &'static str,
    within: Duration,
    answer_max: usize,
    /// Where to connect to, if not to what the name of the host stands for then.
    at: Vec<SocketAddr>,
    runtime: Runtime,
}

impl Service {
    /// Gets ready to ask. The error says why it never can be.
    pub(crate) fn new(url: &BaseUrl, manner: Manner) -> Result<Self, String> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let Manner { trust, advice, within, answer_max } = manner;
        let tls = if url.is_secure() { Some(secured(url, trust)?) } else { None };
        Ok(Self { url: url.clone(), tls, advice, within, answer_max, at: Vec::new(), runtime })
    }

    /// The same at these addresses, whatever the name of its host stands for by then.
    #[must_use]
    pub(crate) fn at(self, addresses: Vec<SocketAddr>) -> Self {
        Self { at: addresses, ..self }
    }

    /// A request for a path, with what every request of ours has.
    pub(crate) fn request(&self, method: Method, path: &str) -> Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.url.authority())
            .header(header::USER_AGENT, concat!("brunt/", env!("CARGO_PKG_VERSION")))
            .header(header::CONNECTION, "close")
    }

    /// Asks, and waits for the answer.
    pub(crate) fn ask(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), String> {
        let conversation =
            async { tokio::time::timeout(self.within, self.converse(request)).await };
        self.runtime
            .block_on(conversation)
            .unwrap_or_else(|_| Err(format!("no answer within {} s", self.within.as_secs())))
    }

    async fn converse(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), String> {
        let plain = match self.at.as_slice() {
            [] => TcpStream::connect((self.url.host(), self.url.port())).await,
            known => TcpStream::connect(known).await,
        };
        let plain = Stream::Plain(plain.map_err(|error| error.to_string())?);
        let stream = match &self.tls {
            None => plain,
            Some((tls, name)) => {
                let secured = plain.secure(tls, name, None).await;
                secured.map_err(|failure| format!("{failure}{}", self.advice))?
            }
        };
        let told = |error: hyper::Error| error.to_string();
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(told)?;
        let answered = async {
            let answer = sender.send_request(request).await.map_err(told)?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, self.answer_max).collect().await;
            let body = body.map_err(|error| error.to_string())?.to_bytes();
            drop(sender);
            Ok((head.status, body))
        };
        let (_, answered) = tokio::join!(connection, answered);
        answered
    }
}

fn secured(url: &BaseUrl, trust: Trust) -> Result<(tls::Client, Name), String> {
    let client = tls::Client::new(&Options { trust, ..Options::default() });
    let client = client.map_err(|error| error.to_string())?;
    let name = client.name_for(url.host()).map_err(|error| error.to_string())?;
    Ok((client, name))
}
