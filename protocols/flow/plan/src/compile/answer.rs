//! The parts of answers that are checked or extracted: compiles them from a plan.

use brunt_feed::Text;
use brunt_flow_driver::{self as flow, Check, Location, Pattern};

use super::names::Names;
use super::one::one;
use super::ranges::{codes, range};
use crate::key_error::KeyError;
use crate::model::{self, AnswerLocation, Missing, Pick, Step, ValueCondition};
use crate::path::KeyPath;
use crate::values::{Node, Scalar, Several};

/// The checks of a step.
pub(super) fn checks(at: &KeyPath, step: &Step, names: &mut Names) -> Result<Vec<Check>, KeyError> {
    let mut checks = Vec::new();
    if let Some(given) = &step.status {
        checks.push(Check::Code(status(&at.key("status"), given)?));
    }
    if let Some(given) = &step.lands {
        checks.push(Check::Lands(lands(&at.key("lands"), given, names)?));
    }
    checks.extend(conditions(&at.key("checks"), &step.checks, names)?);
    Ok(checks)
}

fn status(at: &KeyPath, given: &Several) -> Result<Vec<(u32, u32)>, KeyError> {
    let read: Option<Vec<_>> = given.0.iter().map(|one| codes(&one.to_string())).collect();
    let ranges: Vec<(u32, u32)> = read.into_iter().flatten().flatten().collect();
    if ranges.is_empty() {
        let what = "must be codes such as 200, \"200..204\" or [200, 409]";
        return Err(KeyError::new(at, what));
    }
    Ok(ranges)
}

/// The place where an answer must come from.
fn lands(at: &KeyPath, given: &str, names: &mut Names) -> Result<Text, KeyError> {
    if !given.starts_with(['/', '*', '$']) && !given.contains("://") {
        let what = format!("is \"{given}\", but must be a path such as \"/account/*\", or a URL");
        return Err(KeyError::new(at, what));
    }
    if given.contains(['?', '#']) {
        let what =
            "has a query, which is not compared: leave it out, or check a 'parameter' of 'url'";
        return Err(KeyError::new(at, what));
    }
    names.plain(at, given)
}

/// The checks of one table: one for each condition.
fn check(
    at: &KeyPath,
    given: &model::Check,
    names: &mut Names,
    out: &mut Vec<Check>,
) -> Result<(), KeyError> {
    let not = given.not.unwrap_or(false);
    let turned = |check: Check, not: bool| if not { Check::Not(Box::new(check)) } else { check };
    let musts = given.musts();
    if let Some(size) = &given.size {
        if given.spot() != AnswerLocation::default() || !musts.is_empty() {
            return Err(KeyError::new(
                &at.key("size"),
                "is a separate check: put it into its own table",
            ));
        }
        let read = range::<u64>(size).ok_or_else(|| wrong_range(&at.key("size"), size))?;
        let (least, most) = (read.0.unwrap_or(0), read.1.unwrap_or(u64::MAX));
        out.push(turned(Check::Size { least, most }, not));
        return Ok(());
    }
    let of = from(at, &given.spot())?;
    if musts.is_empty() {
        out.push(turned(Check::Value { of, must: flow::Condition::Exist }, not));
        return Ok(());
    }
    for (key, must) in musts {
        let at = at.key(key);
        let of = of.clone();
        let (check, not) = match must {
            ValueCondition::Exist(there) => {
                (Check::Value { of, must: flow::Condition::Exist }, not ^ !there)
            }
            ValueCondition::Equal(node) => {
                let must = equal(&at, &node, given.json.is_some(), names)?;
                (Check::Value { of, must }, not)
            }
            ValueCondition::Contain(text) => {
                let text = names.plain(&at, &text)?;
                (Check::Value { of, must: flow::Condition::Contain(text) }, not)
            }
            ValueCondition::Match(pattern) => {
                let must = flow::Condition::Match(regex(&at, &pattern)?);
                (Check::Value { of, must }, not)
            }
            ValueCondition::Between(text) => {
                let read = range::<f64>(&text).ok_or_else(|| wrong_range(&at, &text))?;
                let (least, most) =
                    (read.0.unwrap_or(f64::NEG_INFINITY), read.1.unwrap_or(f64::INFINITY));
                (Check::Value { of, must: flow::Condition::Between(least, most) }, not)
            }
            ValueCondition::Count(text) => {
                let read = range::<u64>(&text).ok_or_else(|| wrong_range(&at, &text))?;
                let (least, most) = (read.0.unwrap_or(0), read.1.unwrap_or(u64::MAX));
                (Check::Count { of, least, most }, not)
            }
        };
        out.push(turned(check, not));
    }
    Ok(())
}

pub(super) fn wrong_range(at: &KeyPath, text: &str) -> KeyError {
    let what = format!("is \"{text}\", but must be a range such as \"1..10\", \"1..\" or \"5\"");
    KeyError::new(at, what)
}

/// The value that something must equal: a text as text; in JSON anything else as JSON.
fn equal(
    at: &KeyPath,
    node: &Node,
    json: bool,
    names: &mut Names,
) -> Result<flow::Condition, KeyError> {
    match node {
        Node::Scalar(Scalar::Text(text)) => names.plain(at, text).map(flow::Condition::Equal),
        Node::Scalar(scalar) if !json => {
            Ok(flow::Condition::Equal(Text::literal(scalar.to_string())))
        }
        _ if !json => {
            Err(KeyError::new(at, "is an array or a table, which only a value of 'json' can equal"))
        }
        node => {
            let value = serde_json::to_value(node);
            let value =
                value.map_err(|error| KeyError::new(at, format!("is not JSON: {error}")))?;
            if value.to_string().contains("${") {
                return Err(KeyError::new(
                    at,
                    "uses a variable within an array or a table: check its values one by one",
                ));
            }
            Ok(flow::Condition::Json(value))
        }
    }
}

pub(super) fn regex(at: &KeyPath, pattern: &str) -> Result<Pattern, KeyError> {
    Pattern::parse(pattern, 0)
        .map_err(|problem| KeyError::new(at, format!("is not a regular expression: {problem}")))
}

/// The location in an answer.
fn from(at: &KeyPath, spot: &AnswerLocation) -> Result<Location, KeyError> {
    let keys = [
        ("json", spot.json.is_some()),
        ("member", spot.member.is_some()),
        ("header", spot.header.is_some()),
        ("cookie", spot.cookie.is_some()),
        ("xpath", spot.xpath.is_some()),
        ("html", spot.html.is_some()),
        ("attribute", spot.attribute.is_some() && spot.html.is_none()),
        ("url", spot.url.is_some()),
        ("body", spot.body.is_some()),
        ("code", spot.code.is_some()),
    ];
    let narrowed = spot.regex.is_some() && keys.iter().all(|(_, given)| !given);
    if spot.group.is_some() && spot.regex.is_none() {
        return Err(KeyError::new(&at.key("group"), "belongs to 'regex', which is missing"));
    }
    let key = if narrowed { "regex" } else { one(at, &keys, "what to check")? };
    let at_key = at.key(key);
    if [spot.body, spot.code, spot.url].contains(&Some(false)) {
        return Err(KeyError::new(
            &at_key,
            "is false, so nothing would be checked; set it to true",
        ));
    }
    let failed = |error: flow::LocationError| KeyError::new(&at_key, format!("failed to {error}"));
    let whole = match spot {
        AnswerLocation { json: Some(text), .. } if text.starts_with('$') => {
            Location::path(text).map_err(failed)?
        }
        AnswerLocation { json: Some(text), .. } => Location::pointer(text).map_err(failed)?,
        AnswerLocation { member: Some(name), .. } => Location::Member(name.clone()),
        AnswerLocation { html: Some(text), attribute, .. } => {
            Location::html(text, attribute.clone()).map_err(failed)?
        }
        AnswerLocation { url: Some(_), .. } => Location::Url,
        AnswerLocation { header: Some(name), .. }
        | AnswerLocation { attribute: Some(name), .. } => Location::Field(name.clone()),
        AnswerLocation { cookie: Some(name), .. } => Location::Cookie(name.clone()),
        AnswerLocation { xpath: Some(text), .. } => Location::xpath(text).map_err(failed)?,
        AnswerLocation { code: Some(_), .. } => Location::Code,
        _ => Location::Body,
    };
    let whole = match &spot.parameter {
        None => whole,
        Some(name) if matches!(key, "header" | "url") => {
            Location::Parameter { of: Box::new(whole), name: name.clone() }
        }
        Some(_) => {
            let what = format!("belongs to 'header' or 'url', but this has '{key}'");
            return Err(KeyError::new(&at.key("parameter"), what));
        }
    };
    let Some(pattern) = &spot.regex else { return Ok(whole) };
    let groups = regex(&at.key("regex"), pattern)?.groups();
    let group = spot.group.map_or(groups.min(1), |group| group as usize);
    whole
        .narrowed(pattern, group)
        .map_err(|error| KeyError::new(&at.key("regex"), format!("failed to {error}")))
}

/// The location of the match that is picked.
fn picked(at: &KeyPath, given: &model::Extract, of: Location) -> Result<Location, KeyError> {
    let Some(pick) = given.pick else { return Ok(of) };
    let spot = &given.spot;
    let several = [&spot.json, &spot.member, &spot.regex, &spot.xpath, &spot.html];
    if several.iter().all(|key| key.is_none()) {
        let what =
            "belongs to 'json', 'regex', 'xpath' or 'html', of which there may be several matches";
        return Err(KeyError::new(&at.key("pick"), what));
    }
    let pick = match pick {
        // A pointer leads to a list itself, whose first element is another value.
        Pick::First if spot.json.is_some() || spot.member.is_some() => flow::Pick::Number(0),
        Pick::First => return Ok(of),
        Pick::Last => flow::Pick::Last,
        Pick::Random => flow::Pick::Random,
        Pick::Number(number) => flow::Pick::Number(number as usize - 1),
    };
    Ok(Location::Picked { of: Box::new(of), pick })
}

/// When a value expires.
fn expiry(at: &KeyPath, given: &model::Expires) -> Result<Box<flow::Expiry>, KeyError> {
    let spot = AnswerLocation {
        json: given.json.clone(),
        header: given.header.clone(),
        regex: given.regex.clone(),
        xpath: given.xpath.clone(),
        ..AnswerLocation::default()
    };
    let early = given.early.map(|time| time.0).unwrap_or_default();
    Ok(Box::new(flow::Expiry { of: from(at, &spot)?, early }))
}

/// The conditions of an answer.
pub(super) fn conditions(
    at: &KeyPath,
    given: &[model::Check],
    names: &mut Names,
) -> Result<Vec<Check>, KeyError> {
    let mut checks = Vec::new();
    for (index, one) in given.iter().enumerate() {
        check(&at.index(index), one, names, &mut checks)?;
    }
    Ok(checks)
}

/// The extractions of a step. Their variables must be declared by now.
pub(super) fn extracts(
    at: &KeyPath,
    step: &Step,
    names: &mut Names,
) -> Result<Vec<flow::Extract>, KeyError> {
    let at = at.key("extract");
    let mut extracts = Vec::new();
    for (name, given) in step.extract.iter() {
        let at = at.key(name);
        let missing = match (given.missing, &given.default) {
            (Some(_), Some(_)) => {
                let what = "cannot be used with 'missing': only one of them can define the variable's value";
                return Err(KeyError::new(&at.key("default"), what));
            }
            (None, Some(default)) => flow::Missing::Value(default.to_string().into_bytes()),
            (Some(Missing::Fail), None) => flow::Missing::Fail,
            (Some(Missing::Keep), None) => flow::Missing::Keep,
            (Some(Missing::Unset) | None, None) => flow::Missing::Unset,
        };
        let from = picked(&at, given, from(&at, &given.spot)?)?;
        let into = names.find(&at, name)?;
        let expires =
            given.expires.as_ref().map(|of| expiry(&at.key("expires"), of)).transpose()?;
        extracts.push(flow::Extract { from, into, missing, expires });
    }
    Ok(extracts)
}
