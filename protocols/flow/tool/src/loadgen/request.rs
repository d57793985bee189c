//! A task's request on the wire: the method, the URL, the fields and the payload.
//!
//! LoadGen leaves some of it to the Java library it uses; the effect of that library on a request is reproduced here,
//! because servers were measured with it.

use brunt_feed::Escape;
use serde::de::IgnoredAny;

use super::draft::{Bit, Drafting, Payload, Send, Words};
use super::file_position::FilePosition;
use super::job_error::JobError;
use super::names::{Names, Part};
use super::repairs::Repair;
use super::task::{Data, Request, is_token};
use crate::report::Compatibility;

/// The default `Accept` of Java's client.
const ACCEPT: &str = "text/html, image/gif, image/jpeg, */*; q=0.2";
/// The default content type of a payload.
const FORM: &str = "application/x-www-form-urlencoded";
const JAVA: &str = "Java/1.8.0_181";
const BRUNT: &str = concat!("brunt/", env!("CARGO_PKG_VERSION"));

/// Decides what is sent. The caller, which knows the workload, fills in the operation and the threshold.
pub(super) fn settle(drafting: &mut Drafting<'_>, request: &Request) -> Result<Send, JobError> {
    let names = Names::new(request);
    let compatible = drafting.draft.manner == Compatibility::Compatible;
    if !["http://", "https://"].iter().any(|scheme| request.base.starts_with(scheme)) {
        let spot = request.attributes.base_spot().unwrap_or(&request.spot);
        return Err(spot.fault(
            format!("the location \"{}\" has no scheme", request.base),
            format!("write http://{} or https://{0}", request.base),
        ));
    }
    let mut url = drafting.words(&request.base, Part::Location, &names, request)?;
    url = url.then(drafting.words(&request.endpoint, Part::Endpoint, &names, request)?);
    url = url.then(drafting.words(&request.payload, Part::Payload, &names, request)?);
    let mut fields = Vec::new();
    for (name, value) in &request.attributes.header {
        let words = drafting.words(value, Part::Field(name), &names, request)?;
        fields.push((name.clone(), words));
    }
    fits(&url, &fields, &request.spot)?;
    let mut method = request.method.clone();
    match (&request.data, method.as_str()) {
        (Some(_), "GET") if compatible => "POST".clone_into(&mut method),
        (Some(_), "GET") => drafting.repaired(Repair::Get),
        (_, "PATCH") => drafting.repaired(Repair::Patch),
        _ => {}
    }
    add_usual(&mut fields, &method, request.data.is_some(), compatible);
    let body = match &request.data {
        None => None,
        Some(data) => Some(payload(drafting, data, &fields, &names, request)?),
    };
    Ok(Send { operation: 0, method, url, fields, body, keeps: Vec::new(), threshold: None })
}

/// Refuses what no request can carry, as far as it is in the files of the job. Values are examined before the run.
fn fits(url: &Words, fields: &[(String, Words)], spot: &FilePosition) -> Result<(), JobError> {
    if let Some(byte) = url.literals().find(|byte| !(0x21..0x7f).contains(byte)) {
        let what = match byte {
            b' ' => "its URL contains a space".to_owned(),
            byte => format!("its URL contains the byte {byte:#04x}"),
        };
        return Err(spot.fault(what, format!("write it as %{byte:02X}")));
    }
    for (name, value) in fields {
        if name.is_empty() || !name.bytes().all(is_token) {
            let what = format!("\"{}\" is not a valid header name", name.escape_debug());
            return Err(spot.fault(what, "write letters, digits and hyphens"));
        }
        if let Some(byte) = value.literals().find(|byte| byte.is_ascii_control() && *byte != b'\t')
        {
            let what = format!("its header {name} contains the control character {byte:#04x}");
            return Err(spot.fault(what, "leave it out"));
        }
    }
    Ok(())
}

/// Adds the fields of every request, unless the task has them.
fn add_usual(fields: &mut Vec<(String, Words)>, method: &str, carries: bool, compatible: bool) {
    let mut usual = |name: &str, value: &str| {
        if !fields.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            fields.push((name.to_owned(), Words::literal(value)));
        }
    };
    usual("User-Agent", if compatible { JAVA } else { BRUNT });
    usual("Accept", ACCEPT);
    if carries && method != "PUT" {
        usual("Content-Type", FORM);
    }
}

fn payload(
    drafting: &mut Drafting<'_>,
    data: &Data,
    fields: &[(String, Words)],
    names: &Names,
    request: &Request,
) -> Result<Payload, JobError> {
    let compatible = drafting.draft.manner == Compatibility::Compatible;
    if matches!(data, Data::List(_)) {
        drafting.repaired(Repair::Arrays);
    }
    let text = data.text();
    if text.contains('\\') {
        drafting.repaired(Repair::Backslashes);
    }
    let (text, escape) = match data {
        _ if compatible => (text.replace('\\', ""), Escape::None),
        Data::Object(_) | Data::List(_) => (text.to_owned(), Escape::Json),
        Data::Text(_) => (text.to_owned(), escape_of(fields)),
    };
    let part = match data {
        Data::Text(_) => Part::Text,
        Data::Object(_) | Data::List(_) => Part::Json,
    };
    // Text that is JSON with its wildcards has them within strings.
    let is_json = escape == Escape::Json && serde_json::from_str::<IgnoredAny>(&text).is_ok();
    Ok(Payload { words: drafting.words(&text, part, names, request)?, escape, is_json })
}

/// How values are escaped in a payload that is a string: according to its content type.
fn escape_of(fields: &[(String, Words)]) -> Escape {
    let named = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("Content-Type"));
    let literal = named.map(|(_, words)| &words.0[..]);
    let Some([Bit::Literal(content)]) = literal else { return Escape::None };
    let content = content.to_ascii_lowercase();
    if content.contains("x-www-form-urlencoded") {
        Escape::Form
    } else if content.contains("json") {
        Escape::Json
    } else {
        Escape::None
    }
}
