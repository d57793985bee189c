//! Values that a user types, and initial values.

use toml::Value;

use super::EditError;
use super::shape::{Shape, Shapes};

/// The meaning of a typed text in a position of this shape.
pub fn typed(
    shapes: &Shapes,
    shape: Option<&Shape>,
    old: Option<&Value>,
    text: &str,
) -> Result<Value, EditError> {
    let wrong = |expected| EditError::Value { text: text.to_owned(), expected };
    let string = || Value::String(text.to_owned());
    let Some(shape) = shape else { return Ok(literal(text)) };
    let shape = shapes.fitting(shape, old);
    let trimmed = text.trim();
    if shape.is("integer") && !shape.is("string") {
        return trimmed.parse().map(Value::Integer).map_err(|_| wrong("a whole number"));
    }
    if shape.is("number") && !shape.is("string") {
        let whole = trimmed.parse().map(Value::Integer).ok();
        let number =
            || trimmed.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Float);
        return whole.or_else(number).ok_or_else(|| wrong("a number"));
    }
    if shape.is("boolean") && !shape.is("string") {
        return trimmed.parse().map(Value::Boolean).map_err(|_| wrong("true or false"));
    }
    if shape.is("string") {
        // An existing number stays a number, and so does a truth value.
        return Ok(match old {
            Some(Value::Integer(_)) => trimmed.parse().map_or_else(|_| string(), Value::Integer),
            Some(Value::Boolean(_)) => trimmed.parse().map_or_else(|_| string(), Value::Boolean),
            Some(Value::Float(_)) => trimmed.parse().map_or_else(|_| string(), Value::Float),
            _ => string(),
        });
    }
    if !shape.words().is_empty() {
        return Ok(string());
    }
    Ok(literal(text))
}

/// A value in TOML notation, or the text itself.
fn literal(text: &str) -> Value {
    let read = toml::from_str::<toml::Table>(&format!("value = {text}"));
    let read =
        read.ok().filter(|table| table.len() == 1).and_then(|mut table| table.remove("value"));
    read.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// An initial value.
pub fn blank(shapes: &Shapes, shape: Option<&Shape>) -> Value {
    let text = |text: &str| Value::String(text.to_owned());
    let Some(shape) = shape else { return text("") };
    let one =
        |key: &str, value: Value| Value::Table([(key.to_owned(), value)].into_iter().collect());
    // Shapes that need a special initial value.
    match shape.name.as_str() {
        "Time" => return text("1s"),
        "Size" => return text("64KiB"),
        "Step" => return one("get", text("/")),
        "Scenario" => return one("steps", Value::Array(vec![one("get", text("/"))])),
        "Check" => {
            let pairs = [("code", Value::Boolean(true)), ("equals", Value::Integer(200))];
            return Value::Table(
                pairs.map(|(key, value)| (key.to_owned(), value)).into_iter().collect(),
            );
        }
        "Json" => return Value::Table(toml::Table::new()),
        _ => {}
    }
    if let Some((word, _)) = shape.words().first() {
        return text(word);
    }
    if let Some(kind) = shapes.kinds(shape).first() {
        return blank(shapes, Some(kind));
    }
    if shape.is("string") {
        return text("");
    }
    if shape.is("integer") || shape.is("number") {
        return Value::Integer(1);
    }
    if shape.is("boolean") {
        return Value::Boolean(true);
    }
    if shape.is("array") {
        return Value::Array(Vec::new());
    }
    let needed =
        shape.schema["required"].as_array().into_iter().flatten().filter_map(|key| key.as_str());
    let pairs = needed.map(|key| {
        let below = shape.schema["properties"].get(key).map(|part| shapes.of(part));
        (key.to_owned(), blank(shapes, below.as_ref()))
    });
    Value::Table(pairs.collect())
}
