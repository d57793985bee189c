//! [`Network`]: what all users of a process share: the settings, TLS, and the origins that URLs led to so far.
//!
//! Names are resolved before the run where the plan contains them. An origin that appears only during a run, because a
//! variable names it, is looked up once on a separate thread and then remembered; their number is limited. Several
//! lookups can run at a time, each for all users that wait for it. The run does not wait for these threads at its end.

use super::failure::Failure;
use super::origin::{self, Named, Origin, UrlError};
use super::proxy::{Gateway, GatewayError};
use super::route::Route;
use super::settings::{Settings, Version};
use brunt_net::counters;
use brunt_net::tcp::{Dialer, Endpoint};
use brunt_net::tls;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use tokio::sync::watch;

const GAVE_UP: Failure = Failure::Unsendable("looking its host up was given up");

/// The most origins that a run may go to.
pub const ORIGINS_MAX: usize = 1024;

/// The result of a lookup, for each user that waits for it.
type LookedUp = watch::Receiver<Option<Result<Arc<Origin>, Arc<UrlError>>>>;

/// What all users of a process share.
#[derive(Debug)]
pub struct Network {
    pub(super) settings: Settings,
    /// What holds for all connections of the run.
    way: brunt_net::Network,
    tls: OnceLock<tls::Client>,
    gateway: Option<Arc<Gateway>>,
    /// The known origins, by every spelling that was used.
    origins: RwLock<HashMap<Box<[u8]>, Arc<Origin>>>,
    /// The spellings that are being looked up, so that none is looked up twice.
    pending: Mutex<HashMap<Box<[u8]>, LookedUp>>,
    pub(super) tally: Tally,
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
    /// The proxy cannot be used.
    #[error(transparent)]
    Proxy(#[from] GatewayError),
    /// A connection for 0 users.
    #[error("share a connection among 0 users: give 1 or more streams")]
    NoStreams,
    /// A connection for 0 requests.
    #[error("keep connections for 0 requests: give 1 or more")]
    NoRequests,
    /// More fields than there is room for.
    #[error("accept {0} fields of an answer: give at most {max}", max = brunt_http_wire::FIELDS_MAX)]
    Fields(usize),
}

impl Network {
    /// Prepares everything that does not depend on a URL: reads key stores, checks limits. All connections are made
    /// through `way`.
    pub fn new(settings: Settings, way: &brunt_net::Network) -> Result<Self, NetworkError> {
        if settings.streams == 0 {
            return Err(NetworkError::NoStreams);
        }
        if settings.keep == super::Keep::Requests(0) {
            return Err(NetworkError::NoRequests);
        }
        if settings.limits.fields > brunt_http_wire::FIELDS_MAX {
            return Err(NetworkError::Fields(settings.limits.fields));
        }
        let tls = OnceLock::new();
        if let Some(options) = &settings.tls {
            let _ = tls.set(client(options, settings.version, way)?);
        }
        let gateway = settings.proxy.as_ref().filter(|_| settings.unix.is_none());
        let gateway =
            gateway.map(|proxy| Gateway::new(proxy, &settings.dialing, way)).transpose()?;
        Ok(Self {
            settings,
            way: way.clone(),
            tls,
            gateway: gateway.map(Arc::new),
            origins: RwLock::default(),
            pending: Mutex::default(),
            tally: Tally::default(),
        })
    }

    /// The network that all connections are made through.
    pub fn way(&self) -> &brunt_net::Network {
        &self.way
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Counts of events outside the exchanges.
    pub fn counts(&self) -> Counts {
        self.tally.counts()
    }

    /// How many TLS handshakes there were, by kind.
    pub fn handshakes(&self) -> tls::Handshakes {
        self.tls.get().map(tls::Client::handshakes).unwrap_or_default()
    }

    /// The origin that a URL leads to. Blocks while the name is resolved, if the origin is not known yet.
    pub fn origin(&self, url: &str) -> Result<Arc<Origin>, UrlError> {
        self.split(url.as_bytes()).map(|(origin, _)| origin)
    }

    /// The origin that a URL leads to, and where its path begins. Blocks while the name is resolved, if the origin is
    /// not known yet; `known` never blocks.
    pub fn split(&self, url: &[u8]) -> Result<(Arc<Origin>, usize), UrlError> {
        let (place, path) = url.split_at(origin::origin_length(url));
        let found = match self.known(place) {
            Some(known) => known,
            None => self.look_up(place)?,
        };
        Ok((found, url.len() - path.len()))
    }

    /// The origin with this spelling, if it is known.
    pub(super) fn known(&self, place: &[u8]) -> Option<Arc<Origin>> {
        self.origins.read().unwrap_or_else(PoisonError::into_inner).get(place).map(Arc::clone)
    }

    /// The origin with this spelling, looked up on a separate thread.
    pub(super) async fn look_up_aside(
        self: &Arc<Self>,
        place: &[u8],
    ) -> Result<Arc<Origin>, Failure> {
        let mut answer = self.pending(place).map_err(|_| GAVE_UP)?;
        let found = answer.wait_for(Option::is_some).await.map_err(|_| GAVE_UP)?;
        match &*found {
            Some(Ok(origin)) => Ok(Arc::clone(origin)),
            Some(Err(error)) => Err(Failure::LookedUp(Arc::clone(error))),
            None => Err(GAVE_UP),
        }
    }

    /// The lookup of this spelling, which is started if it is not in progress yet. The thread may outlive the run.
    fn pending(self: &Arc<Self>, place: &[u8]) -> io::Result<LookedUp> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(requested) = pending.get(place) {
            return Ok(requested.clone());
        }
        let (sender, answer) = watch::channel(None);
        let (network, spelling) = (Arc::clone(self), place.to_vec());
        let act = move || {
            let found = network.look_up(&spelling).map_err(Arc::new);
            let mut pending = network.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.remove(&*spelling);
            drop(pending);
            // It is possible that no user waits any more.
            let _ = sender.send(Some(found));
        };
        std::thread::Builder::new().name("lookup".to_owned()).spawn(act)?;
        pending.insert(place.into(), answer.clone());
        Ok(answer)
    }

    fn look_up(&self, place: &[u8]) -> Result<Arc<Origin>, UrlError> {
        let named = Named::parse(place)?;
        let found = match self.known(named.prefix.as_bytes()) {
            Some(known) => known,
            None => Arc::new(self.resolve(named)?),
        };
        let mut origins = self.origins.write().unwrap_or_else(PoisonError::into_inner);
        // Each origin may have a second spelling, rarely more.
        if origins.len() >= 2 * ORIGINS_MAX {
            return Err(UrlError::TooMany(found.prefix().to_owned()));
        }
        // Meanwhile another lookup may have found the same origin.
        let found = Arc::clone(origins.entry(found.prefix().as_bytes().into()).or_insert(found));
        origins.insert(place.into(), Arc::clone(&found));
        Ok(found)
    }

    fn resolve(&self, named: Named) -> Result<Origin, UrlError> {
        let route = self.route(&named)?;
        let relay = match (&route, self.settings.version) {
            (Route::Through(gateway), Version::Http1 | Version::Negotiate) if !named.secure => {
                Some(Arc::clone(gateway))
            }
            _ => None,
        };
        let name = named.secure.then(|| self.tls().and_then(|tls| tls.name_for(&named.host)));
        let name = name.transpose().map_err(Arc::new)?;
        Ok(Origin::new(named, route, relay, name))
    }

    /// How an origin is reached. Its name is resolved here only if no proxy does that.
    fn route(&self, named: &Named) -> Result<Route, UrlError> {
        if let Some(path) = &self.settings.unix {
            return Ok(Route::Unix(path.as_path().into(), self.way.clone()));
        }
        let proxy = self.settings.proxy.as_ref();
        let through = proxy.is_some_and(|proxy| !proxy.except.hold(&named.host, named.port));
        if let Some(gateway) = self.gateway.as_ref().filter(|_| through) {
            return Ok(Route::Through(Arc::clone(gateway)));
        }
        let same = |host: &str, port| host.eq_ignore_ascii_case(&named.host) && port == named.port;
        let given = self.settings.resolve.iter().find(|given| same(&given.host, given.port));
        let endpoint = match given {
            Some(given) => Endpoint { host: given.to.ip().to_string(), port: given.to.port() },
            None => Endpoint { host: named.host.clone(), port: named.port },
        };
        let dialer = Dialer::new(&self.way, &[endpoint], self.settings.dialing.clone())?;
        Ok(Route::Straight(Arc::new(dialer)))
    }

    /// TLS with the configured settings, set up when it is first needed.
    pub(super) fn tls(&self) -> Result<&tls::Client, tls::TlsError> {
        if let Some(ready) = self.tls.get() {
            return Ok(ready);
        }
        let made = client(&tls::Options::default(), self.settings.version, &self.way)?;
        Ok(self.tls.get_or_init(|| made))
    }
}

fn client(
    options: &tls::Options,
    version: Version,
    way: &brunt_net::Network,
) -> Result<tls::Client, tls::TlsError> {
    let alpn: &[&[u8]] = match version {
        Version::Http1 => &[b"http/1.1"],
        Version::Http2 | Version::Http2PriorKnowledge => &[b"h2"],
        Version::Negotiate => &[b"h2", b"http/1.1"],
    };
    let alpn = alpn.iter().map(|protocol| protocol.to_vec()).collect();
    tls::Client::new(&tls::Options { alpn, ..options.clone() }, way.files())
}

counters! {
    /// Connections that were opened, with TLS where requested.
    opened,
    /// Connections that the server ended while no request was pending.
    lost,
    /// Connections closed because of an unrequested response, such as a 408 (RFC 9110 section 15.5.9).
    unsolicited,
    /// Requests sent a second time, as the server had closed the connection before it could have read the first.
    healed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keep, Resolve};

    fn network(settings: Settings) -> Network {
        Network::new(settings, &brunt_net::Network::private()).unwrap()
    }

    #[test]
    fn origin_is_resolved_once_in_any_spelling() {
        let network = network(Settings::default());
        let first = network.origin("http://127.0.0.1:8080/a").unwrap();
        for url in ["http://127.0.0.1:8080", "HTTP://127.1:8080?x", "http://127.0.0.1:8080#y"] {
            assert!(Arc::ptr_eq(&first, &network.origin(url).unwrap()), "{url}");
        }
        let (other, path) = network.split(b"http://127.0.0.1:8081/b c").unwrap();
        assert!(!Arc::ptr_eq(&first, &other));
        assert_eq!((path, other.port(), other.authority()), (21, 8081, &b"127.0.0.1:8081"[..]));
    }

    #[test]
    fn resolve_override_needs_no_lookup() {
        let to = "127.0.0.9:1234".parse().unwrap();
        let resolve = vec![Resolve { host: "nowhere.invalid".to_owned(), port: 80, to }];
        let network = network(Settings { resolve, ..Settings::default() });
        let origin = network.origin("http://NOWHERE.invalid/").unwrap();
        assert_eq!(origin.authority(), b"nowhere.invalid");
        let Route::Straight(dialer) = &origin.route else { panic!("{:?}", origin.route) };
        assert_eq!(dialer.server(0).addresses(), [to]);
        let elsewhere = network.origin("http://nowhere.invalid:81/").unwrap_err().to_string();
        assert!(elsewhere.contains("nowhere.invalid"), "{elsewhere}");
    }

    #[test]
    fn invalid_settings_are_refused() {
        let limits = super::super::Limits { fields: 257, ..Default::default() };
        for (settings, word) in [
            (Settings { streams: 0, ..Settings::default() }, "0 users"),
            (Settings { keep: Keep::Requests(0), ..Settings::default() }, "0 requests"),
            (Settings { limits, ..Settings::default() }, "257 fields"),
        ] {
            let words =
                Network::new(settings, &brunt_net::Network::private()).unwrap_err().to_string();
            assert!(words.contains(word), "{words}");
        }
    }

    #[test]
    fn origins_are_limited() {
        let network = network(Settings::default());
        let mut met = 0;
        for port in 1..=4096 {
            match network.origin(&format!("http://127.0.0.1:{port}")) {
                Ok(_) => met += 1,
                Err(UrlError::TooMany(_)) => break,
                Err(other) => panic!("{other}"),
            }
        }
        assert!((ORIGINS_MAX..=2 * ORIGINS_MAX).contains(&met), "{met}");
    }
}
