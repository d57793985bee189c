//! Why a page cannot be used as a step wants to.

/// Why no form is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormError {
    /// None fits.
    None {
        /// Fields that no form has.
        lacking: Vec<String>,
        /// The page in words.
        page: String,
    },
    /// Several fit.
    Several {
        /// Each in words.
        forms: Vec<String>,
        /// Where they are.
        url: String,
    },
    /// It has more than is kept of a page.
    TooLarge(String),
    /// It has no such button.
    NoButton {
        /// The name.
        name: String,
        /// The form in words.
        form: String,
        /// The names of its buttons.
        buttons: Vec<String>,
    },
    /// Where it is sent is no URL.
    Action(String),
}

/// Why no link is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// None fits.
    None {
        /// The page in words.
        page: String,
    },
    /// Where it leads is no URL.
    NotOne(String),
}

impl std::error::Error for FormError {}
impl std::error::Error for LinkError {}

impl std::fmt::Display for FormError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None { lacking, page } if lacking.is_empty() => {
                write!(f, "no form fits on {page}")
            }
            Self::None { lacking, page } => {
                let s = if lacking.len() == 1 { "" } else { "s" };
                write!(f, "no form with the field{s} '{}' on {page}", lacking.join("', '"))
            }
            Self::Several { forms, url } => {
                let forms = forms.join("; ");
                write!(f, "{url} has several forms that fit: {forms}; give a selector")
            }
            Self::TooLarge(form) => write!(
                f,
                "the form {form} is too large: of a page 256 fields and 64 KiB of forms are kept"
            ),
            Self::NoButton { name, form, buttons } if buttons.is_empty() => {
                write!(f, "there is no button '{name}' in {form}, which has no named button")
            }
            Self::NoButton { name, form, buttons } => {
                let buttons = buttons.join("', '");
                write!(f, "there is no button '{name}' in {form}; it has the buttons '{buttons}'")
            }
            Self::Action(action) => write!(f, "the form is sent to '{action}', which is no URL"),
        }
    }
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None { page } => write!(f, "no such link on {page}"),
            Self::NotOne(href) => write!(f, "the link leads to '{href}', which is no URL"),
        }
    }
}
