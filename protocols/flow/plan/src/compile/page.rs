//! Steps that use the last page of a user: `submit` and `follow`.

use brunt_flow_driver::{PageStep, Payload, Step as FlowStep, SubmitStep};
use brunt_flow_page::Selector;
use brunt_http_driver::origin_of;

use super::names::Names;
use crate::key_error::KeyError;
use crate::model::{Http, Step, Submit};
use crate::path::KeyPath;

/// What a step does with the last page, if it uses one.
pub(super) fn page_step(
    at: &KeyPath,
    step: &Step,
    names: &mut Names,
) -> Result<Option<PageStep>, KeyError> {
    let key = match (&step.submit, &step.follow) {
        (Some(_), _) => "submit",
        (None, Some(_)) => "follow",
        (None, None) if step.press.is_some() => {
            let what = "belongs to 'submit', which is missing";
            return Err(KeyError::new(&at.key("press"), what));
        }
        (None, None) => return Ok(None),
    };
    page_only(at, key, step)?;
    if let Some(text) = &step.follow {
        return Ok(Some(PageStep::Follow(selector(&at.key("follow"), text)?)));
    }
    let form = match &step.submit {
        Some(Submit::Selected(text)) => Some(selector(&at.key("submit"), text)?),
        Some(Submit::Only) | None => None,
    };
    let press = step.press.as_ref().map(|text| names.plain(&at.key("press"), text)).transpose()?;
    let mut fields = Vec::new();
    for (name, values) in step.form.iter() {
        let at = at.key("form").key(name);
        let texts = values.0.iter().map(|value| names.plain(&at, &value.to_string()));
        let texts = texts.collect::<Result<_, _>>()?;
        fields.push((names.plain(&at, name)?, texts));
    }
    Ok(Some(PageStep::Submit(Box::new(SubmitStep { form, fields, press }))))
}

/// A selector of elements.
fn selector(at: &KeyPath, text: &str) -> Result<Selector, KeyError> {
    Selector::parse(text).map_err(|why| KeyError::new(at, format!("is not a selector: {why}")))
}

/// Refuses keys that the page decides.
fn page_only(at: &KeyPath, key: &str, step: &Step) -> Result<(), KeyError> {
    let given = [
        ("method", step.method.is_some()),
        ("content-type", step.content_type.is_some()),
        ("text", step.text.is_some()),
        ("body-file", step.body_file.is_some()),
        ("set", !step.set.is_empty()),
        ("set-missing", step.set_missing.is_some()),
        ("multipart", !step.multipart.is_empty()),
        ("query", !step.query.is_empty()),
        ("json", step.json.is_some()),
        ("form", !step.form.is_empty() && key == "follow"),
        ("press", step.press.is_some() && key == "follow"),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((other, _)) => {
            let what = format!("cannot be used with '{key}': the page decides it");
            Err(KeyError::new(&at.key(other), what))
        }
    }
}

/// Refuses a step that uses a page if no step before it can bring one.
pub(super) fn after_a_page(at: &KeyPath, steps: &[FlowStep], key: &str) -> Result<(), KeyError> {
    let brings = |step: &FlowStep| matches!(step, FlowStep::Exchange(act) if matches!(act.payload, Payload::Http(_)));
    if steps.iter().any(brings) {
        return Ok(());
    }
    let what = "needs a page, and no step before it brings one: add a request such as { get = \"/login\" }";
    Err(KeyError::new(&at.key(key), what))
}

/// The origins that the requests of pages may go to: those of `http.origins`, of the base and of the plan's URLs.
pub(super) fn origins<'a>(
    http: &Http,
    mut steps: impl Iterator<Item = (KeyPath, &'a FlowStep)>,
) -> Result<Vec<String>, KeyError> {
    let mut origins = Vec::new();
    for (index, text) in http.origins.iter().enumerate() {
        origins.push(origin(&KeyPath::new("http").key("origins").index(index), text)?);
    }
    // A base or a URL that is no URL is reported where it is used.
    let whole = |text: &str| {
        let rest = text.split_once("://")?.1;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        (!rest[..end].contains("${")).then(|| origin_of(text).ok())?
    };
    origins.extend(http.base.as_deref().and_then(whole));
    let mut uses = None;
    for (at, step) in &mut steps {
        let FlowStep::Exchange(act) = step else { continue };
        let Payload::Http(request) = &act.payload else { continue };
        if let Some(page) = &request.page {
            uses = uses.or(Some(at.key(page.verb())));
        }
        let named = request.url.pieces().first();
        if let Some(brunt_feed::TextPiece::Literal(bytes)) = named {
            let text = String::from_utf8_lossy(bytes);
            let ends = request.url.constant().is_some()
                || text.split_once("://").is_some_and(|(_, rest)| rest.contains(['/', '?', '#']));
            origins.extend(ends.then(|| origin_of(&text).ok()).flatten());
        }
    }
    origins.sort();
    origins.dedup();
    match uses {
        Some(at) if origins.is_empty() => Err(KeyError::new(
            &at,
            "goes where a page leads, but only to origins that the plan names, and it names none: set http.origins, \
             such as [\"https://id.example.com\"]",
        )),
        _ => Ok(origins),
    }
}

fn origin(at: &KeyPath, text: &str) -> Result<String, KeyError> {
    let wrong = |why: &str| {
        let what = format!(
            "is \"{text}\", but must be an origin such as \"https://id.example.com\" or \"http://localhost:8080\": \
             {why}"
        );
        KeyError::new(at, what)
    };
    let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong("it has no scheme"))?;
    if rest.trim_end_matches('/').contains(['/', '?', '#']) {
        return Err(wrong("it has a path"));
    }
    if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Err(wrong("its scheme is neither http nor https"));
    }
    origin_of(text).map_err(|error| wrong(&format!("failed to {error}")))
}
