//! Durations in JSON: whole nanoseconds in a number. The names of these fields end in `_ns`.

use serde::{Deserialize, Deserializer, Serializer};
use std::time::Duration;

pub(crate) fn serialize<S: Serializer>(took: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(whole(*took))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    u64::deserialize(from).map(Duration::from_nanos)
}

/// The nanoseconds of a duration; for more than 584 years, the greatest number.
pub(crate) fn whole(took: Duration) -> u64 {
    u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)
}
