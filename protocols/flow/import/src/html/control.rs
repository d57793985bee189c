//! [`Control`]: an element of a form that may send a field.

use super::reading::Tag;

/// An element of a form that has a name, and what it sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Control {
    /// The name of its field; empty for a button without one.
    pub(crate) name: String,
    /// The value that is sent as the page is.
    pub(crate) value: String,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a control is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A field that is not shown.
    Hidden,
    /// A field for a password.
    Password,
    /// A checked box or radio button.
    Checked,
    /// An option of a list.
    Choice,
    /// A file.
    File,
    /// Any other field, with or without lines.
    Text,
    /// A button that sends the form.
    Button {
        /// The target, in place of that of the form.
        action: Option<String>,
        /// The method, in place of that of the form.
        method: Option<String>,
        /// The encoding, in place of that of the form.
        enctype: Option<String>,
        /// What is written on it.
        label: String,
    },
}

impl Control {
    /// The control that an `input` is; none if it sends nothing.
    pub(crate) fn input(tag: Tag<'_>) -> Option<Self> {
        let of = |name: &str| tag.attribute(name).unwrap_or_default().to_owned();
        let (name, value) = (of("name"), of("value"));
        let kind = match of("type").to_ascii_lowercase().as_str() {
            "hidden" => Kind::Hidden,
            "password" => Kind::Password,
            "file" => Kind::File,
            "submit" | "image" => Kind::button(tag, value.clone()),
            "button" | "reset" => return None,
            "checkbox" | "radio" => {
                tag.attribute("checked")?;
                let value = tag.attribute("value").unwrap_or("on").to_owned();
                return (!name.is_empty()).then_some(Self { name, value, kind: Kind::Checked });
            }
            _ => Kind::Text,
        };
        let kept = !name.is_empty() || matches!(kind, Kind::Button { .. });
        kept.then_some(Self { name, value, kind })
    }

    /// The control that a `button` is; none if it does not send the form.
    pub(crate) fn button(tag: Tag<'_>) -> Option<Self> {
        let kind = tag.attribute("type").unwrap_or_default().to_ascii_lowercase();
        if kind == "button" || kind == "reset" {
            return None;
        }
        let of = |name: &str| tag.attribute(name).unwrap_or_default().to_owned();
        Some(Self { name: of("name"), value: of("value"), kind: Kind::button(tag, String::new()) })
    }

    /// Whether it is a button.
    pub(crate) fn is_button(&self) -> bool {
        matches!(self.kind, Kind::Button { .. })
    }
}

impl Kind {
    fn button(tag: Tag<'_>, label: String) -> Self {
        let of = |name: &str| tag.attribute(name).map(str::to_owned);
        Self::Button {
            action: of("formaction"),
            method: of("formmethod"),
            enctype: of("formenctype"),
            label,
        }
    }
}
