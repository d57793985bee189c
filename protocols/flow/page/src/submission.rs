//! [`Submission`]: the request that sends a form, as a browser makes it.

use crate::form::{Button, FieldKind, Form};
use crate::multipart::{FormParts, MULTIPART, PartHead};
use crate::page::Page;
use crate::page_error::FormError;
use std::convert::Infallible;
use url::Url;
use url::form_urlencoded::Serializer;

/// The content types of bodies that are text.
const PLAIN: &str = "text/plain";
const URLENCODED: &str = "application/x-www-form-urlencoded";

/// A field that a step sets, and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The name of the field.
    pub name: String,
    /// Its values: each becomes a field of the name.
    pub values: Vec<String>,
}

/// The request that sends a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Whether it is a POST, and not a GET.
    pub post: bool,
    /// Where it goes.
    pub url: Url,
    /// The type of the body, of a POST.
    pub content_type: String,
    /// The body, of a POST.
    pub body: Vec<u8>,
    /// The fields that are sent, in order.
    pub fields: Vec<SentField>,
}

/// A name and a value that are sent; a file has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentField {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether the step set it, and not the page.
    pub given: bool,
    file: bool,
}

impl SentField {
    /// The same field with another value.
    #[must_use]
    pub fn with_value(&self, value: String) -> Self {
        Self { name: self.name.clone(), value, ..*self }
    }
}

impl Form {
    /// The fields that are sent as the page is, by this button.
    pub fn sent(&self, button: Option<&Button>) -> Vec<SentField> {
        entries(self, &[], button)
    }
}

impl Submission {
    /// The request that sends a form of a page with these fields set, by the button with this name or the first.
    pub fn new(
        page: &Page,
        form: &Form,
        given: &[Given],
        press: Option<&str>,
    ) -> Result<Self, FormError> {
        let button = button(form, press)?;
        let of_button = |own: fn(&Button) -> Option<&String>| button.and_then(own);
        let action = of_button(|button| button.action.as_ref()).unwrap_or(&form.action);
        let method = of_button(|button| button.method.as_ref()).unwrap_or(&form.method);
        let enctype = of_button(|button| button.enctype.as_ref()).unwrap_or(&form.enctype);
        // An empty action means the page, whatever its base is.
        let url =
            if action.trim().is_empty() { Some(page.url.clone()) } else { page.resolve(action) };
        let mut url = url.ok_or_else(|| FormError::Action(action.clone()))?;
        url.set_fragment(None);
        let entries = entries(form, given, button);
        if !method.trim().eq_ignore_ascii_case("post") {
            url.set_query(Some(&urlencoded(&entries)));
            let (content_type, body) = (String::new(), Vec::new());
            return Ok(Self { post: false, url, content_type, body, fields: entries });
        }
        let (content_type, body) = body(enctype, &entries);
        Ok(Self { post: true, url, content_type, body, fields: entries })
    }
}

/// The content type and the body of these fields, in the encoding that a form names.
fn body(enctype: &str, entries: &[SentField]) -> (String, Vec<u8>) {
    let named = |name: &str| enctype.trim().eq_ignore_ascii_case(name);
    if named("multipart/form-data") {
        let mut body = Vec::new();
        let Ok(line) = FormParts::write(&mut body, |parts| multipart(entries, parts));
        return (format!("{MULTIPART}{line}"), body);
    }
    let content_type = if named(PLAIN) { PLAIN } else { URLENCODED };
    (content_type.to_owned(), encoded(content_type, entries).into_bytes())
}

/// The fields in the encoding of a content type that a [`Submission`] has. Without one, it is that of a query.
pub fn encoded(content_type: &str, fields: &[SentField]) -> String {
    if let Some(line) = content_type.strip_prefix(MULTIPART) {
        let mut body = Vec::new();
        let Ok(_) = FormParts::between(line, &mut body, |parts| multipart(fields, parts));
        return String::from_utf8_lossy(&body).into_owned();
    }
    if content_type == PLAIN {
        let lines = fields.iter().flat_map(|field| [&field.name, "=", &field.value, "\r\n"]);
        return lines.collect();
    }
    urlencoded(fields)
}

/// The button that sends the form: the named one, or the first, if there is one.
fn button<'f>(form: &'f Form, press: Option<&str>) -> Result<Option<&'f Button>, FormError> {
    let Some(name) = press else { return Ok(form.buttons.first()) };
    let named = form.buttons.iter().find(|button| button.name.as_deref() == Some(name));
    named.map(Some).ok_or_else(|| FormError::NoButton {
        name: name.to_owned(),
        form: form.words(),
        buttons: form.buttons.iter().filter_map(|button| button.name.clone()).collect(),
    })
}

/// What is sent, in the order of the page: a field that is given has its new values in its first place.
fn entries(form: &Form, given: &[Given], button: Option<&Button>) -> Vec<SentField> {
    let mut entries = Vec::new();
    let mut set = vec![false; given.len()];
    let values = |given: &Given| -> Vec<SentField> {
        let entry = |value: &String| SentField {
            name: given.name.clone(),
            value: crlf(value),
            given: true,
            file: false,
        };
        given.values.iter().map(entry).collect()
    };
    for field in &form.fields {
        match given.iter().position(|given| given.name == field.name) {
            Some(number) if set[number] => {}
            Some(number) => {
                set[number] = true;
                entries.extend(values(&given[number]));
            }
            None if field.sent => entries.push(SentField {
                name: field.name.clone(),
                value: crlf(&field.value),
                given: false,
                file: field.kind == FieldKind::File,
            }),
            None => {}
        }
    }
    let added = given.iter().zip(set).filter(|(_, set)| !set);
    entries.extend(added.flat_map(|(given, _)| values(given)));
    entries.extend(button.into_iter().flat_map(pressed));
    entries
}

/// What a button adds.
fn pressed(button: &Button) -> Vec<SentField> {
    let entry = |name: String, value: &str| SentField {
        name,
        value: value.to_owned(),
        given: false,
        file: false,
    };
    match (&button.name, button.picture) {
        (Some(name), false) => vec![entry(name.clone(), &button.value)],
        (None, false) => Vec::new(),
        (name, true) => {
            let before = name.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
            ["x", "y"].map(|axis| entry(format!("{before}{axis}"), "0")).into()
        }
    }
}

/// A text with the line ends that forms are sent with.
fn crlf(text: &str) -> String {
    if !text.contains(['\r', '\n']) {
        return text.to_owned();
    }
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n")
}

fn urlencoded(entries: &[SentField]) -> String {
    let pairs = entries.iter().map(|entry| (&entry.name, &entry.value));
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// The parts of a form.
fn multipart(entries: &[SentField], parts: &mut FormParts<'_>) -> Result<(), Infallible> {
    entries.iter().try_for_each(|entry| {
        let head = PartHead {
            name: entry.name.as_bytes(),
            file: entry.file.then_some(&[][..]),
            content_type: entry.file.then_some(&b"application/octet-stream"[..]),
        };
        parts.part(head, |out| {
            out.extend_from_slice(entry.value.as_bytes());
            Ok(())
        })
    })
}
