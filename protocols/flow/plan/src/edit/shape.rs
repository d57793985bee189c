//! What is allowed in each position of a plan, by its schema: the same one that editors use.

use serde_json::Value as Json;
use toml::Value;

use super::Part;
use crate::schema;

/// What is allowed in a position.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its schema.
    pub schema: Json,
    /// Its name in the schema, if it has one.
    pub name: String,
    /// Its description.
    pub what: String,
}

/// The shapes of plans.
#[derive(Debug)]
pub struct Shapes(Json);

impl Shapes {
    /// The shapes of plans as this program reads them.
    pub fn of_plans() -> Self {
        Self(schema::whole())
    }

    /// The whole plan.
    pub fn root(&self) -> Shape {
        self.of(&self.0)
    }

    /// The shape of a part of the schema, with its references followed.
    pub fn of(&self, part: &Json) -> Shape {
        let mut what = part["description"].as_str().unwrap_or_default().to_owned();
        let (mut schema, mut name) = (part, "");
        // A reference leads to a definition, which may be a reference itself.
        for _ in 0..8 {
            let Some(to) = schema["$ref"].as_str().and_then(|to| to.strip_prefix("#/$defs/"))
            else {
                break;
            };
            (schema, name) = (&self.0["$defs"][to], to);
            if what.is_empty() {
                schema["description"].as_str().unwrap_or_default().clone_into(&mut what);
            }
        }
        Shape { schema: schema.clone(), name: name.to_owned(), what }
    }

    /// The shape at a path of these values; none if the schema has none.
    pub fn at(&self, values: &Value, path: &[Part]) -> Option<Shape> {
        let mut value = Some(values);
        let mut shape = self.root();
        for part in path {
            shape = self.below(&self.fitting(&shape, value), part)?;
            value = value.and_then(|value| match (value, part) {
                (Value::Table(table), Part::Key(key)) => table.get(key),
                (Value::Array(list), Part::Index(index)) => list.get(*index),
                _ => None,
            });
        }
        Some(shape)
    }

    /// The shape below one that has no alternatives.
    pub fn below(&self, shape: &Shape, part: &Part) -> Option<Shape> {
        match part {
            Part::Key(key) => {
                let named = shape.schema["properties"].get(key);
                let any = shape.schema.get("additionalProperties").filter(|any| any.is_object());
                named.or(any).map(|part| self.of(part))
            }
            Part::Index(_) => shape.schema.get("items").map(|part| self.of(part)),
        }
    }

    /// The alternatives; empty if there is no choice.
    pub fn kinds(&self, shape: &Shape) -> Vec<Shape> {
        let all = ["anyOf", "oneOf"].iter().find_map(|key| shape.schema[*key].as_array());
        let all = all.into_iter().flatten().map(|part| self.of(part));
        all.filter(|kind| kind.schema.get("const").is_none()).collect()
    }

    /// Which of the alternatives a value matches.
    pub fn kind_of(&self, kinds: &[Shape], value: &Value) -> Option<usize> {
        kinds.iter().position(|kind| self.fits(kind, value))
    }

    /// The alternative that a value matches, or the shape itself.
    pub fn fitting(&self, shape: &Shape, value: Option<&Value>) -> Shape {
        let kinds = self.kinds(shape);
        let found = value.and_then(|value| self.kind_of(&kinds, value)).unwrap_or_default();
        match kinds.get(found) {
            Some(kind) => self.fitting(kind, value),
            None => shape.clone(),
        }
    }

    fn fits(&self, shape: &Shape, value: &Value) -> bool {
        let kinds = self.kinds(shape);
        if !kinds.is_empty() {
            return self.kind_of(&kinds, value).is_some();
        }
        let types = &shape.schema["type"];
        let is = |name: &str| {
            *types == *name
                || types.as_array().is_some_and(|all| all.iter().any(|one| *one == *name))
        };
        match value {
            Value::String(_) | Value::Datetime(_) => is("string"),
            Value::Integer(_) => is("integer") || is("number"),
            Value::Float(_) => is("number"),
            Value::Boolean(_) => is("boolean"),
            Value::Array(_) => is("array"),
            Value::Table(table) => {
                let known = |key: &String| shape.schema["properties"].get(key).is_some();
                let open = shape.schema["additionalProperties"].is_object();
                let needed = shape.schema["required"].as_array();
                let needed = needed.into_iter().flatten().filter_map(Json::as_str);
                is("object")
                    && (open || table.keys().all(known))
                    && needed.into_iter().all(|key| table.contains_key(key))
            }
        }
    }
}

impl Shape {
    /// Whether a type is among the allowed ones.
    pub fn is(&self, name: &str) -> bool {
        let types = &self.schema["type"];
        *types == *name || types.as_array().is_some_and(|all| all.iter().any(|one| *one == *name))
    }

    /// The words to choose from, each with its meaning.
    pub fn words(&self) -> Vec<(String, String)> {
        let all = self.schema["oneOf"].as_array().into_iter().flatten();
        all.filter_map(|one| {
            let what = one["description"].as_str().unwrap_or_default().to_owned();
            Some((one["const"].as_str()?.to_owned(), what))
        })
        .collect()
    }
}
