//! A scripted LDAP server on a loopback port: the test determines its answers and their timing.
//!
//! The script receives each decoded request and returns what to do. All events are logged, so that
//! a test can compare what both sides counted.

use brunt_ldap_wire::message::{Authentication, Message, Request};
use brunt_ldap_wire::{op, reply, response};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The server's reaction to a request.
pub(crate) enum Reaction {
    /// Sends these bytes in one write.
    Send(Vec<u8>),
    /// Sends these bytes one at a time.
    Drip(Vec<u8>),
    /// Waits.
    Pause(Duration),
    /// Waits for a signal of the test.
    Await(Arc<Notify>),
    /// Records that it has left the connection, although the connection stays open.
    Leave,
    /// Closes the connection.
    Close,
    /// Resets the connection.
    Reset,
}

/// A request, with its numbers.
pub(crate) struct Incoming<'a> {
    /// The number of the connection, counted from 0.
    pub(crate) connection: usize,
    /// The number of the request on it, counted from 0.
    pub(crate) nth: usize,
    pub(crate) message: &'a Message<'a>,
}

#[derive(Default)]
pub(crate) struct Log {
    connections: Mutex<usize>,
    requests: Mutex<BTreeMap<&'static str, usize>>,
    texts: Mutex<Vec<String>>,
    /// The connections that have ended, or that the server has left.
    left: Mutex<BTreeSet<usize>>,
}

impl Log {
    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }

    /// How many connections have ended, or were left by the server.
    pub(crate) fn left(&self) -> usize {
        self.left.lock().unwrap().len()
    }

    /// How many requests of this kind were received: bind, search, modify, add, delete, abandon,
    /// extended, unbind.
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.requests.lock().unwrap().get(kind).copied().unwrap_or(0)
    }

    /// The subject of each request, in the order in which they were received.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.texts.lock().unwrap().clone()
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) log: Arc<Log>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Script = dyn Fn(&Incoming<'_>) -> Vec<Reaction> + Send + Sync;

impl Server {
    #[expect(
        clippy::unused_async,
        reason = "a listener needs the runtime around it, so starting one reads as a wait"
    )]
    pub(crate) async fn start(
        script: impl Fn(&Incoming<'_>) -> Vec<Reaction> + Send + Sync + 'static,
    ) -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap(), script)
    }

    pub(crate) fn start_at(
        address: SocketAddr,
        script: impl Fn(&Incoming<'_>) -> Vec<Reaction> + Send + Sync + 'static,
    ) -> Self {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind(address).unwrap();
        let listener = socket.listen(1024).unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Log::default());
        let task = tokio::spawn(accept(listener, Arc::new(script), Arc::clone(&log)));
        Self { address, log, task }
    }

    /// A server that accepts everything, and finds one entry in every search.
    pub(crate) async fn willing() -> Self {
        Self::start(|incoming| vec![Reaction::Send(yes(incoming.message))]).await
    }
}

async fn accept(listener: TcpListener, script: Arc<Script>, log: Arc<Log>) {
    let mut conversations = tokio::task::JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { return };
        let connection = {
            let mut connections = log.connections.lock().unwrap();
            *connections += 1;
            *connections - 1
        };
        let (script, log) = (Arc::clone(&script), Arc::clone(&log));
        conversations.spawn(async move {
            converse(stream, connection, script, &log).await;
            // The connection is closed by now.
            log.left.lock().unwrap().insert(connection);
        });
    }
}

async fn converse(mut stream: TcpStream, connection: usize, script: Arc<Script>, log: &Log) {
    stream.set_nodelay(true).unwrap();
    let mut bytes = Vec::new();
    let mut nth = 0;
    loop {
        while let Some(length) =
            response::frame(&bytes).unwrap().filter(|length| *length <= bytes.len())
        {
            let message: Vec<u8> = bytes.drain(..length).collect();
            let message = Message::decode(&message).unwrap();
            note(log, &message.request);
            let acts = script(&Incoming { connection, nth, message: &message });
            nth += 1;
            for act in acts {
                if matches!(act, Reaction::Leave) {
                    log.left.lock().unwrap().insert(connection);
                } else if !perform(&mut stream, act).await {
                    return;
                }
            }
        }
        match stream.read_buf(&mut bytes).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

async fn perform(stream: &mut TcpStream, act: Reaction) -> bool {
    match act {
        Reaction::Send(bytes) => stream.write_all(&bytes).await.is_ok(),
        Reaction::Drip(bytes) => {
            for byte in bytes {
                if stream.write_all(&[byte]).await.is_err() {
                    return false;
                }
                tokio::task::yield_now().await;
            }
            true
        }
        Reaction::Pause(time) => {
            pause(time).await;
            true
        }
        Reaction::Await(word) => {
            word.notified().await;
            true
        }
        Reaction::Leave => true,
        Reaction::Close => false,
        Reaction::Reset => {
            socket2::SockRef::from(&*stream).set_linger(Some(Duration::ZERO)).unwrap();
            false
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the server under test is slow on purpose")]
pub(crate) async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}

fn note(log: &Log, request: &Request<'_>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (kind, about) = match request {
        Request::Bind { name, authentication, .. } => match authentication {
            Authentication::Simple(password) => {
                ("bind", format!("{} {}", text(name), text(password)))
            }
            Authentication::Sasl { mechanism, .. } => ("bind", text(mechanism)),
        },
        Request::Unbind => ("unbind", String::new()),
        Request::Search(search) => {
            let filter = search.filter.map(&mut |leaf: &&[u8]| brunt_ldap_wire::Text::from(*leaf));
            ("search", format!("{} {filter}", text(search.base)))
        }
        Request::Modify { dn, changes } => {
            let values =
                changes.iter().flat_map(|change| {
                    change.attribute.values.iter().map(move |value| {
                        format!(" {}:{}", text(change.attribute.name), text(value))
                    })
                });
            ("modify", format!("{}{}", text(dn), values.collect::<String>()))
        }
        Request::Add { dn, .. } => ("add", text(dn)),
        Request::Delete { dn } => ("delete", text(dn)),
        Request::Abandon { target } => ("abandon", target.to_string()),
        Request::Extended { name, .. } => ("extended", text(name)),
        _ => ("other", String::new()),
    };
    *log.requests.lock().unwrap().entry(kind).or_default() += 1;
    log.texts.lock().unwrap().push(format!("{kind} {about}"));
}

/// The tag that answers a request.
pub(crate) fn answer_tag(request: &Request<'_>) -> Option<u8> {
    Some(match request {
        Request::Bind { .. } => op::BIND_RESPONSE,
        Request::Search(_) => op::SEARCH_DONE,
        Request::Modify { .. } => op::MODIFY_RESPONSE,
        Request::Add { .. } => op::ADD_RESPONSE,
        Request::Delete { .. } => op::DELETE_RESPONSE,
        Request::Extended { .. } => op::EXTENDED_RESPONSE,
        _ => return None,
    })
}

/// An answer with this code and text.
pub(crate) fn answer(message: &Message<'_>, code: u32, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(tag) = answer_tag(&message.request) {
        reply::result(&mut out, message.message_id, tag, &reply::Answer::because(code, text), &[]);
    }
    out
}

/// An entry for a search.
pub(crate) fn entry(message: &Message<'_>, dn: &str, attributes: &[(&str, &[&str])]) -> Vec<u8> {
    let mut out = Vec::new();
    let attributes = attributes.iter().map(|(name, values)| (*name, values.iter()));
    reply::entry(&mut out, message.message_id, dn.as_bytes(), attributes, &[]);
    out
}

/// Success; for a search with one entry before it.
pub(crate) fn yes(message: &Message<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    if matches!(message.request, Request::Search(_)) {
        out = entry(message, "uid=found,dc=example", &[("uid", &["found"])]);
    }
    out.extend(answer(message, 0, ""));
    out
}
