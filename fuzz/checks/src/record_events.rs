//! Reads bytes as an event file, as `brunt report` and `brunt merge` do, and makes the record of it.

use std::path::Path;

use brunt_record::Verdict;
use brunt_record::events::{Event, EventReader, Replay};

/// Panics if the decoder treats this input otherwise.
pub fn check(input: &[u8]) {
    let path = Path::new("run.ndjson");
    let mut reader = EventReader::new(path, input);
    let Ok(head) = reader.head() else { return };
    let mut intervals = 0_u64;
    let whole = loop {
        match reader.next_event() {
            Ok(Some(Event::Interval(interval))) => {
                assert_eq!(interval.operations.len(), head.catalogue.operations.len());
                intervals += 1;
            }
            Ok(Some(
                Event::Ready { .. }
                | Event::Verdict { verdict: Verdict { .. }, .. }
                | Event::End { .. },
            )) => {}
            Ok(None) => break true,
            Err(error) => {
                assert!(error.to_string().contains("run.ndjson"));
                break false;
            }
        }
    };
    let replay = Replay::read(path, input);
    assert_eq!(replay.is_ok(), whole, "the two readers agree");
    let Ok(replay) = replay else { return };
    if let Ok(record) = replay.record() {
        assert!(intervals > 0 || record.conservation.counts.sent == 0);
        // What was read is written and read again.
        let text = serde_json::to_vec(&record).expect("a record can be written");
        let again = serde_json::from_slice::<brunt_record::Record>(&text);
        assert!(again.is_ok(), "{again:?}");
    }
}
