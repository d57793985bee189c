//! Parameters: the source of their values, and how they are written (OpenAPI 3.1, section 4.8.12).

use super::Api;
use super::security::add_cookie;
use crate::form::percent;
use crate::imported::Step;
use crate::node::Node;
use crate::notation::literal;

impl<'a> Api<'a> {
    /// Adds the parameters of an operation to its step. `url` ends in the path of the document.
    pub(super) fn parameters(&mut self, item: &'a Node, operation: &'a Node, step: &mut Step) {
        let mut parameters: Vec<&'a Node> = Vec::new();
        for parameter in [item, operation].into_iter().flat_map(|it| it.at("parameters").list()) {
            let parameter = self.resolved(parameter);
            let same = |known: &&mut &'a Node| {
                known.at("name") == parameter.at("name") && known.at("in") == parameter.at("in")
            };
            // A parameter of the operation overrides one of the path.
            match parameters.iter_mut().find(same) {
                Some(known) => *known = parameter,
                None => parameters.push(parameter),
            }
        }
        let mut query = Vec::new();
        for parameter in parameters {
            let name = parameter.at("name").plain();
            let place = parameter.at("in").text().unwrap_or_default();
            let Some(value) = self.parameter_value(parameter, place == "path") else { continue };
            match place {
                "path" => self.path_parameter(&name, parameter, &value, step),
                "query" => query.extend(pairs(&name, &value, parameter)),
                "header" if !is_elsewhere(&name) => {
                    step.headers.push((name, literal(&joined(&value)).replace(['\r', '\n'], " ")));
                }
                "cookie" => {
                    let value = percent(joined(&value).as_bytes());
                    add_cookie(step, &format!("{name}={value}"));
                }
                _ => {}
            }
        }
        if !query.is_empty() {
            let joint = if step.url.contains('?') { '&' } else { '?' };
            step.url.push(joint);
            step.url.push_str(&query.join("&"));
        }
    }

    /// The value of a parameter, if it must have one or the document offers one.
    fn parameter_value(&mut self, parameter: &'a Node, always: bool) -> Option<Node> {
        if let Some(example) = self.example(parameter) {
            return Some(example);
        }
        let content = parameter.at("content").members().first();
        let schema = match content {
            Some((_, media)) => {
                if let Some(example) = self.example(media) {
                    return Some(Node::Text(example.to_json()));
                }
                media.at("schema")
            }
            None => parameter.at("schema"),
        };
        let schema = self.resolved(schema);
        let offered =
            ["example", "examples", "default"].iter().any(|name| schema.member(name).is_some());
        if !(always || offered || parameter.at("required").is_true()) {
            return None;
        }
        let value = self.sample(schema);
        Some(if content.is_some() { Node::Text(value.to_json()) } else { value })
    }

    /// The example of a parameter or a kind of content, if it has one.
    pub(super) fn example(&mut self, of: &'a Node) -> Option<Node> {
        if let Some(example) = of.member("example") {
            return Some(example.clone());
        }
        let (_, first) = of.at("examples").members().first()?;
        self.resolved(first).member("value").cloned()
    }

    fn path_parameter(&mut self, name: &str, parameter: &'a Node, value: &Node, step: &mut Step) {
        let description = parameter.at("description").text().unwrap_or_default();
        let first_line = description.lines().next().unwrap_or_default();
        let comment = format!("the parameter '{name}' of paths. {first_line}");
        let value = literal(&joined(value));
        let hole = self.variables.constant(name, &value, comment.trim_end());
        step.url = step.url.replace(&format!("{{{name}}}"), &hole);
    }
}

/// Headers that the document describes elsewhere (section 4.8.12.2).
fn is_elsewhere(name: &str) -> bool {
    ["accept", "content-type", "authorization"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// A value in one piece: lists separated by commas, as in the style `simple`.
fn joined(value: &Node) -> String {
    match value {
        Node::List(list) => list.iter().map(Node::plain).collect::<Vec<_>>().join(","),
        Node::Map(members) => {
            let pairs = members.iter().map(|(name, value)| format!("{name},{}", value.plain()));
            pairs.collect::<Vec<_>>().join(",")
        }
        value => value.plain(),
    }
}

/// What a parameter adds to a query.
fn pairs(name: &str, value: &Node, parameter: &Node) -> Vec<String> {
    let pair = |name: &str, value: &str| {
        let name = percent(name.as_bytes()).replace("%5B", "[").replace("%5D", "]");
        literal(&format!("{name}={}", percent(value.as_bytes())))
    };
    let explode = parameter.at("explode") != &Node::Bool(false);
    let style = parameter.at("style").text().unwrap_or("form");
    let separated = |separator: &str, list: &[Node]| {
        let items: Vec<_> = list.iter().map(|it| percent(it.plain().as_bytes())).collect();
        vec![format!("{}={}", percent(name.as_bytes()), items.join(separator))]
    };
    match value {
        Node::List(list) if style == "spaceDelimited" => separated("%20", list),
        Node::List(list) if style == "pipeDelimited" => separated("%7C", list),
        Node::List(list) if explode => list.iter().map(|item| pair(name, &item.plain())).collect(),
        Node::List(list) => separated(",", list),
        Node::Map(members) if style == "deepObject" => {
            let named = members.iter();
            named
                .map(|(member, value)| pair(&format!("{name}[{member}]"), &value.plain()))
                .collect()
        }
        Node::Map(members) if explode => {
            members.iter().map(|(member, value)| pair(member, &value.plain())).collect()
        }
        value => vec![pair(name, &joined(value))],
    }
}
