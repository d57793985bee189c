//! Bodies of requests: JSON documents, whose errors name JSON paths.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::shape;
use crate::call::Call;
use crate::pages::import::text_of;
use crate::problem::{InvalidValue, ParameterLocation, Problem};

/// The body of a request.
pub(super) fn read<T: DeserializeOwned + JsonSchema>(call: &Call) -> Result<T, Problem> {
    let document = json(&text_of(&call.body)?)?;
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    let faults = shape::faults(schema.as_value(), &document);
    if !faults.is_empty() {
        return Err(Problem::faulty(faults));
    }
    // The schema is that of the type, so what fits the one can be read into the other.
    serde_json::from_value(document).map_err(Problem::bug)
}

fn json(text: &str) -> Result<Value, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::faulty(vec![InvalidValue::new(
            ParameterLocation::Body,
            "$",
            None,
            "a JSON object",
        )]));
    }
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let sentence = if error.is_eof() {
            "The body is not JSON: it ends too early.".to_owned()
        } else {
            format!("The body is not JSON: it cannot be read at line {line}, column {column}.")
        };
        let fault = InvalidValue::new(ParameterLocation::Body, "$", Some(text), "a JSON object");
        Problem { faults: Box::new([fault]), ..Problem::unusable(sentence) }
    })
}
