//! HTTP/1.1 against a scripted server: the counts must match what happened, in every case.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

mod answers;
mod browsing;
mod hostile;
mod keeping;
mod resending;
mod server;

use brunt_exchange::{Clock, Moment, Monotonic, Watch};
use brunt_http_driver::{Client, Failure, Group, Network, Request, Response, Settings, Wanted};
use server::Server;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// One virtual user and the last answer it received.
struct User {
    network: Arc<Network>,
    client: Client,
    request: Request,
    response: Response,
    /// The parts of the last exchange, by number.
    parts: Vec<u8>,
}

/// A clock that only a test advances. How long a connection was idle decides whether a request is sent again, and a
/// busy machine must not change that.
#[derive(Default)]
struct Standing(Cell<Duration>);

impl Standing {
    fn pass(&self, time: Duration) {
        self.0.set(self.0.get() + time);
    }
}

impl Clock for Standing {
    fn now(&self) -> Moment {
        Moment::ZERO + self.0.get()
    }
}

impl User {
    fn new(settings: Settings) -> Self {
        let network = Arc::new(Network::new(settings, &brunt_net::Network::private()).unwrap());
        let group: Rc<Group> = Group::new(&network);
        let client = Client::new(&network, &group, 0);
        Self {
            network,
            client,
            request: Request::default(),
            response: Response::default(),
            parts: Vec::new(),
        }
    }

    /// Prepares and sends a request, as the engine does.
    async fn ask(&mut self, server: &Server, wanted: Wanted) -> Result<u16, Failure> {
        self.ask_by(&Monotonic::new(), server, wanted).await
    }

    /// The same, by this clock.
    async fn ask_by(
        &mut self,
        clock: &dyn Clock,
        server: &Server,
        wanted: Wanted,
    ) -> Result<u16, Failure> {
        let mut watch = Watch::new(clock, None);
        let origin = self.network.origin(&server.url()).unwrap();
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
        Ok(self.response.status())
    }

    async fn get(&mut self, server: &Server) -> Result<u16, Failure> {
        self.request.begin("GET");
        self.request.set_target(b"/");
        self.ask(server, Wanted { fields: true, body: true, ..Wanted::default() }).await
    }

    async fn count(&mut self, server: &Server) -> Result<u16, Failure> {
        self.request.begin("GET");
        self.request.set_target(b"/");
        self.ask(server, Wanted::default()).await
    }

    async fn post(&mut self, server: &Server, body: &[u8]) -> Result<u16, Failure> {
        self.request.begin("POST");
        self.request.set_target(b"/");
        self.request.body_mut().extend_from_slice(body);
        self.ask(server, Wanted { fields: true, body: true, ..Wanted::default() }).await
    }
}
