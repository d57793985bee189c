//! An in-memory [`Wire`], for tests of code that sends and receives datagrams.

use super::carrier::{Carrier, Inbox, OutgoingDatagram};
use brunt_exchange::{Clock, Moment};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::task::{Poll, Waker};

/// A server's replies to a message; empty if it does not answer.
pub type Server = Box<dyn Fn(&[u8]) -> Vec<Vec<u8>>>;

/// A carrier without a network: datagrams are passed to a server that answers at once.
pub struct Wire {
    server: Server,
    /// What it carried, and how it must behave.
    pub log: Rc<Log>,
    incoming: RefCell<VecDeque<Vec<u8>>>,
    waker: RefCell<Option<Waker>>,
}

/// What a wire carried, and how it must behave.
#[derive(Default)]
pub struct Log {
    /// How many messages each call carried.
    pub batches: RefCell<Vec<usize>>,
    /// The messages, in the order in which they were sent.
    pub messages: RefCell<Vec<Vec<u8>>>,
    /// Errors of the next calls.
    pub faults: RefCell<VecDeque<i32>>,
    /// How many messages a call accepts at most, if it is limited.
    pub room: Cell<Option<usize>>,
    /// The arrival time of everything received, as a kernel would report it.
    pub arrived: Cell<Option<Moment>>,
}

impl Wire {
    /// A wire to this server.
    pub fn new(server: Server, log: Rc<Log>) -> Self {
        Self { server, log, incoming: RefCell::default(), waker: RefCell::default() }
    }
}

impl Carrier for Wire {
    fn try_send<'a>(
        &self,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        if let Some(errno) = self.log.faults.borrow_mut().pop_front() {
            return Err(io::Error::from_raw_os_error(errno));
        }
        let mut count = 0;
        for datagram in datagrams.take(self.log.room.get().unwrap_or(usize::MAX)) {
            self.log.messages.borrow_mut().push(datagram.bytes.to_vec());
            self.incoming.borrow_mut().extend((self.server)(datagram.bytes));
            count += 1;
        }
        self.log.batches.borrow_mut().push(count);
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
        Ok(count)
    }

    async fn writable(&self) -> io::Result<()> {
        tokio::task::yield_now().await;
        Ok(())
    }

    async fn receive(&self, inbox: &mut Inbox, _: &dyn Clock) -> io::Result<()> {
        poll_fn(|cx| {
            let mut incoming = self.incoming.borrow_mut();
            if incoming.is_empty() {
                *self.waker.borrow_mut() = Some(cx.waker().clone());
                return Poll::Pending;
            }
            inbox.clear();
            while let Some(message) = incoming.front()
                && inbox.push(message, nowhere(), self.log.arrived.get())
            {
                incoming.pop_front();
            }
            Poll::Ready(Ok(()))
        })
        .await
    }

    fn try_receive(&self, inbox: &mut Inbox, _: &dyn Clock) -> io::Result<()> {
        inbox.clear();
        let mut incoming = self.incoming.borrow_mut();
        while let Some(message) = incoming.front()
            && inbox.push(message, nowhere(), self.log.arrived.get())
        {
            incoming.pop_front();
        }
        if inbox.is_empty() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }

    fn overflowed(&self) -> u64 {
        3
    }

    fn local_addr(&self) -> SocketAddr {
        nowhere()
    }
}

/// An address that nothing is sent to.
pub fn nowhere() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), 67))
}
