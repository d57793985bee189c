//! Everything that was due is counted, once, as what it became.

use std::collections::{BTreeMap, BTreeSet};

use brunt_exchange::Outcome;
use brunt_record::{Counts, Interval, Phase, Record};

use super::{Findings, Seen};
use crate::session::Entry;

pub(super) fn check(seen: &Seen<'_>, findings: &mut Findings) {
    let record = &seen.share.record;
    let all = &record.conservation.counts;
    findings.unless(record.conservation.holds, || format!("{:?}", record.conservation));
    compare("the run", all, &seen.log.entries.iter().collect::<Vec<_>>(), findings);
    compare("the steady phase", &record.counts, &seen.steady().collect::<Vec<_>>(), findings);
    for phase in &record.phases {
        let of = |entry: &&Entry| entry.phase == phase.name as u8;
        let entries: Vec<_> = seen.log.entries.iter().filter(of).collect();
        compare(phase.name.word(), &phase.counts, &entries, findings);
    }
    numbers(seen, findings);
    sessions(seen, findings);
    intervals(seen, findings);
    read_back(record, findings);
}

/// Compares counts with exchanges.
fn compare(what: &str, counts: &Counts, entries: &[&Entry], findings: &mut Findings) {
    let ok = |entry: &&&Entry| matches!(entry.outcome, Some(Outcome::Ok(_)));
    let failed = |entry: &&&Entry| matches!(entry.outcome, Some(Outcome::Failed(..)));
    let of = |what: &dyn Fn(&&&Entry) -> bool| entries.iter().filter(|it| what(it)).count() as u64;
    let items: u64 = entries.iter().filter(ok).map(|entry| 1 + entry.number % 3).sum();
    let called_off = of(&|entry| entry.outcome.is_none());
    findings.equal(
        &format!("{what}: sent, ok, failed, called off, items"),
        [counts.sent, counts.ok, counts.failed, counts.timed_out + counts.cut_off, counts.items],
        [entries.len() as u64, of(&ok), of(&failed), called_off, items],
    );
    findings.equal(
        &format!("{what}: planned"),
        counts.planned,
        counts.sent + counts.dropped + counts.skipped,
    );
}

/// No exchange was made twice.
fn numbers(seen: &Seen<'_>, findings: &mut Findings) {
    let mut known = BTreeSet::new();
    for log in &seen.share.logs {
        for entry in &log.entries {
            findings.unless(known.insert(entry.number), || format!("{} twice", entry.number));
        }
    }
}

/// A session makes one exchange after another, in turn.
fn sessions(seen: &Seen<'_>, findings: &mut Findings) {
    let mut before: BTreeMap<u32, &Entry> = BTreeMap::new();
    for entry in &seen.log.entries {
        let (turn, from) = before
            .insert(entry.session, entry)
            .map_or((0, entry.began), |last| (last.turn + 1, last.ended));
        findings.equal(&format!("the turn of session {}", entry.session), entry.turn, turn);
        findings.unless(entry.began >= from, || format!("{entry:?} overlaps"));
    }
}

/// The intervals add up to the run, and follow each other.
fn intervals(seen: &Seen<'_>, findings: &mut Findings) {
    let (mut sums, mut planned): (BTreeMap<Phase, Counts>, u64) = Default::default();
    for pair in seen.share.intervals.windows(2) {
        findings.unless((pair[0].index, pair[0].phase) < (pair[1].index, pair[1].phase), || {
            format!("interval {} {} is out of order", pair[1].index, pair[1].phase)
        });
        findings.unless(pair[0].phase != pair[1].phase || pair[0].to <= pair[1].from, || {
            let of = |one: &Interval| (one.index, one.phase, one.from, one.to);
            format!("{:?} begins before the end of {:?}", of(&pair[1]), of(&pair[0]))
        });
    }
    if seen.share.is_canary {
        return;
    }
    for interval in &seen.share.intervals {
        sums.entry(interval.phase).or_default().merge(&interval.counts());
        planned += interval.planned;
    }
    findings.equal("intervals: planned", planned, seen.share.record.conservation.counts.planned);
    for phase in &seen.share.record.phases {
        let sum = sums.get(&phase.name).copied().unwrap_or_default();
        findings.equal(&format!("the intervals of {}", phase.name), sum, phase.counts);
    }
}

/// A record that is written is read back as it was.
fn read_back(record: &Record, findings: &mut Findings) {
    let text = serde_json::to_string(record).expect("JSON");
    match serde_json::from_str::<Record>(&text) {
        Ok(read) => findings.unless(read == *record, || {
            let again = serde_json::to_string(&read).expect("JSON");
            format!("the record reads back as another: {}", crate::differ(&text, &again))
        }),
        Err(error) => findings.unless(false, || format!("the record cannot be read: {error}")),
    }
}
