//! [`Nats`]: the plane over core NATS.
//!
//! Everything is a request with an answer. The broker stores nothing, so the sender repeats an important request until
//! it is answered. The client reconnects by itself to a broker that comes back. Agents connect outwards and use inboxes
//! of their own, so that a broker can keep them from reading each other's answers.

use async_nats::connection::State;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, RequestErrorKind, Subscriber};
use futures_util::StreamExt as _;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long connecting may take.
const CONNECTING: Duration = Duration::from_secs(5);
/// The longest pause before another attempt to reach a broker that was lost.
const AGAIN: Duration = Duration::from_millis(250);
/// How often a silent broker is pinged.
const PING_EVERY: Duration = Duration::from_secs(2);

/// The address of the broker, and the credentials of this client.
#[derive(Clone, Debug, Default)]
pub struct NatsOptions {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`.
    pub url: String,
    /// The name of this client in the broker's lists.
    pub name: String,
    /// The prefix of the subjects on which this client receives answers.
    pub inbox: String,
    /// A file with a user's JWT and seed, as `nsc` writes it, or with only a seed.
    pub credentials: Option<PathBuf>,
    /// A file with a token.
    pub token: Option<PathBuf>,
    /// The certificate authorities that are trusted for the broker.
    pub ca: Option<PathBuf>,
    /// A certificate of this client, and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// Why the plane is not available. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum PlaneError {
    /// The connection would be unencrypted, and would leave this machine.
    #[error(
        "use the broker {0} without TLS: orders would be read and changed on the way; use tls:// (brunt cluster keys \
         makes certificates)"
    )]
    Open(String),
    /// A file of keys cannot be used.
    #[error("read {path}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The broker cannot be reached, or refuses this client.
    #[error("reach the broker {url}: {why}")]
    Broker {
        /// The address at which it was expected.
        url: String,
        /// What is wrong.
        why: String,
    },
}

/// A connection to the broker, which is restored when it breaks.
#[derive(Clone, Debug)]
pub struct Nats {
    client: Client,
    reason: Arc<Mutex<Option<String>>>,
}

/// Incoming requests.
#[derive(Debug)]
pub struct Requests(Subscriber);

/// An incoming request.
#[derive(Debug)]
pub struct Request {
    /// Its subject.
    pub subject: String,
    /// Its contents.
    pub payload: Vec<u8>,
    reply: Option<async_nats::Subject>,
}

impl NatsOptions {
    /// The address without its secrets: a password or a token.
    pub fn shown_url(&self) -> String {
        brief(&self.url)
    }

    /// Refuses an unencrypted connection that leaves this machine. Nothing is sent.
    pub fn check(&self) -> Result<(), PlaneError> {
        let plain = !self.url.starts_with("tls://") && self.ca.is_none();
        if plain && !is_loopback(&self.url) {
            return Err(PlaneError::Open(self.shown_url()));
        }
        Ok(())
    }
}

impl Nats {
    /// Connects.
    pub async fn connect(options: &NatsOptions) -> Result<Self, PlaneError> {
        options.check()?;
        let url = options.shown_url();
        let reason = Arc::new(Mutex::new(None));
        let connecting = prepared(options, Arc::clone(&reason))?.connect(options.url.as_str());
        let broker = |why: String| PlaneError::Broker { url: url.clone(), why };
        let client = tokio::time::timeout(CONNECTING * 2, connecting)
            .await
            .map_err(|_| broker("it does not answer".to_owned()))?
            .map_err(|error| match error.kind() {
                // No server listens there, or it speaks another protocol.
                ConnectErrorKind::Io => broker(format!(
                    "{}; is nats-server running there, and is the port right?",
                    with_causes(&error)
                )),
                _ => broker(with_causes(&error)),
            })?;
        Ok(Self { client, reason })
    }

    /// Whether the broker is connected.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// The last error that the broker reported.
    pub fn complaint(&self) -> Option<String> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request, and waits at most this long for the answer.
    pub async fn request(
        &self,
        subject: String,
        payload: Vec<u8>,
        limit: Duration,
    ) -> Option<Vec<u8>> {
        let requested = async_nats::Request::new().payload(payload.into()).timeout(Some(limit));
        let answered =
            tokio::time::timeout(limit, self.client.send_request(subject, requested)).await;
        match answered {
            Ok(Ok(message)) => Some(message.payload.to_vec()),
            Ok(Err(error)) => {
                if !matches!(
                    error.kind(),
                    RequestErrorKind::TimedOut | RequestErrorKind::NoResponders
                ) {
                    note(&self.reason, &error.to_string());
                }
                None
            }
            Err(_) => None,
        }
    }

    /// Listens for requests on a subject.
    pub async fn listen(&self, subject: String) -> Result<Requests, PlaneError> {
        let broker = |why: String| PlaneError::Broker { url: subject.clone(), why };
        let subscriber = self.client.subscribe(subject.clone()).await;
        let subscriber = subscriber.map_err(|error| broker(error.to_string()))?;
        self.client.flush().await.map_err(|error| broker(error.to_string()))?;
        Ok(Requests(subscriber))
    }

    /// Answers a request.
    pub async fn answer(&self, request: &Request, payload: Vec<u8>) {
        if let Some(reply) = &request.reply {
            // If the answer is lost, the request is repeated.
            let _ = self.client.publish(reply.clone(), payload.into()).await;
        }
    }

    /// Waits for a limited time until everything was sent.
    pub async fn flush(&self) {
        let _ = tokio::time::timeout(Duration::from_secs(1), self.client.flush()).await;
    }
}

impl Requests {
    /// The next request; none once the subscription has ended.
    pub async fn next(&mut self) -> Option<Request> {
        let message = self.0.next().await?;
        Some(Request {
            subject: message.subject.to_string(),
            payload: message.payload.to_vec(),
            reply: message.reply,
        })
    }
}

fn prepared(
    options: &NatsOptions,
    reason: Arc<Mutex<Option<String>>>,
) -> Result<ConnectOptions, PlaneError> {
    let file = |path: &PathBuf, why: String| PlaneError::File { path: path.clone(), why };
    let mut connect = ConnectOptions::new()
        .name(&options.name)
        .custom_inbox_prefix(&options.inbox)
        .connection_timeout(CONNECTING)
        .ping_interval(PING_EVERY)
        .reconnect_delay_callback(|attempt| AGAIN.min(Duration::from_millis(50) * attempt as u32))
        .ignore_discovered_servers()
        .event_callback(move |event| {
            if let Event::ServerError(error) = &event {
                note(&reason, &error.to_string());
            }
            std::future::ready(())
        });
    if let Some(path) = &options.credentials {
        let text = text(path)?;
        let seed = text.lines().map(str::trim).find(|line| line.starts_with("SU"));
        connect = match seed {
            Some(seed) if !text.contains("BEGIN NATS USER JWT") => connect.nkey(seed.to_owned()),
            _ => connect.credentials(&text).map_err(|error| file(path, error.to_string()))?,
        };
    }
    if let Some(path) = &options.token {
        connect = connect.token(text(path)?.trim().to_owned());
    }
    if let Some(path) = &options.ca {
        text(path)?;
        connect = connect.add_root_certificates(path.clone()).require_tls(true);
    }
    if let Some((certificate, key)) = &options.certificate {
        text(certificate)?;
        text(key)?;
        connect = connect.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(connect)
}

fn text(path: &PathBuf) -> Result<String, PlaneError> {
    std::fs::read_to_string(path)
        .map_err(|error| PlaneError::File { path: path.clone(), why: error.to_string() })
}

fn note(reason: &Mutex<Option<String>>, why: &str) {
    let plain = why.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
    *reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(plain);
}

/// An error with its causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect()
}

/// An address without its secrets.
fn brief(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => url.to_owned(),
    }
}

fn is_loopback(url: &str) -> bool {
    let brief = brief(url);
    let place = brief.split_once("://").map_or(brief.as_str(), |(_, place)| place);
    let place = place.split(['/', '?']).next().unwrap_or_default();
    let host = match place.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => place.rsplit_once(':').map_or(place, |(host, _)| host),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_is_required_beyond_loopback() {
        for url in [
            "nats://127.0.0.1:4222",
            "localhost:4222",
            "nats://t@[::1]:4222",
            "nats://u:p@127.9.9.9",
        ] {
            assert!(is_loopback(url), "{url}");
        }
        for url in
            ["nats://10.0.0.1:4222", "nats://127.0.0.1@evil.example:1", "localhost.evil:1", ""]
        {
            assert!(!is_loopback(url), "{url}");
        }
        assert_eq!(brief("nats://secret@q:4222"), "nats://q:4222");
    }

    #[tokio::test]
    async fn broker_without_tls_is_refused_before_sending() {
        let options =
            NatsOptions { url: "nats://192.0.2.1:4222".to_owned(), ..NatsOptions::default() };
        let error = Nats::connect(&options).await.unwrap_err().to_string();
        assert!(error.contains("without TLS"), "{error}");
    }
}
