//! What a person did on a page: sent one of its forms, or followed one of its links.

use brunt_flow_page::{Button, Field, FieldKind, Form, SentField};
use url::{Url, form_urlencoded};

use super::bits::{LIKELY, bits};
use super::file::Entry;
use super::given::{SEPARATORS, split};
use super::page::{Link, Page, is_name, is_quotable};
use crate::form::TYPE;

/// A form that was sent.
#[derive(Debug)]
pub(super) struct Sent<'a> {
    pub(super) form: &'a Form,
    /// What selects the form.
    pub(super) selector: String,
    /// The button that was pressed, if it is not the first.
    pub(super) press: Option<String>,
    /// The fields whose values are not those of the page, with all their values.
    pub(super) changed: Vec<(String, String)>,
    /// Fields of the page that were not sent.
    pub(super) unsent: Vec<String>,
}

/// The form of a page that a request sends.
pub(super) fn sent<'a>(page: &'a Page, entry: &Entry, url: &Url) -> Option<Sent<'a>> {
    let fields = fields(entry, url)?;
    let whole = page.forms.iter().filter(|form| !form.is_cut());
    let fitting = whole.filter_map(|form| {
        let selector = selector(page, form)?;
        let sent = of_form(page, form, entry, url, &fields)?;
        Some(Sent { selector, ..sent })
    });
    fitting.min_by_key(|sent| sent.changed.len())
}

/// The fields that a request sends, as a form does.
fn fields(entry: &Entry, url: &Url) -> Option<Vec<(String, String)>> {
    let owned = |text: &[u8]| form_urlencoded::parse(text).into_owned().collect::<Vec<_>>();
    let request = &entry.request;
    match request.method.as_str() {
        "GET" => Some(owned(url.query()?.as_bytes())),
        "POST" => {
            let Some(data) = &request.post_data else { return Some(Vec::new()) };
            if !request.kind().starts_with(TYPE) {
                return None;
            }
            match data.content() {
                Some(Ok(text)) => Some(owned(text.as_bytes())),
                Some(Err(_)) => None,
                None => {
                    let value = |value: &Option<String>| value.clone().unwrap_or_default();
                    let params = data.params.iter();
                    Some(params.map(|it| (it.name.clone(), value(&it.value))).collect())
                }
            }
        }
        _ => None,
    }
}

fn of_form<'a>(
    page: &Page,
    form: &'a Form,
    entry: &Entry,
    url: &Url,
    fields: &[(String, String)],
) -> Option<Sent<'a>> {
    let sends = |name: &str| fields.iter().any(|(known, _)| known == name);
    let first = form.buttons.first();
    let named = |button: &&Button| button.name.as_deref().is_some_and(sends);
    let pressed = form.buttons.iter().find(named).or(first);
    let of_button = |own: fn(&Button) -> Option<&String>| pressed.and_then(own);
    let action = of_button(|button| button.action.as_ref()).unwrap_or(&form.action);
    let method = of_button(|button| button.method.as_ref()).unwrap_or(&form.method);
    let is_post = method.trim().eq_ignore_ascii_case("post");
    let mut target = page.resolve(action)?;
    let mut requested = url.clone();
    if !is_post {
        target.set_query(None);
        requested.set_query(None);
    }
    // A dialogue is closed, and nothing is sent.
    let dialog = method.trim().eq_ignore_ascii_case("dialog");
    if dialog || entry.request.method != if is_post { "POST" } else { "GET" } || target != requested
    {
        return None;
    }
    let own = form.sent(pressed);
    // A script that sends a request there leaves out fields that are not shown; a person cannot.
    let hidden = |field: &&Field| field.kind == FieldKind::Hidden && field.sent;
    if form.fields.iter().filter(hidden).any(|field| !sends(&field.name))
        || !is_post && own.is_empty()
    {
        return None;
    }
    let unsent = form.sent(None).into_iter().filter(|field| !sends(&field.name));
    let of_page = |name: &str| -> Vec<&str> { values_of(&own, name).collect() };
    let of_request = |name: &str| -> Vec<&str> {
        fields.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    };
    let changed = fields.iter().filter(|(name, _)| of_page(name) != of_request(name)).cloned();
    let press = pressed.filter(|it| first.is_none_or(|first| !std::ptr::eq(first, *it)));
    let press = press.and_then(|button| button.name.clone());
    let (changed, unsent) = (changed.collect(), unsent.map(|field| field.name).collect());
    Some(Sent { form, selector: String::new(), press, changed, unsent })
}

/// The values of the fields of a name.
fn values_of<'f>(fields: &'f [SentField], name: &str) -> impl Iterator<Item = &'f str> {
    fields.iter().filter(move |field| field.name == name).map(|field| field.value.as_str())
}

/// A selector of a form that selects no other of the page; none if there is none that will do for other users.
fn selector(page: &Page, form: &Form) -> Option<String> {
    let only = |attribute: &str, value: &str| {
        page.forms.iter().filter(|it| own(it, attribute) == Some(value)).count() == 1
    };
    if let Some(id) = own(form, "id").filter(|id| is_name(id) && is_steady(id) && only("id", id)) {
        return Some(format!("#{id}"));
    }
    for attribute in ["name", "action"] {
        let value = own(form, attribute).filter(|it| is_quotable(it) && only(attribute, it));
        let Some(value) = value else { continue };
        if is_steady(value) {
            return Some(format!("form[{attribute}='{value}']"));
        }
        let begin = steady_part(value);
        let begins = |it: &&Form| own(it, attribute).is_some_and(|it| it.starts_with(begin));
        if begin.len() > 1 && page.forms.iter().filter(begins).count() == 1 {
            return Some(format!("form[{attribute}^='{begin}']"));
        }
    }
    (page.forms.len() == 1).then(|| "form".to_owned())
}

/// An attribute of a form that a selector may name.
fn own<'f>(form: &'f Form, attribute: &str) -> Option<&'f str> {
    match attribute {
        "id" => form.id.as_deref(),
        "name" => form.name.as_deref(),
        _ => Some(&*form.action),
    }
}

/// A link of a page that a request follows, by its selector, if its URL is another for each user.
pub(super) fn followed(page: &Page, entry: &Entry, url: &Url) -> Option<String> {
    if entry.request.method != "GET" {
        return None;
    }
    let link = page.links.iter().find(|link| page.resolve(&link.to).as_ref() == Some(url))?;
    if is_steady(&link.to) {
        return None;
    }
    link_selector(page, link)
}

fn link_selector(page: &Page, link: &Link) -> Option<String> {
    if let Some(id) = link.id.as_deref().filter(|id| is_name(id) && is_steady(id)) {
        return Some(format!("#{id}"));
    }
    let begin = steady_part(&link.to);
    let fits = begin.len() > 1 && is_quotable(begin) && page.is_first_link(link, begin);
    fits.then(|| format!("a[href^='{begin}']"))
}

/// Whether no piece of a text is drawn.
fn is_steady(text: &str) -> bool {
    steady_part(text).len() == text.len()
}

/// A text up to its first piece that is drawn.
fn steady_part(text: &str) -> &str {
    let drawn = split(text, SEPARATORS).find(|range| bits(&text[range.clone()]) >= LIKELY);
    drawn.map_or(text, |range| &text[..range.start])
}
