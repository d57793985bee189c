//! The highest rate at which a target meets objectives: how it is searched for, confirmed, reported, and used for
//! sizing.
//!
//! All of it is arithmetic. Load is made by a [`Trial`] that the caller supplies, so a search works in the same way
//! with a real target and with a simulated one in virtual time, and `tests/` checks it with many simulated targets
//! whose capacity is known. A step of a search gives *evidence*; only a *confirmation* gives a *claim*. Nothing here
//! depends on an engine, a clock or a protocol.

mod document;
mod evidence;
mod found;
mod measured;
mod objective;
mod order;
mod own_part;
mod posterior;
mod progress;
mod recheck;
mod search;
mod second;
mod sentence;
mod settings;
mod sizing;
mod spread;
mod step;
mod trial;
mod usl;
mod verdict;

pub use document::{Origin, Reading, Row, SUBJECT};
pub use evidence::{Evidence, Share};
pub use found::{Answer, Drift, Found, Knee};
pub use measured::{Measured, Times};
pub use objective::{GUARDS, GoalError, Goals, Objective, Objectives};
pub use order::{Kind, Order};
pub use own_part::OwnEffect;
pub use progress::{Estimate, Progress};
pub use recheck::{Recheck, RecheckError, Rechecked, recheck};
pub use search::find;
pub use search::rate;
pub use second::{Second, Tally};
pub use settings::{PRECISION, Settings};
pub use sizing::{CpuCost, Demand, Servers, Sizing, SizingError};
pub use step::Step;
pub use trial::{Ending, Outcome, Trial};
pub use usl::{Between as UslBetween, Peak as UslPeak, Usl, UslError};
pub use verdict::Verdict;
