//! [`Forms`]: the forms of a page, with the fields that a browser would send of each.
//!
//! Controls belong to the form that they are in, or to the one that their attribute `form` names. Disabled ones are
//! left out, as are those in a disabled `fieldset`.

use super::control::{Control, Kind};
use super::reading::{Reading, Tag};

/// The most forms of a page that are kept.
const FORMS_MAX: usize = 64;
/// The most controls of all forms of a page that are kept.
const CONTROLS_MAX: usize = 4_096;
/// The most bytes of a text, of a text area or of an option, that are kept.
const TEXT_MAX: usize = 64 << 10;

/// How a form is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Method {
    /// Its fields are the query of a URL.
    #[default]
    Get,
    /// Its fields are the body of a request.
    Post,
    /// It is not sent at all.
    Dialog,
}

impl Method {
    /// The method of that name; GET for any other text, as in a browser.
    pub(crate) fn named(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "post" => Self::Post,
            "dialog" => Self::Dialog,
            _ => Self::Get,
        }
    }
}

/// A form of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// The attributes of its tag.
    pub(crate) attributes: Vec<(String, String)>,
    /// What it consists of, in order.
    pub(crate) controls: Vec<Control>,
}

impl Form {
    /// The value of an attribute of its tag.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let known = self.attributes.iter().find(|(known, _)| known == name);
        known.map(|(_, value)| value.as_str())
    }

    /// Its target, relative to the page; empty if it is the page.
    pub(crate) fn action(&self) -> &str {
        self.attribute("action").map_or("", str::trim)
    }

    /// How it is sent.
    pub(crate) fn method(&self) -> Method {
        self.attribute("method").map(Method::named).unwrap_or_default()
    }

    /// Its buttons, in order.
    pub(crate) fn buttons(&self) -> impl Iterator<Item = &Control> {
        self.controls.iter().filter(|control| control.is_button())
    }

    /// The fields that are sent as the page is, if this button is pressed.
    pub(crate) fn fields<'a>(
        &'a self,
        pressed: Option<&'a Control>,
    ) -> impl Iterator<Item = &'a Control> {
        self.controls.iter().filter(move |control| {
            let is_pressed = pressed.is_some_and(|pressed| std::ptr::eq(pressed, *control));
            !control.name.is_empty() && (!control.is_button() || is_pressed)
        })
    }
}

/// The forms of a page, as it is read.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    kept: Vec<Form>,
    /// The position of the form whose end was not reached yet.
    open: Option<usize>,
    /// Controls that name their form.
    elsewhere: Vec<(String, Control)>,
    controls: usize,
    /// How many open field sets there are from the outermost disabled one on.
    disabled: usize,
    /// The control whose text is being read.
    part: Option<Part>,
}

/// A control that consists of several tags or has a text.
#[derive(Debug)]
enum Part {
    Area { owner: Owner, name: String, text: String },
    Button { owner: Owner, control: Control, text: String },
    List(List),
}

#[derive(Debug)]
struct List {
    owner: Owner,
    name: String,
    multiple: bool,
    /// The value of each option, and whether it is selected and enabled.
    options: Vec<(String, bool, bool)>,
    /// The text of the option that is open, if it has no value of its own.
    text: Option<String>,
}

/// The form that a control belongs to.
#[derive(Clone, Debug)]
enum Owner {
    Form(usize),
    Named(String),
}

impl Forms {
    /// The forms of the page that was read, in order.
    pub(crate) fn finish(mut self) -> Vec<Form> {
        self.end_part();
        for (id, control) in std::mem::take(&mut self.elsewhere) {
            let form = self.kept.iter_mut().find(|form| form.attribute("id") == Some(&id));
            if let Some(form) = form {
                form.controls.push(control);
            }
        }
        self.kept
    }

    fn owner(&self, tag: Tag<'_>) -> Option<Owner> {
        if self.disabled > 0 || tag.attribute("disabled").is_some() {
            return None;
        }
        let named = tag.attribute("form").map(|id| Owner::Named(id.to_owned()));
        named.or_else(|| self.open.map(Owner::Form))
    }

    fn keep(&mut self, owner: Owner, control: Control) {
        self.controls += 1;
        if self.controls > CONTROLS_MAX {
            return;
        }
        match owner {
            Owner::Form(at) => self.kept[at].controls.push(control),
            Owner::Named(id) => self.elsewhere.push((id, control)),
        }
    }

    fn end_part(&mut self) {
        match self.part.take() {
            None => {}
            Some(Part::Area { owner, name, text }) => {
                let text = text.strip_prefix('\n').unwrap_or(&text);
                let value = text.replace("\r\n", "\n").replace('\n', "\r\n");
                self.keep(owner, Control { name, value, kind: Kind::Text });
            }
            Some(Part::Button { owner, mut control, text }) => {
                if let Kind::Button { label, .. } = &mut control.kind {
                    *label = words(&text);
                }
                self.keep(owner, control);
            }
            Some(Part::List(list)) => self.end_list(list),
        }
    }

    fn end_list(&mut self, mut list: List) {
        list.end_option();
        let List { owner, name, multiple, options, .. } = list;
        let choice = |value: String| Control { name: name.clone(), value, kind: Kind::Choice };
        if multiple {
            for (value, selected, enabled) in options {
                if selected && enabled {
                    self.keep(owner.clone(), choice(value));
                }
            }
            return;
        }
        // The last of several selected options, or the first of all.
        let chosen = options.iter().rposition(|(_, selected, _)| *selected);
        let chosen = chosen.or_else(|| options.iter().position(|(_, _, enabled)| *enabled));
        if let Some((value, _, true)) = chosen.map(|at| options[at].clone()) {
            self.keep(owner, choice(value));
        }
    }
}

impl List {
    fn option(&mut self, tag: Tag<'_>) {
        self.end_option();
        if self.options.len() >= CONTROLS_MAX {
            return;
        }
        let has = |name: &str| tag.attribute(name).is_some();
        let value = tag.attribute("value");
        self.text = value.is_none().then(String::new);
        let value = value.unwrap_or_default().to_owned();
        self.options.push((value, has("selected"), !has("disabled")));
    }

    fn end_option(&mut self) {
        if let Some((text, option)) = self.text.take().zip(self.options.last_mut()) {
            option.0 = words(&text);
        }
    }
}

impl Reading for Forms {
    fn open(&mut self, tag: Tag<'_>) {
        match tag.name() {
            "form" if self.open.is_none() && self.kept.len() < FORMS_MAX => {
                let attributes = tag.attributes();
                let attributes =
                    attributes.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
                self.open = Some(self.kept.len());
                self.kept.push(Form { attributes, controls: Vec::new() });
            }
            "fieldset" if self.disabled > 0 || tag.attribute("disabled").is_some() => {
                self.disabled += 1;
            }
            "input" => {
                if let Some((owner, control)) = self.owner(tag).zip(Control::input(tag)) {
                    self.keep(owner, control);
                }
            }
            "button" => {
                self.end_part();
                let found = self.owner(tag).zip(Control::button(tag));
                self.part = found.map(|(owner, control)| Part::Button {
                    owner,
                    control,
                    text: String::new(),
                });
            }
            "textarea" | "select" => {
                self.end_part();
                let name = tag.attribute("name").filter(|name| !name.is_empty());
                let Some((owner, name)) = self.owner(tag).zip(name) else { return };
                let (name, text) = (name.to_owned(), String::new());
                self.part = Some(if tag.name() == "textarea" {
                    Part::Area { owner, name, text }
                } else {
                    let multiple = tag.attribute("multiple").is_some();
                    Part::List(List { owner, name, multiple, options: Vec::new(), text: None })
                });
            }
            "option" => {
                if let Some(Part::List(list)) = &mut self.part {
                    list.option(tag);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "form" => {
                self.end_part();
                self.open = None;
            }
            "fieldset" => self.disabled = self.disabled.saturating_sub(1),
            "button" | "textarea" | "select" => self.end_part(),
            "option" => {
                if let Some(Part::List(list)) = &mut self.part {
                    list.end_option();
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let kept = match &mut self.part {
            Some(Part::Area { text, .. } | Part::Button { text, .. }) => Some(text),
            Some(Part::List(list)) => list.text.as_mut(),
            None => None,
        };
        if let Some(kept) = kept.filter(|kept| kept.len() + text.len() <= TEXT_MAX) {
            kept.push_str(text);
        }
    }
}

/// A text with single spaces between its words.
fn words(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
