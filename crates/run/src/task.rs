//! [`Task`]: a command of a tool that makes no load which other commands could use.

use std::fmt::Debug;

use super::world::World;
use crate::options::exit::Exit;
use crate::options::refusal::Refusal;
use brunt_net::Network;

/// A command of a tool that makes no load which other commands could use: a conversion, a comparison of many cases.
pub trait Task: Debug {
    /// Carries it out.
    fn run(&self, world: &World, network: &Network) -> Result<Exit, Refusal>;

    /// Whether standard error gets only what needs attention.
    fn is_quiet(&self) -> bool {
        false
    }

    /// Whether it sends anything to a target by itself, and so needs a network with the user's options.
    fn sends(&self) -> bool {
        false
    }
}
