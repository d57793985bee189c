//! When, how many and how long: schedules, the clock, workers and the phases of a run.
//!
//! The engine stands between a schedule and the sessions and alone holds the clock and the
//! histograms. It is generic over [`Session`](brunt_exchange::Session) and cannot see a protocol.
//!
//! | piece | what it is |
//! |---|---|
//! | [`schedule`] | when exchanges are due, as a pure function of their numbers |
//! | [`Settings`], [`Plan`] | what was asked, and what of it is legal |
//! | [`Fleet`] | who makes the sessions |
//! | [`Crew`] | who makes sessions that keep their threads waiting |
//! | [`timer`] | the machine's time, or a test's |
//! | [`run()`] | carries it all out and hands each [`Interval`](brunt_record::Interval) to a [`Sink`] |
//! | [`run_blocking`] | the same for a crew |
//! | [`machine`] | what the machine did to the run |
//! | [`Stop`] | ends a run early |

mod collector;
pub mod cores;
mod crew;
mod fleet;
mod gate;
pub mod limits;
pub mod machine;
mod plan;
mod run;
pub mod schedule;
#[cfg(test)]
mod shares;
#[cfg(test)]
mod simulation;
mod stop;
pub mod timer;
#[cfg(test)]
mod visits;
#[cfg(test)]
mod windows;
mod worker;

pub use brunt_exchange::{ThinkTime, ThinkTimeError};
pub use collector::Sink;
pub use crew::Crew;
pub use fleet::{Fleet, Noticed};
pub use plan::{Load, Node, Plan, PlanError, Settings, Stopping};
pub use run::{Finished, RunError, run, run_blocking};
pub use stop::{Stop, Urgency};
pub use worker::Ended;
