//! The events that a coordinator reports during a run: [`CoordinatorEvent`].

use std::time::Duration;

/// What is done when an agent is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLoss {
    /// The other agents end in good order.
    #[default]
    Stop,
    /// The other agents continue with their shares.
    GoOn,
}

/// An event. Agents are identified by their rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoordinatorEvent {
    /// As many agents as were requested have an order.
    Ordered,
    /// All agents are connected to their target.
    Ready,
    /// The run begins at this moment of the coordinator's clock.
    Starts(Duration),
    /// The run is called off before it begins. An agent that this does not reach in time begins nevertheless.
    Failed {
        /// Why not.
        why: String,
        /// Whether the reason is that an agent's owner does not allow it.
        refused: bool,
    },
    /// No message arrived from an agent while others sent some.
    Lost {
        /// Its rank.
        rank: u32,
        /// When its last message arrived, by the coordinator's clock.
        last_seen: Duration,
    },
    /// An agent that was lost sends messages again.
    Back {
        /// Its rank.
        rank: u32,
        /// How long no message arrived from it.
        silent_for: Duration,
    },
    /// The broker, or the network to it, is away.
    Away,
    /// The broker is reachable again.
    Returned {
        /// For how long it was away.
        away: Duration,
    },
    /// The broker was away for longer than agents continue without their coordinator.
    PlaneLost,
    /// An agent's run is over, and its whole stream has arrived.
    Done {
        /// Its rank.
        rank: u32,
        /// The exit code of the run there.
        code: Option<i32>,
        /// Why the agent ended it, if it did.
        why: Option<String>,
    },
    /// No further events follow.
    Over,
}
