//! [`EchoSession`]: one conversation, which sends a message and waits for its echo.

use std::rc::Rc;

use brunt_exchange::{Clock, Outcome, Session, Ticket, Watch};
use brunt_net::hub::Hub;
use brunt_net::udp::Socket;

use crate::table::Echoes;

/// A place for a message in flight.
pub(crate) struct EchoSession {
    hub: Rc<Hub<Echoes, Socket>>,
    slot: u32,
}

impl EchoSession {
    /// The session of a slot.
    pub(crate) fn new(hub: &Rc<Hub<Echoes, Socket>>, slot: u32) -> Self {
        Self { hub: Rc::clone(hub), slot }
    }
}

impl Session for EchoSession {
    async fn ready(&mut self, _: &mut Watch<'_>) {}

    async fn exchange(&mut self, ticket: &Ticket, watch: &mut Watch<'_>) -> Outcome {
        let (slot, number) = (self.slot, ticket.number);
        let ended = self.hub.carry_out(slot, move |table, _| table.begin(slot, number)).await;
        if let Some(sent) = ended.sent {
            watch.sent_as(sent);
        }
        if let Some(heard) = ended.heard {
            watch.ended_as(heard);
        }
        if watch.wants_text() && ended.outcome == Outcome::TimedOut {
            watch.explain(format_args!("no echo of message {number} in time"));
        }
        ended.outcome
    }

    async fn close(&mut self, _: &dyn Clock) {
        self.hub.leave();
    }
}
