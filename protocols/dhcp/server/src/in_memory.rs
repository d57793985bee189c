//! [`InMemory`]: a server without sockets and threads, for clients in the same process.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use brunt_embedded::clock::Clock;
use brunt_embedded::timer::Timer;

use super::config::Config;
use super::handler::{Context, Handler, Lease, Reply};
use super::handlers::Handlers;
use super::script::Rules;
use super::start_error::StartError;
use super::stats::{Counters, Stats, Tally};
use super::words::Answer;

/// A server without sockets and threads, whose time is given.
pub struct InMemory {
    handlers: Handlers,
    rules: Option<Arc<Rules>>,
    clock: Clock,
    v4: Counters,
    v6: Counters,
    /// Answers that are sent after the next one.
    behind: Mutex<Vec<Outgoing>>,
}

/// An answer that is sent.
struct Outgoing {
    to: SocketAddr,
    bytes: Vec<u8>,
    /// What it counts as, if anything.
    answer: Option<Answer>,
}

impl InMemory {
    /// A server of the protocols of its addresses, with this clock.
    pub fn new(config: &Config, clock: Clock) -> Result<Self, StartError> {
        Ok(Self {
            handlers: Handlers::new(config)?,
            rules: config.script.clone().map(|script| Arc::new(Rules::new(script.0))),
            clock,
            v4: Counters::new(),
            v6: Counters::new(),
            behind: Mutex::default(),
        })
    }

    /// Receives a datagram, and sends what follows from it with `send`, which takes the address that it is for.
    pub async fn receive(
        &self,
        from: SocketAddr,
        datagram: &[u8],
        send: impl Fn(SocketAddr, Vec<u8>),
    ) {
        self.outlast_stalls().await;
        let now = self.clock.now();
        let rules = self.rules.as_deref();
        // While the script makes the server not listen, datagrams are lost.
        if rules.is_some_and(|rules| rules.refuses(now)) {
            return;
        }
        let counters = if from.is_ipv4() { &self.v4 } else { &self.v6 };
        counters.datagrams(1);
        let context = Context { now, from, rules, counters };
        let Some((reply, mut bytes)) = self.answer(&context, datagram) else { return };
        let (faults, answer) = (reply.faults, reply.spoil(&mut bytes));
        if !faults.delay.is_zero() {
            self.until(now + faults.delay).await;
            self.outlast_stalls().await;
        }
        for _ in 0..reply.copies() {
            let outgoing = Outgoing { to: reply.to, bytes: bytes.clone(), answer };
            if faults.delay.is_zero() && faults.reorder {
                self.behind().push(outgoing);
                continue;
            }
            let behind = std::mem::take(&mut *self.behind());
            for Outgoing { to, bytes, answer } in [outgoing].into_iter().chain(behind) {
                if let Some(answer) = answer {
                    counters.sent(answer);
                }
                send(to, bytes);
            }
        }
    }

    /// What it has received and answered so far.
    pub fn stats(&self) -> Stats {
        let faults = self.rules.as_ref().map(|rules| rules.done()).unwrap_or_default();
        Stats { v4: Tally::gather([&self.v4]), v6: Tally::gather([&self.v6]), faults }
    }

    /// The leases: for each address or prefix the client that has it or had it last.
    pub fn leases(&self) -> Vec<Lease> {
        self.handlers.leases()
    }

    /// The answer to a message, if there is one.
    fn answer(&self, context: &Context<'_>, message: &[u8]) -> Option<(Reply, Vec<u8>)> {
        fn by<H: Handler>(
            handler: &Mutex<H>,
            context: &Context<'_>,
            message: &[u8],
        ) -> Option<(Reply, Vec<u8>)> {
            let mut handler = handler.lock().unwrap_or_else(PoisonError::into_inner);
            let mut bytes = Vec::new();
            match handler.answer(context, message, &mut bytes) {
                Ok(reply) => Some((reply, bytes)),
                Err(why) => {
                    context.counters.no_reply(why);
                    None
                }
            }
        }
        match context.from {
            SocketAddr::V4(_) => by(self.handlers.v4.as_deref()?, context, message),
            SocketAddr::V6(_) => by(self.handlers.v6.as_deref()?, context, message),
        }
    }

    /// Waits until the script lets it act.
    async fn outlast_stalls(&self) {
        let stalled = || self.rules.as_ref()?.stalled_until(self.clock.now());
        while let Some(end) = stalled() {
            self.until(end).await;
        }
    }

    async fn until(&self, at: Duration) {
        Rc::new(Timer::given(self.clock.clone())).sleep().until(at).await;
    }

    fn behind(&self) -> MutexGuard<'_, Vec<Outgoing>> {
        self.behind.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
