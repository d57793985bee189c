//! Ranges as a plan writes them: `0..999`, `1..`, `..10`, `5`.

use std::str::FromStr;

/// The minimum and the maximum, both included; `None` where there is no limit.
pub(super) fn range<T: FromStr + PartialOrd + Copy>(text: &str) -> Option<(Option<T>, Option<T>)> {
    let read = |text: &str| match text.trim() {
        "" => Some(None),
        figure => figure.parse::<T>().ok().map(Some),
    };
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let (least, most) = (read(least)?, read(most.strip_prefix('=').unwrap_or(most))?);
    let some = least.is_some() || most.is_some();
    let ascending = least.zip(most).is_none_or(|(least, most)| least <= most);
    (some && ascending).then_some((least, most))
}

/// Codes and ranges of them: `200..204, 409`.
pub(super) fn codes(text: &str) -> Option<Vec<(u32, u32)>> {
    let one = |part: &str| {
        let (least, most) = range::<u32>(part)?;
        Some((least.unwrap_or(0), most.unwrap_or(u32::MAX)))
    };
    text.split(',').map(|part| one(part.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_one_end_or_two() {
        assert_eq!(range("0..999"), Some((Some(0), Some(999))));
        assert_eq!(range("-5 .. 5"), Some((Some(-5), Some(5))));
        assert_eq!(range("0.5.."), Some((Some(0.5), None)));
        assert_eq!(range("..=3"), Some((None, Some(3))));
        assert_eq!(range("7"), Some((Some(7), Some(7))));
        for wrong in ["", "..", "5..1", "a", "1..b", "1-5"] {
            assert_eq!(range::<i64>(wrong), None, "{wrong}");
        }
        assert_eq!(codes("200..204, 409"), Some(vec![(200, 204), (409, 409)]));
        assert_eq!(codes("200, x"), None);
    }
}
