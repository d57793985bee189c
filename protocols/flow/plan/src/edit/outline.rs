//! The parts of a plan, for navigation.

use serde::Serialize;
use toml::Value;

use super::Part;

/// A part.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its path.
    pub path: Vec<Part>,
    /// Its label.
    pub label: String,
    /// Its nesting level.
    pub level: usize,
    /// How many elements the list has that contains it, if one does.
    pub of: Option<usize>,
}

/// The labels of parts that a plan can have once.
const SECTIONS: [(&str, &str); 10] = [
    ("run", "Load"),
    ("http", "HTTP"),
    ("ldap", "Directory (LDAP)"),
    ("dhcp", "DHCP server"),
    ("variables", "Variables"),
    ("keys", "Keys"),
    ("feeders", "Files of values"),
    ("find-max", "Search for the maximum"),
    ("prepare", "Before the load"),
    ("clean-up", "After the load"),
];
/// Those that have steps.
const AROUND: [&str; 2] = ["prepare", "clean-up"];
/// The keys that name the request of a step.
pub(super) const REQUESTS: [&str; 8] =
    ["get", "post", "put", "patch", "delete", "head", "options", "url"];

/// The deepest level of a step: groups nest four deep.
const DEEPEST: usize = 6;

/// The parts of a plan, in order.
pub(super) fn outline(values: &Value) -> Vec<Entry> {
    let key = |key: &str| Part::Key(key.to_owned());
    let mut all = vec![Entry { path: Vec::new(), label: "Plan".to_owned(), level: 0, of: None }];
    for (name, label) in SECTIONS {
        if values.get(name).is_some() {
            let (path, label) = (vec![key(name)], label.to_owned());
            all.push(Entry { path: path.clone(), label, level: 1, of: None });
            if let Some(around) = values.get(name).filter(|_| AROUND.contains(&name)) {
                steps(around, &path, 2, &mut all);
            }
        }
    }
    let scenarios = values.get("scenario").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (number, scenario) in scenarios.iter().enumerate() {
        let path = vec![key("scenario"), Part::Index(number)];
        let name = scenario.get("name").and_then(Value::as_str);
        let label =
            format!("Scenario {}", name.map_or_else(|| (number + 1).to_string(), str::to_owned));
        all.push(Entry { path: path.clone(), label, level: 1, of: Some(scenarios.len()) });
        steps(scenario, &path, 2, &mut all);
    }
    all
}

/// The steps of a scenario or a group, each followed by its own.
fn steps(of: &Value, path: &[Part], level: usize, all: &mut Vec<Entry>) {
    let steps = of.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (number, step) in steps.iter().enumerate() {
        let path = [path, &[Part::Key("steps".to_owned()), Part::Index(number)]].concat();
        let (label, of) = (step_label(step), Some(steps.len()));
        all.push(Entry { path: path.clone(), label, level, of });
        if level < DEEPEST {
            self::steps(step, &path, level + 1, all);
        }
    }
}

/// The label of a step: the name of its figures, if it has any.
pub(super) fn step_label(step: &Value) -> String {
    let text = |key: &str| step.get(key).and_then(Value::as_str);
    if let Some(name) = text("name") {
        return name.to_owned();
    }
    if let Some((key, url)) = REQUESTS.iter().find_map(|key| Some((*key, text(key)?))) {
        let method = if key == "url" { text("method").unwrap_or("GET") } else { key };
        let path = url
            .split_once("://")
            .map_or(url, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
        return format!("{} {}", method.to_lowercase(), path.split('?').next().unwrap_or_default());
    }
    if let Some(pause) = text("pause") {
        return format!("pause {pause}");
    }
    let ldap = step.get("ldap").and_then(Value::as_table).and_then(|table| table.keys().next());
    ldap.map(String::as_str).or(text("dhcp")).unwrap_or("step").to_owned()
}

/// The names that can be used in `${}`: variables, columns, extracted values.
pub(super) fn names(values: &Value) -> Vec<String> {
    let keys = |value: Option<&Value>| -> Vec<String> {
        value
            .and_then(Value::as_table)
            .into_iter()
            .flat_map(|table| table.keys().cloned())
            .collect()
    };
    let mut all = keys(values.get("variables"));
    all.extend(keys(values.get("feeders")));
    let scenarios = values.get("scenario").and_then(Value::as_array).into_iter().flatten();
    let around = AROUND.iter().filter_map(|name| values.get(name));
    let mut steps: Vec<&Value> = scenarios.chain(around).flat_map(own_steps).collect();
    while let Some(step) = steps.pop() {
        all.extend(keys(step.get("extract")));
        steps.extend(own_steps(step));
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn own_steps(of: &Value) -> impl Iterator<Item = &Value> {
    of.get("steps").and_then(Value::as_array).into_iter().flatten()
}
