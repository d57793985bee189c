//! [`Poll`]: a step whose request is repeated as long as the answer means "not yet".

use super::check::Check;
use super::pause::Pause;
use super::reply::Parsed;
use super::value_error::{ValueError, parsed};
use brunt_exchange::duration;
use brunt_feed::{Text, Values};
use std::time::Duration;

/// How a request is repeated.
#[derive(Clone, Debug)]
pub struct Poll {
    /// What holds of an answer that means "not yet".
    pub pending: Vec<Check>,
    /// The time between an answer and the next request, as text, which may contain variables.
    pub every: Text,
    /// Its minimum, whatever the value of the text.
    pub least: Duration,
    /// The time after which it is not repeated, from the beginning of the first request.
    pub within: Duration,
    /// When the time between two requests becomes longer.
    pub slower: Option<Slower>,
    /// The number of the operation under which answers that mean "not yet" are counted.
    pub operation: u16,
    /// The number of the span from the beginning of the first request to the end of the last.
    pub span: u16,
    /// The name of the pauses between requests.
    pub pause: Pause,
}

/// When the time between two requests becomes longer.
#[derive(Clone, Debug)]
pub struct Slower {
    /// By how much, each time.
    pub by: Duration,
    /// What holds of an answer that demands it.
    pub when: Vec<Check>,
}

/// An answer that means "not yet".
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// How much longer the time between two requests becomes.
    pub(super) slower_by: Duration,
    /// The message in it.
    pub(super) message: String,
}

impl Poll {
    /// The delay and the message of an answer that means "not yet". An answer that cannot be examined does not.
    pub(super) fn pending(&self, parsed: &Parsed<'_>, values: &Values) -> Option<Pending> {
        let hold = |checks: &[Check]| {
            checks.iter().all(|check| check.holds(parsed, values).unwrap_or(false))
        };
        if !hold(&self.pending) {
            return None;
        }
        let slower = self.slower.as_ref().filter(|slower| hold(&slower.when));
        let message = self.pending.iter().find_map(|check| check.found(parsed, values));
        Some(Pending {
            slower_by: slower.map_or(Duration::ZERO, |slower| slower.by),
            message: message.unwrap_or_else(|| parsed.reply().code().to_string()),
        })
    }

    /// The time until the next request.
    pub(super) fn interval(&self, values: &Values) -> Result<Duration, ValueError> {
        let time = parsed(&self.every, values, "a time such as \"5s\"", duration)?;
        Ok(time.max(self.least))
    }

    /// All its checks.
    pub(super) fn checks(&self) -> impl Iterator<Item = &Check> {
        self.pending.iter().chain(self.slower.iter().flat_map(|slower| &slower.when))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Location;
    use crate::{Condition, Reply};
    use brunt_exchange::ThinkTime;
    use brunt_feed::{Escape, Hole};
    use brunt_http_driver::Response;

    #[test]
    fn poll_answer_may_be_pending_and_slow_down() {
        let error = |text: &str| Check::Value {
            of: Location::pointer("/error").unwrap(),
            must: Condition::Contain(Text::literal(text)),
        };
        let poll = Poll {
            pending: vec![error("_")],
            every: Text::literal(" 2s"),
            least: Duration::from_secs(5),
            within: Duration::from_secs(60),
            slower: Some(Slower { by: Duration::from_secs(5), when: vec![error("slow_down")] }),
            operation: 0,
            span: 0,
            pause: Pause { time: ThinkTime::None, name: String::new() },
        };
        let values = Values::new(0);
        let pending = |body: &str| {
            let response = Response::sample(400, &[], body.as_bytes());
            let pending = poll.pending(&Parsed::new(Reply::Http(&response)), &values);
            pending.map(|pending| (pending.slower_by.as_secs(), pending.message))
        };
        let message = |text: &str| text.to_owned();
        let wait = pending("{\"error\":\"authorization_pending\"}");
        assert_eq!(wait, Some((0, message("authorization_pending"))));
        assert_eq!(pending("{\"error\":\"slow_down\"}"), Some((5, message("slow_down"))));
        assert_eq!(pending("{\"error\":\"denied\"}"), None);
        assert_eq!(pending("no json"), None);
        assert_eq!(poll.interval(&values), Ok(Duration::from_secs(5)));
    }

    /// The time until the next request, where an answer gave this interval.
    fn interval(given: &str) -> Result<Duration, ValueError> {
        let every = Text::parse("${i}s", Escape::None, |_| Some(Hole(0))).unwrap();
        let poll = Poll {
            pending: Vec::new(),
            every,
            least: Duration::from_millis(100),
            within: Duration::from_secs(600),
            slower: None,
            operation: 0,
            span: 0,
            pause: Pause { time: ThinkTime::None, name: String::new() },
        };
        let mut values = Values::new(1);
        values.set(Hole(0), given.as_bytes());
        poll.interval(&values)
    }

    #[test]
    fn poll_interval_has_a_minimum() {
        let least = Duration::from_millis(100);
        for none in ["0", "0.000001", "00", "0.0"] {
            assert_eq!(interval(none), Ok(least), "{none}");
        }
        assert_eq!(interval("5"), Ok(Duration::from_secs(5)));
        for odd in ["1000000000000000000", "-1", "NaN", "1e9", "", "5 ", "\u{0}", "1s2m-"] {
            let shown = interval(odd).map_err(|error| error.shown);
            assert_eq!(shown, Err(format!("{odd}s")), "{odd:?}");
        }
    }
}
