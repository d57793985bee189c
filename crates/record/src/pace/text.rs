//! A [`Pace`] as text, in records and event files: base64 of the integers, seven bits an octet, the lowest first.
//!
//! The integers are: 1; the width of a slot as a power of two nanoseconds; the number of slots, and of each its
//! distance from the one before, due, skipped, answered, ok; the number of cohorts, and of each its distance from the
//! one before, unanswered, dropped, failed, and two distributions (service, response) with the greatest in nanoseconds,
//! the number of buckets, and of each its distance from the one before and its count; the number of operations with
//! late ends, and of each its number, answered, ok, items; and the four counts of cycles that cross an end of the
//! window.

use super::times::BUCKETS;
use super::{
    COHORT_BITS, Cohort, Crossing, Late, NARROWEST_BITS, Pace, PaceSlot, Times, WIDEST_BITS,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

const VERSION: u64 = 1;
/// More than any slot counts, and small enough that the sum over a run fits in a number of 64 bits.
const NUMBER_MAX: u64 = 1 << 40;

/// The text of a pace is not as brunt writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "read when operations were due and answered (`pace`): its text was changed or is of another version"
)]
pub struct PaceError;

impl Pace {
    /// The text of all that was counted.
    pub fn to_text(&self) -> String {
        let mut out = Vec::new();
        let mut put = |number: u64| put(&mut out, number);
        put(VERSION);
        put(self.bits.into());
        put(self.slots.len() as u64);
        let mut before = 0;
        for slot in &self.slots {
            put((slot.number - before).into());
            before = slot.number;
            [slot.due, slot.skipped, slot.answered, slot.ok].into_iter().for_each(&mut put);
        }
        put(self.cohorts.len() as u64);
        let mut before = 0;
        for cohort in &self.cohorts {
            put((cohort.number - before).into());
            before = cohort.number;
            [cohort.unanswered, cohort.dropped, cohort.failed].into_iter().for_each(&mut put);
            put_times(&mut put, &cohort.service);
            put_times(&mut put, &cohort.response);
        }
        put(self.late.len() as u64);
        for late in &self.late {
            [late.operation.into(), late.answered, late.ok, late.items]
                .into_iter()
                .for_each(&mut put);
        }
        let Crossing { answered, ok, answered_millionths, ok_millionths } = self.crossing;
        [answered, ok, answered_millionths, ok_millionths].into_iter().for_each(&mut put);
        BASE64.encode(out)
    }

    /// What was counted, from its text.
    pub fn from_text(text: &str) -> Result<Self, PaceError> {
        let bytes = BASE64.decode(text).map_err(|_| PaceError)?;
        let mut rest = bytes.as_slice();
        let pace = read(&mut rest).ok_or(PaceError)?;
        if rest.is_empty() { Ok(pace) } else { Err(PaceError) }
    }
}

fn read(rest: &mut &[u8]) -> Option<Pace> {
    if number(rest)? != VERSION {
        return None;
    }
    let bits = u32::try_from(number(rest)?).ok()?;
    if !(NARROWEST_BITS..=WIDEST_BITS).contains(&bits) {
        return None;
    }
    let mut pace = Pace { bits, ..Pace::default() };
    let mut at = Ascending::up_to(Pace::SLOTS_MAX.into());
    for _ in 0..length(rest, Pace::SLOTS_MAX.into())? {
        let number = at.next(number(rest)?)?;
        let [due, skipped, answered, ok] = numbers(rest)?;
        pace.slots.push(PaceSlot { number, due, skipped, answered, ok });
    }
    let most = u64::from(Pace::SLOTS_MAX >> COHORT_BITS);
    let mut at = Ascending::up_to(most);
    for _ in 0..length(rest, most)? {
        let number = at.next(number(rest)?)?;
        let [unanswered, dropped, failed] = numbers(rest)?;
        let (service, response) = (times(rest)?, times(rest)?);
        pace.cohorts.push(Cohort { number, unanswered, dropped, failed, service, response });
    }
    for _ in 0..length(rest, u16::MAX.into())? {
        let operation = u16::try_from(number(rest)?).ok()?;
        let [answered, ok, items] = numbers(rest)?;
        pace.late.push(Late { operation, answered, ok, items });
    }
    let [answered, ok] = numbers(rest)?;
    let [answered_millionths, ok_millionths] = [number(rest)?, number(rest)?];
    if answered_millionths.max(ok_millionths) > NUMBER_MAX * 1_000_000 {
        return None;
    }
    pace.crossing = Crossing { answered, ok, answered_millionths, ok_millionths };
    Some(pace)
}

/// Numbers that were stored as distances.
struct Ascending {
    at: Option<u64>,
    most: u64,
}

impl Ascending {
    fn up_to(most: u64) -> Self {
        Self { at: None, most }
    }

    fn next(&mut self, distance: u64) -> Option<u32> {
        let next = match self.at {
            Some(at) if distance > 0 => at.checked_add(distance)?,
            Some(_) => return None,
            None => distance,
        };
        self.at = Some(next);
        if next < self.most { u32::try_from(next).ok() } else { None }
    }
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_times(put: &mut impl FnMut(u64), times: &Times) {
    put(times.max_nanos());
    put(times.counts().count() as u64);
    let mut before = 0;
    for (bucket, count) in times.counts() {
        put((bucket - before) as u64);
        before = bucket;
        put(count.into());
    }
}

fn times(rest: &mut &[u8]) -> Option<Times> {
    let max = number(rest)?;
    let mut at = Ascending::up_to(BUCKETS as u64);
    let mut counts = Vec::new();
    for _ in 0..length(rest, BUCKETS as u64)? {
        let bucket = at.next(number(rest)?)?;
        let count = u32::try_from(number(rest)?).ok().filter(|count| *count > 0)?;
        counts.push((bucket as usize, count));
    }
    Some(Times::stored(&counts, max))
}

fn length(rest: &mut &[u8], most: u64) -> Option<u64> {
    number(rest).filter(|length| *length <= most)
}

fn numbers<const N: usize>(rest: &mut &[u8]) -> Option<[u64; N]> {
    let mut all = [0; N];
    for one in &mut all {
        *one = number(rest).filter(|number| *number <= NUMBER_MAX)?;
    }
    Some(all)
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for place in 0..10_u32 {
        let (octet, left) = rest.split_first()?;
        *rest = left;
        let bits = u64::from(octet & 0x7F);
        number |= bits.checked_shl(7 * place).filter(|shifted| shifted >> (7 * place) == bits)?;
        if octet & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_text_that_is_damaged_is_refused() {
        let mut pace = Pace::default();
        let ms = std::time::Duration::from_millis(1);
        (0..50).for_each(|n| {
            pace.due(n * 7 * ms);
            pace.finished(&super::super::Finish {
                due: n * 7 * ms,
                response: n * ms,
                service: Some(n * ms),
                answered: n != 9,
                ok: n != 4,
                in_time: true,
            });
        });
        let text = pace.to_text();
        assert_eq!(Pace::from_text(&text), Ok(pace));
        assert_eq!(Pace::from_text("no base64!"), Err(PaceError));
        let bytes = BASE64.decode(&text).unwrap();
        for length in 0..bytes.len() {
            assert_eq!(Pace::from_text(&BASE64.encode(&bytes[..length])), Err(PaceError));
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] = !changed[at];
            // Some changes give other numbers that are as plausible.
            let _ = Pace::from_text(&BASE64.encode(&changed));
        }
    }
}
