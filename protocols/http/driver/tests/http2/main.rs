//! HTTP/2 against a server whose frames a test writes, and against h2's own server: the counts must match what
//! happened.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

mod frames;
mod secured;
mod sharing;
mod trouble;

use brunt_exchange::{Clock, Moment, Monotonic, Watch};
use brunt_http_driver::{
    CONNECT, Client, Failure, Group, Network, Request, Response, Settings, TLS, Version, Wanted,
};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::LocalSet;

/// The users of one worker.
struct Worker {
    network: Arc<Network>,
    group: Rc<Group>,
}

/// A clock that stands still: whatever ends does so at once, however busy the machine is.
struct Still;

impl Clock for Still {
    fn now(&self) -> Moment {
        Moment::from_nanos(1)
    }
}

/// One virtual user and the last answer it received.
struct User {
    network: Arc<Network>,
    client: Client,
    clock: Box<dyn Clock>,
    request: Request,
    response: Response,
    /// The parts of the last exchange, by number.
    parts: Vec<u8>,
    /// How long the last exchange had begun when its request was sent.
    opening: Duration,
    /// How long the parts took that precede a request: connecting and TLS.
    connecting: Duration,
}

impl Worker {
    fn new(settings: Settings) -> Self {
        let network = Arc::new(Network::new(settings, &brunt_net::Network::private()).unwrap());
        let group = Group::new(&network);
        Self { network, group }
    }

    fn user(&self, number: u32) -> User {
        User {
            network: Arc::clone(&self.network),
            client: Client::new(&self.network, &self.group, number),
            clock: Box::new(Monotonic::new()),
            request: Request::default(),
            response: Response::default(),
            parts: Vec::new(),
            opening: Duration::ZERO,
            connecting: Duration::ZERO,
        }
    }
}

impl User {
    /// Prepares and sends a request, as the engine does.
    async fn ask(&mut self, url: &str, wanted: Wanted) -> Result<u16, Failure> {
        let mut watch = Watch::new(&*self.clock, None);
        let origin = self.network.origin(url).unwrap();
        self.client.ready(&origin, &mut watch).await?;
        let requested = self.client.exchange(
            &origin,
            &mut self.request,
            wanted,
            &mut self.response,
            &mut watch,
        );
        // Nothing in these tests takes this long unless it hangs.
        tokio::time::timeout(Duration::from_secs(20), requested).await.expect("an end")?;
        assert!(watch.sent_at() <= watch.ended_at() && watch.sent_at().is_some());
        self.parts = watch.parts().iter().map(|(part, _)| part.0).collect();
        self.opening = watch.sent_at().unwrap() - watch.began_at().unwrap();
        let connecting = watch.parts().iter().filter(|(part, _)| [CONNECT, TLS].contains(part));
        self.connecting = connecting.map(|(_, took)| *took).sum();
        Ok(self.response.status())
    }

    async fn get(&mut self, url: &str, path: &str) -> Result<u16, Failure> {
        self.request.begin("GET");
        self.request.set_target(path.as_bytes());
        self.ask(url, Wanted { fields: true, body: true, ..Wanted::default() }).await
    }
}

/// Settings of a worker that uses HTTP/2 without negotiation, with `streams` users on each connection.
fn plain(streams: u32) -> Settings {
    Settings { version: Version::Http2PriorKnowledge, streams, ..Settings::default() }
}

/// Runs a future as a worker does: on one thread, with its own tasks.
fn run<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(LocalSet::new().run_until(future))
}
