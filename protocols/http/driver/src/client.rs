//! [`Client`]: the HTTP side of one virtual user: its connections, one for each origin it goes to.
//!
//! The client also does what a browser does: it keeps and sends cookies, follows redirects and decodes bodies. A client
//! that needs none of this takes a shorter path. It does not depend on how an answer is used.

use super::connection::Done;
use super::cookies::{self, Jar, NotKept};
use super::encoding::{self, Unpacked};
use super::failure::Failure;
use super::group::Group;
use super::network::Network;
use super::origin::{self, Origin};
use super::origin_connection::{OriginConnection, Owner};
use super::redirect;
use super::request::Request;
use super::request_spec::RequestSpec;
use super::response::{Response, Wanted};
use brunt_exchange::{Clock, Watch};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

/// The most origins a user keeps a connection to.
const CONNECTIONS_MAX: usize = 16;

/// The HTTP side of one virtual user.
#[derive(Debug)]
pub struct Client {
    network: Arc<Network>,
    group: Rc<Group>,
    number: u32,
    user: u32,
    connections: Vec<OriginConnection>,
    jar: Jar,
    /// The origin of the last URL, by its spelling.
    last: Option<(Vec<u8>, Arc<Origin>)>,
    /// What the client added to a request that is shown, and the redirects that followed.
    actions: ClientActions,
    /// The first cookie since the jar was empty that was not kept, and why.
    refused_cookie: Option<Box<(String, NotKept)>>,
}

/// What the client did by itself in an exchange that is shown.
#[derive(Clone, Debug, Default)]
pub struct ClientActions {
    /// The lines it added to the head of the request: cookies, encodings.
    pub added: Vec<u8>,
    /// The redirects it followed.
    pub hops: Vec<Hop>,
    /// The cookies that it did not keep, by name, and why.
    pub refused_cookies: Vec<(String, NotKept)>,
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The status of the answer that redirected.
    pub status: u16,
    /// The method of the next request.
    pub method: Vec<u8>,
    /// The URL of the next request.
    pub url: Vec<u8>,
}

impl Client {
    /// The HTTP side of user `number`, which shares buffers and connections with the users of its worker.
    pub fn new(network: &Arc<Network>, group: &Rc<Group>, number: u32) -> Self {
        Self {
            network: Arc::clone(network),
            group: Rc::clone(group),
            number,
            user: group.user(),
            connections: Vec::new(),
            jar: Jar::default(),
            last: None,
            actions: ClientActions::default(),
            refused_cookie: None,
        }
    }

    /// The origin that a URL leads to, and where its path begins. A new name is looked up on a separate thread, so that
    /// no other user waits for the resolver.
    pub async fn aim(
        &mut self,
        url: &[u8],
        watch: &mut Watch<'_>,
    ) -> Result<(Arc<Origin>, usize), Failure> {
        if let Some((place, origin)) = &self.last
            && url.strip_prefix(&place[..]).is_some_and(origin::begins_path)
        {
            return Ok((Arc::clone(origin), place.len()));
        }
        if matches!(url.first(), Some(b'/' | b'?')) {
            let path = String::from_utf8_lossy(url);
            return Err(super::UrlError::Path(brunt_redact::url(&path)).into());
        }
        let length = origin::origin_length(url);
        let place = &url[..length];
        let found = match self.network.known(place) {
            Some(known) => known,
            None => Box::pin(self.look_up(place, watch)).await?,
        };
        let allowed = &self.network.settings.origins;
        if !allowed.is_empty() && !allowed.iter().any(|one| one == found.prefix()) {
            return Err(Failure::Elsewhere(found.prefix().to_owned()));
        }
        let mut spelling = self.last.take().map(|(spelling, _)| spelling).unwrap_or_default();
        spelling.clear();
        spelling.extend_from_slice(place);
        self.last = Some((spelling, Arc::clone(&found)));
        Ok((found, length))
    }

    async fn look_up(&self, place: &[u8], watch: &mut Watch<'_>) -> Result<Arc<Origin>, Failure> {
        let began = watch.now();
        let found = self.network.look_up_aside(place).await?;
        if found.host().parse::<IpAddr>().is_err() {
            super::report(watch, super::NAME_LOOKUP, watch.now() - began);
        }
        watch.waited();
        Ok(found)
    }

    /// Makes sure that there is a connection to this origin, as far as is known without a request to the server, unless
    /// the exchange opens its own; after a failed attempt, waits before the next.
    pub async fn ready(
        &mut self,
        origin: &Arc<Origin>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        let at = self.connection(origin);
        let (owner, connections) = self.parts();
        if connections[at].is_open(owner, watch) {
            return Ok(());
        }
        if connections[at].is_opened_by_exchange(owner) {
            Box::pin(connections[at].rest(owner, watch)).await;
            return Ok(());
        }
        Box::pin(connections[at].open(owner, watch)).await
    }

    /// Carries out one exchange. The request is stamped as sent when its first byte leaves; the answer ends with the
    /// last byte of its body, however it is processed afterwards.
    pub async fn exchange(
        &mut self,
        origin: &Arc<Origin>,
        request: &mut Request,
        wanted: Wanted,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        if wanted.shown {
            self.actions = ClientActions::default();
        }
        let settings = &self.network.settings;
        if settings.cookies || settings.redirects > 0 || settings.decompress {
            return Box::pin(self.browse(origin, request, wanted, response, watch)).await;
        }
        let done = self.send(origin, request, b"", wanted, response, watch).await?;
        watch.ended_as(done.at);
        locate(wanted, origin, request, response);
        Ok(())
    }

    /// What the client did by itself in the last exchange whose answer was to be shown.
    pub fn actions(&self) -> &ClientActions {
        &self.actions
    }

    /// Another client of the same user, for requests that are made at the same time: with connections of its own over
    /// HTTP/1.1, and with streams of the same connection over HTTP/2.
    #[must_use]
    pub fn lane(&self) -> Self {
        Self {
            network: Arc::clone(&self.network),
            group: Rc::clone(&self.group),
            number: self.number,
            user: self.user,
            connections: Vec::new(),
            jar: Jar::default(),
            last: None,
            actions: ClientActions::default(),
            refused_cookie: None,
        }
    }

    /// Gives its cookies to a lane, which makes requests next.
    pub fn lend(&self, lane: &mut Self) {
        lane.jar.clone_from(&self.jar);
    }

    /// Takes over the cookies that a lane got since it was lent these.
    pub fn rejoin(&mut self, lent: &Jar, lane: &Self) {
        self.jar.follow(lent, &lane.jar);
    }

    /// Shows what a lane did by itself as its own.
    pub fn show(&mut self, actions: ClientActions) {
        self.actions = actions;
    }

    /// The cookies of this user.
    pub fn jar(&self) -> &Jar {
        &self.jar
    }

    /// The first cookie since [`forget`](Self::forget) that was not kept, by name, and why.
    pub fn refused_cookie(&self) -> Option<&(String, NotKept)> {
        self.refused_cookie.as_deref()
    }

    /// Removes every cookie, as a new user has none.
    pub fn forget(&mut self) {
        self.refused_cookie = None;
        self.jar.clear();
    }

    /// Carries out one exchange as a browser does.
    async fn browse(
        &mut self,
        origin: &Arc<Origin>,
        request: &Request,
        wanted: Wanted,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        let redirects = self.network.settings.redirects;
        let mut origin = Arc::clone(origin);
        // Only a redirected request is changed, and therefore copied.
        let mut turned: Option<Request> = None;
        let mut followed = 0;
        loop {
            let request = turned.as_ref().unwrap_or(request);
            let extra = self.added(&origin, request);
            if wanted.shown && followed == 0 {
                self.actions.added.clone_from(&extra);
            }
            let wanted = Wanted { fields: true, ..wanted };
            let done = self.send(&origin, request, &extra, wanted, response, watch).await?;
            watch.ended_as(done.at);
            self.remember(&origin, request, response, wanted.shown);
            if redirects > 0 && matches!(response.status(), 300..400) {
                let from = [origin.prefix().as_bytes(), request.target()].concat();
                let mut next = request.clone();
                let allowed = &self.network.settings.cross_origin;
                if let Some(to) = redirect::next(&from, &mut next, response, allowed)? {
                    if followed == redirects {
                        return Err(Failure::Redirects(redirects));
                    }
                    followed += 1;
                    let (there, path) = self.aim(&to, watch).await?;
                    next.set_target(&to[path..]);
                    if wanted.shown {
                        let (status, method) = (response.status(), next.method().to_vec());
                        self.actions.hops.push(Hop { status, method, url: to });
                    }
                    origin = there;
                    turned = Some(next);
                    continue;
                }
            }
            locate(wanted, &origin, request, response);
            return self.unpack(wanted, response);
        }
    }

    /// The fields that this user adds to a request, as lines. Fields that the request itself has are not added.
    fn added(&self, origin: &Origin, request: &Request) -> Vec<u8> {
        const COOKIE: &[u8] = b"Cookie: ";
        let settings = &self.network.settings;
        let mut lines = Vec::new();
        if settings.decompress && request.value("accept-encoding").is_none() {
            lines.extend_from_slice(b"Accept-Encoding: ");
            lines.extend_from_slice(encoding::ACCEPT.as_bytes());
            lines.extend_from_slice(b"\r\n");
        }
        if settings.cookies && request.value("cookie").is_none() {
            let before = lines.len();
            lines.extend_from_slice(COOKIE);
            if self.jar.fill(request_scope(origin, request), &mut lines) {
                lines.extend_from_slice(b"\r\n");
            } else {
                lines.truncate(before);
            }
        }
        lines
    }

    /// Keeps the cookies of an answer; of one that is shown, also why it did not keep a cookie.
    fn remember(&mut self, origin: &Origin, request: &Request, response: &Response, shown: bool) {
        if !self.network.settings.cookies {
            return;
        }
        for value in response.values("set-cookie") {
            let kept = self.jar.absorb(request_scope(origin, request), value);
            if let Err(why) = kept
                && (shown || self.refused_cookie.is_none())
            {
                let name = value.split(|byte| matches!(byte, b'=' | b';')).next();
                let name = String::from_utf8_lossy(name.unwrap_or_default()).trim().to_owned();
                if shown {
                    self.actions.refused_cookies.push((name.clone(), why.clone()));
                }
                self.refused_cookie.get_or_insert_with(|| Box::new((name, why)));
            }
        }
    }

    /// Decodes the content encoding of a body that is wanted.
    fn unpack(&self, wanted: Wanted, response: &mut Response) -> Result<(), Failure> {
        let settings = &self.network.settings;
        let limit = wanted.kept_of(response.status(), &settings.limits);
        if !settings.decompress || limit == 0 && !wanted.body {
            return Ok(());
        }
        let mut plain = Vec::new();
        let whole = wanted.body && !response.truncated;
        let codings = response.values("content-encoding");
        let decoded = encoding::decode(codings, &response.body, whole, limit, &mut plain);
        if !wanted.body && decoded.is_err() {
            // The body was only wanted to be shown.
            response.body.clear();
            return Ok(());
        }
        match decoded? {
            Unpacked::AsIs => {}
            unpacked => {
                response.body = plain;
                response.truncated = wanted.body && unpacked == Unpacked::Part;
            }
        }
        Ok(())
    }

    /// Sends one request and reads its answer.
    async fn send(
        &mut self,
        origin: &Arc<Origin>,
        request: &Request,
        extra: &[u8],
        wanted: Wanted,
        response: &mut Response,
        watch: &mut Watch<'_>,
    ) -> Result<Done, Failure> {
        let flags = request.flags()?;
        let at = self.connection(origin);
        let (owner, connections) = self.parts();
        let limits = &owner.network.settings.limits;
        let mut spec = RequestSpec { request, origin, flags, extra, last: false, wanted, limits };
        let done = connections[at].exchange(owner, &mut spec, response, watch).await?;
        if !done.persistent {
            Box::pin(connections[at].leave(owner, watch.clock())).await;
        }
        Ok(done)
    }

    /// Closes every connection.
    pub async fn close(&mut self, clock: &dyn Clock) {
        let (owner, connections) = self.parts();
        for connection in connections {
            connection.close(owner, clock).await;
        }
    }

    /// The connection to an origin. A user with more origins than connections drops the first of them.
    fn connection(&mut self, origin: &Arc<Origin>) -> usize {
        if let Some(at) = self.connections.iter().position(|connection| connection.leads_to(origin))
        {
            return at;
        }
        if self.connections.len() == CONNECTIONS_MAX {
            self.connections.remove(0);
        }
        let connection = OriginConnection::new(self.parts().0, origin);
        self.connections.push(connection);
        self.connections.len() - 1
    }

    fn parts(&mut self) -> (Owner<'_>, &mut [OriginConnection]) {
        let Self { network, group, number, user, connections, .. } = self;
        (Owner { network, group, number: *number, user: *user }, connections)
    }
}

/// Records where an answer came from, if that is wanted.
fn locate(wanted: Wanted, origin: &Origin, request: &Request, response: &mut Response) {
    if wanted.url {
        response.url = Some([origin.prefix().as_bytes(), request.target()].concat().into());
    }
}

/// The destination of a request, as far as it matters for cookies.
fn request_scope<'a>(origin: &'a Origin, request: &'a Request) -> cookies::RequestScope<'a> {
    cookies::RequestScope {
        host: origin.host(),
        secure: origin.is_secure(),
        target: request.target(),
    }
}
