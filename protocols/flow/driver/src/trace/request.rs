//! What a step sent, derived from the plan and the variables, with secrets replaced by stars.

use super::bytes::Bytes;
use crate::http::{Content, HttpExchange};
use crate::json_set::{JsonPlace, JsonSet, secret_word};
use crate::page_request::SentForm;
use crate::plan::Payload;
use crate::upload::{PartContent, Upload, UploadPart};
use brunt_dhcp_driver::Kind;
use brunt_feed::{Text, TextPiece, Values};
use brunt_flow_page::{SentField, encoded};
use brunt_http_driver::Request;
use brunt_ldap_driver::LdapOperation;
use brunt_redact::{HIDDEN, is_secret_name};

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TracedRequest {
    /// Over HTTP.
    Http {
        /// The method.
        method: String,
        /// The URL.
        url: String,
        /// The fields; those that the client added are last.
        fields: Vec<(String, String)>,
        /// The body.
        body: Option<Bytes>,
    },
    /// With another protocol, in words.
    Words {
        /// The protocol.
        protocol: &'static str,
        /// A description of the request.
        lines: Vec<String>,
    },
}

/// The request of a step, filled in with the values it was sent with.
pub(super) fn traced(payload: &Payload, values: &Values) -> TracedRequest {
    let filling = Filling { values };
    match payload {
        Payload::Http(http) => filling.http(http),
        Payload::Ldap(ldap) => filling.ldap(ldap.operation()),
        Payload::Dhcp(kind) => {
            let kind = match kind {
                Kind::Acquire => "acquire a lease",
                Kind::Renew => "renew the lease",
                Kind::Rebind => "rebind the lease",
                Kind::Release => "release the lease",
                Kind::Decline => "decline the lease",
                Kind::Reboot => "ask whether the lease still holds",
                Kind::Inform => "ask for options",
            };
            TracedRequest::Words { protocol: "DHCP", lines: vec![kind.to_owned()] }
        }
    }
}

/// The request of a step in lines, for the text of a failure: what a trace shows of it.
pub(crate) fn in_lines(payload: &Payload, values: &Values) -> String {
    match traced(payload, values) {
        TracedRequest::Words { lines, .. } => lines.join("\n"),
        TracedRequest::Http { method, url, fields, body } => {
            let fields = fields.into_iter().map(|(name, value)| format!("{name}: {value}"));
            let body = body.map(|body| match body.text {
                Some(text) => format!("\n{text}"),
                None => format!("\n({} bytes)", body.length),
            });
            let parts = [format!("{method} {url}")].into_iter().chain(fields).chain(body);
            parts.collect::<Vec<_>>().join("\n")
        }
    }
}

/// A request that a page decided: the request, its URL, and the form it sent.
pub(crate) type SentByPage<'a> = (&'a Request, &'a [u8], Option<&'a SentForm>);

/// A request that a page decided. What the page put into it is replaced by stars; of the URL that is its query.
pub(super) fn of_page((request, url, form): SentByPage<'_>, values: &Values) -> TracedRequest {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let url = text(url);
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    let path = brunt_redact::url(&values.shown(path));
    let content_type = request.value("content-type").map(text).unwrap_or_default();
    let fields = form.map(|form| encoded(&content_type, &fields(form, values)));
    let query = match (&fields, form) {
        (Some(fields), Some(form)) if !form.post => fields.clone(),
        _ if query.is_empty() => String::new(),
        _ => HIDDEN.to_owned(),
    };
    let field = |(name, value): (&[u8], &[u8])| {
        let (name, value) = (text(name), values.shown(&text(value)));
        let value = brunt_redact::header(&name, &value);
        let value =
            value.split_once('?').map_or(value.clone(), |(path, _)| format!("{path}?{HIDDEN}"));
        (name, value)
    };
    let body = request
        .body()
        .bytes()
        .zip(fields)
        .map(|(body, fields)| Bytes::of_shown(&fields, body.len() as u64, true));
    TracedRequest::Http {
        method: text(request.method()),
        url: if query.is_empty() { path } else { format!("{path}?{query}") },
        fields: request.fields().map(field).collect(),
        body,
    }
}

/// The fields of a form: those that the page set without their values.
fn fields(form: &SentForm, values: &Values) -> Vec<SentField> {
    let field = |field: &SentField| {
        let shown = match (field.given, field.value.as_str()) {
            (_, "") => String::new(),
            (true, value) if !is_secret_name(&field.name) => {
                brunt_redact::text(&values.shown(value))
            }
            _ => HIDDEN.to_owned(),
        };
        field.with_value(shown)
    };
    form.fields.iter().map(field).collect()
}

/// The form that was sent: which one, the fields that the step set, and those that the page brought.
pub(super) fn form_words(form: &SentForm) -> String {
    let names = |given: bool| {
        let fields = form.fields.iter().filter(|field| field.given == given);
        fields.map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let part = |names: String, words: &str| {
        if names.is_empty() { String::new() } else { format!("; {words} {names}") }
    };
    let (set, brought) = (part(names(true), "set"), part(names(false), "from the page"));
    format!("{}{set}{brought}", form.form)
}

/// The variables that texts are filled in with.
struct Filling<'a> {
    values: &'a Values,
}

impl Filling<'_> {
    fn http(&self, http: &HttpExchange) -> TracedRequest {
        let mut url = Vec::new();
        // A text without a value is never sent.
        let _ = http.url.render(self.values, &mut url);
        let base = http.base_before(&url).map(Text::pieces);
        let url =
            Text::from_pieces(base.unwrap_or_default().iter().chain(http.url.pieces()).cloned());
        let field = |(name, value): &(String, Text)| {
            (name.clone(), self.redacted(value, |value| brunt_redact::header(name, value)))
        };
        let mut fields: Vec<_> = http.fields.iter().map(field).collect();
        if let Content::Upload(upload) = &http.body {
            let (content_type, body) = self.upload(upload);
            fields.push(("Content-Type".to_owned(), content_type));
            let (method, url) = (http.method.clone(), self.redacted(&url, brunt_redact::url));
            return TracedRequest::Http { method, url, fields, body: Some(body) };
        }
        TracedRequest::Http {
            method: http.method.clone(),
            url: self.redacted(&url, brunt_redact::url),
            fields,
            body: match &http.body {
                Content::None | Content::Upload(_) => None,
                Content::Json(json) => {
                    // JSON that cannot be changed is never sent.
                    let body = json.filled(self.values).unwrap_or_default();
                    let shown = self.json(json, &body);
                    Some(Bytes::of_shown(&shown, body.len() as u64, true))
                }
                Content::File(choice) => {
                    let content = choice.content(self.values).ok().flatten();
                    content.map(|bytes| Bytes::new(bytes, bytes.len() as u64, self.values))
                }
                Content::Text(text) => {
                    let shown = self.redacted(text, brunt_redact::text);
                    Some(Bytes::of_shown(&shown, shown.len() as u64, true))
                }
                Content::Fixed(body) => {
                    body.bytes().map(|bytes| Bytes::new(bytes, bytes.len() as u64, self.values))
                }
            },
        }
    }

    /// What is shown of JSON with some of its values replaced. If it was a secret before, only these values are shown.
    fn json(&self, json: &JsonSet, body: &[u8]) -> String {
        if !json.text.holes().any(|hole| self.values.is_hidden(hole)) {
            return brunt_redact::text(&self.values.shown(&String::from_utf8_lossy(body)));
        }
        let member = |(place, text): &(JsonPlace, Text)| {
            let place = place.to_string();
            let secret = secret_word(&place).is_some();
            let value =
                if secret { HIDDEN.to_owned() } else { self.redacted(text, brunt_redact::text) };
            format!("{place} = {value}")
        };
        let members: Vec<String> = json.members.iter().map(member).collect();
        format!("{HIDDEN} with {}", members.join(", "))
    }

    /// The content type and the parts of a form, those that are files by their lengths.
    fn upload(&self, upload: &Upload) -> (String, Bytes) {
        let mut body = Vec::new();
        let content = |part: &UploadPart, out: &mut Vec<u8>| {
            out.extend_from_slice(self.part(part).as_bytes());
            Ok(())
        };
        // A text without a value is never sent.
        let content_type = upload.write(self.values, &mut body, content).unwrap_or_default();
        let content_type = String::from_utf8_lossy(&content_type).into_owned();
        let shown = self.values.shown(&String::from_utf8_lossy(&body));
        let files = upload.parts.iter().any(|part| !matches!(part.content, PartContent::Text(_)));
        (content_type, Bytes::of_shown(&shown, shown.len() as u64, !files))
    }

    /// What is shown of the content of a part.
    fn part(&self, part: &UploadPart) -> String {
        let file = match &part.content {
            PartContent::Text(_) if is_secret_name(&self.filled(&part.name).0) => {
                return HIDDEN.to_owned();
            }
            PartContent::Text(text) => return self.redacted(text, brunt_redact::text),
            PartContent::File(bytes) => Some(bytes),
            PartContent::Varying(choice) => choice.content(self.values).ok().flatten(),
        };
        format!("({} bytes of a file)", file.map_or(0, |bytes| bytes.len()))
    }

    /// An operation in lines that read like LDIF or the description of a search.
    fn ldap(&self, operation: &LdapOperation) -> TracedRequest {
        let line = |text: &Text| self.redacted(text, brunt_redact::text);
        let value = |name: &str, text: &Text| {
            let shown = if is_secret_name(name) { HIDDEN.to_owned() } else { line(text) };
            format!("{name}: {shown}")
        };
        let lines = match operation {
            LdapOperation::Bind { dn, password } => {
                let (password, _) = self.filled(password);
                let shown = if password.is_empty() { "(none)" } else { HIDDEN };
                vec![format!("bind as {}", line(dn)), format!("password: {shown}")]
            }
            LdapOperation::Search { base, scope, filter, attributes, size_limit } => {
                let scope = format!("{scope:?}").to_ascii_lowercase();
                let mut lines = vec![
                    format!("search {} ({scope})", line(base)),
                    format!("filter: {}", line(filter)),
                ];
                if !attributes.is_empty() {
                    lines.push(format!("attributes: {}", attributes.join(" ")));
                }
                if *size_limit > 0 {
                    lines.push(format!("size limit: {size_limit}"));
                }
                lines
            }
            LdapOperation::Compare { dn, attribute, value: text } => {
                vec![format!("compare {}", line(dn)), value(attribute, text)]
            }
            LdapOperation::Modify { dn, changes } => {
                let mut lines = vec![format!("modify {}", line(dn))];
                for (op, attribute, texts) in changes {
                    let op = format!("{op:?}").to_ascii_lowercase();
                    lines.push(format!("{op}: {attribute}"));
                    lines.extend(texts.iter().map(|text| value(attribute, text)));
                }
                lines
            }
            LdapOperation::Add { dn, attributes } => {
                let mut lines = vec![format!("add {}", line(dn))];
                let all = attributes
                    .iter()
                    .flat_map(|(name, texts)| texts.iter().map(move |text| value(name, text)));
                lines.extend(all);
                lines
            }
            LdapOperation::Delete { dn } => vec![format!("delete {}", line(dn))],
        };
        TracedRequest::Words { protocol: "LDAP", lines }
    }

    /// A text filled in, with what `redact` finds in it replaced by stars. The values of variables that the plan says
    /// are no secrets stay, whatever they look like: until then their names are in their place, which are kept.
    fn redacted(&self, text: &Text, redact: impl Fn(&str) -> String) -> String {
        let (filled, open) = self.filled(text);
        let shown = redact(&filled);
        open.iter().fold(shown, |shown, (name, value)| shown.replace(name, value))
    }

    /// A text filled in with its values, and the values of variables that are no secrets, by the names in their place.
    /// Secrets are replaced by stars wherever a value contains them; the plan's own text stays. A variable
    /// without a value is shown as `(no value)`.
    fn filled(&self, text: &Text) -> (String, Vec<(String, String)>) {
        let (mut out, mut open) = (Vec::new(), Vec::new());
        for piece in text.pieces() {
            let (hole, escape) = match piece {
                TextPiece::Literal(bytes) => {
                    out.extend_from_slice(bytes);
                    continue;
                }
                TextPiece::Hole(hole, escape) => (*hole, *escape),
            };
            let shown = match self.values.value(hole) {
                _ if self.values.is_hidden(hole) => HIDDEN.to_owned(),
                Some(value) => {
                    let mut bytes = value.to_vec();
                    escape.apply(&mut bytes, 0);
                    self.values.shown(&String::from_utf8_lossy(&bytes))
                }
                None => "(no value)".to_owned(),
            };
            if self.values.is_open(hole) {
                // A character for private use, so that no text of the plan is taken for it.
                let name = format!("${{\u{e000}{}}}", hole.0);
                out.extend_from_slice(name.as_bytes());
                open.push((name, shown));
            } else {
                out.extend_from_slice(shown.as_bytes());
            }
        }
        (String::from_utf8_lossy(&out).into_owned(), open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_feed::{Escape, Hole};

    /// What is shown of a request with these values of `a` and `b`, which are given as marked.
    fn shown(url: &str, body: &str, values: &Values) -> (String, String) {
        let text = |text: &str| {
            let hole = |name: &str| match name {
                "a" => Some(Hole(0)),
                "b" => Some(Hole(1)),
                _ => None,
            };
            Text::parse(text, Escape::None, hole).unwrap()
        };
        let http = HttpExchange {
            url: text(url),
            base: Some(Text::literal("http://h/app")),
            body: Content::Text(text(body)),
            ..HttpExchange::default()
        };
        match traced(&Payload::Http(Box::new(http)), values) {
            TracedRequest::Http { url, body, .. } => (url, body.unwrap().text.unwrap()),
            TracedRequest::Words { lines, .. } => panic!("{lines:?}"),
        }
    }

    #[test]
    fn secret_is_hidden_where_filled_in_but_not_in_plan_text() {
        let mut values = Values::new(2);
        values.set(Hole(0), b"password");
        values.hide_always(Hole(0));
        values.set(Hole(1), b"my password is it");
        let body = "grant_type=password&password=${a}&note=${b}";
        let (url, body) = shown("${b}", body, &values);
        assert_eq!(url, "my *** is it");
        assert_eq!(body, "grant_type=password&password=***&note=my *** is it");
    }

    #[test]
    fn secret_json_shows_only_replaced_members() {
        let hole = |hole| Text::from_pieces([TextPiece::Hole(Hole(hole), Escape::None)]);
        let place = |text: &str| JsonPlace::parse(text).unwrap();
        let members = vec![(place("/user"), hole(1)), (place("/password"), Text::literal("\"p\""))];
        let json = JsonSet { text: hole(0), members, skip: false };
        let mut values = Values::new(2);
        values.set(Hole(0), br#"{"id":"i7","user":"","password":""}"#);
        values.set(Hole(1), b"\"jo\"");
        let http = HttpExchange { body: Content::Json(Box::new(json)), ..HttpExchange::default() };
        let payload = Payload::Http(Box::new(http));
        let shown = |values: &Values| match traced(&payload, values) {
            TracedRequest::Http { body, .. } => body.unwrap().text.unwrap(),
            TracedRequest::Words { lines, .. } => panic!("{lines:?}"),
        };
        assert_eq!(shown(&values), r#"{"id":"i7","user":"jo","password":"***"}"#);
        values.hide(Hole(0), true);
        assert_eq!(shown(&values), "*** with /user = \"jo\", /password = ***");
    }

    #[test]
    fn secret_false_shows_a_value() {
        let mut values = Values::new(2);
        values.set(Hole(0), b"/login?session_id=aBcDeFgHiJkLmN0123456789");
        let starred = "http://h/app/login?session_id=***";
        assert_eq!(shown("${a}", "", &values).0, starred);
        values.hide(Hole(0), true);
        assert_eq!(shown("${a}", "", &values).0, "http://h/app***");
        values.hide_never(Hole(0));
        let whole = "http://h/app/login?session_id=aBcDeFgHiJkLmN0123456789";
        assert_eq!(shown("${a}", "token=${a}", &values).0, whole);
    }
}
