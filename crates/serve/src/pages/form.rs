//! [`Form`]: a form of a page, with what was typed into it and why it was not accepted.
//!
//! One mechanism for all forms. A handler that refuses a form returns a [`Problem`], which may name a field. The page
//! that has the form is then made again with the same call: its `Form` recognises that it was sent, shows what was
//! typed in place of what is stored, and the reason beside its field. What was typed into a password field is never
//! sent back.
//!
//! [`Problem`]: crate::problem::Problem

use maud::{Markup, html};

use super::alert::alert;
use super::hidden;
use crate::call::{Call, Refusal};

/// A form of a page.
pub(super) struct Form<'a> {
    call: &'a Call,
    action: String,
    /// Set if this is the form that was sent and not accepted.
    refused: Option<&'a Refusal>,
    /// What the ids of its fields begin with, where another form of the page has fields of the same names.
    prefix: String,
    /// The id of the form, for fields that are not inside it.
    owner: Option<&'static str>,
    /// Whether it has something that was typed earlier and is not saved.
    is_unsaved: bool,
}

/// What scripts do with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Nothing,
    /// It edits a plan.
    Plan,
    /// It takes files.
    Import,
    /// It is sent with the chosen runs.
    Runs,
    /// It is sent as soon as the address has its secret.
    Enter,
}

/// A field in one line. [`TEXT`] has what most have in common.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) kind: &'static str,
    pub(super) value: &'a str,
    pub(super) hint: &'a str,
    pub(super) required: bool,
    /// The fewest and the most characters.
    pub(super) least: Option<usize>,
    pub(super) most: Option<usize>,
    /// The range of a number.
    pub(super) range: Option<(i64, i64)>,
    pub(super) pattern: Option<&'static str>,
    pub(super) autocomplete: &'static str,
    /// Whether it is a word for programs, which is neither capitalised nor corrected.
    pub(super) is_word: bool,
    /// The id of the list of its suggestions.
    pub(super) list: Option<&'static str>,
    pub(super) filled: Filled,
}

/// How a field is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    ByHand,
    /// By hand, and typing begins here.
    First,
    /// From the secret of the address, if it has one.
    FromAddress,
    /// By hand. A browser with scripts proposes its own time zone.
    FromZone,
}

/// A field for text.
pub(super) const TEXT: Input<'static> = Input {
    kind: "text",
    value: "",
    hint: "",
    required: false,
    least: None,
    most: None,
    range: None,
    pattern: None,
    autocomplete: "off",
    is_word: false,
    list: None,
    filled: Filled::ByHand,
};

/// A field for a new password.
pub(super) const PASSWORD: Input<'static> =
    Input { kind: "password", required: true, autocomplete: "new-password", ..TEXT };

/// A field of several lines.
#[derive(Clone, Copy)]
pub(super) struct Area<'a> {
    pub(super) rows: usize,
    pub(super) value: &'a str,
    pub(super) hint: &'a str,
    pub(super) required: bool,
    /// Whether it is text for programs, whose lines are not wrapped.
    pub(super) is_code: bool,
    pub(super) readonly: bool,
}

/// A field for three lines.
pub(super) const AREA: Area<'static> =
    Area { rows: 3, value: "", hint: "", required: false, is_code: false, readonly: false };

impl<'a> Form<'a> {
    /// The form that is sent to this path.
    pub(super) fn new(call: &'a Call, action: impl Into<String>) -> Self {
        let action = action.into();
        let form = Self {
            call,
            action,
            refused: None,
            prefix: String::new(),
            owner: None,
            is_unsaved: false,
        };
        let path = form.action.clone();
        form.also(&path)
    }

    /// Buttons of the form send it to this path as well.
    pub(super) fn also(mut self, path: &str) -> Self {
        let refused = self.call.refused.as_deref();
        let sent = refused.filter(|_| self.call.path.split('?').next() == Some(path));
        self.refused = self.refused.or(sent);
        self
    }

    /// Several forms of the page are sent to the same path. This is the one whose hidden field has this value.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.refused = self.refused.filter(|_| self.call.field(name) == value);
        self
    }

    /// Makes the ids of its fields begin with this.
    pub(super) fn prefixed(self, prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..self }
    }

    /// Gives the form an id, by which fields that are not inside it belong to it.
    pub(super) fn owning(self, id: &'static str) -> Self {
        Self { owner: Some(id), ..self }
    }

    /// Marks the form as having unsaved input: a script asks before the page is left.
    pub(super) fn unsaved(self, is_unsaved: bool) -> Self {
        Self { is_unsaved, ..self }
    }

    /// Whether this form was sent and not accepted.
    pub(super) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// What a field contains: what was typed, or what is stored.
    pub(super) fn value<'b>(&'b self, name: &str, stored: &'b str) -> &'b str {
        if self.is_refused() { self.call.field(name) } else { stored }
    }

    fn ticked(&self, name: &str, stored: bool) -> bool {
        if self.is_refused() { self.call.field(name) == "1" } else { stored }
    }

    fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Why a field was not accepted.
    fn fault(&self, name: &str) -> Option<&'a str> {
        let refused = self.refused.filter(|refused| refused.problem.is_about(name))?;
        refused.mark_shown();
        Some(&refused.problem.detail)
    }

    /// The whole form, from its content.
    pub(super) fn whole(&self, class: &str, script: Script, inner: &Markup) -> Markup {
        html! {
            form class=[Some(class).filter(|class| !class.is_empty())] id=[self.owner] method="post"
                action=(self.action) data-plan[script == Script::Plan] data-import[script == Script::Import]
                data-with-runs[script == Script::Runs] data-enter[script == Script::Enter]
                data-unsaved[self.is_refused() || self.is_unsaved]
            {
                @if let Some(who) = &self.call.who { (hidden(who)) }
                @if let Some(refused) = self.refused { (alert(refused)) }
                (inner)
            }
        }
    }

    /// A field in one line, with its name above it.
    pub(super) fn input(&self, name: &str, label: &str, input: Input<'_>) -> Markup {
        let (id, fault) = (self.id(name), self.fault(name));
        let is_password = input.kind == "password";
        let value = if is_password { "" } else { self.value(name, input.value) };
        let message = |text| Some(text).filter(|text: &&str| !text.is_empty());
        let focus = fault.is_some() || input.filled == Filled::First && !self.is_refused();
        // A password is typed again.
        let focus =
            focus || is_password && self.refused.is_some_and(|it| it.problem.is_about_no_field());
        self.field(name, label, &html! {
            input id=(id) name=(name) form=[self.owner] type=(input.kind) value=[message(value)]
                placeholder=[message(input.hint)] required[input.required] minlength=[input.least]
                maxlength=[input.most] min=[input.range.map(|(least, _)| least)]
                max=[input.range.map(|(_, most)| most)] pattern=[input.pattern] list=[input.list]
                autocomplete=(input.autocomplete) autocapitalize=[input.is_word.then_some("none")]
                spellcheck=[input.is_word.then_some("false")] data-fragment[input.filled == Filled::FromAddress]
                data-own-zone[input.filled == Filled::FromZone && !self.is_refused()]
                aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault.map(|_| described(&id))] autofocus[focus];
        })
    }

    /// A field of several lines, with its name above it.
    pub(super) fn area(&self, name: &str, label: &str, area: Area<'_>) -> Markup {
        let typed = self.value(name, area.value).replace("\r\n", "\n");
        self.area_of(name, label, Area { value: &typed, ..area })
    }

    /// A field of several lines with this text, whatever was typed.
    pub(super) fn area_of(&self, name: &str, label: &str, area: Area<'_>) -> Markup {
        let (id, fault) = (self.id(name), self.fault(name));
        self.field(name, label, &html! {
            textarea id=(id) name=(name) form=[self.owner] rows=(area.rows) placeholder=[hint(area.hint)]
                required[area.required] readonly[area.readonly] spellcheck=[area.is_code.then_some("false")]
                autocapitalize=[area.is_code.then_some("none")] wrap=[area.is_code.then_some("off")]
                aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault.map(|_| described(&id))]
                autofocus[fault.is_some()] { "\n" (area.value) }
        })
    }

    /// A choice among values, each with its words.
    pub(super) fn choice(
        &self,
        name: &str,
        label: &str,
        values: &[(String, String)],
        stored: &str,
    ) -> Markup {
        self.field(name, label, &self.select(name, values, stored))
    }

    /// A choice whose name is not shown, for rows of tables.
    pub(super) fn bare_choice(
        &self,
        name: &str,
        label: &str,
        values: &[(String, String)],
        stored: &str,
    ) -> Markup {
        let id = self.id(name);
        html! {
            label.away for=(id) { (label) }
            (self.select(name, values, stored))
            (reason(&id, self.fault(name)))
        }
    }

    fn select(&self, name: &str, values: &[(String, String)], stored: &str) -> Markup {
        let (id, fault) = (self.id(name), self.fault(name));
        let chosen = self.value(name, stored);
        html! {
            select id=(id) name=(name) form=[self.owner] aria-invalid=[fault.map(|_| "true")]
                aria-describedby=[fault.map(|_| described(&id))] autofocus[fault.is_some()]
            {
                @for (value, words) in values { option value=(value) selected[value == chosen] { (words) } }
            }
        }
    }

    /// A choice among a few values that are all shown, each with its words.
    pub(super) fn segments(
        &self,
        name: &str,
        label: &str,
        values: &[(&str, &str)],
        stored: &str,
    ) -> Markup {
        let chosen = Some(self.value(name, stored)).filter(|chosen| !chosen.is_empty());
        let chosen = chosen.unwrap_or(stored);
        html! {
            span.seg role="radiogroup" aria-label=(label) {
                @for (value, words) in values {
                    label {
                        input.away type="radio" name=(name) form=[self.owner] value=(value) checked[*value == chosen];
                        (words)
                    }
                }
            }
        }
    }

    /// A box that can be ticked, with its words beside it.
    pub(super) fn tick(&self, name: &str, words: &str, stored: bool) -> Markup {
        let (id, fault) = (self.id(name), self.fault(name));
        html! {
            label.tick {
                input type="checkbox" name=(name) form=[self.owner] value="1" checked[self.ticked(name, stored)]
                    aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault.map(|_| described(&id))]
                    autofocus[fault.is_some()];
                " " (words)
            }
            (reason(&id, fault))
        }
    }

    fn field(&self, name: &str, label: &str, control: &Markup) -> Markup {
        let id = self.id(name);
        html! { div.field { label for=(id) { (label) } (control) (reason(&id, self.fault(name))) } }
    }
}

fn hint(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn described(id: &str) -> String {
    format!("{id}-fault")
}

/// The reason beside a field.
fn reason(id: &str, fault: Option<&str>) -> Markup {
    html! { @if let Some(fault) = fault { p.missed id=(described(id)) { (fault) } } }
}
