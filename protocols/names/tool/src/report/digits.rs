//! How figures of this report are written.
//!
//! A figure has three significant digits, and all of its integer digits: the fourth digit of a time measured on a
//! machine that does other things is noise, but seconds of the article are shown as it printed them.

use brunt_report::figure::NONE;

/// A figure with three significant digits.
pub(super) fn digits(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = usize::try_from(2 - magnitude).unwrap_or(0).min(6);
    format!("{value:.decimals$}")
}

/// A figure that may not have been measured.
pub(super) fn or_none(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_significant_digits() {
        let cases = [
            (0.0, "0"),
            (10_052.4, "10052"),
            (135.4, "135"),
            (16.42, "16.4"),
            (1.704, "1.70"),
            (0.0115, "0.0115"),
            (0.9996, "1.000"),
            (0.000_000_2, "0.000000"),
            (f64::NAN, "-"),
        ];
        for (value, text) in cases {
            assert_eq!(digits(value), text);
        }
        assert_eq!(or_none(None), "-");
    }
}
