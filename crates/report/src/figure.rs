//! How figures are written in tables and on axes.
//!
//! A figure that was not measured is a dash. Figures on an axis are short, figures in a table are
//! exact: both are made here, so that a chart and the table beside it agree.

use brunt_exchange::is_directional;

/// The text where nothing was measured.
pub const NONE: &str = "-";

/// A figure with this many decimals, or a dash.
pub fn fixed(value: Option<f64>, decimals: usize) -> String {
    value
        .filter(|value| value.is_finite())
        .map_or_else(|| NONE.to_owned(), |value| format!("{value:.decimals$}"))
}

/// A count with commas between its thousands.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let first = digits.len() % 3;
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && place % 3 == first {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three digits and a prefix: `0.031`, `26.3`, `9.45k`, `2.54M`.
pub fn short(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let (scaled, prefix) = match value.abs() {
        // A value that rounds up to the next prefix is written with it.
        size if size >= 999.5e6 => (value / 1e9, "G"),
        size if size >= 999.5e3 => (value / 1e6, "M"),
        size if size >= 999.5 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    format!("{}{prefix}", significant(scaled))
}

/// Enough digits for a reader who points at a mark: `26.1600`, `2542588.35`.
pub fn exact(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.2}") } else { format!("{value:.4}") }
}

/// How many times one figure is another: `0.03x`, `1.28x`, `34.5x`, `1,020x`.
pub fn times(ratio: Option<f64>) -> String {
    let Some(ratio) = ratio.filter(|ratio| ratio.is_finite()) else { return NONE.to_owned() };
    match ratio.abs() {
        size if size >= 999.5 => format!("{}x", thousands(ratio.round() as u64)),
        size if (0.1..9.995).contains(&size) => format!("{ratio:.2}x"),
        _ => format!("{}x", three_digits(ratio)),
    }
}

/// A share as percent: `8 %`, `0.4 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.abs() >= 9.95 || percent == 0.0 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// At most one decimal, if it is significant.
pub fn one_decimal(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// A rate in a sentence: whole numbers where decimals are not significant.
pub fn rate(rate: f64) -> String {
    if rate >= 999.95 { thousands(rate.round() as u64) } else { one_decimal(rate) }
}

/// At most three significant digits, without insignificant zeros.
fn significant(value: f64) -> String {
    let text = three_digits(value);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Three significant digits.
pub(crate) fn three_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let whole = value.abs().log10().floor() as i32;
    let decimals = usize::try_from((2 - whole).clamp(0, 12)).unwrap_or_default();
    format!("{value:.decimals$}")
}

/// Text from a target must not move the cursor, colour the terminal or turn what stands around it.
pub(crate) fn printable(text: &str) -> String {
    let is_active = |char: char| char.is_control() || is_directional(char);
    text.chars().map(|char| if is_active(char) { ' ' } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_dashes_if_absent() {
        let shown = [0.0, 0.031_4, 26.16, 999.4, 999.6, 9_447.47, 2_542_588.35, 3.2e9, 100.0];
        assert_eq!(
            shown.map(short),
            ["0", "0.0314", "26.2", "999", "1k", "9.45k", "2.54M", "3.2G", "100"]
        );
        assert_eq!([short(f64::NAN), fixed(None, 2), fixed(Some(1.005), 1)], ["-", "-", "1.0"]);
        assert_eq!(
            [0, 999, 1_000, 100_000, 12_345_678].map(thousands),
            ["0", "999", "1,000", "100,000", "12,345,678"]
        );
    }

    #[test]
    fn ratios_and_shares_have_significant_digits() {
        let ratios = [0.012_34, 0.067, 0.5, 1.284, 24.0, 1_020.4].map(|ratio| times(Some(ratio)));
        assert_eq!(ratios, ["0.0123x", "0.0670x", "0.50x", "1.28x", "24.0x", "1,020x"]);
        assert_eq!(times(None), "-");
        assert_eq!([0.08, 0.004, 0.25, 0.0].map(percent), ["8.0 %", "0.4 %", "25 %", "0 %"]);
    }
}
