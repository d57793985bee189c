//! What a coordinator says while a run goes on: [`Told`].

use std::time::Duration;

/// What is done when an agent is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLoss {
    /// The others end in good order.
    #[default]
    Stop,
    /// The others go on with their shares.
    GoOn,
}

/// What has happened. Agents are told by their rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// As many agents as were asked for have an order.
    Ordered,
    /// All are connected to their target.
    Ready,
    /// All will begin at this moment of the coordinator's clock.
    Starts(Duration),
    /// The run cannot begin.
    Failed {
        /// Why not.
        why: String,
        /// Whether an agent's owner does not allow it.
        refused: bool,
    },
    /// Nothing was heard of an agent while others were heard.
    Lost {
        /// Which.
        rank: u32,
        /// When it was heard last, by the coordinator's clock.
        heard: Duration,
    },
    /// An agent that was lost is heard again.
    Back {
        /// Which.
        rank: u32,
        /// For how long nothing was heard of it.
        unheard: Duration,
    },
    /// The broker, or the way to it, is away.
    Away,
    /// It is there again.
    Returned {
        /// For how long it was away.
        away: Duration,
    },
    /// The broker was away for longer than agents go on without their coordinator.
    PlaneLost,
    /// An agent's run is over, and all it told has arrived.
    Done {
        /// Which.
        rank: u32,
        /// The exit code of the run there.
        code: Option<i32>,
        /// Why the agent ended it, if it did.
        why: Option<String>,
    },
    /// Nothing more is to come.
    Over,
}
