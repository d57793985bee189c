//! Whether two sets of runs differ, or only seem to: [`compare`].
//!
//! Runs of the same thing differ by some percent on any machine. A change within that spread is not called a
//! difference, however plausible its explanation. The spread is the distance from the least to the greatest run in
//! relation to the median: with three or five runs, the usual number, anything finer would assume a known distribution.
//! The spread of one run is not known, and the output states this.

use crate::figure::{percent, times};
use std::fmt;

/// The finding of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The medians lie further apart than the runs of either side.
    Distinct,
    /// They do not.
    WithinSpread,
    /// They do not, but the runs of a side lie so far apart that this proves nothing.
    Doubtful,
    /// One side has a single run.
    SpreadUnknown,
}

/// Two sets of runs side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The median of the first divided by the median of the second.
    pub ratio: f64,
    /// The greater spread of the two, as a share, where both are known.
    pub spread: Option<f64>,
    /// The finding.
    pub finding: Finding,
}

/// If the runs of one side spread by more than this share, they were not runs of one thing.
const SPREAD_MAX: f64 = 1.0;

/// Compares the figures of runs of one thing with those of another. There is no result where either
/// has no run, or a median that is not a rate.
pub fn compare(a: &[f64], b: &[f64]) -> Option<Difference> {
    let [of_a, of_b] = [median(a)?, median(b)?];
    if of_a <= 0.0 || of_b <= 0.0 {
        return None;
    }
    let spread = spread(a).zip(spread(b)).map(|(a, b)| a.max(b));
    let apart = of_a.max(of_b) / of_a.min(of_b) - 1.0;
    let finding = match spread {
        None => Finding::SpreadUnknown,
        Some(spread) if apart > spread => Finding::Distinct,
        Some(spread) if spread > SPREAD_MAX => Finding::Doubtful,
        Some(_) => Finding::WithinSpread,
    };
    Some(Difference { ratio: of_a / of_b, spread, finding })
}

/// The middle of the figures; of an even number, the mean of the two in the middle.
pub fn median(figures: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> =
        figures.iter().copied().filter(|figure| figure.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.as_slice() {
        [] => None,
        odd if odd.len() % 2 == 1 => Some(odd[middle]),
        even => Some(f64::midpoint(even[middle - 1], even[middle])),
    }
}

/// The distance from the least to the greatest as a share of the median, of two figures or more.
pub fn spread(figures: &[f64]) -> Option<f64> {
    let finite = || figures.iter().copied().filter(|figure| figure.is_finite());
    let middle = median(figures)?;
    if finite().count() < 2 || middle == 0.0 {
        return None;
    }
    let least = finite().fold(f64::INFINITY, f64::min);
    let greatest = finite().fold(f64::NEG_INFINITY, f64::max);
    Some((greatest - least) / middle)
}

impl fmt::Display for Difference {
    /// The result as the end of a sentence: `1.90x, more than the spread of 4.0 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = times(Some(self.ratio));
        let spread = self.spread.map(percent).unwrap_or_default();
        match self.finding {
            Finding::Distinct => write!(f, "{ratio}, beyond the spread of {spread}"),
            Finding::WithinSpread => {
                write!(f, "no difference: {ratio} lies within the spread of {spread}")
            }
            Finding::Doubtful => {
                write!(f, "in doubt: {ratio}, and the runs of one side spread by {spread}")
            }
            Finding::SpreadUnknown => {
                write!(f, "{ratio} in a single run, whose spread is not known")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_within_the_spread_is_none() {
        // Medians 100 and 103; the first spreads from 96 to 104: 8 %.
        let message = compare(&[103.0, 102.0, 104.0], &[100.0, 96.0, 104.0]).unwrap();
        assert_eq!(message.finding, Finding::WithinSpread);
        assert_eq!(message.to_string(), "no difference: 1.03x lies within the spread of 8.0 %");
        let message = compare(&[200.0, 204.0, 196.0], &[100.0, 99.0, 101.0]).unwrap();
        assert_eq!((message.ratio, message.finding), (2.0, Finding::Distinct));
        assert_eq!(message.to_string(), "2.00x, beyond the spread of 4.0 %");
        let turned = compare(&[100.0, 99.0, 101.0], &[200.0, 204.0, 196.0]).unwrap();
        assert_eq!((turned.ratio, turned.finding), (0.5, Finding::Distinct));
    }

    #[test]
    fn difference_with_a_spread_above_the_median_is_doubtful() {
        // Medians 17 and 1; the second spreads from 0.5 to 20.
        let message = compare(&[17.0, 16.0, 18.0], &[1.0, 0.5, 20.0]).unwrap();
        assert_eq!(message.finding, Finding::Doubtful);
        assert!(
            message.to_string().starts_with("in doubt: 17.0x, and the runs of one side spread by ")
        );
        // A difference that is greater still is one: medians 100 and 1, spread from 0.5 to 2.
        let message = compare(&[100.0, 99.0, 101.0], &[1.0, 0.5, 2.0]).unwrap();
        assert_eq!(message.finding, Finding::Distinct);
    }

    #[test]
    fn difference_of_one_run_has_no_known_spread() {
        let message = compare(&[500.0], &[99.0, 101.0]).unwrap();
        assert_eq!(message.finding, Finding::SpreadUnknown);
        assert_eq!(message.to_string(), "5.00x in a single run, whose spread is not known");
        assert_eq!((compare(&[], &[1.0]), compare(&[0.0], &[1.0])), (None, None));
    }

    #[test]
    fn median_and_spread_are_computed() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, f64::NAN, 2.0, 3.0]), Some(2.5));
        assert_eq!(spread(&[90.0, 100.0, 130.0]), Some(0.4));
        assert_eq!((spread(&[5.0]), median(&[])), (None, None));
    }
}
