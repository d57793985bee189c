//! An [`Expectation`]: what an answer must contain for its exchange to succeed.
//!
//! A server that quickly returns the wrong boot file is of no use. Answers are checked in the exchange table, which
//! both protocols pass through; the dialogue finds the field. Renewals, releases and confirmations are not checked,
//! because their answers need not repeat any field.

use super::Stage;
use super::dialogue::{Dialogue, Ending, Step};
use super::field::Field;
use super::varied::Pattern;
use brunt_exchange::{Class, Outcome};

/// What an answer must contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The answer to check; `None` checks both.
    pub answer: Option<Answer>,
    /// Which field of the answer.
    pub field: Field,
    /// The value that the field must have; if `None`, the field must only be present.
    pub value: Option<Pattern>,
}

/// One of the two answers of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// OFFER or ADVERTISE.
    Offer,
    /// ACK or REPLY.
    Grant,
}

impl Expectation {
    /// Whether an answer contains what it should. `scratch` is a buffer for the value that the client expects.
    fn is_met<D: Dialogue>(&self, message: &[u8], client: u64, scratch: &mut Vec<u8>) -> bool {
        if self.answer.is_some_and(|answer| (answer == Answer::Offer) != D::is_offer(message)) {
            return true;
        }
        let (Some(found), Some(value)) = (D::field(message, self.field), &self.value) else {
            return self.value.is_none() && D::field(message, self.field).is_some();
        };
        scratch.clear();
        value.write(client, scratch);
        // Servers may or may not end texts with a zero byte (RFC 2132 section 2).
        found == scratch || found.strip_suffix(&[0]).is_some_and(|found| found == scratch)
    }
}

/// Checks an answer that its dialogue accepted against the expectations. An unexpected answer still ends the exchange
/// as an answer, and the lease it grants is kept. The pair is the stage that it answers, and the client.
pub(super) fn examined<D: Dialogue>(
    expectations: &[Expectation],
    (stage, client): (Stage, u64),
    message: &[u8],
    step: Step<D::Lease>,
    scratch: &mut Vec<u8>,
) -> Step<D::Lease> {
    let lease = match &step {
        _ if expectations.is_empty() => return step,
        Step::Send(_) => None,
        Step::Done(ending) if matches!(ending.outcome, Outcome::Ok(_)) => ending.lease.clone(),
        _ => return step,
    };
    let Some(unmet) = unmet::<D>(expectations, stage, message, client, scratch) else {
        return step;
    };
    // There are no more expectations than arguments on a command line.
    let outcome = Outcome::Failed(Class::Check, unmet as u32 + 1);
    Step::Done(Ending { outcome, answered: true, anomaly: None, lease })
}

/// What an answer contains in the field whose expectation failed according to the outcome; `None` for any other
/// outcome.
pub(super) fn found_instead<D: Dialogue>(
    expectations: &[Expectation],
    outcome: Outcome,
    message: &[u8],
) -> Option<String> {
    let Outcome::Failed(Class::Check, number) = outcome else { return None };
    let expected = expectations.get((number as usize).checked_sub(1)?)?;
    let found = D::field(message, expected.field);
    Some(found.map_or_else(|| "nothing there".to_owned(), |octets| shown(expected.field, octets)))
}

/// The maximum number of octets of a field that are shown.
const SHOWN_MAX: usize = 64;

/// The octets of a field in the notation of `--expect`.
fn shown(field: Field, octets: &[u8]) -> String {
    if let (Field::Address | Field::NextServer, [a, b, c, d]) = (field, octets) {
        return format!("{a}.{b}.{c}.{d}");
    }
    let text = octets.strip_suffix(&[0]).unwrap_or(octets);
    let is_text = !text.is_empty() && text.iter().all(|octet| (b' '..=b'~').contains(octet));
    let kept = if is_text { text } else { octets };
    let cut = if kept.len() > SHOWN_MAX { " .." } else { "" };
    let kept = &kept[..kept.len().min(SHOWN_MAX)];
    if is_text {
        return format!("'{}'{cut}", String::from_utf8_lossy(kept));
    }
    let digits = kept.iter().flat_map(|octet| [octet >> 4, octet & 15]);
    let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
    format!("0x{}{cut}", digits.collect::<String>())
}

/// The number of the first expectation that is not met by the answer to a message of this stage.
fn unmet<D: Dialogue>(
    expectations: &[Expectation],
    stage: Stage,
    message: &[u8],
    client: u64,
    scratch: &mut Vec<u8>,
) -> Option<usize> {
    if !matches!(stage, Stage::First | Stage::Second | Stage::Inform) {
        return None;
    }
    expectations.iter().position(|expected| !expected.is_met::<D>(message, client, scratch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{v4, v6};
    use brunt_dhcp_wire::dhcp4::{Draft, Header, MessageType, at, option};

    fn answer(kind: MessageType) -> Vec<u8> {
        let header = Header { op: brunt_dhcp_wire::dhcp4::BOOTREPLY, ..Header::request() };
        let draft = Draft::new(header, kind).with(66, b"10.0.0.9\0").with(12, b"host-7");
        let mut bytes = draft.with(option::SERVER_ID, &[10, 0, 0, 1]).to_bytes();
        bytes[at::FILE..at::FILE + 10].copy_from_slice(b"pxelinux.0");
        bytes[at::SIADDR..at::SIADDR + 4].copy_from_slice(&[10, 0, 0, 9]);
        bytes
    }

    fn expect(answer: Option<Answer>, field: Field, value: Option<&str>) -> Expectation {
        let value = value.map(|value| Pattern::parse(value).unwrap());
        Expectation { answer, field, value }
    }

    #[test]
    fn expectations_are_compared_with_the_answer() {
        let (offer, ack) = (answer(MessageType::Offer), answer(MessageType::Ack));
        let first = |expected: &[Expectation], stage, message: &[u8]| {
            unmet::<v4::Client>(expected, stage, message, 7, &mut Vec::new())
        };
        let held = [
            expect(None, Field::Option(66), Some("10.0.0.9")),
            expect(None, Field::Option(12), Some("host-{n}")),
            expect(None, Field::Option(54), None),
            expect(None, Field::BootFile, Some("pxelinux.0")),
            expect(None, Field::NextServer, Some("0x0a000009")),
            expect(None, Field::Address, Some("0x00000000")),
            expect(Some(Answer::Grant), Field::Option(53), Some("0x05")),
            expect(Some(Answer::Offer), Field::Option(53), Some("0x02")),
        ];
        assert_eq!(first(&held, Stage::First, &offer), None);
        assert_eq!(first(&held, Stage::Second, &ack), None);
        for wrong in [
            expect(None, Field::Option(67), None),
            expect(None, Field::Option(300), None),
            expect(None, Field::Option(66), Some("10.0.0.8")),
            expect(None, Field::Option(12), Some("host-8")),
            expect(None, Field::BootFile, Some("pxelinux")),
            expect(None, Field::ServerName, Some("boot")),
            expect(Some(Answer::Grant), Field::Option(67), None),
        ] {
            let all = [held[0].clone(), wrong];
            assert_eq!(first(&all, Stage::Second, &ack), Some(1), "{all:?}");
            assert_eq!(first(&all, Stage::Renew, &ack), None, "renewals repeat nothing");
        }
        let granted = [expect(Some(Answer::Grant), Field::Option(67), None)];
        assert_eq!(first(&granted, Stage::First, &offer), None);
    }

    #[test]
    fn expectation_mismatch_shows_the_found_value() {
        let found = |field, number| {
            let expected = [expect(None, field, Some("x"))];
            let outcome = Outcome::Failed(Class::Check, number);
            found_instead::<v4::Client>(&expected, outcome, &answer(MessageType::Offer))
        };
        let instead = |field| found(field, 1).expect("it was expected");
        assert_eq!(instead(Field::Option(66)), "'10.0.0.9'");
        assert_eq!(instead(Field::Option(54)), "0x0a000001");
        assert_eq!(instead(Field::NextServer), "10.0.0.9");
        assert_eq!(instead(Field::BootFile), "'pxelinux.0'");
        assert_eq!(instead(Field::Option(67)), "nothing there");
        // An exchange that failed for another reason has no expectation number.
        assert_eq!((found(Field::Option(66), 0), found(Field::Option(66), 2)), (None, None));
        assert_eq!(shown(Field::Option(43), &[0xff; 100]).len(), 2 + 2 * SHOWN_MAX + 3);
    }

    #[test]
    fn expectations_of_dhcpv6_cover_only_options() {
        let advertise = [2, 0, 0, 1, 0, 23, 0, 2, 1, 2];
        let met = |answer, field, value| {
            let expected = [expect(answer, field, value)];
            unmet::<v6::Client>(&expected, Stage::First, &advertise, 0, &mut Vec::new()).is_none()
        };
        assert!(met(None, Field::Option(23), Some("0x0102")));
        assert!(met(Some(Answer::Grant), Field::Option(24), None));
        assert!(!met(Some(Answer::Offer), Field::Option(24), None));
        assert!(!met(None, Field::BootFile, None));
    }
}
