//! [`Dhcp`]: the embedded DHCP server, whose answers take a moment.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use brunt_dhcp_server::{Config, InMemory, Script};
use brunt_engine::virtual_time::VirtualTime;
use brunt_net::memory::Sent;

use crate::machine::{Listener, Machine, own};

/// How long an answer is on its way.
pub(crate) const WAY: Duration = Duration::from_millis(1);

/// The embedded DHCP server.
pub(crate) struct Dhcp {
    pub(crate) server: InMemory,
    time: VirtualTime,
}

impl Dhcp {
    /// One at `10.0.3.1:67` for the machine of this test.
    pub(crate) fn start(script: &str) -> Arc<Self> {
        let config = Config { listen: vec![([10, 0, 3, 1], 67).into()], ..Config::default() };
        own(|machine| Self::new(machine, script, config))
    }

    /// One like this for a machine, that keeps to a script, which may be empty.
    pub(crate) fn new(machine: &mut Machine, script: &str, mut config: Config) -> Arc<Self> {
        config.v4.reply_to_source = true;
        config.script = (!script.is_empty()).then(|| Script::parse(script).expect("a script"));
        let server = InMemory::new(&config, machine.clock());
        let server = server.unwrap_or_else(|error| panic!("failed to {error}"));
        let dhcp = Arc::new(Self { server, time: machine.time() });
        for address in config.listen {
            machine.listen(address, dhcp.clone());
        }
        dhcp
    }

    /// Takes a datagram, and its answers to the client.
    async fn answer(&self, datagram: Sent) {
        let Sent { from, to, bytes, answers } = datagram;
        let send = |_, bytes| {
            let (time, answers) = (self.time.clone(), answers.clone());
            tokio::task::spawn_local(async move {
                time.pass(WAY).await;
                answers.send(to, bytes);
            });
        };
        self.server.receive(from, &bytes, send).await;
    }
}

impl Listener for Dhcp {
    /// Messages are not on their way at all, so that the last ones are received, though nobody waits for an answer.
    fn receive(self: Arc<Self>, datagram: Sent) {
        let mut received = Box::pin(async move { self.answer(datagram).await });
        if pin!(&mut received).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            tokio::task::spawn_local(received);
        }
    }
}
