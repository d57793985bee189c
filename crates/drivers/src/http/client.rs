//! [`Client`]: the HTTP side of one virtual user: its connections, one for each place it goes to.
//!
//! Connecting is made ready before an exchange and is in none of its latencies, unless the server closed the
//! connection in the very moment a request was on its way: such a request is sent once more, as every client does, if
//! it may be (RFC 9112 section 9.3.1), and the time of it counts. Nothing here knows what an answer is good for.

use super::connection::{Ask, Connection, Done, Idle};
use super::failure::Failure;
use super::group::Group;
use super::message::{Manner, is_idempotent};
use super::network::Network;
use super::origin::{self, Origin};
use super::request::Request;
use super::response::{Response, Wanted};
use super::settings::Keep;
use super::tally::Tally;
use super::{CONNECT, TLS};
use crate::net::backoff;
use crate::net::stream::Stream;
use brunt_exchange::Watch;
use std::rc::Rc;
use std::sync::Arc;

/// The most places a user keeps a connection to.
const LANES_MAX: usize = 16;

/// The HTTP side of one virtual user.
#[derive(Debug)]
pub struct Client {
    network: Arc<Network>,
    group: Rc<Group>,
    number: u32,
    lanes: Vec<Lane>,
    /// The place a URL led to last, by its spelling.
    last: Option<(Box<[u8]>, Arc<Origin>)>,
}

/// The way to one place.
#[derive(Debug)]
struct Lane {
    origin: Arc<Origin>,
    connection: Option<Connection>,
    /// How many times a connection was opened or tried.
    attempts: u64,
    /// Failed attempts in a row.
    failures: u32,
}

impl Client {
    /// The HTTP side of user `number`, which shares buffers and connections with the users of its worker.
    pub fn new(network: &Arc<Network>, group: &Rc<Group>, number: u32) -> Self {
        Self {
            network: Arc::clone(network),
            group: Rc::clone(group),
            number,
            lanes: Vec::new(),
            last: None,
        }
    }

    /// The place that a URL leads to, and where its path begins. A name that was not met before is looked up aside, on
    /// a thread of its own, so that no other user waits for the resolver.
    pub async fn aim(&mut self, url: &[u8]) -> Result<(Arc<Origin>, usize), Failure> {
        if let Some((place, origin)) = &self.last
            && url.strip_prefix(&place[..]).is_some_and(origin::begins_path)
        {
            return Ok((Arc::clone(origin), place.len()));
        }
        let length = origin::place(url);
        let place = &url[..length];
        let found = match self.network.known(place) {
            Some(known) => known,
            None => Box::pin(self.look_up(place)).await?,
        };
        self.last = Some((place.into(), Arc::clone(&found)));
        Ok((found, length))
    }

    async fn look_up(&self, place: &[u8]) -> Result<Arc<Origin>, Failure> {
        let (network, place) = (Arc::clone(&self.network), place.to_vec());
        let looking = tokio::task::spawn_blocking(move || network.split(&place));
        match looking.await {
            Ok(found) => Ok(found.map(|(origin, _)| origin)?),
            Err(_) => Err(Failure::Unsendable("looking its host up was given up")),
        }
    }

    /// Makes sure that there is a connection to that place, as far as can be known without asking the server; after a
    /// failed attempt, waits before the next.
    pub async fn ready(
        &mut self,
        origin: &Arc<Origin>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        let at = self.lane(origin);
        if self.is_open(at) {
            return Ok(());
        }
        Box::pin(self.open(at, watch)).await
    }

    /// Carries out one exchange. The request is stamped as sent when its first byte leaves; the answer has ended with
    /// the last byte of its body, whatever is done with it afterwards.
    pub async fn exchange(
        &mut self,
        origin: &Arc<Origin>,
        request: &mut Request,
        wanted: Wanted,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        let manner = Manner::of(request)?;
        let at = self.lane(origin);
        let done = self.attempt(at, request, manner, wanted, response, watch).await?;
        watch.ended_as(done.at);
        if !done.persistent {
            Box::pin(self.leave(at)).await;
        }
        Ok(())
    }

    /// Takes leave of every server.
    pub async fn close(&mut self) {
        for at in 0..self.lanes.len() {
            self.leave(at).await;
        }
    }

    /// The way to a place. A user that goes to more places than it keeps connections to gives up the first of them.
    fn lane(&mut self, origin: &Arc<Origin>) -> usize {
        if let Some(at) = self.lanes.iter().position(|lane| Arc::ptr_eq(&lane.origin, origin)) {
            return at;
        }
        if self.lanes.len() == LANES_MAX {
            self.lanes.remove(0);
        }
        let origin = Arc::clone(origin);
        self.lanes.push(Lane { origin, connection: None, attempts: 0, failures: 0 });
        self.lanes.len() - 1
    }

    /// Whether there is a connection, as far as is known. One that is of no use is dropped.
    fn is_open(&mut self, at: usize) -> bool {
        let lane = &mut self.lanes[at];
        let Some(connection) = &mut lane.connection else { return false };
        let tally = &self.network.tally;
        match connection.glance(&self.group) {
            Idle::Quiet => return true,
            Idle::Ended => Tally::one(&tally.lost),
            Idle::Unasked => Tally::one(&tally.unasked),
            Idle::Abandoned => {}
        }
        lane.connection = None;
        false
    }

    /// Opens a connection, after a wait if the last attempt failed.
    async fn open(&mut self, at: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let lane = &mut self.lanes[at];
        if lane.failures > 0 {
            backoff::wait(self.network.settings.seed, self.number, lane.failures - 1).await;
        }
        // Each user begins with another source address, and goes on from there.
        let number = u64::from(self.number) + lane.attempts;
        lane.attempts += 1;
        match connect(&self.network, &lane.origin, number, watch).await {
            Ok(stream) => {
                lane.failures = 0;
                lane.connection = Some(Connection::new(stream));
                Tally::one(&self.network.tally.opened);
                Ok(())
            }
            Err(failure) => {
                lane.failures = lane.failures.saturating_add(1);
                Err(failure)
            }
        }
    }

    /// Sends a request; once more if the connection had been used before and ended without any answer.
    async fn attempt(
        &mut self,
        at: usize,
        request: &Request,
        manner: Manner,
        wanted: Wanted,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<Done, Failure> {
        let mut healed = false;
        loop {
            if self.lanes[at].connection.as_ref().is_none_or(Connection::is_abandoned) {
                Box::pin(self.open(at, watch)).await?;
            }
            let settings = &self.network.settings;
            let lane = &mut self.lanes[at];
            let Some(connection) = &mut lane.connection else {
                return Err(Failure::Closed(super::When::Sending));
            };
            let used = connection.carried();
            let worn = matches!(settings.keep, Keep::Requests(most) if used + 1 >= most);
            response.clear();
            let ask = Ask {
                request,
                origin: &lane.origin,
                manner,
                extra: b"",
                last: worn,
                wanted,
                limits: &settings.limits,
            };
            match connection.exchange(&self.group, ask, response, watch).await {
                Ok(done) => {
                    let persistent = done.persistent && !worn && !manner.close;
                    return Ok(Done { persistent, ..done });
                }
                Err(failure) => {
                    lane.connection = None;
                    let again = failure.is_unanswered() && is_idempotent(request.method());
                    if used == 0 || healed || !again {
                        return Err(failure);
                    }
                    healed = true;
                    Tally::one(&self.network.tally.healed);
                }
            }
        }
    }

    /// Ends a connection in good order.
    async fn leave(&mut self, at: usize) {
        if let Some(connection) = self.lanes[at].connection.take() {
            connection.close(self.network.settings.dialing.close).await;
        }
    }
}

/// Connects, and secures the connection where the place wants it.
async fn connect(
    network: &Network,
    origin: &Origin,
    number: u64,
    watch: &mut Watch<'_>,
) -> Result<Stream, Failure> {
    let started = watch.now();
    let stream = Stream::Plain(origin.dialer.connect(number).await?);
    let connected = watch.now();
    super::report(watch, CONNECT, connected - started);
    let Some(name) = &origin.name else { return Ok(stream) };
    let tls = network.tls().map_err(|error| super::UrlError::Tls(Arc::new(error)))?;
    let limit = network.settings.dialing.timeout;
    let stream = stream.secure(tls, name, limit).await?;
    super::report(watch, TLS, watch.now() - connected);
    Ok(stream)
}
