//! The body of a recorded request, as that of a step.

use url::form_urlencoded;

use super::Reading;
use super::bits::LIKELY;
use super::file::{Entry, Pair, PostData};
use super::flow::{At, Flow};
use super::given::split;
use super::leaves::leaves;
use super::person::{is_password, names_person};
use super::sent::Part;
use crate::body;
use crate::form;
use crate::imported::{Body, Step};
use crate::multipart::{self, SentPart};
use crate::notation::{literal, outside};
use crate::pairs;
use brunt_flow_page::{FieldKind, Form};

/// What ends the words of a text that is no JSON and no form.
const ENDS: &[char] =
    &[' ', '\t', '\r', '\n', '<', '>', '"', '\'', '&', '=', ';', ',', '(', ')', '{', '}'];

impl Reading<'_> {
    pub(super) fn body(&mut self, entry: &Entry, step: &mut Step) {
        let kind = entry.request.kind();
        let data = entry.request.post_data.as_ref();
        let sent = data.and_then(|data| Some((data, parts(entry.request.sent_kind(), data)?)));
        step.body = match (sent, data) {
            (Some((_, sent)), _) => self.multipart(sent, &step.name),
            (None, Some(data)) => self.content(data, &kind, &step.name),
            (None, None) => Body::None,
        };
        if step.body == Body::None && announces_body(&entry.request.headers) {
            self.message.bodiless.insert(step.name.clone());
        }
        if matches!(step.body, Body::Multipart(_)) {
            step.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        }
        if matches!(step.body, Body::Form(_)) {
            step.headers.retain(|(name, value)| {
                !(name.eq_ignore_ascii_case("content-type")
                    && value.eq_ignore_ascii_case(form::TYPE))
            });
        }
    }

    /// A body that is no form of several parts.
    fn content(&mut self, data: &PostData, kind: &str, step: &str) -> Body {
        match data.content() {
            Some(Ok(text)) if kind.starts_with(form::TYPE) => self.flow.form(step, &text),
            Some(Ok(text)) => Body::Text(self.flow.text(step, &text)),
            Some(Err(bytes)) => {
                self.imported.notes.extend(body::left_in(&bytes, &self.flow.variables));
                Body::Bytes(bytes)
            }
            None if data.params.is_empty() => Body::None,
            None => {
                let value = |value: &Option<String>| value.clone().unwrap_or_default();
                let fields = data.params.iter().map(|it| (it.name.clone(), value(&it.value)));
                Body::Form(self.flow.fields(step, fields.collect()))
            }
        }
    }

    /// The parts of a form, with what answers gave and secrets in their texts replaced.
    fn multipart(&mut self, sent: Vec<SentPart>, step: &str) -> Body {
        let mut parts = Vec::new();
        for part in sent {
            if part.file.as_ref().is_some_and(|file| !file.is_empty()) && part.content.is_empty() {
                let note = format!(
                    "the content of the file in the field '{}' was not recorded",
                    part.name
                );
                self.imported.notes.push(note);
            }
            let Ok(text) = std::str::from_utf8(&part.content) else {
                let left = body::left_in(&part.content, &self.flow.variables);
                self.imported.notes.extend(left);
                parts.push(part.with(None));
                continue;
            };
            let name = part.name.as_str();
            let at = At { step, part: Part::Field, name, key: name };
            let stands = self.flow.replaced(at, text).unwrap_or_else(|| literal(text));
            let stands = body::part(name, &stands, &mut self.flow.variables);
            parts.push(part.with(Some(stands)));
        }
        Body::Multipart(parts)
    }
}

/// The parts of a recorded body, if it is a form that may contain files.
fn parts(kind: &str, data: &PostData) -> Option<Vec<SentPart>> {
    let whole = match data.content() {
        Some(Ok(text)) => return multipart::parts(kind, text.as_bytes()),
        Some(Err(bytes)) => return multipart::parts(kind, &bytes),
        None => data.params.iter().map(|param| SentPart {
            name: param.name.clone(),
            file: param.file_name.clone(),
            kind: param.content_type.clone(),
            content: param.value.clone().unwrap_or_default().into_bytes(),
        }),
    };
    let several = kind.trim().to_ascii_lowercase().starts_with("multipart/");
    (several && !data.params.is_empty()).then(|| whole.collect())
}

impl Flow {
    /// A field that was changed in a form of a page.
    pub(super) fn field_of_form(
        &mut self,
        step: &str,
        form: &Form,
        name: &str,
        value: &str,
    ) -> String {
        let kind = form.fields.iter().find(|field| field.name == name).map(|field| field.kind);
        let signs_in = form.fields.iter().any(|field| field.kind == FieldKind::Password);
        if kind == Some(FieldKind::Password) || is_password(name) {
            let called = form.id.as_deref().or(form.name.as_deref()).unwrap_or("form");
            let comment = format!("what the field '{name}' of form '{called}' held");
            return self.variables.secret(name, &literal(value), &comment);
        }
        if kind == Some(FieldKind::Text) && (signs_in || names_person(name)) && !value.is_empty() {
            return self.types(name, value);
        }
        self.field(step, name, value)
    }

    /// What a person typed at a sign-in.
    fn types(&mut self, name: &str, value: &str) -> String {
        let other = self.other.as_ref().and_then(|it| it.get(&(Part::Field, name.to_owned())));
        let other = other.cloned();
        self.sources.sent(value);
        self.person.types(name, value, other.as_deref())
    }

    fn field(&mut self, step: &str, name: &str, value: &str) -> String {
        let stands = self.replaced(At { step, part: Part::Field, name, key: name }, value);
        stands.unwrap_or_else(|| pairs::member(name, value, &mut self.variables))
    }

    fn fields(&mut self, step: &str, fields: Vec<(String, String)>) -> Vec<(String, String)> {
        let signs_in = fields.iter().any(|(name, _)| is_password(name));
        let stands = fields.into_iter().map(|(name, value)| {
            let typed = signs_in && names_person(&name) && !value.is_empty();
            let stands =
                if typed { self.types(&name, &value) } else { self.field(step, &name, &value) };
            (name, stands)
        });
        stands.collect()
    }

    /// The body of a form: its fields if splitting it loses nothing, else its text.
    fn form(&mut self, step: &str, text: &str) -> Body {
        let fields: Vec<(String, String)> =
            form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        let again = form_urlencoded::Serializer::new(String::new()).extend_pairs(&fields).finish();
        if fields.is_empty() || again != text.replace("%20", "+") {
            return Body::Text(self.text(step, text));
        }
        Body::Form(self.fields(step, fields))
    }

    /// The text of any other body.
    fn text(&mut self, step: &str, text: &str) -> String {
        let json = text.trim_start().starts_with(['{', '[']).then(|| leaves(text)).flatten();
        let Some(leaves) = json else {
            let stands = self.words(text);
            return body::text(&stands, &mut self.variables);
        };
        let signs_in = leaves.iter().any(|leaf| is_password(&leaf.name));
        let (mut out, mut kept) = (String::new(), 0);
        for leaf in &leaves {
            let at = At { step, part: Part::Member, name: &leaf.name, key: &leaf.pointer };
            let typed = signs_in && names_person(&leaf.name) && !leaf.value.is_empty();
            let stands = if typed {
                Some(self.types(&leaf.name, &leaf.value))
            } else {
                self.replaced(at, &leaf.value)
            };
            let Some(stands) = stands else { continue };
            out.push_str(&literal(&text[kept..leaf.range.start]));
            out.push_str(&outside(&stands, |plain| literal(&escaped(plain))));
            kept = leaf.range.end;
        }
        out.push_str(&literal(&text[kept..]));
        body::text(&out, &mut self.variables)
    }

    /// A text in which words that answers gave are replaced.
    fn words(&mut self, text: &str) -> String {
        let (mut out, mut kept) = (String::new(), 0);
        for range in split(text, ENDS).collect::<Vec<_>>() {
            let word = &text[range.clone()];
            let likely = super::bits::bits(word) >= LIKELY;
            let Some(stands) = likely.then(|| self.word(word)).flatten() else { continue };
            out.push_str(&literal(&text[kept..range.start]));
            out.push_str(&stands);
            kept = range.end;
        }
        out + &literal(&text[kept..])
    }
}

/// The inside of a text of JSON.
fn escaped(plain: &str) -> String {
    let quoted = serde_json::to_string(plain).unwrap_or_default();
    let inside = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.unwrap_or_default().to_owned()
}

/// Whether a request was sent with a body, by its header.
fn announces_body(headers: &[Pair]) -> bool {
    headers.iter().any(|Pair { name, value }| {
        let length = name.eq_ignore_ascii_case("content-length")
            && value.trim().parse::<u64>().is_ok_and(|length| length > 0);
        let kind = name.eq_ignore_ascii_case("content-type")
            && value.trim().to_ascii_lowercase().starts_with("multipart/");
        length || kind
    })
}
