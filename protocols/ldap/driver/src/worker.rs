//! What the sessions of one core share: the plan, and the buffers.

use super::buffers::Buffers;
use super::plan::Plan;
use brunt_exchange::Ticket;
use brunt_feed::Position;
use std::sync::Arc;

pub(super) struct Worker {
    pub(super) plan: Arc<Plan>,
    pub(super) buffers: Buffers,
}

impl Worker {
    pub(super) fn new(plan: &Arc<Plan>) -> Self {
        Self { plan: Arc::clone(plan), buffers: Buffers::new() }
    }

    /// The position of an exchange, as the generators count it.
    pub(super) fn position(&self, ticket: &Ticket) -> Position {
        Position {
            number: ticket.number,
            session: ticket.session,
            turn: ticket.turn,
            sessions: self.plan.sessions,
        }
    }
}
