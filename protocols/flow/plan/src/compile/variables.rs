//! The tables `[variables]` and `[feeders]`: converts them to sources of values.

use std::path::Path;
use std::sync::Arc;

use brunt_feed::{Chars, Escape, Feeder, Files, Moment, RowOrder, Table};
use brunt_flow_driver::{self as flow, Choice};

use super::environment::CompileEnvironment;
use super::keys::Keys;
use super::names::Names;
use super::one::one;
use super::ranges::range;
use crate::key_error::KeyError;
use crate::model::{self, Extracted, Number, Plan, Renewal, Source, Variable};
use crate::path::KeyPath;
use crate::values::Scalar;

/// Declares every variable and feeder, so that texts may use them in any order.
pub(super) fn declare(
    plan: &Plan,
    names: &mut Names,
    environment: &CompileEnvironment<'_>,
) -> Result<(), KeyError> {
    let at = KeyPath::new("feeders");
    for (name, given) in plan.feeders.iter() {
        feed(name, given, &at.key(name), names, environment)?;
    }
    let at = KeyPath::new("variables");
    for (name, _) in plan.variables.iter() {
        let at = at.key(name);
        if plan.feeders.value(name).is_some() {
            return Err(KeyError::new(&at, "is also the name of a feeder: choose another name"));
        }
        names.declare(&at, name, flow::Source::Answer, flow::Renewal::Extracted)?;
    }
    Ok(())
}

/// Sets the sources of declared variables. Everything that texts may name must be declared by now.
pub(super) fn settle(
    plan: &Plan,
    keys: &Keys,
    names: &mut Names,
    environment: &CompileEnvironment<'_>,
) -> Result<(), KeyError> {
    let at = KeyPath::new("variables");
    for (name, variable) in plan.variables.iter() {
        let at = at.key(name);
        let (source, renewal) = match variable {
            Variable::Constant(scalar) => (constant(&at, scalar, names)?, flow::Renewal::Iteration),
            Variable::Source(given) => {
                (source(&at, given, keys, names, environment)?, renewed(&at, given)?)
            }
        };
        let hole = names.find(&at, name)?;
        if let Variable::Source(given) = variable
            && let Some(secret) = given.secret
        {
            if !secret && matches!(source, flow::Source::Secret(_)) {
                let what = "is false, but a value from 'env' or 'file' is always a secret; \
                            ${env:NAME} inserts one that is none";
                return Err(KeyError::new(&at.key("secret"), what));
            }
            names.mark(hole, secret);
        }
        names.settle(hole, source, renewal);
        if let Variable::Source(given) = variable
            && let Some(stream) = given.stream
        {
            names.draw_from(hole, stream);
        }
    }
    Ok(())
}

fn constant(at: &KeyPath, scalar: &Scalar, names: &mut Names) -> Result<flow::Source, KeyError> {
    names.escaped(at, &scalar.to_string(), Escape::None).map(flow::Source::Text)
}

/// When the variable gets a new value.
fn renewed(at: &KeyPath, given: &Source) -> Result<flow::Renewal, KeyError> {
    if given.extracted.is_some() && given.renew.is_some() {
        let what = "cannot be used with 'extracted': the answers decide when the value changes";
        return Err(KeyError::new(&at.key("renew"), what));
    }
    if given.number == Some(Number::Repeat) && given.renew.is_some() {
        let what = "cannot be used with number = \"repeat\", which changes with each round";
        return Err(KeyError::new(&at.key("renew"), what));
    }
    if is_signed(given) {
        if given.renew.is_some() {
            let what =
                "cannot be used with a signed value, which is new for each exchange that uses it";
            return Err(KeyError::new(&at.key("renew"), what));
        }
        return Ok(flow::Renewal::Use);
    }
    Ok(match given.extracted {
        Some(Extracted::Iteration) => flow::Renewal::Extracted,
        Some(Extracted::User) => flow::Renewal::Kept,
        Some(Extracted::Node) => flow::Renewal::Shared,
        // A secret has one value, so nothing is drawn again.
        None if given.renew.is_none() && (given.env.is_some() || given.file.is_some()) => {
            flow::Renewal::User
        }
        None => renewal(given.renew),
    })
}

/// Whether the values are made with a key or a seed.
fn is_signed(given: &Source) -> bool {
    given.jwt.is_some() || given.hmac.is_some() || given.totp.is_some()
}

fn renewal(given: Option<Renewal>) -> flow::Renewal {
    match given {
        None | Some(Renewal::Iteration) => flow::Renewal::Iteration,
        Some(Renewal::User) => flow::Renewal::User,
        Some(Renewal::Exchange) => flow::Renewal::Exchange,
        Some(Renewal::IterationIfUsed) => flow::Renewal::IterationIfUsed,
        Some(Renewal::AfterUse) => flow::Renewal::AfterUse,
    }
}

fn source(
    at: &KeyPath,
    given: &Source,
    keys: &Keys,
    names: &mut Names,
    environment: &CompileEnvironment<'_>,
) -> Result<flow::Source, KeyError> {
    let key = kind(at, given)?;
    let at_key = at.key(key);
    Ok(match given {
        Source { value: Some(scalar), .. } => constant(&at_key, scalar, names)?,
        Source { random: Some(text), .. } => random(&at_key, text)?,
        Source { count: Some(first), step, .. } => {
            flow::Source::Count { first: *first, step: step.unwrap_or(1) }
        }
        Source { chars: Some(notation), length, .. } => {
            let length = length.ok_or_else(|| {
                KeyError::new(
                    at,
                    "the key 'length' is missing: give the number of characters to draw from 'chars'",
                )
            })?;
            let chars = Chars::parse(notation, length);
            flow::Source::Chars(
                chars.map_err(|why| {
                    KeyError::new(&at_key, format!("cannot be drawn from: {why}"))
                })?,
            )
        }
        Source { uuid: Some(true), .. } => flow::Source::Uuid,
        Source { timestamp: Some(form), .. } => {
            let moment = Moment::parse(form);
            flow::Source::Moment(
                moment.map_err(|why| {
                    KeyError::new(&at_key, format!("is not a time format: {why}"))
                })?,
            )
        }
        Source { choice: Some(given), .. } => choice(&at_key, given, names)?,
        Source { number: Some(Number::User), .. } => flow::Source::User,
        Source { number: Some(Number::Iteration), .. } => flow::Source::Iteration,
        Source { number: Some(Number::Repeat), step, .. } => {
            flow::Source::Round { step: step.unwrap_or(1) }
        }
        Source { env: Some(name), .. } => flow::Source::Secret(environment.env(&at_key, name)?),
        Source { file: Some(path), .. } => flow::Source::Secret(environment.secret(&at_key, path)?),
        _ if is_signed(given) => {
            flow::Source::Signed(Arc::new(keys.signed(at, (key, given), names)?))
        }
        _ => flow::Source::Answer,
    })
}

/// The one key that names the source of the values.
fn kind(at: &KeyPath, given: &Source) -> Result<&'static str, KeyError> {
    let keys = [
        ("value", given.value.is_some()),
        ("random", given.random.is_some()),
        ("count", given.count.is_some()),
        ("chars", given.chars.is_some()),
        ("uuid", given.uuid.is_some()),
        ("timestamp", given.timestamp.is_some()),
        ("choice", given.choice.is_some()),
        ("number", given.number.is_some()),
        ("env", given.env.is_some()),
        ("file", given.file.is_some()),
        ("extracted", given.extracted.is_some()),
        ("jwt", given.jwt.is_some()),
        ("hmac", given.hmac.is_some()),
        ("totp", given.totp.is_some()),
    ];
    let key = one(at, &keys, "where its values come from")?;
    if given.uuid == Some(false) {
        return Err(KeyError::new(
            &at.key("uuid"),
            "is false, so the variable would have no value; set it to true",
        ));
    }
    let repeats = given.number == Some(Number::Repeat);
    for (part, of, given) in [
        ("step", &["count"][..], given.step.is_some() && !repeats),
        ("length", &["chars"], given.length.is_some()),
        ("lifetime", &["jwt"], given.lifetime.is_some()),
        ("as", &["hmac"], given.as_.is_some()),
        ("digits", &["totp"], given.digits.is_some()),
        ("period", &["totp"], given.period.is_some()),
        ("algorithm", &["hmac", "totp"], given.algorithm.is_some()),
        ("key", &["jwt", "hmac"], given.key.is_some()),
    ] {
        if given && !of.contains(&key) {
            let what =
                format!("belongs to '{}', but this variable has '{key}'", of.join("' and '"));
            return Err(KeyError::new(&at.key(part), what));
        }
    }
    Ok(key)
}

fn random(at: &KeyPath, text: &str) -> Result<flow::Source, KeyError> {
    match range::<i64>(text) {
        Some((Some(least), Some(most))) => Ok(flow::Source::Random { least, most }),
        _ => Err(KeyError::new(
            at,
            format!("is \"{text}\", but must be a range of whole numbers such as \"0..999\""),
        )),
    }
}

fn choice(
    at: &KeyPath,
    given: &model::Choice,
    names: &mut Names,
) -> Result<flow::Source, KeyError> {
    let mut options = Vec::new();
    match given {
        model::Choice::Alike(texts) => {
            for (index, text) in texts.iter().enumerate() {
                options.push((1, names.plain(&at.index(index), &text.to_string())?));
            }
        }
        model::Choice::Weighted(pairs) => {
            for (text, weight) in pairs.iter() {
                options.push((*weight, names.plain(&at.key(text), text)?));
            }
        }
    }
    let choice = Choice::new(options);
    choice.map(flow::Source::Choice).map_err(|_| {
        KeyError::new(
            at,
            "has nothing to choose from: give at least one text, with a weight above 0",
        )
    })
}

fn feed(
    name: &str,
    given: &model::Feeder,
    at: &KeyPath,
    names: &mut Names,
    environment: &CompileEnvironment<'_>,
) -> Result<(), KeyError> {
    let keys = [
        ("csv", given.csv.is_some()),
        ("json-lines", given.json_lines.is_some()),
        ("lines", given.lines.is_some()),
    ];
    let key = one(at, &keys, "which file its rows are in")?;
    if key == "lines" && !given.secrets.is_empty() {
        let what = "belongs to feeders with columns; a feeder of 'lines' is a secret by its name, such as 'passwords'";
        return Err(KeyError::new(&at.key("secrets"), what));
    }
    for (part, there) in
        [("delimiter", given.delimiter.is_some()), ("columns", !given.columns.is_empty())]
    {
        if there && key != "csv" {
            return Err(KeyError::new(
                &at.key(part),
                format!("belongs to 'csv', but this feeder has '{key}'"),
            ));
        }
    }
    let path = [&given.csv, &given.json_lines, &given.lines].into_iter().flatten().next();
    let path =
        path.map(|path| environment.path(&at.key(key), path)).transpose()?.unwrap_or_default();
    let table = table((key, &path), given, at, &environment.files())?;
    let order = match given.order.unwrap_or_default() {
        model::RowOrder::Sequential => RowOrder::Sequential,
        model::RowOrder::Random => RowOrder::Random,
        model::RowOrder::Shuffled => RowOrder::Shuffled,
        model::RowOrder::Unique => RowOrder::Unique,
    };
    if let Some(unknown) = given.secrets.iter().find(|name| table.column(name).is_none()) {
        let columns = table.columns().join(", ");
        let what = format!("names the column '{unknown}', which is not there (columns: {columns})");
        return Err(KeyError::new(&at.key("secrets"), what));
    }
    let number = given.stream.unwrap_or(names.feeders() as u32);
    let feeder = Feeder::new(number, Arc::new(table), order);
    names.feed(name, feeder, renewal(given.renew), key == "lines", &given.secrets);
    Ok(())
}

fn table(
    (key, path): (&str, &Path),
    given: &model::Feeder,
    at: &KeyPath,
    files: &Files,
) -> Result<Table, KeyError> {
    let table = match key {
        "lines" => Table::lines(files, path),
        "json-lines" => Table::json_lines(files, path),
        _ => {
            let columns = (!given.columns.is_empty()).then(|| given.columns.clone());
            Table::csv(files, path, delimiter(given, at)?, columns)
        }
    };
    table.map_err(|error| KeyError::new(&at.key(key), format!("failed to {error}")))
}

fn delimiter(given: &model::Feeder, at: &KeyPath) -> Result<u8, KeyError> {
    match given.delimiter.as_deref().map(str::as_bytes) {
        None => Ok(b','),
        Some([byte]) if byte.is_ascii() => Ok(*byte),
        Some(_) => {
            let text = given.delimiter.as_deref().unwrap_or_default();
            let what = format!("is \"{text}\", but must be one character such as \";\" or \"\\t\"");
            Err(KeyError::new(&at.key("delimiter"), what))
        }
    }
}
