//! The names of DHCP outcomes.

use brunt_dhcp_wire::{dhcp4, dhcp6};
use brunt_exchange::{Class, Outcome};

use crate::family::Family;

/// The protocol's name of an outcome: the message that ended the exchange, or the status it contained.
pub fn name(family: Family, outcome: Outcome) -> String {
    match (family, outcome) {
        (_, Outcome::Ok(0)) => "sent".to_owned(),
        (Family::V4, Outcome::Ok(code) | Outcome::Failed(Class::Result, code)) => {
            let kind = u8::try_from(code).ok().and_then(dhcp4::MessageType::from_byte);
            kind.map_or_else(|| format!("message {code}"), |kind| kind.name().to_owned())
        }
        (Family::V6, Outcome::Ok(code)) => {
            let name = u8::try_from(code).ok().and_then(|code| dhcp6::MessageType(code).name());
            name.map_or_else(|| format!("message {code}"), str::to_owned)
        }
        (Family::V6, Outcome::Failed(Class::Result, code)) => {
            let name = u16::try_from(code).ok().and_then(dhcp6::status::name);
            name.map_or_else(|| format!("status {code}"), str::to_owned)
        }
        (_, Outcome::Failed(Class::Check, _)) => "not the requested lease".to_owned(),
        (_, Outcome::Failed(Class::Unsent, _)) => "not sent".to_owned(),
        (_, Outcome::Failed(class, _)) => class.word().to_owned(),
        (_, Outcome::TimedOut) => "no answer".to_owned(),
        (_, Outcome::CutOff) => "cut off".to_owned(),
        (_, Outcome::Skipped) => "no lease held".to_owned(),
    }
}
