//! The published schema of records.

use serde_json::Value;

const SCHEMA: &str = include_str!("../../../docs/record.schema.json");

/// What is wrong with a record by the published schema.
pub fn schema_faults(record: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    validator
        .iter_errors(record)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
