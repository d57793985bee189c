//! [`OriginConnection`]: a user's connection to one origin: its own connection, or a shared one over HTTP/2.
//!
//! Connections are opened before an exchange, and this time is not part of its latency. If the settings end connections
//! after a number of requests, each new one is opened by the exchange that needs it, as a part of it: what the user
//! waits for is the same whatever the order of these steps. A connection that the server
//! closed while it was idle is opened again: before the next request or, if the server closed it while a request was
//! being sent, after that request. This request is sent again, as every client does, if that is allowed (RFC 9110
//! section 9.2.2, RFC 9112 section 9.3.1, RFC 9113 section 6.8), and the additional time counts. A connection that ends
//! later than a round trip after a request was sent was not idle: the request failed. A server that ends connections
//! without an answer is left alone for longer after each of them, as one that accepts none.

use super::connection::{Connection, Done, Idle};
use super::failure::{Failure, FailureStage};
use super::group::Group;
use super::http2::{Opened, Shared, SharedStatus};
use super::message::is_idempotent;
use super::network::{Network, Tally};
use super::origin::Origin;
use super::request_spec::RequestSpec;
use super::response::Response;
use super::settings::{Keep, Version};
use super::{CLOSED_AFTER, CONNECT, RECONNECT, TLS};
use brunt_exchange::{Clock, Watch};
use brunt_net::kept::Kept;
use brunt_net::opening::Opening;
use brunt_net::resend::{KEPT, Unanswered};
use brunt_net::stream::Stream;
use brunt_net::tls::limited;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A user's connection to one origin.
#[derive(Debug)]
pub(super) struct OriginConnection {
    origin: Arc<Origin>,
    connection: Option<Connection>,
    /// The connection over HTTP/2, if HTTP/2 is used or negotiated.
    shared: Option<Rc<Shared>>,
    /// The server closed a connection that should be kept, and it is not open again yet.
    lapsed: bool,
    /// The last connection was ended after its request because the settings or the request demanded it.
    worn: bool,
    kept: Kept,
}

/// The user of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'a> {
    pub(super) network: &'a Network,
    pub(super) group: &'a Group,
    /// The number of the user.
    pub(super) number: u32,
    /// Its number among the users of its worker.
    pub(super) user: u32,
}

impl OriginConnection {
    /// A connection that is not open yet.
    pub(super) fn new(owner: Owner<'_>, origin: &Arc<Origin>) -> Self {
        let multiplexed = match owner.network.settings.version {
            Version::Http1 => false,
            Version::Negotiate => origin.is_secure(),
            Version::Http2 | Version::Http2PriorKnowledge => true,
        };
        let shared = multiplexed.then(|| owner.group.shared(origin, owner.user));
        let origin = Arc::clone(origin);
        Self { origin, connection: None, shared, lapsed: false, worn: false, kept: Kept::default() }
    }

    /// Whether it leads to this origin.
    pub(super) fn leads_to(&self, origin: &Arc<Origin>) -> bool {
        Arc::ptr_eq(&self.origin, origin)
    }

    /// Whether there is a connection, as far as is known. An unusable connection is dropped.
    #[inline]
    pub(super) fn is_open(&mut self, owner: Owner<'_>, watch: &Watch<'_>) -> bool {
        let tally = &owner.network.tally;
        match self.shared.as_ref().map(|shared| shared.status()) {
            None | Some(SharedStatus::Declined) => {}
            Some(SharedStatus::Open) => return true,
            Some(SharedStatus::Closed) => return false,
            Some(SharedStatus::Ended { used }) => {
                Tally::one(&tally.lost);
                self.kept.ended(used);
                return false;
            }
        }
        let Some(connection) = &mut self.connection else { return false };
        let idle = connection.status(owner.group);
        match idle {
            Idle::Quiet => return true,
            Idle::Ended => Tally::one(&tally.lost),
            Idle::Unsolicited => Tally::one(&tally.unsolicited),
            Idle::Abandoned => {}
        }
        if idle == Idle::Abandoned {
            self.lapsed = false;
        } else {
            let used = connection.carried() > 0;
            self.lapsed = used || watch.now() - connection.opened() >= KEPT;
            self.kept.ended(used);
        }
        self.connection = None;
        false
    }

    /// Whether the next connection is opened by the exchange that needs it.
    pub(super) fn is_opened_by_exchange(&self, owner: Owner<'_>) -> bool {
        owner.network.settings.keep == Keep::Requests(1)
            || self
                .shared
                .as_ref()
                .filter(|shared| !shared.is_declined())
                .map_or(self.worn, |shared| shared.worn.get())
    }

    /// Waits if the last attempt failed. The next attempt is then made without a wait.
    pub(super) async fn rest(&mut self, owner: Owner<'_>, watch: &Watch<'_>) {
        self.kept.rest(owner.network.settings.seed, owner.number, watch.clock()).await;
    }

    /// Opens a connection, after a wait if the last attempt failed.
    pub(super) async fn open(
        &mut self,
        owner: Owner<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        self.rest(owner, watch).await;
        if self.is_opened_by_exchange(owner) {
            watch.opens();
        }
        // Each user begins with another source address and continues with the following ones.
        let number = u64::from(owner.number) + self.kept.begin();
        let mut round_trip = self.kept.round_trip();
        match self.opened(owner.network, number, &mut round_trip, watch).await {
            Ok(stream) => {
                self.kept.reached(round_trip);
                self.kept.succeeded();
                (self.lapsed, self.worn) = (false, false);
                watch.waited();
                if let Some(stream) = stream {
                    self.connection = Some(Connection::new(stream, watch.now()));
                }
                Ok(())
            }
            Err(failure) => {
                self.kept.failed();
                Err(failure)
            }
        }
    }

    /// A connection for this user only, unless there is now one that it shares.
    async fn opened(
        &self,
        network: &Network,
        number: u64,
        round_trip: &mut Duration,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Stream>, Failure> {
        let mut again = self.lapsed;
        if let Some(shared) = &self.shared {
            let settings = &network.settings;
            again |= shared.lapsed.get();
            let connect = async || {
                let way = (number, again);
                let stream = connect(network, &self.origin, way, round_trip, &mut *watch).await?;
                shared.lapsed.set(false);
                shared.worn.set(false);
                shared.opened.set(watch.now());
                Ok(stream)
            };
            match shared.open(settings.version, &settings.limits, connect).await? {
                Opened::Shared => return Ok(None),
                Opened::Alone(Some(stream)) => return Ok(Some(stream)),
                Opened::Alone(None) => {}
            }
        }
        connect(network, &self.origin, (number, again), round_trip, watch).await.map(Some)
    }

    /// Carries out one exchange, over a new connection if the server has closed the one that was kept; sends the
    /// request again if that is allowed, see [`may_repeat`].
    pub(super) async fn exchange(
        &mut self,
        owner: Owner<'_>,
        spec: &mut RequestSpec<'_>,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<Done, Failure> {
        // The failure of the request on its first connection.
        let mut met = None;
        // After a redirect the watch knows only when the first request was sent.
        let redirected = watch.sent_at().map(|_| watch.now());
        loop {
            // Time may have passed since the user was ready, until the request was due.
            if !self.is_open(owner, watch)
                && let Err(failure) = Box::pin(self.open(owner, watch)).await
            {
                watch.not_ready(failure.as_outcome());
                return Err(met.unwrap_or(failure));
            }
            if met.is_some() {
                watch.resent();
                Tally::one(&owner.network.tally.healed);
            }
            response.clear();
            let shared = self.shared.as_ref().filter(|shared| !shared.is_declined());
            let (failure, opened, used) = if let Some(shared) = shared {
                spec.last = is_last(owner.network, shared.carried());
                let used = shared.is_used();
                match shared.exchange(spec, response, watch).await {
                    Ok(at) => {
                        self.kept.answered();
                        return Ok(Done { at, persistent: true });
                    }
                    Err(failure) => (failure, shared.opened.get(), used),
                }
            } else {
                let Some(connection) = &mut self.connection else {
                    return Err(Failure::Closed(FailureStage::Unsent));
                };
                let carried = connection.carried();
                spec.last = is_last(owner.network, carried);
                match connection.exchange(owner.group, spec, response, watch).await {
                    Ok(done) => {
                        self.kept.answered();
                        self.worn = spec.last || spec.flags.closes();
                        let persistent = done.persistent && !self.worn;
                        return Ok(Done { persistent, ..done });
                    }
                    Err(failure) => (failure, connection.opened(), carried > 0),
                }
            };
            let sent = redirected.or(watch.sent_at());
            let safe = failure.is_unprocessed() || is_idempotent(spec.request.method());
            let request = self.kept.unanswered((opened, used), sent, safe, watch.now());
            let again = met.is_none() && may_repeat(owner.network, &failure, &request);
            if !self.broken(&failure, used, again) {
                if failure.is_end() {
                    super::report(watch, CLOSED_AFTER, request.in_flight);
                }
                return Err(failure);
            }
            met = Some(failure);
        }
    }

    /// Records that an exchange failed, on a connection that had been `used` before or not, and whether its request
    /// must be sent again; returns whether it can be.
    fn broken(&mut self, failure: &Failure, used: bool, again: bool) -> bool {
        if failure.is_unanswered() {
            self.kept.ended(used);
        }
        let Some(shared) = self.shared.as_ref().filter(|shared| !shared.is_declined()) else {
            self.connection = None;
            self.lapsed = again;
            return again;
        };
        // A connection that ended during an exchange is not counted as lost in addition.
        let gone = shared.status() != SharedStatus::Open;
        // A refused stream on a connection that stays open is the server's reaction to load.
        let again = again && (gone || !failure.is_refused());
        if gone {
            shared.lapsed.set(again);
        }
        again
    }

    /// Ends the connection of this user gracefully.
    pub(super) async fn leave(&mut self, owner: Owner<'_>, clock: &dyn Clock) {
        if let Some(connection) = self.connection.take() {
            connection.close(owner.network.settings.dialing.close, clock).await;
        }
    }

    /// Closes the connection, for all that share it.
    pub(super) async fn close(&mut self, owner: Owner<'_>, clock: &dyn Clock) {
        self.leave(owner, clock).await;
        if let Some(shared) = &self.shared {
            shared.close(clock).await;
        }
    }
}

/// Whether the next request is the last one of a connection that has carried this number of requests.
fn is_last(network: &Network, carried: u64) -> bool {
    matches!(network.settings.keep, Keep::Requests(most) if carried + 1 >= most)
}

/// Whether a failed request may be sent again: the server reported that it did not process it, or there was no answer
/// to it and the settings allow it.
fn may_repeat(network: &Network, failure: &Failure, request: &Unanswered) -> bool {
    let resend = network.settings.resend;
    if failure.is_unprocessed() && !failure.is_unanswered() {
        return resend.allows(true);
    }
    if failure.is_refused() {
        // However long that took: the server itself reports that it did not process the request.
        return request.kept && resend.allows(true);
    }
    // A new connection that accepts no bytes at all is not a kept connection that ended.
    failure.is_unanswered() && resend.repeats(request)
}

/// Connects, and secures the connection if the origin requires it. Opening again what the server had closed is reported
/// as one part, separate from connections that the run itself opens.
async fn connect(
    network: &Network,
    origin: &Origin,
    (number, again): (u64, bool),
    round_trip: &mut Duration,
    watch: &mut Watch<'_>,
) -> Result<Stream, Failure> {
    let opening = Opening::begin(again, watch);
    let limit = network.settings.dialing.timeout;
    let to = (origin.host(), origin.port());
    let tunnel = origin.relay().is_none();
    let stream = origin.route.connect(to, tunnel, number, limit, watch.clock()).await?;
    let connected = watch.now();
    *round_trip = connected - opening.began();
    opening.part(CONNECT, *round_trip, watch);
    let stream = match &origin.name {
        None => stream,
        Some(name) => {
            let tls = network.tls().map_err(|error| super::UrlError::Tls(Arc::new(error)))?;
            let stream = limited(stream.nest(tls, name), limit, watch.clock()).await?;
            opening.part(TLS, watch.now() - connected, watch);
            stream
        }
    };
    opening.succeeded(RECONNECT, watch);
    Tally::one(&network.tally.opened);
    Ok(stream)
}
