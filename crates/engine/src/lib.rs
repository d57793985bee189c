//! When, how many and how long: schedules, the clock, workers and the phases of a run.
//!
//! The engine connects a schedule and the sessions. Only the engine has the clock and the histograms. It is generic
//! over [`Session`](brunt_exchange::Session) and cannot see a protocol.
//!
//! | piece | what it is |
//! |---|---|
//! | [`schedule`] | when exchanges are due, as a pure function of their numbers |
//! | [`Settings`], [`Plan`] | the requested run, and the run after checking |
//! | [`SessionFactory`] | what makes the sessions |
//! | [`BlockingSessionFactory`] | what makes sessions that block their threads |
//! | [`timer`], [`EngineTime`] | the machine's time, or a test's |
//! | [`run()`] | carries it all out and passes each [`Interval`](brunt_record::Interval) to a [`Sink`] |
//! | [`run_blocking`] | the same for blocking sessions |
//! | [`machine`] | what the machine did to the run |
//! | [`Stop`] | ends a run early |

mod blocking_session_factory;
mod collector;
#[cfg(test)]
mod conservation;
pub mod cores;
mod drain;
mod engine_run;
mod engine_time;
mod finished;
mod gate;
#[cfg(test)]
mod idle;
mod in_step;
pub mod limits;
pub mod machine;
mod plan;
#[cfg(test)]
mod rates;
#[cfg(any(test, feature = "virtual-time"))]
mod readings;
#[cfg(test)]
mod real_time;
mod run;
mod run_clock;
pub mod schedule;
mod session_factory;
#[cfg(test)]
mod shares;
#[cfg(test)]
mod silent;
mod simulated;
#[cfg(feature = "virtual-time")]
mod simulated_blocking;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod stalled;
mod start;
mod stop;
mod sync;
pub mod timer;
#[cfg(test)]
mod together;
#[cfg(test)]
mod unreachable;
#[cfg(feature = "virtual-time")]
pub mod virtual_time;
#[cfg(test)]
mod visits;
mod waiting;
#[cfg(test)]
mod windows;
mod worker;

pub use blocking_session_factory::BlockingSessionFactory;
pub use brunt_exchange::{ThinkTime, ThinkTimeError};
pub use collector::Sink;
pub use engine_run::EngineRun;
pub use engine_time::{EngineClock, EngineTime, EngineTimer};
pub use finished::{Finished, RunError};
pub use plan::{Load, Node, Plan, PlanError, Settings, Stopping};
pub use run::{run, run_blocking};
pub use run_clock::RunClock;
pub use session_factory::{DriverCounts, SessionFactory};
pub use start::{Ready, Start, StartSignal};
pub use stop::{Stop, Urgency};
pub use waiting::Waiting;
pub use worker::Ended;
