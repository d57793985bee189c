//! Numbers in the default format of a C++ stream: six significant digits, no zeros at the end, an
//! exponent where that is shorter. The original tool's texts use it often.

const DIGITS: i32 = 6;

/// `value` as `std::cout << value` prints it.
pub(super) fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return not_finite(value).to_owned();
    }
    // Rounding may carry into another digit, so the exponent is that of the rounded number.
    let rounded = format!("{:.*e}", DIGITS as usize - 1, value);
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        return shortest(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", shortest(mantissa), exponent.abs())
}

/// What C++ writes where there is no number. The sign of zero divided by zero is set on common
/// processors.
pub(super) fn not_finite(value: f64) -> &'static str {
    match (value.is_nan(), value > 0.0) {
        (true, _) => "-nan",
        (false, true) => "inf",
        (false, false) => "-inf",
    }
}

fn shortest(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `printf '%g'` of a shell writes, which is the same rule.
    #[test]
    fn numbers_are_formatted_like_printf_g() {
        for (value, text) in [
            (9.664_512_3, "9.66451"),
            (13.201_58, "13.2016"),
            (18.9992, "18.9992"),
            (998.447, "998.447"),
            (4_288.014_7, "4288.01"),
            (100.0, "100"),
            (33.333_333_333, "33.3333"),
            (0.000_123_456_78, "0.000123457"),
            (0.000_012_345_678, "1.23457e-05"),
            (999_999.6, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (2.5, "2.5"),
            (0.0, "0"),
            (f64::NAN, "-nan"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(significant(value), text);
        }
    }
}
