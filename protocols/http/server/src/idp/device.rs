//! Devices without a keyboard (RFC 8628): the device polls, a person decides.

use std::time::Duration;

use serde_json::json;

use super::client::{self, Client};
use super::event::Event;
use super::grant::Grant;
use super::kept::{Decision, Device, Login, Purpose};
use super::login;
use super::page::{Form, message_page, redirect};
use crate::call::Call;
use crate::oauth::{Refusal, refused};
use crate::reply::Reply;
use crate::script::LoginFault;

/// How long a device waits between two questions.
const INTERVAL: Duration = Duration::from_secs(1);
/// The letters of codes for people, and how many a code has.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const LENGTH: usize = 8;
const CODES: u64 = 20_u64.pow(LENGTH as u32);

/// The code for people of a device's number: a shifted number in base 20.
fn user_code(shift: u64, number: u64) -> String {
    let mut rest = (number % CODES + shift % CODES) % CODES;
    let mut letters = [0; LENGTH];
    for letter in letters.iter_mut().rev() {
        *letter = LETTERS[(rest % 20) as usize];
        rest /= 20;
    }
    let text: String = letters.iter().copied().map(char::from).collect();
    format!("{}-{}", &text[..4], &text[4..])
}

/// The number of a device by its code for people.
fn number(shift: u64, code: &str) -> Option<u64> {
    let letters = || code.bytes().filter(|letter| !matches!(letter, b'-' | b' '));
    if code.len() > 2 * LENGTH || letters().count() != LENGTH {
        return None;
    }
    let digits = letters().try_fold(0, |sum: u64, letter| {
        let digit = LETTERS.iter().position(|known| *known == letter.to_ascii_uppercase())?;
        Some(sum * 20 + digit as u64)
    })?;
    Some((digits + CODES - shift % CODES) % CODES)
}

/// POST `device`: the request of a device.
pub(super) fn authorize(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let provider = &call.realm.provider;
    let client = client::authenticate(call);
    provider.count(Event::Device, client.is_ok());
    let scope = call.form().first("scope").filter(|scope| scope.len() <= 512);
    let device = Device {
        client: client?.id,
        scope: scope.unwrap_or_default().into(),
        requested: None,
        decision: Decision::Open,
    };
    let number = provider.devices.put(call.now, device);
    let (code, place) = (user_code(provider.shift, number), format!("{}/verify", call.issuer()));
    reply.json(
        200,
        &json!({
            "device_code": provider.devices.text(number),
            "user_code": code,
            "verification_uri": place,
            "verification_uri_complete": format!("{place}?user_code={code}"),
            "expires_in": call.lifetime(provider.devices.lasts()),
            "interval": INTERVAL.as_secs(),
        }),
    );
    Ok(())
}

/// The device waits for a token.
pub(super) fn exchange(call: &Call<'_>, client: &Client) -> Result<Grant, Refusal> {
    let provider = &call.realm.provider;
    let wrong = |error, why| refused(400, error, why);
    let expired = || wrong("expired_token", "Device code is expired");
    match call.login_fault {
        Some(LoginFault::Pending) => {
            return Err(wrong("authorization_pending", "The authorization request is pending"));
        }
        Some(LoginFault::SlowDown) => return Err(wrong("slow_down", "Slow down")),
        Some(LoginFault::ExpiredGrant) => return Err(expired()),
        _ => {}
    }
    let code = call.form().first("device_code").unwrap_or_default();
    let number = provider.devices.number(&code);
    let number = number.ok_or(wrong("invalid_grant", "Device code not valid"))?;
    let state = provider.devices.with(number, call.now, |device| {
        if device.client != client.id {
            return Err(wrong("invalid_grant", "unauthorized client"));
        }
        let last = device.requested.replace(call.now);
        match &device.decision {
            Decision::Open if last.is_some_and(|last| call.now < last + INTERVAL) => {
                Err(wrong("slow_down", "Slow down"))
            }
            Decision::Open => {
                Err(wrong("authorization_pending", "The authorization request is pending"))
            }
            decided => Ok(decided.clone()),
        }
    });
    let decided = state.ok_or_else(expired)??;
    let device = provider.devices.take(number, call.now).ok_or_else(expired)?;
    let Decision::Accepted(subject, session) = decided else {
        return Err(wrong("access_denied", "The end user denied the authorization request"));
    };
    Ok(Grant { subject, scope: device.scope, session: Some(session), nonce: None, renewable: true })
}

/// GET `verify`: the person types the code, signs in, and decides.
pub(super) fn verify(call: &Call<'_>, reply: &mut Reply) {
    let code = call.query().first("user_code").unwrap_or_default();
    if code.is_empty() {
        return code_page(call, None, reply);
    }
    let Some(number) = waiting(call, &code) else {
        call.realm.provider.count(Event::DeviceVerify, false);
        return code_page(call, Some("Invalid code, please try again."), reply);
    };
    let code = user_code(call.realm.provider.shift, number);
    if login::session(call).is_none() {
        return Login::begin(call, Purpose::Device(code.into()), reply);
    }
    let device = call.realm.provider.devices.text(number);
    Form {
        id: "consent-form",
        title: "Grant access to the device",
        action: "/idp/verify",
        hidden: &[("device", &device)],
        inputs: &[],
        buttons: &[("accept", "Yes"), ("cancel", "No")],
        error: None,
    }
    .show(call, reply);
}

/// The number of a device that waits for a decision.
fn waiting(call: &Call<'_>, code: &str) -> Option<u64> {
    let provider = &call.realm.provider;
    let number = number(provider.shift, code)?;
    let open =
        provider.devices.with(number, call.now, |device| matches!(device.decision, Decision::Open));
    open.filter(|open| *open).map(|_| number)
}

fn code_page(call: &Call<'_>, error: Option<&str>, reply: &mut Reply) {
    Form {
        id: "device-form",
        title: "Device login",
        action: "/idp/verify",
        hidden: &[],
        inputs: &[("user_code", "text", "Code of the device")],
        buttons: &[("", "Submit")],
        error,
    }
    .show(call, reply);
}

/// POST `verify`: the code was typed, or the decision made.
pub(super) fn decide(call: &Call<'_>, reply: &mut Reply) {
    let (form, provider) = (call.form(), &call.realm.provider);
    if let Some(code) = form.first("user_code") {
        return if let Some(number) = waiting(call, &code) {
            redirect(reply, format!("/idp/verify?user_code={}", user_code(provider.shift, number)));
        } else {
            provider.count(Event::DeviceVerify, false);
            code_page(call, Some("Invalid code, please try again."), reply);
        };
    }
    let device = form.first("device").and_then(|text| provider.devices.number(&text));
    let person = login::session(call);
    let accepted = form.first("accept").is_some();
    let decided = device.zip(person).and_then(|(device, person)| {
        provider.devices.with(device, call.now, |device| {
            let first = matches!(device.decision, Decision::Open);
            if first && accepted {
                device.decision = Decision::Accepted(person.user, person.number);
            } else if first {
                device.decision = Decision::Denied;
            }
            first
        })
    });
    let done = decided == Some(true);
    provider.count(Event::DeviceVerify, done && accepted);
    let (status, title, text) = match (done, accepted) {
        (true, true) => (200, "Device login successful", "You may close this window."),
        (true, false) => (200, "Device login failed", "Consent denied."),
        (false, _) => (400, "We are sorry...", "The device or the session is gone."),
    };
    message_page(reply, status, title, text, !(done && accepted));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_code_belongs_to_one_device() {
        for (shift, of) in [(0, 1), (u64::MAX, 2), (CODES - 1, 77), (12, CODES - 1)] {
            let code = user_code(shift, of);
            assert_eq!(code.len(), 9);
            assert_eq!(number(shift, &code), Some(of), "{code}");
            assert_eq!(number(shift, &code.to_lowercase().replace('-', " ")), Some(of));
        }
        for wrong in ["", "AAAA-AAAA", "BBBB-BBB", "BBBB-BBBBB", &"-".repeat(99), "B\u{e9}BBBBBB"] {
            assert_eq!(number(0, wrong), None, "{wrong}");
        }
    }
}
