//! A [`MemorySocket`]: datagrams to and from servers in this process.
//!
//! There is always room to send, nothing is lost in it, and a datagram arrives when it is taken.

use super::{Icmp, Options};
use crate::carrier::{Carrier, Inbox, OutgoingDatagram};
use crate::memory::{Answers, Memory, Sent};
use crate::mmsg::BATCH;
use crate::network::Network;
use brunt_exchange::Clock;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// A socket whose datagrams go to servers in this process.
#[derive(Debug)]
pub struct MemorySocket {
    memory: Memory,
    network: Network,
    local: SocketAddr,
    batch: usize,
    icmp: Icmp,
    answers: Answers,
    answered: RefCell<UnboundedReceiver<(SocketAddr, Vec<u8>)>>,
    unreachable: Cell<u64>,
}

impl MemorySocket {
    pub(super) fn new(memory: &Memory, network: &Network, options: &Options) -> Self {
        let (answers, answered) = mpsc::unbounded_channel();
        Self {
            memory: memory.clone(),
            network: network.clone(),
            local: options.local,
            batch: options.batch.clamp(1, BATCH),
            icmp: options.icmp,
            answers: Answers(answers),
            answered: RefCell::new(answered),
            unreachable: Cell::new(0),
        }
    }

    pub(super) const fn local(&self) -> SocketAddr {
        self.local
    }

    fn send(&self, datagram: OutgoingDatagram<'_>) {
        let OutgoingDatagram { bytes, to } = datagram;
        let (bytes, answers) = (bytes.to_vec(), self.answers.clone());
        let arrives = self.memory.deliver(Sent { from: self.local, to, bytes, answers });
        if !arrives && self.icmp == Icmp::Counted {
            self.unreachable.set(self.unreachable.get() + 1);
        }
    }

    /// Takes as much as there is room for. Pending if there is nothing.
    fn poll_take(&self, inbox: &mut Inbox, cx: &mut Context<'_>) -> Poll<()> {
        inbox.clear();
        let mut answered = self.answered.borrow_mut();
        while inbox.len() < self.batch
            && let Poll::Ready(Some((from, bytes))) = answered.poll_recv(cx)
        {
            inbox.push(&bytes, from, None);
        }
        if inbox.is_empty() { Poll::Pending } else { Poll::Ready(()) }
    }
}

impl Carrier for MemorySocket {
    fn try_send<'a>(
        &self,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        let mut count = 0;
        for datagram in datagrams.take(self.batch) {
            match self.network.address_policy().check(datagram.to) {
                Ok(()) => self.send(datagram),
                Err(error) if count == 0 => return Err(error),
                Err(_) => break,
            }
            count += 1;
        }
        Ok(count)
    }

    async fn writable(&self) -> io::Result<()> {
        Ok(())
    }

    async fn receive(&self, inbox: &mut Inbox, _: &dyn Clock) -> io::Result<()> {
        poll_fn(|cx| self.poll_take(inbox, cx)).await;
        Ok(())
    }

    fn try_receive(&self, inbox: &mut Inbox, _: &dyn Clock) -> io::Result<()> {
        inbox.clear();
        let mut answered = self.answered.borrow_mut();
        while inbox.len() < self.batch
            && let Ok((from, bytes)) = answered.try_recv()
        {
            inbox.push(&bytes, from, None);
        }
        if inbox.is_empty() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }

    fn unreachable(&self) -> u64 {
        self.unreachable.get()
    }

    fn overflowed(&self) -> u64 {
        0
    }

    fn local_addr(&self) -> SocketAddr {
        self.local
    }
}
