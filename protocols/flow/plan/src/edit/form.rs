//! The form of a part of a plan: its current values, the possible ones, and the widget that changes each.
//!
//! It is derived only from the schema, so a new key of plans needs no code here. A shape without a matching widget is a
//! text field that contains TOML.

use serde::Serialize;
use toml::Value;

use super::shape::{Shape, Shapes};
use super::{Part, outline, whole};

/// How deep a form nests before it uses a text field.
const DEEPEST: usize = 8;
/// The most elements of a list or keys of a map that get fields; further ones are changed in the text.
const SHOWN_MAX: usize = 200;

/// A part of a form.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Node {
    /// Its path.
    pub path: Vec<Part>,
    /// Its label.
    pub label: String,
    /// Its description.
    pub what: String,
    /// LoadGen's name for it.
    pub loadgen: &'static str,
    /// Its widget: text, long, choice, number, time, size, secret, toml, object, list, map, link.
    pub widget: &'static str,
    /// Its current value, if that is a single text.
    pub value: String,
    /// The words to choose from.
    pub options: Vec<Choice>,
    /// The kinds that a value may have.
    pub kinds: Vec<String>,
    /// The current one of these.
    pub kind: usize,
    /// Its parts.
    pub parts: Vec<Self>,
    /// The parts that can be added.
    pub add: Vec<Choice>,
    /// How many elements the list has that contains it, if one does.
    pub of: Option<usize>,
    /// Whether it can be removed.
    pub removable: bool,
}

/// An option to choose, and its meaning.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Choice {
    /// The word.
    pub word: String,
    /// Its meaning.
    pub what: String,
}

/// LoadGen's terms for the parts of a form, by the names of shapes and keys.
const LOADGEN: [(&str, &str, &str); 12] = [
    ("Run", "users", "threads"),
    ("Run", "groups", "thread groups"),
    ("Groups", "size", "threadgroupsize"),
    ("Groups", "every", "threadinterval, in milliseconds"),
    ("Run", "rounds", "the loops of workloads"),
    ("Round", "scenarios", "workloads, each with its loops"),
    ("", "scenario", "workloads"),
    ("Scenario", "steps", "tasks"),
    ("Step", "threshold", "threshold, in milliseconds"),
    ("Step", "pause", "a sleep task"),
    ("Step", "extract", "retained wildcards"),
    ("", "variables", "wildcards"),
];

/// The form of the part at a path.
pub(super) fn form(shapes: &Shapes, values: &Value, path: &[Part]) -> Node {
    let making = Making { shapes, at: path };
    let shape = shapes.at(values, path);
    let value = whole::at(values, path);
    let label = match (path.last(), value) {
        (None, _) => "Plan".to_owned(),
        (Some(Part::Index(index)), Some(step)) if is_key(path, "steps") => {
            format!("Step {}: {}", index + 1, outline::step_label(step))
        }
        (Some(Part::Index(index)), _) => format!("Scenario {}", index + 1),
        (Some(Part::Key(key)), _) => key.clone(),
    };
    let mut node = making.node(shape.as_ref(), value, path, 0);
    node.label = label;
    node.removable = !path.is_empty();
    node
}

fn is_key(path: &[Part], name: &str) -> bool {
    path.len() >= 2 && matches!(&path[path.len() - 2], Part::Key(key) if key == name)
}

struct Making<'a> {
    shapes: &'a Shapes,
    at: &'a [Part],
}

impl Making<'_> {
    fn node(
        &self,
        shape: Option<&Shape>,
        value: Option<&Value>,
        path: &[Part],
        depth: usize,
    ) -> Node {
        let what = shape.map(|shape| shape.what.clone()).unwrap_or_default();
        let base = Node { path: path.to_vec(), what, ..Node::default() };
        let Some(shape) = shape.filter(|_| depth < DEEPEST) else { return literal(base, value) };
        let words = shape.words();
        if !words.is_empty() {
            let options = words.into_iter().map(|(word, what)| Choice { word, what }).collect();
            return Node { widget: "choice", options, value: text_of(value), ..base };
        }
        let kinds = self.shapes.kinds(shape);
        if kinds.is_empty() {
            return self.of_kind(base, shape, value, depth);
        }
        let Some(kind) = value.map_or(Some(0), |value| self.shapes.kind_of(&kinds, value)) else {
            return literal(base, value);
        };
        let mut node = self.node(Some(&kinds[kind]), value, path, depth);
        let leaf = |shape: &Shape| {
            !shape.is("object") && !shape.is("array") && self.shapes.kinds(shape).is_empty()
        };
        if shape.name == "Secret" && node.widget == "text" {
            (node.widget, node.value) = ("secret", String::new());
        }
        if shape.name == "Size" {
            node.widget = "size";
        }
        // Whether a value is a number or a text is not a choice for the user.
        if !kinds.iter().all(leaf) {
            let inner = std::mem::take(&mut node.kinds);
            node.kinds = if inner.is_empty() || kinds.len() > 1 {
                kinds.iter().map(kind_word).collect()
            } else {
                inner
            };
            node.kind = kind;
        }
        if !base.what.is_empty() {
            node.what = base.what;
        }
        node
    }

    /// The form of a shape without alternatives.
    fn of_kind(&self, base: Node, shape: &Shape, value: Option<&Value>, depth: usize) -> Node {
        if shape.is("object") {
            return match value {
                Some(Value::Table(table)) => self.table(base, shape, table, depth),
                None if base.path.is_empty() => self.table(base, shape, &toml::Table::new(), depth),
                _ => literal(base, value),
            };
        }
        if shape.is("array") {
            let Some(Value::Array(list)) = value else { return literal(base, value) };
            if list.len() > SHOWN_MAX {
                return literal(base, value);
            }
            let part = |(index, one): (usize, &Value)| {
                let path = [&base.path[..], &[Part::Index(index)]].concat();
                let shape = self.shapes.below(shape, &Part::Index(index));
                let mut node = self.node(shape.as_ref(), Some(one), &path, depth + 1);
                (node.of, node.removable) = (Some(list.len()), true);
                if node.label.is_empty() {
                    node.label = (index + 1).to_string();
                }
                node
            };
            let parts = list.iter().enumerate().map(part).collect();
            return Node { widget: "list", parts, ..base };
        }
        let value_text = text_of(value);
        let widget = match shape.name.as_str() {
            "Time" => "time",
            "Size" => "size",
            _ if shape.is("string") && value_text.contains('\n') => "long",
            _ if shape.is("string") => "text",
            _ if shape.is("integer") || shape.is("number") => "number",
            _ if shape.is("boolean") => "choice",
            _ => return literal(base, value),
        };
        let options = if shape.is("boolean") && !shape.is("string") {
            ["true", "false"]
                .map(|word| Choice { word: word.to_owned(), ..Choice::default() })
                .into()
        } else {
            Vec::new()
        };
        if matches!(value, Some(Value::Array(_) | Value::Table(_))) {
            return literal(base, value);
        }
        Node { widget, options, value: value_text, ..base }
    }

    fn table(&self, base: Node, shape: &Shape, table: &toml::Table, depth: usize) -> Node {
        let properties = shape.schema["properties"].as_object();
        if properties.is_none() && table.len() > SHOWN_MAX {
            return literal(base, Some(&Value::Table(table.clone())));
        }
        let needed = shape.schema["required"].as_array();
        let is_needed = |key: &str| needed.is_some_and(|all| all.iter().any(|one| *one == *key));
        let part = |(key, value): (&String, &Value)| {
            let path = [&base.path[..], &[Part::Key(key.clone())]].concat();
            let below = self.shapes.below(shape, &Part::Key(key.clone()));
            let mut node = if self.is_elsewhere(&path, value) {
                let what = below.map(|below| below.what).unwrap_or_default();
                Node { path, what, widget: "link", ..Node::default() }
            } else {
                self.node(below.as_ref(), Some(value), &path, depth + 1)
            };
            node.label.clone_from(key);
            // The description of a map's entries is shown with the map.
            if properties.is_none() {
                node.what.clear();
            }
            node.removable = !is_needed(key);
            node.loadgen = loadgen(&shape.name, key);
            node
        };
        let parts = table.iter().map(part).collect();
        let missing = properties.into_iter().flatten().filter(|(key, _)| !table.contains_key(*key));
        let add = missing.map(|(key, schema)| {
            let also = loadgen(&shape.name, key);
            let what = self.shapes.of(schema).what;
            let what = if also.is_empty() { what } else { format!("{what} (LoadGen: {also})") };
            Choice { word: key.clone(), what }
        });
        let widget = if properties.is_some() { "object" } else { "map" };
        Node { widget, parts, add: add.collect(), ..base }
    }

    /// Whether a value has an entry of its own among the parts of a plan.
    fn is_elsewhere(&self, path: &[Part], value: &Value) -> bool {
        let inner = matches!(value, Value::Table(_))
            || value.as_array().is_some_and(|list| list.iter().any(Value::is_table));
        inner
            && (path.len() == 1 && self.at.is_empty()
                || matches!(path, [.., Part::Index(_), Part::Key(key)] if key == "steps"))
    }
}

fn loadgen(shape: &str, key: &str) -> &'static str {
    LOADGEN.iter().find(|(of, name, _)| *of == shape && *name == key).map_or("", |(.., word)| word)
}

/// A text field that contains TOML.
fn literal(base: Node, value: Option<&Value>) -> Node {
    Node { widget: "toml", value: value.map(ToString::to_string).unwrap_or_default(), ..base }
}

fn text_of(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The name of a kind of value.
fn kind_word(shape: &Shape) -> String {
    let needed = shape.schema["required"].as_array().and_then(|all| all.first()?.as_str());
    match needed {
        Some(key) if shape.is("object") => key.to_owned(),
        _ if shape.is("array") => "several".to_owned(),
        _ if shape.is("object") => "table".to_owned(),
        _ if shape.is("string") => "text".to_owned(),
        _ => "number".to_owned(),
    }
}
