//! When a message is sent again and when it is abandoned: RFC 8415 sections 15 and 7.6.

use brunt_dhcp_wire::dhcp6::MessageType;
use brunt_net::chance::mix;
use std::time::Duration;

/// How long a client waits for the answer to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Retransmission {
    /// IRT: the first wait.
    initial: Duration,
    /// MRT: the longest wait before the message is sent again.
    longest: Option<Duration>,
    /// MRC: the maximum number of times that the message is sent.
    most: Option<u32>,
    /// MRD: how long the client keeps sending it.
    altogether: Option<Duration>,
    /// Whether the first wait must be longer than IRT (RFC 8415 section 18.2.1).
    first_longer: bool,
}

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

impl Retransmission {
    /// The parameters for messages of a type. `altogether` is the MRD of a RENEW or a REBIND, whose limit depends on
    /// the lease.
    pub(super) const fn with(kind: MessageType, altogether: Option<Duration>) -> Self {
        let plain = Self {
            initial: SECOND,
            longest: None,
            most: None,
            altogether: None,
            first_longer: false,
        };
        match kind {
            MessageType::SOLICIT => Self { longest: Some(HOUR), first_longer: true, ..plain },
            MessageType::REQUEST => {
                Self { longest: Some(Duration::from_secs(30)), most: Some(10), ..plain }
            }
            MessageType::CONFIRM => Self::CONFIRM,
            MessageType::RENEW | MessageType::REBIND => Self {
                initial: Duration::from_secs(10),
                longest: Some(Duration::from_secs(600)),
                altogether,
                ..plain
            },
            MessageType::RELEASE | MessageType::DECLINE => Self { most: Some(4), ..plain },
            // INFORMATION-REQUEST.
            _ => Self { longest: Some(HOUR), ..plain },
        }
    }

    /// The parameters of a CONFIRM, and of a REBIND that replaces one (RFC 8415 section 18.2.12).
    pub(super) const CONFIRM: Self = Self {
        initial: SECOND,
        longest: Some(Duration::from_secs(4)),
        most: None,
        altogether: Some(Duration::from_secs(10)),
        first_longer: false,
    };

    /// How long to wait after the message was sent for the first time.
    pub(super) fn first(&self, chance: u64) -> Duration {
        let rand = rand(chance);
        let rand = if self.first_longer { rand.abs() } else { rand };
        self.cut(spread(self.initial, 1.0 + rand), Duration::ZERO)
    }

    /// How long to wait after the message was sent again, when the last wait was `before`; `None` if the message is
    /// abandoned. `tries` is how many times it has been sent, `since` is the time since it was first sent.
    pub(super) fn next(
        &self,
        before: Duration,
        tries: u32,
        since: Duration,
        chance: u64,
    ) -> Option<Duration> {
        let often = self.most.is_some_and(|most| tries >= most);
        let long = self.altogether.is_some_and(|altogether| since >= altogether);
        if often || long {
            return None;
        }
        let rand = rand(chance);
        let wait = spread(before, 2.0 + rand);
        let wait = match self.longest {
            Some(longest) if wait > longest => spread(longest, 1.0 + rand),
            _ => wait,
        };
        Some(self.cut(wait, since))
    }

    /// Shortens a wait so that it does not exceed the MRD.
    fn cut(&self, wait: Duration, since: Duration) -> Duration {
        self.altogether.map_or(wait, |altogether| wait.min(altogether.saturating_sub(since)))
    }
}

fn spread(wait: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(wait.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

/// RAND: between -0.1 and 0.1, never 0.
fn rand(chance: u64) -> f64 {
    let fraction = (((mix(chance) >> 12) as f64) + 0.5) / (1u64 << 52) as f64;
    fraction.mul_add(0.2, -0.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The waits of a message that is never answered.
    fn waits(kind: MessageType, altogether: Option<Duration>, limit: usize) -> Vec<f64> {
        let retransmission = Retransmission::with(kind, altogether);
        let mut wait = retransmission.first(77);
        let mut since = Duration::ZERO;
        let mut all = vec![wait.as_secs_f64()];
        for tries in 1.. {
            since += wait;
            match retransmission.next(wait, tries, since, 77 + u64::from(tries)) {
                Some(next) if all.len() < limit => wait = next,
                _ => break,
            }
            all.push(wait.as_secs_f64());
        }
        all
    }

    fn about(waits: &[f64], expected: &[f64]) {
        assert_eq!(waits.len(), expected.len(), "{waits:?}");
        let mut low = 1.0;
        let mut high = 1.0;
        for (wait, expected) in waits.iter().zip(expected) {
            // Each wait is computed from the one before, so its randomness accumulates.
            (low, high) = (low * 0.89, high * 1.11);
            assert!(*wait > expected * low && *wait < expected * high, "{waits:?}");
        }
    }

    #[test]
    fn retransmission_times_follow_the_rfc_table() {
        about(&waits(MessageType::SOLICIT, None, 5), &[1.0, 2.0, 4.0, 8.0, 16.0]);
        let request = waits(MessageType::REQUEST, None, 99);
        assert_eq!(request.len(), 10, "REQ_MAX_RC");
        assert!(request[6..].iter().all(|wait| (27.0..=33.0).contains(wait)), "{request:?}");
        about(&waits(MessageType::RELEASE, None, 99), &[1.0, 2.0, 4.0, 8.0]);
        assert_eq!(waits(MessageType::DECLINE, None, 99).len(), 4);
        let information = waits(MessageType::INFORMATION_REQUEST, None, 20);
        assert!(information[13..].iter().all(|wait| (3240.0..=3960.0).contains(wait)));
    }

    #[test]
    fn retransmission_duration_limit_is_exact() {
        let confirm = waits(MessageType::CONFIRM, None, 99);
        assert!((confirm.iter().sum::<f64>() - 10.0).abs() < 1e-6, "{confirm:?}");
        let renew = waits(MessageType::RENEW, Some(Duration::from_secs(100)), 99);
        assert!((renew.iter().sum::<f64>() - 100.0).abs() < 1e-6, "{renew:?}");
        about(&renew[..3], &[10.0, 20.0, 40.0]);
        let none = Retransmission::with(MessageType::REBIND, Some(Duration::ZERO));
        assert_eq!(none.first(1), Duration::ZERO);
        assert_eq!(none.next(Duration::ZERO, 1, Duration::ZERO, 1), None);
    }

    #[test]
    fn retransmission_jitter_is_within_a_tenth() {
        let solicit = Retransmission::with(MessageType::SOLICIT, None);
        let request = Retransmission::with(MessageType::REQUEST, None);
        let mut shorter = 0;
        for chance in 0..10_000 {
            assert!((-0.1..=0.1).contains(&rand(chance)));
            assert!(solicit.first(chance) > SECOND);
            shorter += u32::from(request.first(chance) < SECOND);
        }
        assert!((4_700..5_300).contains(&shorter), "{shorter}");
    }
}
