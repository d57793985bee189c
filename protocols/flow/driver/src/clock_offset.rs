//! How far the clock of a server is from this machine's, when it refuses what was signed here: assertions and proofs
//! are valid for a short time, by the clock of the server.

use brunt_http_driver::Response;
use std::time::Duration;

/// The error codes of a server that does not accept an assertion or a proof.
const WORDS: [&str; 3] = ["invalid_client", "invalid_grant", "invalid_dpop_proof"];
/// The least difference that is reported, in seconds.
const REPORTED_LEAST: u64 = 30;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How far the server's clock is from this machine's, if an answer refuses something signed and they differ by more
/// than 30 seconds.
pub(super) fn words(response: &Response, now: Duration) -> Option<String> {
    let mentions = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        WORDS.iter().any(|words| text.contains(words))
    };
    let refused = matches!(response.status(), 400 | 401)
        && (mentions(response.body()) || response.values("www-authenticate").any(mentions));
    let date = response.values("date").next().filter(|_| refused)?;
    let (theirs, ours) = (date_seconds(std::str::from_utf8(date).ok()?)?, now.as_secs());
    let side = if theirs < ours { "behind" } else { "ahead of" };
    let apart = theirs.abs_diff(ours);
    (apart > REPORTED_LEAST)
        .then(|| format!("the server's clock is {apart} s {side} that of this machine"))
}

/// The seconds since 1970 of a date in the form that servers must write (RFC 9110 section 5.6.7).
fn date_seconds(text: &str) -> Option<u64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = words[..] else { return None };
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number < 10_000);
    let (day, year) = (number(day)?, number(year).filter(|year| *year >= 1970)?);
    let month = MONTHS.iter().position(|known| *known == month)? as u64 + 1;
    let clock: Option<Vec<u64>> = time.split(':').map(number).collect();
    let [hour, minute, second] = clock?[..] else { return None };
    // Years that begin in March, so that a leap day is the last of its year.
    let (shifted, year) = if month > 2 { (month - 3, year) } else { (month + 9, year - 1) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 + day;
    let since_1970 = days.checked_sub(719_469)?;
    Some(since_1970 * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_dates_are_parsed() {
        for (text, expected) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Tue, 29 Feb 2000 00:00:00 GMT", Some(951_782_400)),
            ("Mon, 01 Mar 2100 00:00:00 GMT", Some(4_107_542_400)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49 GMT", None),
            ("", None),
        ] {
            assert_eq!(date_seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn clock_difference_is_reported_for_refused_signatures() {
        let message = |status, seconds: u64, body: &str| {
            let fields = [("Date", "Sun, 06 Nov 1994 08:49:37 GMT")];
            let response = Response::sample(status, &fields, body.as_bytes());
            words(&response, Duration::from_secs(seconds))
        };
        let body = "{\"error\":\"invalid_client\"}";
        let behind = message(401, 784_112_077, body);
        assert_eq!(
            behind.as_deref(),
            Some("the server's clock is 300 s behind that of this machine")
        );
        assert!(message(400, 784_111_700, body).is_some_and(|text| text.contains("77 s ahead of")));
        assert_eq!(message(401, 784_111_807, body), None);
        assert_eq!(message(401, 784_112_077, "no such page"), None);
        assert_eq!(message(500, 784_112_077, body), None);
    }
}
