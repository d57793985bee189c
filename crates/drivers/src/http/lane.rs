//! [`Lane`]: a user's way to one place: a connection of its own, or its share of one over HTTP/2.
//!
//! Connecting is made ready before an exchange and is in none of its latencies, unless the server closed the
//! connection in the very moment a request was on its way: such a request is sent once more, as every client does, if
//! it may be (RFC 9112 section 9.3.1, RFC 9113 section 6.8), and the time of it counts.

use super::ask::Ask;
use super::connection::{Connection, Done, Idle};
use super::failure::{Failure, When};
use super::group::Group;
use super::http2::{Glance, Opened, Shared};
use super::message::is_idempotent;
use super::network::Network;
use super::origin::Origin;
use super::response::Response;
use super::settings::{Keep, Version};
use super::tally::Tally;
use super::{CONNECT, TLS};
use crate::net::backoff;
use crate::net::stream::Stream;
use brunt_exchange::Watch;
use std::rc::Rc;
use std::sync::Arc;

/// The way to one place.
#[derive(Debug)]
pub(super) struct Lane {
    origin: Arc<Origin>,
    connection: Option<Connection>,
    /// The connection over HTTP/2, where that is spoken or to be agreed on.
    shared: Option<Rc<Shared>>,
    /// How many times a connection was opened or tried.
    attempts: u64,
    /// Failed attempts in a row.
    failures: u32,
}

/// Whose way it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'a> {
    pub(super) network: &'a Network,
    pub(super) group: &'a Group,
    /// The number of the user.
    pub(super) number: u32,
    /// Its number among the users of its worker.
    pub(super) seat: u32,
}

impl Lane {
    /// A way that nobody has gone yet.
    pub(super) fn new(owner: Owner<'_>, origin: &Arc<Origin>) -> Self {
        let multiplexed = match owner.network.settings.version {
            Version::Http1 => false,
            Version::Negotiate => origin.is_secure(),
            Version::Http2 | Version::Http2PriorKnowledge => true,
        };
        let shared = multiplexed.then(|| owner.group.shared(origin, owner.seat));
        Self { origin: Arc::clone(origin), connection: None, shared, attempts: 0, failures: 0 }
    }

    /// Whether it leads to that place.
    pub(super) fn leads_to(&self, origin: &Arc<Origin>) -> bool {
        Arc::ptr_eq(&self.origin, origin)
    }

    /// Whether there is a connection, as far as is known. One that is of no use is dropped.
    pub(super) fn is_open(&mut self, owner: Owner<'_>) -> bool {
        let tally = &owner.network.tally;
        match self.shared.as_ref().map(|shared| shared.glance()) {
            None | Some(Glance::Declined) => {}
            Some(Glance::Open) => return true,
            Some(Glance::Closed) => return false,
            Some(Glance::Ended) => {
                Tally::one(&tally.lost);
                return false;
            }
        }
        let Some(connection) = &mut self.connection else { return false };
        match connection.glance(owner.group) {
            Idle::Quiet => return true,
            Idle::Ended => Tally::one(&tally.lost),
            Idle::Unasked => Tally::one(&tally.unasked),
            Idle::Abandoned => {}
        }
        self.connection = None;
        false
    }

    /// Opens a connection, after a wait if the last attempt failed.
    pub(super) async fn open(
        &mut self,
        owner: Owner<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        if self.failures > 0 {
            backoff::wait(owner.network.settings.seed, owner.number, self.failures - 1).await;
        }
        // Each user begins with another source address, and goes on from there.
        let number = u64::from(owner.number) + self.attempts;
        self.attempts += 1;
        match self.opened(owner.network, number, watch).await {
            Ok(stream) => {
                self.failures = 0;
                if let Some(stream) = stream {
                    self.connection = Some(Connection::new(stream));
                }
                Ok(())
            }
            Err(failure) => {
                self.failures = self.failures.saturating_add(1);
                Err(failure)
            }
        }
    }

    /// A connection for this user alone, unless there is now one that it shares.
    async fn opened(
        &self,
        network: &Network,
        number: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Stream>, Failure> {
        if let Some(shared) = &self.shared {
            let settings = &network.settings;
            let connect = async || connect(network, &self.origin, number, watch).await;
            match shared.open(settings.version, &settings.limits, connect).await? {
                Opened::Shared => return Ok(None),
                Opened::Alone(Some(stream)) => return Ok(Some(stream)),
                Opened::Alone(None) => {}
            }
        }
        connect(network, &self.origin, number, watch).await.map(Some)
    }

    /// Carries out one exchange; sends the request once more if the connection had been used before and ended without
    /// any answer.
    pub(super) async fn exchange(
        &mut self,
        owner: Owner<'_>,
        ask: &mut Ask<'_>,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<Done, Failure> {
        let mut healed = false;
        loop {
            match self.shared.as_ref().map(|shared| (shared, shared.glance())) {
                Some((shared, Glance::Open)) => {
                    ask.last = is_last(owner.network, shared.carried());
                    response.clear();
                    // Apart, as what it takes is more than HTTP/1.1 does.
                    match Box::pin(shared.exchange(ask, response, watch)).await {
                        Ok(at) => return Ok(Done { at, persistent: true }),
                        Err(failure) => {
                            // A connection that ended with an exchange on it is no loss beside that.
                            shared.glance();
                            if healed || !failure.is_unprocessed() {
                                return Err(failure);
                            }
                        }
                    }
                    healed = true;
                    Tally::one(&owner.network.tally.healed);
                    continue;
                }
                Some((_, state @ (Glance::Closed | Glance::Ended))) => {
                    if state == Glance::Ended {
                        Tally::one(&owner.network.tally.lost);
                    }
                    Box::pin(self.open(owner, watch)).await?;
                    continue;
                }
                None | Some((_, Glance::Declined)) => {}
            }
            if self.connection.as_ref().is_none_or(Connection::is_abandoned) {
                Box::pin(self.open(owner, watch)).await?;
            }
            let Some(connection) = &mut self.connection else {
                return Err(Failure::Closed(When::Sending));
            };
            let used = connection.carried();
            ask.last = is_last(owner.network, used);
            response.clear();
            match connection.exchange(owner.group, ask, response, watch).await {
                Ok(done) => {
                    let persistent = done.persistent && !ask.last && !ask.manner.closes();
                    return Ok(Done { persistent, ..done });
                }
                Err(failure) => {
                    self.connection = None;
                    let again = failure.is_unanswered() && is_idempotent(ask.request.method());
                    if used == 0 || healed || !again {
                        return Err(failure);
                    }
                    healed = true;
                    Tally::one(&owner.network.tally.healed);
                }
            }
        }
    }

    /// Ends the connection of this user in good order.
    pub(super) async fn leave(&mut self, owner: Owner<'_>) {
        if let Some(connection) = self.connection.take() {
            connection.close(owner.network.settings.dialing.close).await;
        }
    }

    /// Takes leave of the server, for all that share the connection.
    pub(super) async fn close(&mut self, owner: Owner<'_>) {
        self.leave(owner).await;
        if let Some(shared) = &self.shared {
            shared.close().await;
        }
    }
}

/// Whether a connection that carried so many requests carries its last.
fn is_last(network: &Network, carried: u64) -> bool {
    matches!(network.settings.keep, Keep::Requests(most) if carried + 1 >= most)
}

/// Connects, and secures the connection where the place wants it.
async fn connect(
    network: &Network,
    origin: &Origin,
    number: u64,
    watch: &mut Watch<'_>,
) -> Result<Stream, Failure> {
    let started = watch.now();
    let limit = network.settings.dialing.timeout;
    let to = (origin.host(), origin.port());
    let tunnel = origin.relay().is_none();
    let stream = origin.route.connect(to, tunnel, number, limit).await?;
    let connected = watch.now();
    super::report(watch, CONNECT, connected - started);
    let Some(name) = &origin.name else {
        Tally::one(&network.tally.opened);
        return Ok(stream);
    };
    let tls = network.tls().map_err(|error| super::UrlError::Tls(Arc::new(error)))?;
    let stream = stream.nest(tls, name, limit).await?;
    super::report(watch, TLS, watch.now() - connected);
    Tally::one(&network.tally.opened);
    Ok(stream)
}
