//! Moments, as programs read them, and lengths of time, as people do.

/// A time in seconds since 1970, in RFC 3339.
pub(crate) fn rfc3339(at: i64) -> String {
    jiff::Timestamp::from_second(at).map(|at| at.to_string()).unwrap_or_default()
}

/// A length of time, as on a clock: 3:12 or 1:05:00.
pub(crate) fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    let (hours, minutes, seconds) = (whole / 3_600, whole % 3_600 / 60, whole % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_formatted_like_a_clock() {
        let read = [0.0, 61.0, 191.6, 3_900.0].map(clock);
        assert_eq!(read, ["0:00", "1:01", "3:12", "1:05:00"]);
    }
}
