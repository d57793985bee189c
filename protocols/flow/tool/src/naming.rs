//! [`Naming`]: the names and meanings of the outcomes of steps, each in the terms of its protocol.

use brunt_dhcp_driver::DhcpEndpoint;
use brunt_dhcp_driver::family::Family;
use brunt_exchange::{Class, Named, Outcome};
use brunt_flow_driver::{Control, Flow, Payload, Step};
use brunt_ldap_wire::code;

use brunt_dhcp_driver::naming as dhcp;
use brunt_http_driver::naming as http;
use brunt_ldap_driver::naming as ldap;

/// The protocols of a flow's operations, by number.
pub(crate) struct Naming(Vec<Protocol>);

#[derive(Clone, Copy)]
enum Protocol {
    Http,
    Ldap { is_bind: bool },
    Dhcp(Family),
}

impl Naming {
    /// The names of the possible outcomes of a flow's steps.
    pub(crate) fn new(flow: &Flow) -> Self {
        let v6 = flow.dhcp.as_deref().is_some_and(DhcpEndpoint::is_v6);
        let family = if v6 { Family::V6 } else { Family::V4 };
        let mut protocols = vec![Protocol::Http; flow.operations.len()];
        for step in flow.scenarios.iter().flat_map(|scenario| &scenario.steps) {
            let Step::Exchange(act) = step else { continue };
            let own = match act.payload {
                Payload::Http(_) => Protocol::Http,
                Payload::Ldap(ref ldap) => Protocol::Ldap { is_bind: ldap.is_bind() },
                Payload::Dhcp(_) => Protocol::Dhcp(family),
            };
            let pending = act.poll.as_ref().map(|poll| poll.operation);
            for operation in [Some(act.operation), pending].into_iter().flatten() {
                if let Some(protocol) = protocols.get_mut(usize::from(operation)) {
                    *protocol = own;
                }
            }
        }
        protocols.extend(of_spans(flow, &protocols));
        Self(protocols)
    }

    /// The name of an outcome of an operation, and what it means. A code is specific to the protocol.
    pub(crate) fn named(&self, operation: usize, outcome: Outcome) -> Named {
        let protocol = self.0.get(operation).copied().unwrap_or(Protocol::Http);
        let meaning = match protocol {
            Protocol::Http => http::meaning(outcome),
            Protocol::Ldap { is_bind } => ldap::meaning(outcome, is_bind),
            Protocol::Dhcp(_) => None,
        };
        Named { name: protocol.name(outcome), meaning }
    }
}

impl Protocol {
    fn name(self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Ok(code) | Outcome::Failed(Class::Result, code) => match self {
                Self::Http => http::status(code).to_owned(),
                Self::Ldap { .. } => code::name(code).to_owned(),
                Self::Dhcp(family) => dhcp::name(family, outcome),
            },
            Outcome::Failed(Class::Locked, _) => ldap::name(outcome),
            Outcome::Failed(class, _) => class.word().to_owned(),
            Outcome::TimedOut => "timed out".to_owned(),
            Outcome::CutOff => "cut off".to_owned(),
            Outcome::Skipped => "skipped".to_owned(),
        }
    }
}

/// The protocols of the spans, which follow those of the operations: of a group, that of its first exchange.
fn of_spans(flow: &Flow, protocols: &[Protocol]) -> Vec<Protocol> {
    let mut spans = vec![Protocol::Http; flow.spans.len()];
    for scenario in &flow.scenarios {
        for (at, step) in scenario.steps.iter().enumerate() {
            let Step::Control(Control::Enter(number)) = step else { continue };
            let first = scenario.steps[at..].iter().find_map(|step| match step {
                Step::Exchange(act) => protocols.get(usize::from(act.operation)),
                _ => None,
            });
            let Some((group, protocol)) = flow.groups.get(usize::from(*number)).zip(first) else {
                continue;
            };
            for span in [Some(group.span), group.work].into_iter().flatten() {
                spans[usize::from(span)] = *protocol;
            }
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Meaning;

    #[test]
    fn outcomes_are_named_by_protocol() {
        let protocols = [
            Protocol::Http,
            Protocol::Ldap { is_bind: false },
            Protocol::Dhcp(Family::V4),
            Protocol::Dhcp(Family::V6),
        ];
        let naming = Naming(protocols.into());
        let [http, ldap, v4, v6] = [0, 1, 2, 3].map(|number| move |outcome| (number, outcome));
        let cases = [
            (http(Outcome::Ok(200)), "OK"),
            (http(Outcome::Failed(Class::Result, 404)), "Not Found"),
            (http(Outcome::Ok(299)), "unnamed"),
            (http(Outcome::Failed(Class::Exceeded, 200)), "exceeded"),
            (ldap(Outcome::Ok(0)), "success"),
            (ldap(Outcome::Failed(Class::Result, 49)), "invalidCredentials"),
            (v4(Outcome::Ok(5)), "ACK"),
            (v4(Outcome::Ok(0)), "sent"),
            (v4(Outcome::Failed(Class::Result, 6)), "NAK"),
            (v4(Outcome::Failed(Class::Check, 5)), "check"),
            (v6(Outcome::Ok(7)), "REPLY"),
        ];
        for ((number, outcome), name) in cases {
            let named = naming.named(number, outcome).name;
            assert!(named.ends_with(name), "{name}: {named}");
        }
    }

    #[test]
    fn codes_have_the_meanings_of_their_protocols() {
        let protocols = [
            Protocol::Http,
            Protocol::Ldap { is_bind: true },
            Protocol::Ldap { is_bind: false },
            Protocol::Dhcp(Family::V4),
        ];
        let naming = Naming(protocols.into());
        let refused = Some(Meaning::RefusedLogin);
        for (code, expected) in [
            (401, [refused, None, None, None]),
            (49, [None, refused, refused, None]),
            (19, [None, refused, None, None]),
            (51, [None, Some(Meaning::Busy), Some(Meaning::Busy), None]),
        ] {
            let outcome = Outcome::Failed(Class::Result, code);
            let found = [0, 1, 2, 3].map(|number| naming.named(number, outcome).meaning);
            assert_eq!(found, expected, "{code}");
        }
    }
}
