//! Requests that a page decides: a form that is sent, a link that is followed.

use super::http::HttpExchange;
use super::page_step::{PageStep, SubmitStep};
use brunt_feed::{Text, Unfilled, Values};
use brunt_flow_page::{Given, Page, SentField, Submission};
use brunt_http_driver::{Body, Request};
use std::fmt::Display;
use url::Url;

/// Why there is no request.
pub(super) enum Unsent {
    /// A text of the plan cannot be filled in.
    Unfilled(Unfilled),
    /// The page does not have what the step needs, in words.
    Page(String),
}

impl From<Unfilled> for Unsent {
    fn from(unfilled: Unfilled) -> Self {
        Self::Unfilled(unfilled)
    }
}

/// What was sent of a form, for a trace.
#[derive(Debug)]
pub(super) struct SentForm {
    /// The form in words.
    pub(super) form: String,
    /// The fields, in order.
    pub(super) fields: Vec<SentField>,
    /// Whether they are the body, and not the query.
    pub(super) post: bool,
}

/// A page, and which of the selectors of its wish a step uses.
#[derive(Clone, Copy)]
pub(super) struct PageSource<'a> {
    pub(super) page: &'a Page,
    pub(super) selector: Option<usize>,
    /// The origins that requests may go to.
    pub(super) origins: &'a [String],
    /// Whether a trace shows what is sent.
    pub(super) traced: bool,
}

/// Writes the request of a step, except for its target, and its URL. For a trace, returns what is
/// sent of a form.
pub(super) fn write(
    request: &mut Request,
    url: &mut Vec<u8>,
    (http, step): (&HttpExchange, &PageStep),
    source: PageSource<'_>,
    values: &Values,
) -> Result<Option<SentForm>, Unsent> {
    match step {
        PageStep::Follow(_) => {
            let link = source.page.link(source.selector.unwrap_or_default());
            let target = link.map_err(|why| refused("follow", why))?;
            begin(request, ("follow", "GET"), http, (source, &target), values)?;
            url.extend_from_slice(target.as_str().as_bytes());
            Ok(None)
        }
        PageStep::Submit(step) => {
            let (form, sent) = submission(step, source, values)?;
            let method = if sent.post { "POST" } else { "GET" };
            begin(request, ("submit", method), http, (source, &sent.url), values)?;
            if sent.post {
                request.add("Content-Type", sent.content_type.as_bytes());
                if let Some(origin) = source.page.referrer.origin(&source.page.url)
                    && request.value("origin").is_none()
                {
                    request.add("Origin", origin.as_bytes());
                }
                request.body_mut().extend_from_slice(&sent.body);
            } else {
                request.set_body(Body::None);
            }
            url.extend_from_slice(sent.url.as_str().as_bytes());
            Ok(form.map(|form| SentForm { form, fields: sent.fields, post: sent.post }))
        }
    }
}

/// The request that sends the form of a step, and for a trace the form in words.
fn submission(
    step: &SubmitStep,
    source: PageSource<'_>,
    values: &Values,
) -> Result<(Option<String>, Submission), Unsent> {
    let mut given = Vec::new();
    for (name, texts) in &step.fields {
        let name = rendered(name, values)?;
        let values = texts.iter().map(|text| rendered(text, values)).collect::<Result<_, _>>()?;
        given.push(Given { name, values });
    }
    let names: Vec<&str> = given.iter().map(|given| given.name.as_str()).collect();
    let press = step.press.as_ref().map(|text| rendered(text, values)).transpose()?;
    let form = source.page.form(source.selector, &names).map_err(|why| refused("submit", why))?;
    let sent = Submission::new(source.page, form, &given, press.as_deref());
    let words = source.traced.then(|| form.words());
    Ok((words, sent.map_err(|why| refused("submit", why))?))
}

/// Begins a request with the fields of the plan and the field that says where it comes from.
fn begin(
    request: &mut Request,
    (verb, method): (&str, &str),
    http: &HttpExchange,
    (source, target): (PageSource<'_>, &Url),
    values: &Values,
) -> Result<(), Unsent> {
    let origin = target.origin().ascii_serialization();
    if !source.origins.contains(&origin) {
        let what = format!(
            "the page leads to {origin}, and the plan names no such origin; add it to http.origins if requests may go \
             there"
        );
        return Err(refused(verb, what));
    }
    request.begin(method);
    for (name, value) in &http.fields {
        request.field(name, |out| Text::render(value, values, out))?;
    }
    let page = source.page;
    if let Some(referrer) = page.referrer.field(&page.url, target)
        && request.value("referer").is_none()
    {
        request.add("Referer", referrer.as_bytes());
    }
    Ok(())
}

fn refused(verb: &str, why: impl Display) -> Unsent {
    Unsent::Page(format!("{verb}: {why}"))
}

fn rendered(text: &Text, values: &Values) -> Result<String, Unfilled> {
    let mut out = Vec::new();
    text.render(values, &mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
