//! [`Form`]: a form of a page, with the fields that a browser would send.

/// A form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Its id.
    pub id: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Where it is sent, as written; empty means to the page itself.
    pub action: String,
    /// Its method, as written.
    pub method: String,
    /// How its fields are encoded, as written.
    pub enctype: String,
    /// Its fields, in the order of the page.
    pub fields: Vec<Field>,
    /// The buttons that send it, in the order of the page.
    pub buttons: Vec<Button>,
    /// Which of the requested selectors select it, by their numbers.
    pub(crate) selected: Vec<usize>,
    /// Whether some of it was too much to be kept.
    pub(crate) cut: bool,
}

/// A field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether it is sent: a box that is not checked and an option that is not selected are not, unless they are set.
    pub sent: bool,
    /// What it is.
    pub kind: FieldKind,
}

/// What a field is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// A field for text, with one line or several, or any other.
    #[default]
    Text,
    /// One that is not shown.
    Hidden,
    /// One for a password.
    Password,
    /// One for a file.
    File,
    /// A box or a radio button.
    Checkable,
    /// An option of a list.
    Choice,
}

impl FieldKind {
    /// The kind of an `input` of this type, in lower case.
    pub(crate) fn of_input(kind: &str) -> Self {
        match kind {
            "hidden" => Self::Hidden,
            "password" => Self::Password,
            "file" => Self::File,
            "checkbox" | "radio" => Self::Checkable,
            _ => Self::Text,
        }
    }
}

/// A button that sends a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Button {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its value.
    pub value: String,
    /// Whether it is a picture, of which the place of the click is sent.
    pub picture: bool,
    /// Where it sends the form, in place of the form's action.
    pub action: Option<String>,
    /// In place of the form's method.
    pub method: Option<String>,
    /// In place of the form's encoding.
    pub enctype: Option<String>,
}

impl Form {
    /// Whether some of it was too much to be kept, so that it is not sent.
    pub const fn is_cut(&self) -> bool {
        self.cut
    }

    /// Whether it has a field of this name.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }

    /// The form in words: its id or name, and its fields.
    pub fn words(&self) -> String {
        const FIELDS_SHOWN: usize = 12;
        let own = self.id.as_ref().or(self.name.as_ref());
        let title = own.map_or_else(|| self.unnamed(), |name| format!("'{name}'"));
        let mut names: Vec<&str> = Vec::new();
        for field in &self.fields {
            if !names.contains(&&*field.name) {
                names.push(&field.name);
            }
        }
        let more = if names.len() > FIELDS_SHOWN { ", ..." } else { "" };
        names.truncate(FIELDS_SHOWN);
        if names.is_empty() {
            return format!("{title} without fields");
        }
        format!("{title} with {}{more}", names.join(", "))
    }

    /// A form without a name, by where it is sent. The query may hold secrets.
    fn unnamed(&self) -> String {
        let path = self.action.split(['?', '#']).next().unwrap_or_default();
        if path.is_empty() { "a form".to_owned() } else { format!("a form to '{path}'") }
    }
}
