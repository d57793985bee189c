//! [`Service`]: a server beside the run that is queried from time to time, by one HTTP request each.
//!
//! Each request has a connection of its own: there is at most one a second, and a restarted server is found at once.
//! HTTP is done by hyper; connecting and TLS as in the drivers. Every wait has a limit, and so does the length of an
//! answer.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use brunt_net::stream::Stream;
use brunt_net::tls::{self, Name, Options, TlsError, Trust};
use brunt_net::{Failure, Network};
use http::request::Builder;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, lookup_host};
use tokio::runtime::{self, Runtime};

use crate::options::base_url::BaseUrl;

/// How a service is queried.
pub struct ServiceOptions {
    /// Which certificates are trusted.
    pub trust: Trust,
    /// The advice that follows the reason if the certificate is not trusted.
    pub advice: &'static str,
    /// How long an answer may take, counted from connecting.
    pub within: Duration,
    /// The largest answer, in bytes.
    pub answer_max: usize,
}

/// Why a service cannot be queried, or did not answer.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// This process has no runtime for it.
    #[error("{0}")]
    Runtime(io::Error),
    /// Its certificates or its name are not usable.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// No connection.
    #[error("{0}; is a server running there, and the address right?")]
    Connect(io::Error),
    /// No TLS on the connection.
    #[error("{failure}{advice}")]
    Handshake {
        /// What failed.
        failure: Failure,
        /// What may help.
        advice: &'static str,
    },
    /// The request is not one of HTTP.
    #[error(transparent)]
    Request(#[from] http::Error),
    /// An answer without success, where nothing else is of use.
    #[error("it answered {0}")]
    Status(StatusCode),
    /// Not an answer of HTTP.
    #[error(transparent)]
    Http(#[from] hyper::Error),
    /// The answer broke off, or is too long.
    #[error("{0}")]
    Body(Box<dyn std::error::Error + Send + Sync>),
    /// Nothing within the time.
    #[error("no answer within {} s", .0.as_secs())]
    Late(Duration),
}

/// A server beside the run.
pub struct Service {
    url: BaseUrl,
    tls: Option<(tls::Client, Name)>,
    advice: &'static str,
    within: Duration,
    answer_max: usize,
    /// The addresses to connect to, if not those that the host name resolves to at that time.
    at: Vec<SocketAddr>,
    network: Network,
    runtime: Runtime,
}

impl Service {
    /// Prepares requests over this network, whose files hold the certificates. The error says why none can be made.
    pub fn new(
        url: &BaseUrl,
        options: ServiceOptions,
        network: &Network,
    ) -> Result<Self, ServiceError> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ServiceError::Runtime)?;
        let ServiceOptions { trust, advice, within, answer_max } = options;
        let tls = if url.is_secure() { Some(secured(url, trust, network)?) } else { None };
        let (url, network, at) = (url.clone(), network.clone(), Vec::new());
        Ok(Self { url, tls, advice, within, answer_max, at, network, runtime })
    }

    /// The same at these addresses, whatever its host name resolves to later.
    #[must_use]
    pub fn at(self, addresses: Vec<SocketAddr>) -> Self {
        Self { at: addresses, ..self }
    }

    /// A request for a path, with the headers of every request of ours.
    pub fn request(&self, method: Method, path: &str) -> Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.url.authority())
            .header(header::USER_AGENT, concat!("brunt/", env!("CARGO_PKG_VERSION")))
            .header(header::CONNECTION, "close")
    }

    /// Sends a request, and waits for the answer.
    pub fn send(
        &self,
        request: http::Result<Request<Full<Bytes>>>,
    ) -> Result<(StatusCode, Bytes), ServiceError> {
        let request = request?;
        let conversation =
            async { tokio::time::timeout(self.within, self.converse(request)).await };
        self.runtime.block_on(conversation).unwrap_or(Err(ServiceError::Late(self.within)))
    }

    async fn converse(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<(StatusCode, Bytes), ServiceError> {
        let plain = Stream::Plain(self.connect().await.map_err(ServiceError::Connect)?);
        let stream = match &self.tls {
            None => plain,
            Some((tls, name)) => {
                let secured = plain.secure(tls, name).await;
                let advice = self.advice;
                secured.map_err(|failure| ServiceError::Handshake { failure, advice })?
            }
        };
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let answered = async {
            let answer = sender.send_request(request).await?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, self.answer_max).collect().await;
            let body = body.map_err(ServiceError::Body)?.to_bytes();
            drop(sender);
            Ok((head.status, body))
        };
        let (_, answered) = tokio::join!(connection, answered);
        answered
    }

    async fn connect(&self) -> io::Result<TcpStream> {
        if !self.at.is_empty() {
            return self.network.connect_first(self.at.iter().copied()).await;
        }
        let found = lookup_host((self.url.host(), self.url.port())).await?;
        self.network.connect_first(found).await
    }
}

fn secured(
    url: &BaseUrl,
    trust: Trust,
    network: &Network,
) -> Result<(tls::Client, Name), TlsError> {
    let client = tls::Client::new(&Options { trust, ..Options::default() }, network.files());
    let client = client?;
    let name = client.name_for(url.host())?;
    Ok((client, name))
}
