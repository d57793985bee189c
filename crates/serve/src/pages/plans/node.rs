//! The form of a part of a plan: everything that the schema has there, with names of fields that are paths.

use maud::{Markup, html};

use super::field::{Fields, id};
use super::sheet::{Node, name};

/// The most lines of a field of several lines.
const ROWS_MAX: usize = 12;

/// The form of a part.
pub(super) fn form(node: &Node, fields: &Fields<'_>) -> Markup {
    html! {
        div.open {
            (body(node, fields))
            div.acts { (fields.button("apply", "Apply", Some("Apply what was typed"))) }
        }
    }
}

/// A part of a form with its name before it.
fn part(node: &Node, fields: &Fields<'_>) -> Markup {
    let path = name(&node.path);
    html! {
        @if node.widget != "link" && !node.is_elsewhere() {
            @if node.is_leaf() {
                div.field {
                    div.head {
                        label for=(id(&path)) { (node.label) }
                        (extra(node, &path, fields))
                    }
                    (what(node)) (leaf(node, &path, fields)) (fields.why(&path))
                }
            } @else {
                fieldset.group {
                    legend { (node.label) }
                    div.head { (extra(node, &path, fields)) }
                    (what(node)) (body(node, fields)) (fields.why(&path))
                }
            }
        }
    }
}

fn what(node: &Node) -> Markup {
    html! { @if !node.what.is_empty() { p.note { (words(&node.what)) } } }
}

/// A text in which backticks mark code.
fn words(text: &str) -> Markup {
    html! {
        @for (number, piece) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

/// What can be done with a part beside its value.
fn extra(node: &Node, path: &str, fields: &Fields<'_>) -> Markup {
    let kinds: Vec<(String, &str)> = node
        .kinds
        .iter()
        .enumerate()
        .map(|(number, kind)| (number.to_string(), kind.as_str()))
        .collect();
    let kinds: Vec<(&str, &str)> =
        kinds.iter().map(|(number, kind)| (number.as_str(), *kind)).collect();
    html! {
        @if !node.loadgen.is_empty() { span.also { "LoadGen: " (node.loadgen) } }
        @if kinds.len() > 1 {
            (fields.choice(&format!("kind:{path}"), &format!("Kind of {}", node.label), &kinds, &node.kind.to_string()))
        }
        @if node.of.is_some_and(|of| of > 1) {
            (fields.button(&format!("up:{path}"), "Up", Some(&format!("Move {} up", node.label))))
            (fields.button(&format!("down:{path}"), "Down", Some(&format!("Move {} down", node.label))))
        }
        @if node.removable { (fields.remover(&format!("remove:{path}"), &format!("Remove {}", node.label))) }
    }
}

/// The parts of a part, and what can be added to it.
pub(super) fn body(node: &Node, fields: &Fields<'_>) -> Markup {
    let path = name(&node.path);
    if node.is_leaf() {
        return html! { (what(node)) (leaf(node, &path, fields)) (fields.why(&path)) };
    }
    html! {
        @for inner in &node.parts { (part(inner, fields)) }
        @if !fields.readonly { (adding(node, &path, fields)) }
    }
}

fn adding(node: &Node, path: &str, fields: &Fields<'_>) -> Markup {
    let field = format!("add:{path}");
    let label = format!("Add to {}", node.label);
    html! {
        @match node.widget.as_str() {
            "list" => (fields.button(&format!("more:{path}"), "Add one", Some(&format!("Add one to {}", node.label)))),
            "map" => {
                span.adding {
                    input id=(id(&field)) name=(field) value=(fields.typed.or(&field, "")) placeholder="name"
                        autocomplete="off" aria-label={ "Name to add to " (node.label) };
                    (fields.button("apply", "Add", Some(&label)))
                }
            },
            "object" if !node.add.is_empty() => {
                span.adding {
                    select id=(id(&field)) name=(field) aria-label={ "Setting to add to " (node.label) } data-send {
                        option value="" { "Add a setting" }
                        @for choice in &node.add {
                            option value=(choice.word) title=[Some(&choice.what).filter(|what| !what.is_empty())] {
                                (choice.word)
                            }
                        }
                    }
                    (fields.button("apply", "Add", Some(&label)))
                }
            },
            _ => {},
        }
        (fields.why(&field))
    }
}

fn leaf(node: &Node, path: &str, fields: &Fields<'_>) -> Markup {
    let id = id(path);
    let value = fields.typed.or(path, &node.value);
    let fault = fields.fault(path).map(|_| "true");
    let described = fault.map(|_| format!("{id}-why"));
    let hint = match node.widget.as_str() {
        "time" => Some("such as 500ms, 30s or 5m"),
        "size" => Some("such as 65536 or 64KiB"),
        "secret" => Some("set, but not shown"),
        _ => None,
    };
    html! {
        @match node.widget.as_str() {
            "choice" => {
                select id=(id) name=(path) disabled[fields.readonly] aria-invalid=[fault] aria-describedby=[described] {
                    @if !node.options.iter().any(|option| option.word == value) {
                        option value=(value) selected { (value) }
                    }
                    @for option in &node.options {
                        option value=(option.word) selected[option.word == value] {
                            (option.word)
                            @if !option.what.is_empty() { ": " (option.what.replace('`', "")) }
                        }
                    }
                }
            },
            "long" | "toml" => {
                textarea id=(id) name=(path) rows=((value.lines().count() + 1).min(ROWS_MAX)) spellcheck="false"
                    autocapitalize="none" readonly[fields.readonly] aria-invalid=[fault] aria-describedby=[described] {
                    "\n" (value)
                }
            },
            widget => {
                input id=(id) name=(path) type=[(widget == "secret").then_some("password")]
                    value=[(widget != "secret").then_some(value)] placeholder=[hint] autocomplete="off"
                    spellcheck="false" autocapitalize="none" readonly[fields.readonly]
                    list=[(widget == "text").then_some("names")] inputmode=[(widget == "number").then_some("numeric")]
                    aria-invalid=[fault] aria-describedby=[described];
            },
        }
    }
}
