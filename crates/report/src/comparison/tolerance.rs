//! By how much a figure may be worse: [`Tolerance`], as given by `--tolerance`.

use super::document::{Comparison, Difference, Finding};
use super::figure::Figure;
use std::str::FromStr;

/// The greatest change for the worse that is not a regression, of one figure or of all.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// The operation it is for; none for every one.
    operation: Option<String>,
    /// The figure it is for; none for every one.
    figure: Option<Figure>,
    /// The change, as a share of the baseline; of errors, as a share of all exchanges.
    most: f64,
}

/// Why a text is no tolerance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToleranceError {
    /// The change is not a share.
    #[error("{0:?} is not a percentage: write 5% or p99=10%")]
    Change(String),
    /// There is no such figure.
    #[error("{0:?} is not a figure: write one of {words}, or OPERATION.FIGURE", words = words())]
    Figure(String),
}

impl FromStr for Tolerance {
    type Err = ToleranceError;

    /// Reads `5%`, `p99=10%` or `bind.p99=10%`.
    fn from_str(text: &str) -> Result<Self, ToleranceError> {
        let (whose, most) = text.rsplit_once('=').map_or((None, text), |(a, b)| (Some(a), b));
        let number = most.trim().strip_suffix('%').and_then(|number| number.trim().parse().ok());
        let number: Option<f64> = number.filter(|number: &f64| (0.0..=1e6).contains(number));
        let Some(number) = number else {
            return Err(ToleranceError::Change(most.to_owned()));
        };
        let (operation, figure) = match whose {
            None => (None, None),
            Some(whose) => named(whose.trim())?,
        };
        Ok(Self { operation, figure, most: number / 100.0 })
    }
}

/// The operation and the figure of `bind.p99`. Both may contain dots.
fn named(whose: &str) -> Result<(Option<String>, Option<Figure>), ToleranceError> {
    if let Some(figure) = Figure::named(whose) {
        return Ok((None, Some(figure)));
    }
    let parts = whose.match_indices('.').map(|(at, _)| (&whose[..at], &whose[at + 1..]));
    let mut found =
        parts.filter_map(|(operation, figure)| Some((operation, Figure::named(figure)?)));
    if let Some((operation, figure)) = found.next() {
        return Ok((Some(operation.to_owned()), Some(figure)));
    }
    Err(ToleranceError::Figure(whose.to_owned()))
}

/// The names of all figures, in a row.
fn words() -> String {
    let words: Vec<&str> = Figure::ALL.iter().map(|figure| figure.word()).collect();
    words.join(", ")
}

impl Tolerance {
    fn is_of(&self, difference: &Difference) -> bool {
        let operation = self.operation.is_none() || self.operation == difference.operation;
        operation && self.figure.is_none_or(|figure| figure == difference.figure)
    }

    const fn precision(&self) -> usize {
        self.operation.is_some() as usize + self.figure.is_some() as usize
    }
}

impl Comparison {
    /// The figures that are worse by more than is tolerated, each with the letter of its side.
    ///
    /// The cost of the generator itself counts if a tolerance names it. Of several tolerances for a figure, the most
    /// specific one counts, and of equally specific ones the last.
    pub fn regressions<'a>(
        &'a self,
        tolerances: &'a [Tolerance],
    ) -> impl Iterator<Item = (&'a str, &'a Difference)> {
        let all = self.pairs.iter().flat_map(|pair| {
            pair.figures.iter().map(|difference| (pair.side.as_str(), difference))
        });
        all.filter(|(_, difference)| {
            let of = tolerances.iter().filter(|tolerance| tolerance.is_of(difference));
            let most = of.max_by_key(|tolerance| tolerance.precision()).map_or(0.0, |of| of.most);
            let named = |tolerance: &Tolerance| tolerance.figure == Some(difference.figure);
            let counts = difference.figure.is_of_target() || tolerances.iter().any(named);
            // A figure that rose from zero rose by more than any share of it.
            let change = difference.change.unwrap_or(f64::INFINITY).abs();
            counts && difference.result == Finding::Worse && change > most
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::document::{COMPARISON_SCHEMA, Pair};
    use super::*;
    use brunt_record::Tool;

    pub(in super::super) fn difference(
        operation: Option<&str>,
        figure: Figure,
        change: f64,
        result: Finding,
    ) -> Difference {
        Difference {
            operation: operation.map(str::to_owned),
            figure,
            unit: figure.unit().to_owned(),
            baseline: 1_000.0,
            baseline_at_least: false,
            value: 1_000.0 * (1.0 + change),
            value_at_least: false,
            change: Some(change),
            interval: Some([change - 0.02, change + 0.02]),
            result,
        }
    }

    pub(in super::super) fn from_figures(figures: Vec<Difference>) -> Comparison {
        let found: Vec<Finding> = figures.iter().map(|figure| figure.result).collect();
        let result = Finding::of_all(&found);
        Comparison {
            schema: COMPARISON_SCHEMA.to_owned(),
            tool: Tool { name: "brunt".to_owned(), version: "0.1.0".to_owned() },
            sides: Vec::new(),
            unlike: Vec::new(),
            confidence: 0.95,
            resamples: 1_000,
            trusted: true,
            pairs: vec![Pair { side: "B".to_owned(), result, figures }],
        }
    }

    #[test]
    fn tolerance_most_specific_wins() {
        let compared = from_figures(vec![
            difference(Some("bind"), Figure::P99, 0.08, Finding::Worse),
            difference(Some("search"), Figure::P99, 0.08, Finding::Worse),
            difference(Some("bind"), Figure::P50, 0.02, Finding::Same),
            difference(None, Figure::Goodput, -0.06, Finding::Worse),
            difference(None, Figure::Cpu, 0.50, Finding::Worse),
        ]);
        let found = |requested: &[&str]| {
            let tolerances: Vec<Tolerance> =
                requested.iter().map(|it| it.parse().unwrap()).collect();
            let found = compared.regressions(&tolerances);
            let named = found.map(|(side, it)| {
                format!("{side} {} {}", it.operation.as_deref().unwrap_or("all"), it.figure.word())
            });
            named.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(found(&[]), "B bind p99, B search p99, B all goodput");
        assert_eq!(found(&["7%"]), "B bind p99, B search p99");
        assert_eq!(found(&["10%", "p99=5%"]), "B bind p99, B search p99");
        assert_eq!(found(&["bind.p99=5%", "10%", "p99=20%"]), "B bind p99");
        assert_eq!(found(&["10%"]), "");
        assert_eq!(found(&["10%", "cpu=20%"]), "B all cpu");
    }

    #[test]
    fn tolerance_that_is_invalid_is_explained() {
        for (text, expected) in [
            ("5", "not a percentage"),
            ("p99=", "not a percentage"),
            ("-5%", "not a percentage"),
            ("p98=5%", "not a figure: write one of achieved"),
        ] {
            let message = text.parse::<Tolerance>().unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        let parsed: Tolerance = "GET /a.b.p99.9=2.5%".parse().unwrap();
        assert_eq!(
            parsed,
            Tolerance {
                operation: Some("GET /a.b".to_owned()),
                figure: Some(Figure::P999),
                most: 0.025
            }
        );
    }
}
