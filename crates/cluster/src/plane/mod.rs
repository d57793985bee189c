//! The plane: what carries requests and answers between agents and a coordinator.

mod nats;

pub use nats::{Nats, NatsOptions, PlaneError, Request, Requests};
