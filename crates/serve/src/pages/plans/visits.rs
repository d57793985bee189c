//! What a visit does: its steps as readable lines, each of which opens in place, the values and everything else.

use maud::{Markup, html};

use super::field::{Fields, id};
use super::node;
use super::sheet::{Line, Scenario, Sheet, name};
use super::time;
use crate::store::Step;

/// What the lines are made with beside their fields.
pub(super) struct Visits<'a> {
    pub(super) fields: &'a Fields<'a>,
    /// The name of the part that is open from the beginning.
    pub(super) open: &'a str,
    /// The step library.
    pub(super) library: &'a [Step],
}

impl Visits<'_> {
    /// The scenarios of a plan, each with its steps.
    pub(super) fn part(&self, sheet: &Sheet) -> Markup {
        let fields = self.fields;
        let several = sheet.scenarios.len() > 1;
        html! {
            div.hd {
                h2 { "What a visit does" }
                span.note { (counted(sheet)) }
            }
            @for (number, scenario) in sheet.scenarios.iter().enumerate() {
                @if several || !scenario.line.name.is_empty() { (self.scenario(scenario, number)) }
                ol.steps {
                    @for step in &scenario.steps { (self.step(step)) }
                }
                (self.more(scenario))
            }
            @if !fields.readonly { p.acts { (fields.button("scenario", "Add a scenario", None)) } }
        }
    }

    /// The name of a scenario, which opens its settings.
    fn scenario(&self, scenario: &Scenario, number: usize) -> Markup {
        let line = &scenario.line;
        let shown = if line.name.is_empty() {
            format!("Scenario {}", number + 1)
        } else {
            line.name.clone()
        };
        self.folded(line, &html! { h3 { (shown) } })
    }

    fn step(&self, step: &Line) -> Markup {
        let class = if step.pauses { "pause" } else { "" };
        let on = if step.pauses { time::pretty(&step.on) } else { step.on.clone() };
        let summary = html! {
            span.nm { @if step.pauses { "pause" } @else { (step.name) } }
            span.rq {
                @if !step.pauses { b { (step.act) } " " }
                (on)
            }
            span.does { (step.does) }
        };
        html! {
            li class=(class) data-depth=(step.depth.min(4))
                data-move=[(!self.fields.readonly).then(|| name(&step.path))] { (self.folded(step, &summary)) }
        }
    }

    /// A line that opens in place.
    fn folded(&self, line: &Line, summary: &Markup) -> Markup {
        let (fields, path) = (self.fields, name(&line.path));
        let is_open = self.open == path || fields.is_faulty(&path);
        html! {
            details.part-of id={ "at-" (id(&path)) } open[is_open] {
                summary {
                    span.line id={ "line-" (id(&path)) } data-live { (summary) }
                    @if !fields.readonly { span.mv { "edit" } }
                }
                @match &line.form {
                    Some(form) => (node::form(form, fields)),
                    None => p.note { "This plan has too many steps for a form of each. Change this one in the text." },
                }
                (self.acts(line, &path))
            }
        }
    }

    /// What can be done with a step or a scenario as a whole.
    fn acts(&self, line: &Line, path: &str) -> Markup {
        let fields = self.fields;
        let act = |act: &str, words: &str| {
            fields.button(&format!("{act}:{path}"), words, Some(&format!("{words}: {}", line.name)))
        };
        html! {
            @if !fields.readonly {
                div.acts {
                    @if line.of > 1 { (act("up", "Up")) (act("down", "Down")) }
                    @if !line.own.is_empty() { (act("copy", "Copy")) (act("keep", "To the library")) }
                    (act("remove", "Remove"))
                }
            }
        }
    }

    /// What can be added to a scenario.
    fn more(&self, scenario: &Scenario) -> Markup {
        let (fields, path) = (self.fields, name(&scenario.line.path));
        let library = format!("library:{path}");
        html! {
            @if !fields.readonly {
                p.acts {
                    (fields.button(&format!("step:{path}"), "Add a request", None))
                    (fields.button(&format!("pause:{path}"), "Add a pause", None))
                    @if !self.library.is_empty() {
                        span.adding {
                            select name=(library) aria-label="Step of the library" {
                                @for step in self.library { option value=(step.id) { (step.name) } }
                            }
                            (fields.button(&format!("insert:{path}"), "Insert a copy", None))
                        }
                    }
                }
            }
        }
    }

    /// The variables, each with where its values come from.
    pub(super) fn values(&self, sheet: &Sheet) -> Markup {
        let fields = self.fields;
        html! {
            h2 { "Values" }
            @if sheet.values.is_empty() { p.note { "None. A value is used as " code { "${name}" } "." } }
            @for value in &sheet.values {
                (self.folded(value, &html! { span.nm.mono { (value.name) } span.does { (value.does) } }))
            }
            @if !fields.readonly {
                p.acts {
                    span.adding {
                        input name="value" placeholder="name" autocomplete="off" aria-label="Name of the new value";
                        (fields.button("value", "Add a value", None))
                    }
                }
            }
        }
    }

    /// Everything else that a plan may have.
    pub(super) fn rest(&self, sheet: &Sheet) -> Markup {
        html! {
            h2 { "Everything else" }
            @for line in &sheet.rest {
                (self.folded(line, &html! { span.nm { (line.name) } span.does { (inside(line)) } }))
            }
        }
    }
}

/// The keys that a part has.
fn inside(line: &Line) -> String {
    let parts = line.form.as_ref().map_or(&[][..], |form| &form.parts);
    let labels = parts.iter().filter(|part| part.widget != "link" && !part.is_elsewhere());
    labels.map(|part| part.label.as_str()).collect::<Vec<_>>().join(", ")
}

fn counted(sheet: &Sheet) -> String {
    let steps = || sheet.scenarios.iter().flat_map(|scenario| &scenario.steps);
    let pauses = steps().filter(|step| step.pauses).count();
    let requests = steps().filter(|step| !step.pauses && step.act != "group").count();
    let of = |count: usize, one: &str, many: &str| match count {
        0 => String::new(),
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let all = [
        of(sheet.scenarios.len(), "scenario", "scenarios"),
        of(requests, "request", "requests"),
        of(pauses, "pause", "pauses"),
    ];
    all.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
}
