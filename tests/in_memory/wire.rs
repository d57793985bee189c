//! [`Wire`]: what octets pass between a client and a server in memory, which takes time.

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use brunt_embedded::given_time::{GivenTime, Wait};
use brunt_engine::virtual_time::VirtualTime;
use brunt_exchange::{Clock as _, Moment};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};

use crate::machine::Server;

/// How long octets are on their way.
pub(crate) const WAY: Duration = Duration::from_millis(1);
/// How many octets are on their way at most.
const CAPACITY: usize = 64 << 10;

/// The way to a server and back.
#[derive(Clone)]
pub(crate) struct Wire {
    time: VirtualTime,
    /// From when to when nothing passes it.
    cut: Range<Moment>,
}

impl Wire {
    /// One that nothing passes from one time to another, counted from the start of the machine.
    pub(crate) fn new(time: VirtualTime, cut: Range<Duration>) -> Self {
        Self { time, cut: Moment::ZERO + cut.start..Moment::ZERO + cut.end }
    }

    /// One that is never cut.
    pub(crate) fn whole(time: VirtualTime) -> Self {
        Self::new(time, Duration::ZERO..Duration::ZERO)
    }

    /// A server at its other end, which serves connections by this function.
    pub(crate) fn leading_to<F: Future<Output = ()> + 'static>(
        &self,
        serve: impl Fn(DuplexStream) -> F + Send + Sync + 'static,
    ) -> Arc<dyn Server> {
        self.watched(serve, || |_: &[u8]| ())
    }

    /// The same, where what a client sends is shown to the watcher of its connection.
    pub(crate) fn watched<F: Future<Output = ()> + 'static, W: FnMut(&[u8]) + 'static>(
        &self,
        serve: impl Fn(DuplexStream) -> F + Send + Sync + 'static,
        watch: impl Fn() -> W + Send + Sync + 'static,
    ) -> Arc<dyn Server> {
        Arc::new(Distant { wire: self.clone(), serve, watch })
    }

    /// Has a server serve the other end of a connection. What the client sends is shown to `see`.
    async fn between<F: Future<Output = ()>>(
        self,
        connection: DuplexStream,
        serve: impl FnOnce(DuplexStream) -> F,
        see: impl FnMut(&[u8]),
    ) {
        let (near, far) = tokio::io::duplex(CAPACITY);
        let (from_client, to_client) = tokio::io::split(connection);
        let (from_server, to_server) = tokio::io::split(near);
        let there = self.carry(from_client, to_server, see);
        tokio::join!(serve(far), there, self.carry(from_server, to_client, |_| ()));
    }

    /// Takes what is sent to the other end, in its time.
    async fn carry(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        mut see: impl FnMut(&[u8]),
    ) {
        let mut octets = [0; 4_096];
        while let Ok(count @ 1..) = from.read(&mut octets).await {
            see(&octets[..count]);
            self.time.pass(WAY).await;
            if self.cut.contains(&self.time.now()) {
                self.time.until(self.cut.end).await;
            }
            if to.write_all(&octets[..count]).await.is_err() {
                return;
            }
        }
        // A client that is gone needs no end.
        let _ = to.shutdown().await;
    }
}

/// A server at the other end of a wire.
struct Distant<S, N> {
    wire: Wire,
    serve: S,
    watch: N,
}

impl<F, S, W, N> Server for Distant<S, N>
where
    F: Future<Output = ()> + 'static,
    S: Fn(DuplexStream) -> F + Send + Sync + 'static,
    W: FnMut(&[u8]) + 'static,
    N: Fn() -> W + Send + Sync + 'static,
{
    fn serve(self: Arc<Self>, connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>> {
        let (wire, see) = (self.wire.clone(), (self.watch)());
        Box::pin(wire.between(connection, move |far| (self.serve)(far), see))
    }
}

/// The time of a machine, as its servers have it.
#[derive(Debug)]
pub(crate) struct ServerTime(pub(crate) VirtualTime);

impl GivenTime for ServerTime {
    fn now(&self) -> Duration {
        self.0.now().since_origin()
    }

    fn until(&self, at: Duration) -> Wait {
        let time = self.0.clone();
        Box::pin(async move { time.until(Moment::ZERO + at).await })
    }
}
