//! [`Controls`]: the forms of a page while it is passed, and the controls in them.
//!
//! A control belongs to the form that is open where it is, or to the one that its attribute `form` names, wherever that
//! is on the page.

use crate::document::{Document, Node, attribute};
use crate::form::{Button, Field, FieldKind, Form};
use crate::meter::{Meter, Spent};
use crate::open_elements::OpenElements;
use html5ever::LocalName;
use html5ever::tokenizer::Tag;

/// The most fields that are kept of all forms of a page, and buttons.
const FIELDS_MAX: usize = 256;
/// The most bytes that are kept of all forms of a page.
const BYTES_MAX: usize = 64 << 10;

/// The first forms of a document, each as a browser would send it. One that was too much to be kept lacks a part, and
/// is [cut](Form::is_cut).
pub fn forms(document: &Document, most: usize, meter: &dyn Meter) -> Result<Vec<Form>, Spent> {
    let (mut controls, mut elements) = (Controls::new(meter), OpenElements::default());
    for node in &document.nodes {
        match node {
            Node::Start(tag) => {
                elements.open(tag);
                controls.start(tag, elements.depth(), Vec::new())?;
            }
            Node::End(name) => {
                elements.close(name, meter)?;
                controls.end(name, elements.depth());
            }
            Node::Text(text) => controls.text(text),
        }
    }
    controls.forms(most, true)
}

/// The forms of a page while it is passed.
pub(crate) struct Controls<'a> {
    meter: &'a dyn Meter,
    forms: Vec<Form>,
    /// How many forms there were, also those beyond what is kept.
    count: usize,
    /// The form that is open.
    open: Option<usize>,
    /// Fields and buttons in the order of the page, each with its form.
    found: Vec<(Owner, Control)>,
    /// The list or text that is open.
    inside: Option<Inside>,
    /// The disabled sets of fields that are open, by how many elements are open within them.
    disabled: Vec<usize>,
    /// The elements that are no part of a form, such as the suggestions of a text field.
    hidden: Vec<usize>,
}

/// The form that a control belongs to.
enum Owner {
    Number(usize),
    Id(String),
}

enum Control {
    Field(Field),
    Button(Button),
}

/// A control with content.
enum Inside {
    /// A text area, and its text so far.
    Text { owner: Option<Owner>, name: String, text: String, disabled: bool },
    /// A list, and its options so far.
    List {
        owner: Option<Owner>,
        name: String,
        several: bool,
        options: Vec<ListOption>,
        disabled: bool,
    },
}

struct ListOption {
    value: Option<String>,
    text: String,
    selected: bool,
    disabled: bool,
}

/// The most forms that are looked at.
const FORMS_SEEN: usize = 1024;

impl<'a> Controls<'a> {
    pub(crate) fn new(meter: &'a dyn Meter) -> Self {
        Self {
            meter,
            forms: Vec::new(),
            count: 0,
            open: None,
            found: Vec::new(),
            inside: None,
            disabled: Vec::new(),
            hidden: Vec::new(),
        }
    }

    /// How many forms there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// A start tag; `depth` elements are open, this one included.
    pub(crate) fn start(
        &mut self,
        tag: &Tag,
        depth: usize,
        selected: Vec<usize>,
    ) -> Result<(), Spent> {
        match &*tag.name {
            "form" => self.form(tag, selected),
            "fieldset" if attribute(tag, "disabled").is_some() => self.disabled.push(depth),
            "datalist" | "template" => self.hidden.push(depth),
            "input" => self.input(tag)?,
            "button" => self.button(tag)?,
            "select" | "textarea" => {
                self.finish()?;
                self.begin(tag);
            }
            "option" => self.option(tag),
            _ => {}
        }
        Ok(())
    }

    /// An end tag, after which `depth` elements are open.
    pub(crate) fn end(&mut self, name: &LocalName, depth: usize) {
        match &**name {
            "form" => self.open = None,
            // An excess is found when a field is added, and reported when the form is sent.
            "select" | "textarea" => {
                let _ = self.finish();
            }
            _ => {}
        }
        self.disabled.retain(|open| *open <= depth);
        self.hidden.retain(|open| *open <= depth);
    }

    /// A text.
    pub(crate) fn text(&mut self, text: &str) {
        let into = match &mut self.inside {
            Some(Inside::Text { text, .. }) => text,
            Some(Inside::List { options, .. }) => match options.last_mut() {
                Some(option) => &mut option.text,
                None => return,
            },
            None => return,
        };
        if into.len() <= BYTES_MAX {
            into.push_str(text);
        }
    }

    fn form(&mut self, tag: &Tag, selected: Vec<usize>) {
        // A form within a form is none.
        if self.open.is_some() {
            return;
        }
        self.count += 1;
        if self.forms.len() == FORMS_SEEN {
            return;
        }
        let text = |name: &str| attribute(tag, name).map(str::to_owned);
        self.open = Some(self.forms.len());
        self.forms.push(Form {
            id: text("id").filter(|id| !id.is_empty()),
            name: text("name").filter(|name| !name.is_empty()),
            action: text("action").unwrap_or_default(),
            method: text("method").unwrap_or_default(),
            enctype: text("enctype").unwrap_or_default(),
            selected,
            ..Form::default()
        });
    }

    fn input(&mut self, tag: &Tag) -> Result<(), Spent> {
        let kind = attribute(tag, "type").unwrap_or_default().to_ascii_lowercase();
        if self.is_disabled(tag) {
            return Ok(());
        }
        let value = attribute(tag, "value");
        match &*kind {
            "submit" | "image" => return self.sends(tag, kind == "image"),
            "button" | "reset" => return Ok(()),
            _ => {}
        }
        let Some(name) = named(tag) else { return Ok(()) };
        let of_input = FieldKind::of_input(&kind);
        let checkable = of_input == FieldKind::Checkable;
        let value = match (value, of_input) {
            (_, FieldKind::File) => "",
            (_, FieldKind::Hidden) if name.eq_ignore_ascii_case("_charset_") => "UTF-8",
            (None, _) if checkable => "on",
            (value, _) => value.unwrap_or_default(),
        };
        let field = Field {
            name: name.to_owned(),
            value: value.to_owned(),
            sent: !checkable || attribute(tag, "checked").is_some(),
            kind: of_input,
        };
        let owner = self.owner(tag);
        self.add(owner, Control::Field(field))
    }

    fn button(&mut self, tag: &Tag) -> Result<(), Spent> {
        let kind = attribute(tag, "type").unwrap_or_default();
        let idle = ["button", "reset"].iter().any(|idle| kind.eq_ignore_ascii_case(idle));
        if idle || self.is_disabled(tag) { Ok(()) } else { self.sends(tag, false) }
    }

    /// A button that sends a form.
    fn sends(&mut self, tag: &Tag, picture: bool) -> Result<(), Spent> {
        let text = |name: &str| attribute(tag, name).map(str::to_owned);
        let button = Button {
            name: named(tag).map(str::to_owned),
            value: text("value").unwrap_or_default(),
            picture,
            action: text("formaction").filter(|action| !action.is_empty()),
            method: text("formmethod"),
            enctype: text("formenctype"),
        };
        let owner = self.owner(tag);
        self.add(owner, Control::Button(button))
    }

    fn begin(&mut self, tag: &Tag) {
        let Some(name) = named(tag).map(str::to_owned) else { return };
        let (owner, disabled) = (self.owner(tag), self.is_disabled(tag));
        self.inside = Some(if &*tag.name == "textarea" {
            Inside::Text { owner, name, text: String::new(), disabled }
        } else {
            let several = attribute(tag, "multiple").is_some();
            Inside::List { owner, name, several, options: Vec::new(), disabled }
        });
    }

    fn option(&mut self, tag: &Tag) {
        if let Some(Inside::List { options, .. }) = &mut self.inside
            && options.len() <= FIELDS_MAX
        {
            options.push(ListOption {
                value: attribute(tag, "value").map(str::to_owned),
                text: String::new(),
                selected: attribute(tag, "selected").is_some(),
                disabled: attribute(tag, "disabled").is_some(),
            });
        }
    }

    /// The control that is open has ended.
    fn finish(&mut self) -> Result<(), Spent> {
        match self.inside.take() {
            None
            | Some(Inside::Text { disabled: true, .. } | Inside::List { disabled: true, .. }) => {
                Ok(())
            }
            Some(Inside::Text { owner, name, text, .. }) => {
                let value = text.strip_prefix('\n').unwrap_or(&text).to_owned();
                let field = Field { name, value, sent: true, kind: FieldKind::Text };
                self.add(owner, Control::Field(field))
            }
            Some(Inside::List { owner, name, several, options, .. }) => {
                let kind = FieldKind::Choice;
                let field = |value| Field { name: name.clone(), value, sent: true, kind };
                let values = chosen(options, several);
                let none = values.is_empty().then(|| Field { sent: false, ..field(String::new()) });
                let fields: Vec<Field> = values.into_iter().map(field).chain(none).collect();
                for field in fields {
                    let owner = match &owner {
                        Some(Owner::Id(id)) => Some(Owner::Id(id.clone())),
                        Some(Owner::Number(number)) => Some(Owner::Number(*number)),
                        None => None,
                    };
                    self.add(owner, Control::Field(field))?;
                }
                Ok(())
            }
        }
    }

    fn owner(&self, tag: &Tag) -> Option<Owner> {
        match attribute(tag, "form") {
            Some(id) => Some(Owner::Id(id.to_owned())),
            None => self.open.map(Owner::Number),
        }
    }

    fn is_disabled(&self, tag: &Tag) -> bool {
        attribute(tag, "disabled").is_some() || !self.disabled.is_empty() || !self.hidden.is_empty()
    }

    fn add(&mut self, owner: Option<Owner>, control: Control) -> Result<(), Spent> {
        self.meter.spend(1)?;
        self.found.extend(owner.map(|owner| (owner, control)));
        Ok(())
    }

    /// The first forms with their controls: first those that may be sent, then others, without values, for messages.
    pub(crate) fn forms(mut self, most: usize, any: bool) -> Result<Vec<Form>, Spent> {
        self.finish()?;
        let mut forms = std::mem::take(&mut self.forms);
        let sendable = |form: &Form| any || !form.selected.is_empty();
        let mut order: Vec<usize> = (0..forms.len()).collect();
        order.sort_by_key(|number| !sendable(&forms[*number]));
        order.truncate(most);
        let (mut fields, mut bytes) = (0, 0);
        for number in &order {
            let form = &mut forms[*number];
            bytes += form.action.len() + form.id.as_ref().map_or(0, String::len);
            form.cut = bytes > BYTES_MAX;
            if form.cut {
                form.action.clear();
            }
        }
        for (owner, control) in self.found {
            self.meter.spend(1 + order.len() as u64)?;
            let owned = |number: &&usize| match &owner {
                Owner::Number(owner) => *number == owner,
                Owner::Id(id) => forms[**number].id.as_ref() == Some(id),
            };
            let Some(number) = order.iter().find(owned) else { continue };
            let form = &mut forms[*number];
            bytes += control.size();
            fields += 1;
            if fields > FIELDS_MAX || bytes > BYTES_MAX {
                form.cut = true;
                continue;
            }
            match control {
                Control::Field(field) if any || !form.selected.is_empty() => {
                    form.fields.push(field);
                }
                Control::Field(field) => {
                    form.fields.push(Field { value: String::new(), ..field });
                }
                Control::Button(button) => form.buttons.push(button),
            }
        }
        order.sort_unstable();
        Ok(order.into_iter().map(|number| std::mem::take(&mut forms[number])).collect())
    }
}

impl Control {
    fn size(&self) -> usize {
        match self {
            Self::Field(field) => field.name.len() + field.value.len(),
            Self::Button(button) => {
                let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
                length(&button.name) + button.value.len() + length(&button.action)
            }
        }
    }
}

/// The values of a list that are sent: the selected ones; without one, the first that can be selected.
fn chosen(options: Vec<ListOption>, several: bool) -> Vec<String> {
    let first = options.iter().position(|option| !option.disabled);
    let last = options.iter().rposition(|option| option.selected);
    let only = if several { None } else { last.or(first) };
    let chosen = options.into_iter().enumerate().filter(|(number, option)| {
        !option.disabled && if several { option.selected } else { Some(*number) == only }
    });
    let value = |option: ListOption| {
        let text = || option.text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        option.value.clone().unwrap_or_else(text)
    };
    chosen.map(|(_, option)| value(option)).collect()
}

/// The name of a control, if it has one.
fn named(tag: &Tag) -> Option<&str> {
    attribute(tag, "name").filter(|name| !name.is_empty())
}
