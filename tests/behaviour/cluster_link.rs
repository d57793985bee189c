//! [`Link`]: an agent's connection to its broker, over which answers can stop at a chosen message while reports still
//! pass.

use brunt_test_program::{Trial, brunt};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use crate::cluster::Broker;
use crate::cluster_attempt::Launcher;

/// What only the answer has that says when to begin.
const START: &[u8] = b"at_ns";

/// The last answer that an agent hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hears {
    /// The one before the answer that says when to begin.
    NotWhenToBegin,
    /// The answer that says when to begin.
    WhenToBegin,
}

/// A connection to a broker, of one agent.
#[derive(Clone)]
pub(crate) struct Link {
    address: SocketAddr,
    is_mended: Arc<(Mutex<bool>, Condvar)>,
}

/// A broker that each agent reaches over a link of its own.
pub(crate) struct Linked<'a> {
    pub(crate) broker: &'a mut Broker,
    pub(crate) links: Vec<Link>,
}

impl Link {
    /// A link to this broker, which carries no answers after that one until it is mended.
    pub(crate) fn to(broker: &Broker, last: Hears) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let link = Self { address, is_mended: Arc::default() };
        let (own, server) = (link.clone(), broker.address());
        thread::spawn(move || {
            for agent in listener.incoming().flatten() {
                let server = TcpStream::connect(server).expect("the broker is there");
                let copy = |stream: &TcpStream| stream.try_clone().expect("a copy of a stream");
                let (reports, answers, own) =
                    ((copy(&agent), copy(&server)), (server, agent), own.clone());
                thread::spawn(move || pass(reports.0, reports.1, |_| {}, |_| {}));
                thread::spawn(move || {
                    let hold = |bytes: &[u8], at: Hears| {
                        if at == last && has_start(bytes) {
                            own.wait();
                        }
                    };
                    let before = |bytes: &[u8]| hold(bytes, Hears::NotWhenToBegin);
                    pass(answers.0, answers.1, before, |bytes| hold(bytes, Hears::WhenToBegin));
                });
            }
        });
        link
    }

    /// Lets all answers pass, also those that were held back.
    pub(crate) fn mend(&self) {
        *self.is_mended.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.is_mended.1.notify_all();
    }

    fn wait(&self) {
        let (is_mended, changed) = &*self.is_mended;
        let guard = is_mended.lock().unwrap_or_else(PoisonError::into_inner);
        drop(changed.wait_while(guard, |is_mended| !*is_mended));
    }
}

impl Launcher for Linked<'_> {
    fn agent(&self, rank: usize) -> Trial {
        let url = format!("nats://{}", self.links[rank].address);
        brunt("agent --once --nats").args([url, "--name".to_owned(), format!("n{rank}")])
    }

    fn coordinator(&self) -> Trial {
        self.broker.coordinator()
    }

    fn take_broker_away(&mut self) {
        self.broker.take_broker_away();
    }

    fn bring_broker_back(&mut self) {
        self.broker.bring_broker_back();
    }
}

fn has_start(bytes: &[u8]) -> bool {
    bytes.windows(START.len()).any(|window| window == START)
}

/// Passes bytes on until either end closes; what is done before and after each piece may wait.
fn pass(mut from: TcpStream, mut to: TcpStream, before: impl Fn(&[u8]), after: impl Fn(&[u8])) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let bytes = &buffer[..count];
        before(bytes);
        if to.write_all(bytes).is_err() {
            break;
        }
        after(bytes);
    }
    // The other end has gone as well.
    let _ = to.shutdown(std::net::Shutdown::Both);
}
