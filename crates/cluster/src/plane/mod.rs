//! The plane: the transport of requests and answers between agents and a coordinator.

mod nats;

pub use nats::{Nats, NatsOptions, PlaneError, Request, Requests};
