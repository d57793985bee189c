//! Outcomes as documents write them: a class, a code where there is one, and a name.

use super::{CodeRecord, Names};
use crate::Codes;
use brunt_exchange::{Class, Named, Outcome};

/// The class of outcomes beyond the codes that are counted separately.
const OTHER: &str = "other";

/// The outcomes that occurred, the most frequent first.
pub(crate) fn codes(operation: usize, codes: &Codes, names: Names<'_>) -> Vec<CodeRecord> {
    let known = codes.sorted().into_iter().map(|(outcome, count)| {
        let (class, code) = class(outcome);
        let Named { name, meaning } = names(operation, outcome);
        let meaning = meaning.map(|meaning| meaning.word().to_owned());
        CodeRecord { class: class.to_owned(), code, name, meaning, count }
    });
    let other = (codes.other() > 0).then(|| CodeRecord {
        class: OTHER.to_owned(),
        code: None,
        name: format!("beyond the first {} codes", Codes::LABELS_MAX),
        meaning: None,
        count: codes.other(),
    });
    known.chain(other).collect()
}

/// A class of outcomes that does not exist.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no class of outcomes {0:?}")]
pub(crate) struct UnknownClass(pub(crate) String);

/// The outcomes that were written by [`codes()`].
pub(crate) fn read(records: &[CodeRecord]) -> Result<Codes, UnknownClass> {
    let mut codes = Codes::default();
    for record in records {
        if record.class == OTHER {
            codes.add_other(record.count);
        } else {
            let outcome = outcome(&record.class, record.code);
            codes.add(outcome.ok_or_else(|| UnknownClass(record.class.clone()))?, record.count);
        }
    }
    Ok(codes)
}

/// The class of an outcome, and the code where there is one.
pub(crate) fn class(outcome: Outcome) -> (&'static str, Option<u32>) {
    match outcome {
        Outcome::Ok(code) => ("ok", Some(code)),
        Outcome::Failed(class, code) => (class.word(), (code != 0).then_some(code)),
        Outcome::TimedOut => ("timed-out", None),
        Outcome::CutOff => ("cut-off", None),
        Outcome::Skipped => ("skipped", None),
    }
}

/// The outcome of this class and code.
pub(crate) fn outcome(class: &str, code: Option<u32>) -> Option<Outcome> {
    let code = code.unwrap_or_default();
    match class {
        "ok" => Some(Outcome::Ok(code)),
        "timed-out" => Some(Outcome::TimedOut),
        "cut-off" => Some(Outcome::CutOff),
        "skipped" => Some(Outcome::Skipped),
        word => {
            let class = Class::ALL.into_iter().find(|class| class.word() == word)?;
            Some(Outcome::Failed(class, code))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_round_trip() {
        let failed = Class::ALL
            .into_iter()
            .flat_map(|class| [Outcome::Failed(class, 0), Outcome::Failed(class, 49)]);
        let others = [Outcome::Ok(0), Outcome::Ok(200), Outcome::TimedOut, Outcome::CutOff];
        let mut met = Codes::new();
        for (count, outcome) in (1..).zip(failed.chain(others).chain([Outcome::Skipped])) {
            let (word, code) = class(outcome);
            assert_eq!(super::outcome(word, code), Some(outcome));
            met.add(outcome, count);
        }
        met.add_other(7);
        let mut written = codes(0, &met, &|_, _| Named::default());
        assert_eq!(read(&written), Ok(met));
        written[3].class = "weary".to_owned();
        assert_eq!(read(&written), Err(UnknownClass("weary".to_owned())));
    }
}
