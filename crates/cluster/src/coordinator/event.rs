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
    /// The run is called off before it begins. An agent that does not hear this in time begins nevertheless.
    Failed {
        /// Why not.
        why: String,
        /// Whether the reason is that an agent's owner does not allow it.
        refused: bool,
    },
    /// Nothing was heard from an agent while others were heard.
    Lost {
        /// Its rank.
        rank: u32,
        /// When it was last heard, by the coordinator's clock.
        heard: Duration,
    },
    /// An agent that was lost is heard again.
    Back {
        /// Its rank.
        rank: u32,
        /// How long nothing was heard from it.
        unheard: Duration,
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
