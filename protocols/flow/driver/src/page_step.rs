//! [`PageStep`]: a step whose request the last page of the user decides: a form that is sent, a link that is followed.

use brunt_feed::Text;
use brunt_flow_page::Selector;

/// What a step does with the last page.
#[derive(Debug)]
pub enum PageStep {
    /// It sends a form.
    Submit(Box<SubmitStep>),
    /// It follows the first link that this selects.
    Follow(Selector),
}

/// A form that is sent.
#[derive(Debug)]
pub struct SubmitStep {
    /// What selects the form; without it, the form is the only one that has all fields.
    pub form: Option<Selector>,
    /// The fields that are set, each with its values.
    pub fields: Vec<(Text, Vec<Text>)>,
    /// The name of the button; without it, the first.
    pub press: Option<Text>,
}

impl PageStep {
    /// The key of the plan.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Submit(_) => "submit",
            Self::Follow(_) => "follow",
        }
    }

    /// The texts that may contain variables.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Text> {
        let submit = match self {
            Self::Submit(submit) => Some(&**submit),
            Self::Follow(_) => None,
        };
        submit.into_iter().flat_map(|submit| {
            let fields = submit.fields.iter();
            let fields = fields.flat_map(|(name, values)| std::iter::once(name).chain(values));
            fields.chain(&submit.press)
        })
    }
}
