//! Endpoints for testing clients: delays, statuses, bodies of any length, and echoes.

use std::borrow::Cow;
use std::io::Write as _;
use std::time::Duration;

use brunt_embedded::script;
use brunt_embedded::script::period::Range;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde_json::{Value, json};

use super::call::Call;
use super::log;
use super::refusal::Refusal;
use super::reply::{FILLING, Filler, Reply, TEXT};

/// A body up to this length is built as a whole before it is sent.
const WHOLE_BYTES: u64 = 64 << 10;

/// The answer of `/`.
pub(super) const WELCOME: &str = "brunt's embedded identity API. It is here to be loaded.";

/// `/sleep?ms=N`, or `?ms=A..B` for a random time in that range: answers after that time.
pub(super) fn sleep(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let wrong = || Refusal::new(400, "give the time to sleep as ms=10 or ms=10..20");
    let text = call.query().first("ms").ok_or_else(wrong)?;
    let (shortest, longest) = text.split_once("..").unwrap_or((&text, &text));
    let (shortest, longest) =
        (millis(shortest).ok_or_else(wrong)?, millis(longest).ok_or_else(wrong)?);
    let range = Range::new(shortest, longest).ok_or_else(wrong)?;
    let most = call.realm.config.sleep_max;
    if longest > most {
        let message = format!("the longest sleep is {} ms", most.as_millis());
        return Err(Refusal::new(400, message));
    }
    reply.wait = range.choose(script::chance(0, 0, call.number));
    reply.json(200, &json!({"slept_us": reply.wait.as_micros() as u64}));
    Ok(())
}

/// Milliseconds, with a fraction or without.
fn millis(text: &str) -> Option<Duration> {
    let millis: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(millis / 1000.0).ok()
}

/// `/status/NNN`: that status.
pub(super) fn status(text: &str, reply: &mut Reply) -> Result<(), Refusal> {
    let status = text.parse().ok().filter(|status| (200..=599).contains(status));
    let status = status.ok_or_else(|| Refusal::new(400, "a status is from 200 to 599"))?;
    reply.json(status, &json!({"status": status}));
    Ok(())
}

/// `/bytes/N`: a body of that length, in chunks with `?chunked=true`.
pub(super) fn bytes(call: &Call<'_>, text: &str, reply: &mut Reply) -> Result<(), Refusal> {
    let bytes = text
        .parse()
        .map_err(|_| Refusal::new(400, "give the number of bytes, such as /bytes/1000"))?;
    let chunked = call.query().first("chunked").is_some_and(|value| value == "true");
    reply.content_type = TEXT;
    if chunked || bytes > WHOLE_BYTES {
        reply.filler = Some(Filler { bytes, chunked });
    } else {
        reply.body.extend(FILLING.iter().cycle().take(bytes as usize));
    }
    Ok(())
}

/// `/echo`: the request as it arrived.
pub(super) fn echo(call: &Call<'_>, reply: &mut Reply) {
    let request = &call.request;
    let mut fields = serde_json::Map::new();
    request.fields.each(|name, value| {
        let name = String::from_utf8_lossy(name).to_lowercase();
        let value = String::from_utf8_lossy(value);
        let joined = match fields.get(&name).and_then(Value::as_str) {
            Some(before) => Cow::Owned(format!("{before}, {value}")),
            None => value,
        };
        fields.insert(name, joined.into());
    });
    let mut answer = json!({
        "method": request.method,
        "target": request.target,
        "path": request.path(),
        "query": request.query(),
        "version": request.version.name(),
        "headers": fields,
    });
    if let Some(answer) = answer.as_object_mut() {
        log::body(request, answer);
    }
    reply.json(200, &answer);
}

/// `/headers`: the fields as they arrived, in their order.
pub(super) fn headers(call: &Call<'_>, reply: &mut Reply) {
    reply.json(200, &json!({"headers": log::fields(&call.request)}));
}

/// `/cookies/set?name=value`: sets cookies.
pub(super) fn set_cookies(call: &Call<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let fits =
        |text: &str| text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b';' | b',' | b'"'));
    for (name, value) in call.query().pairs() {
        if name.is_empty() || name.contains('=') || !fits(&name) || !fits(&value) {
            return Err(Refusal::new(400, "that is no name or value of a cookie"));
        }
        reply.field("Set-Cookie", format!("{name}={value}; Path=/"));
    }
    reply.json(200, &json!({"set": reply.fields.len()}));
    Ok(())
}

/// `/cookies`: the cookies that arrived.
pub(super) fn cookies(call: &Call<'_>, reply: &mut Reply) {
    let cookies: serde_json::Map<_, Value> =
        call.cookies().map(|(name, value)| (name.to_owned(), value.into())).collect();
    reply.json(200, &json!({"cookies": cookies}));
}

/// `/redirect/N`: redirects to `/redirect/N-1` and so on to 0, with `?status=` for another than 302.
pub(super) fn redirect(call: &Call<'_>, text: &str, reply: &mut Reply) -> Result<(), Refusal> {
    let left: u32 =
        text.parse().map_err(|_| Refusal::new(400, "say how often, such as /redirect/3"))?;
    let status = call.query().first("status");
    let status = match status.as_deref() {
        None => 302,
        Some(text) => text
            .parse()
            .ok()
            .filter(|status| matches!(status, 301 | 302 | 303 | 307 | 308))
            .ok_or_else(|| Refusal::new(400, "a redirect is 301, 302, 303, 307 or 308"))?,
    };
    if left == 0 {
        reply.json(
            200,
            &json!({"method": call.request.method, "body_bytes": call.request.body_bytes}),
        );
        return Ok(());
    }
    reply.text(status, "elsewhere");
    reply.field("Location", format!("/redirect/{}?status={status}", left - 1));
    Ok(())
}

/// `/gzip` and `/deflate`: a body that is compressed.
pub(super) fn compressed(coding: &'static str, reply: &mut Reply) {
    reply.json(200, &json!({"coding": coding, "text": "compressed ".repeat(100)}));
    let body = std::mem::take(&mut reply.body);
    // Writing to memory does not fail.
    let packed = if coding == "gzip" {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&body).and_then(|()| encoder.finish())
    } else {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&body).and_then(|()| encoder.finish())
    };
    reply.body = packed.unwrap_or_default();
    reply.field("Content-Encoding", coding.to_owned());
}

/// `/xml`: a small document of XML, in the shape of a SAML response.
pub(super) fn xml(call: &Call<'_>, reply: &mut Reply) {
    reply.content_type = "application/xml;charset=utf-8";
    let _ = write!(
        reply.body,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
    xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r{n}" Version="2.0">
  <saml:Issuer>http://idp.example.com/openam</saml:Issuer>
  <samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>
  <saml:Assertion ID="_a{n}" Version="2.0">
    <saml:Subject>
      <saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">user.{n}</saml:NameID>
    </saml:Subject>
    <saml:AttributeStatement>
      <saml:Attribute Name="mail"><saml:AttributeValue>user.{n}@example.com</saml:AttributeValue></saml:Attribute>
    </saml:AttributeStatement>
  </saml:Assertion>
</samlp:Response>
"#,
        n = call.number
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleep_time_is_parsed_and_limited() {
        assert_eq!(millis("10"), Some(Duration::from_millis(10)));
        assert_eq!(millis("0.25"), Some(Duration::from_micros(250)));
        for wrong in ["", "x", "-1", "inf", "NaN", "1e300"] {
            assert_eq!(millis(wrong), None, "{wrong}");
        }
    }
}
