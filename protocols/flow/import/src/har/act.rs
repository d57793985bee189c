//! What a person did on a page: sent one of its forms, or followed one of its links.

use url::{Url, form_urlencoded};

use super::bits::{LIKELY, bits};
use super::file::Entry;
use super::given::{SEPARATORS, split};
use super::page::{Link, Page, is_name, is_quotable};
use crate::form::TYPE;
use crate::html::{Control, Form, Kind, Method};

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
    let fitting = page.forms.iter().filter_map(|form| {
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
    let first = form.buttons().next();
    let pressed = form.buttons().find(|button| !button.name.is_empty() && sends(&button.name));
    let pressed = pressed.or(first);
    let (mut action, mut method) = (form.action(), form.method());
    if let Some(Kind::Button { action: own, method: by, .. }) = pressed.map(|it| &it.kind) {
        action = own.as_deref().unwrap_or(action);
        method = by.as_deref().map_or(method, Method::named);
    }
    let mut target = page.resolve(action)?;
    let mut asked = url.clone();
    if method == Method::Get {
        target.set_query(None);
        asked.set_query(None);
    }
    let by = if method == Method::Post { "POST" } else { "GET" };
    if method == Method::Dialog || entry.request.method != by || target != asked {
        return None;
    }
    let own: Vec<&Control> = form.fields(pressed).collect();
    let unsent = own.iter().filter(|control| !sends(&control.name));
    // A script that sends a request there leaves out fields that are not shown; a person cannot.
    if unsent.clone().any(|control| control.kind == Kind::Hidden)
        || method == Method::Get && own.is_empty()
    {
        return None;
    }
    let unsent = unsent.filter(|control| !control.is_button()).map(|it| it.name.clone()).collect();
    let of_page = |name: &str| -> Vec<&str> {
        own.iter().filter(|it| it.name == name).map(|it| it.value.as_str()).collect()
    };
    let of_request = |name: &str| -> Vec<&str> {
        fields.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    };
    let changed = fields.iter().filter(|(name, _)| of_page(name) != of_request(name)).cloned();
    let press = pressed.filter(|it| first.is_none_or(|first| !std::ptr::eq(first, *it)));
    let press = press.map(|button| button.name.clone());
    Some(Sent { form, selector: String::new(), press, changed: changed.collect(), unsent })
}

/// A selector of a form that selects no other of the page; none if there is none that will do for other users.
fn selector(page: &Page, form: &Form) -> Option<String> {
    let only = |attribute: &str, value: &str| {
        page.forms.iter().filter(|it| it.attribute(attribute) == Some(value)).count() == 1
    };
    if let Some(id) =
        form.attribute("id").filter(|id| is_name(id) && is_steady(id) && only("id", id))
    {
        return Some(format!("#{id}"));
    }
    for attribute in ["name", "action"] {
        let value = form.attribute(attribute).filter(|it| is_quotable(it) && only(attribute, it));
        let Some(value) = value else { continue };
        if is_steady(value) {
            return Some(format!("form[{attribute}='{value}']"));
        }
        let begin = steady_part(value);
        let same = page
            .forms
            .iter()
            .filter(|it| it.attribute(attribute).is_some_and(|it| it.starts_with(begin)));
        if begin.len() > 1 && same.count() == 1 {
            return Some(format!("form[{attribute}^='{begin}']"));
        }
    }
    (page.forms.len() == 1).then(|| "form".to_owned())
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
