//! SAML 2.0: a request by the redirect binding, and a response by the POST binding. Nothing is signed or encrypted.

use std::io::Read as _;
use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::read::DeflateDecoder;
use serde_json::json;

use super::event::Event;
use super::kept::{Login, Purpose, SamlRequest};
use super::login;
use super::page::{message_page, post_elsewhere};
use crate::call::Call;
use crate::refusal::Refusal;
use crate::reply::Reply;

/// The most bytes of a message.
const LONGEST: u64 = 64 << 10;

/// GET `saml`: shows the login page, unless the person is signed in.
pub(super) fn requested(call: &Call<'_>, reply: &mut Reply) {
    let Some(requested) = read(call) else {
        call.realm.provider.count(Event::Saml, false);
        return message_page(reply, 400, "We are sorry...", "Invalid Request", true);
    };
    match login::session(call) {
        Some(session) => requested.respond(call, &session.user, reply),
        None => Login::begin(call, Purpose::Saml(Arc::new(requested)), reply),
    }
}

fn read(call: &Call<'_>) -> Option<SamlRequest> {
    let query = call.query();
    let packed = BASE64_STANDARD.decode(&*query.first("SAMLRequest")?).ok()?;
    let mut text = String::new();
    let read = DeflateDecoder::new(&*packed).take(LONGEST).read_to_string(&mut text).ok()?;
    let element = element(&text, "AuthnRequest").filter(|_| (read as u64) < LONGEST)?;
    let place = attribute(element, "AssertionConsumerServiceURL")?;
    let web = place.starts_with("http://") || place.starts_with("https://");
    let relay_state = query.first("RelayState").map(|state| state.into_owned().into_boxed_str());
    let fits = |text: &str, most| (1..=most).contains(&text.len());
    let id = attribute(element, "ID").filter(|id| fits(id, 256))?;
    let short = relay_state.as_ref().is_none_or(|state| state.len() <= 2048);
    (web && short && fits(place, 2048)).then(|| SamlRequest {
        id: id.into(),
        place: place.replace("&amp;", "&").into(),
        relay_state,
    })
}

/// The first start tag of a local name, without its brackets.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split('<').skip(1).find_map(|part| {
        let tag = part.split('>').next()?;
        let full = tag.split([' ', '\t', '\r', '\n', '/']).next()?;
        (full.rsplit(':').next() == Some(name)).then_some(tag)
    })
}

/// An attribute of a start tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once('=') {
        let value = after.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, after) = value[1..].split_once(quote)?;
        if before.trim_end().rsplit([' ', '\t', '\r', '\n']).next() == Some(name) {
            return Some(value);
        }
        rest = after;
    }
    None
}

/// The text of the first element of a local name.
fn content<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let tag = element(text, name)?;
    let at = tag.as_ptr() as usize - text.as_ptr() as usize + tag.len();
    text.get(at + 1..)?.split('<').next()
}

impl SamlRequest {
    /// Posts the response to the service provider, through the browser.
    pub(super) fn respond(&self, call: &Call<'_>, user: &str, reply: &mut Reply) {
        call.realm.provider.count(Event::Saml, true);
        let (issuer, number) = (escaped(&call.issuer()), call.number);
        let (place, id, user) = (escaped(&self.place), escaped(&self.id), escaped(user));
        let response = format!(
            "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" \
             xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"_r{number}\" Version=\"2.0\" \
             Destination=\"{place}\" InResponseTo=\"{id}\"><saml:Issuer>{issuer}</saml:Issuer><samlp:Status>\
             <samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"/></samlp:Status>\
             <saml:Assertion ID=\"_a{number}\" Version=\"2.0\"><saml:Issuer>{issuer}</saml:Issuer><saml:Subject>\
             <saml:NameID>{user}</saml:NameID></saml:Subject></saml:Assertion></samlp:Response>"
        );
        let response = BASE64_STANDARD.encode(response);
        let mut fields = vec![("SAMLResponse", &*response)];
        fields.extend(self.relay_state.as_deref().map(|state| ("RelayState", state)));
        post_elsewhere(reply, &self.place, &fields);
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// POST `/acs`: a service provider that receives a response, of this provider or of another one, and says what is in
/// it. It verifies no signature.
pub(crate) fn receive(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    if call.request.method != "POST" {
        return Err(Refusal::wrong_method());
    }
    let form = call.form();
    let wrong = || Refusal::new(400, "the form has no SAMLResponse in Base64");
    let packed = form.first("SAMLResponse").ok_or_else(wrong)?;
    let bytes = BASE64_STANDARD.decode(packed.replace(['\r', '\n', ' '], "")).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(wrong)?;
    let response = element(&text, "Response").ok_or_else(wrong)?;
    let status = element(&text, "StatusCode").and_then(|tag| attribute(tag, "Value"));
    let status = status.and_then(|status| status.rsplit(':').next());
    reply.json(
        if status == Some("Success") { 200 } else { 403 },
        &json!({
            "status": status,
            "name": content(&text, "NameID"),
            "in_response_to": attribute(response, "InResponseTo"),
            "destination": attribute(response, "Destination"),
            "relay_state": form.first("RelayState"),
            "signed": element(&text, "SignatureValue").is_some(),
        }),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saml_tags_attributes_and_texts_are_found() {
        let text = "<?xml version='1.0'?><p:AuthnRequest\n ID=\"_7\" Other = 'a>b' X='1'><s:NameID a='b'>jo</s:NameID>";
        let tag = element(text, "AuthnRequest").unwrap();
        assert_eq!((attribute(tag, "ID"), attribute(tag, "I")), (Some("_7"), None));
        assert_eq!(content(text, "NameID"), Some("jo"));
        assert_eq!((content("<a", "a"), content("", "a"), element("<>", "a")), (None, None, None));
        for odd in ["a=", "a=x", "a='", "=''", "é='é'"] {
            assert_eq!(attribute(odd, "a"), None, "{odd}");
        }
    }
}
