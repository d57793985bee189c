//! The JSON schema of plans, for editors: what the model says of itself.

use super::model::Plan;

/// Where the schema is published.
const ID: &str = "brunt-plan/1";

/// The schema, as text.
pub(crate) fn text() -> String {
    let mut schema = schemars::schema_for!(Plan);
    schema.insert("$id".to_owned(), ID.into());
    format!("{:#}\n", schema.as_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written anew with `BRUNT_BLESS=1 cargo test`.
    #[test]
    fn the_published_schema_is_the_one_of_the_model() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/plan.schema.json");
        if std::env::var_os("BRUNT_BLESS").is_some() {
            std::fs::write(path, text()).unwrap();
        }
        let published = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(published, text(), "BRUNT_BLESS=1 cargo test writes it");
    }
}
