//! The highest rate at which a target meets objectives: how it is searched for, confirmed, told, and used for sizing.
//!
//! All of it is arithmetic. Load is made by a [`Trial`] that the caller brings, so a search runs against a real target
//! as it does against a simulated one in virtual time, and `tests/` holds it against many whose capacity is known. A
//! step of a search gives *evidence*; only a *confirmation* gives a *claim*. Nothing here sees an engine, a clock or a
//! protocol.

mod document;
mod evidence;
mod found;
mod objective;
mod own_part;
mod posterior;
mod recheck;
mod search;
mod second;
mod sentence;
mod settings;
mod sizing;
mod spread;
mod trial;
mod usl;

pub use document::{Origin, Reading, Row, SUBJECT};
pub use evidence::{Evidence, Share};
pub use found::{Answer, Drift, Found, Knee, Step, Verdict};
pub use objective::{GUARDS, GoalError, Goals, Objective, Objectives};
pub use own_part::OwnEffect;
pub use recheck::{Recheck, RecheckError, Rechecked, recheck};
pub use search::find;
pub use search::rate;
pub use second::{Second, Tally};
pub use settings::Settings;
pub use sizing::{CpuCost, Demand, Servers, Sizing, SizingError};
pub use trial::{Ending, Estimate, Kind, Measured, Order, Outcome, Progress, Times, Trial};
pub use usl::{Between as UslBetween, Peak as UslPeak, Usl};
