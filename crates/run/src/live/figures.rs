//! Formats figures for narrow columns.

/// Three digits: `0.123`, `1.23`, `12.3`, `1234`.
pub(super) fn three(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 || size == 0.0 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.9995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A count or a rate: `7.5`, `123`, `12,345`, `1.23M`.
pub(super) fn count(value: f64) -> String {
    match value {
        size if !size.is_finite() => "-".to_owned(),
        size if size >= 999_999.5 => scaled(size),
        size if size >= 999.5 => {
            let whole = size.round() as u64;
            format!("{},{:03}", whole / 1_000, whole % 1_000)
        }
        size if size >= 99.95 || size.fract() == 0.0 => format!("{size:.0}"),
        size => format!("{size:.1}"),
    }
}

fn scaled(size: f64) -> String {
    if size >= 999.5e6 {
        format!("{}G", three(size / 1e9))
    } else {
        format!("{}M", three(size / 1e6))
    }
}

/// A time in seconds: `850 us`, `1.23 ms`, `12.3 s`, or a dash.
pub(super) fn time(seconds: Option<f64>) -> String {
    match seconds.filter(|seconds| seconds.is_finite()) {
        None => "-".to_owned(),
        Some(seconds) if seconds >= 0.999_5 => format!("{} s", three(seconds)),
        Some(seconds) if seconds >= 0.000_999_5 => format!("{} ms", three(seconds * 1e3)),
        Some(seconds) => format!("{} us", three(seconds * 1e6)),
    }
}

/// A duration: `42 s`, `3:05`, `2:03:05`, `3 d 02:03`.
pub(super) fn lasting(seconds: f64) -> String {
    let all = seconds.clamp(0.0, 1e9) as u64;
    let (hours, minutes, seconds) = (all / 3_600, all / 60 % 60, all % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes}:{seconds:02}"),
        (hours @ ..48, minutes) => format!("{hours}:{minutes:02}:{seconds:02}"),
        (hours, minutes) => format!("{} d {:02}:{minutes:02}", hours / 24, hours % 24),
    }
}

/// A share as a percentage.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 9.95 || percent == 0.0 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_significant_digits() {
        assert_eq!(
            [0.0, 0.1234, 0.9996, 9.996, 99.96, 1_234.0].map(three),
            ["0", "0.123", "1.00", "10.0", "100", "1234"]
        );
        assert_eq!(
            [0.0, 7.5, 99.96, 999.6, 12_345.0, 999_999.6, 2e9].map(count),
            ["0", "7.5", "100", "1,000", "12,345", "1.00M", "2.00G"]
        );
        let times = [0.000_85, 0.000_999_7, 0.001_234, 0.999_7, 12.34].map(|it| time(Some(it)));
        assert_eq!(times, ["850 us", "1.00 ms", "1.23 ms", "1.00 s", "12.3 s"]);
        assert_eq!(time(None), "-");
        assert_eq!(
            [42.9, 185.0, 7_385.0, 266_585.0].map(lasting),
            ["42 s", "3:05", "2:03:05", "3 d 02:03"]
        );
        assert_eq!([0.0, 0.004, 0.5].map(percent), ["0 %", "0.4 %", "50 %"]);
    }
}
