//! [`Fields`]: the fields of a plan, each with what was typed or what the plan has, and with the reason beside it.

use maud::{Markup, html};

use super::typed::{FieldError, Typed};

/// What the fields of a plan are made with.
pub(super) struct Fields<'a> {
    pub(super) typed: &'a Typed,
    pub(super) faults: &'a [FieldError],
    /// Whether the person may not change the plan.
    pub(super) readonly: bool,
    /// Where buttons of the form send it.
    pub(super) draft: String,
}

/// The id of a field, since a name may have characters that ids do not.
pub(super) fn id(name: &str) -> String {
    // FNV-1a, which is the same in every version.
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("f{:x}", name.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
}

impl Fields<'_> {
    /// Why the value of a field is not accepted.
    pub(super) fn fault(&self, name: &str) -> Option<&FieldError> {
        self.faults.iter().find(|fault| fault.field == name)
    }

    /// Whether a field whose name begins so has a fault.
    pub(super) fn is_faulty(&self, begin: &str) -> bool {
        let begin = begin.trim_end_matches(']');
        self.faults.iter().any(|fault| {
            fault.field.split_once(begin).is_some_and(|(before, rest)| {
                matches!(before, "" | "kind:" | "add:")
                    && (rest.is_empty() || rest.starts_with([',', ']']))
            })
        })
    }

    /// A short field in a sentence.
    pub(super) fn short(&self, name: &str, label: &str, value: &str, class: &str) -> Markup {
        let (id, value) = (id(name), self.typed.or(name, value));
        let fault = self.fault(name).map(|_| "true");
        html! {
            input id=(id) class=(class) name=(name) value=(value) aria-label=(label) autocomplete="off"
                spellcheck="false" readonly[self.readonly] aria-invalid=[fault]
                aria-describedby=[fault.map(|_| format!("{id}-why"))];
        }
    }

    /// A choice in a sentence.
    pub(super) fn choice(
        &self,
        name: &str,
        label: &str,
        values: &[(&str, &str)],
        chosen: &str,
    ) -> Markup {
        let chosen = self.typed.or(name, chosen);
        html! {
            select id=(id(name)) name=(name) aria-label=(label) disabled[self.readonly] {
                @for (value, words) in values { option value=(value) selected[*value == chosen] { (words) } }
            }
        }
    }

    /// The reason beside a field, with a button for each likely correction.
    pub(super) fn why(&self, name: &str) -> Markup {
        let id = format!("{}-why", id(name));
        html! {
            span id=(id) data-live {
                @if let Some(fault) = self.fault(name) {
                    span.err {
                        (fault.why)
                        @for likely in &fault.likely {
                            " "
                            button.plain name="fix" value={ (name) "=" (likely) } formaction=(self.draft) { (likely) }
                        }
                    }
                }
            }
        }
    }

    /// A button that changes the plan.
    pub(super) fn button(&self, act: &str, words: &str, label: Option<&str>) -> Markup {
        html! {
            @if !self.readonly {
                button.plain name="do" value=(act) formaction=(self.draft) formnovalidate aria-label=[label] { (words) }
            }
        }
    }

    pub(super) fn remover(&self, act: &str, label: &str) -> Markup {
        self.button(act, "Remove", Some(label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_is_faulty_if_one_of_its_fields_is() {
        let fault = |field: &str| FieldError {
            field: field.to_owned(),
            label: String::new(),
            why: String::new(),
            likely: Vec::new(),
        };
        let faults = [fault("[\"scenario\",0,\"steps\",1,\"get\"]"), fault("add:[\"ldap\"]")];
        let typed = Typed::default();
        let fields =
            Fields { typed: &typed, faults: &faults, readonly: false, draft: String::new() };
        assert!(fields.is_faulty("[\"scenario\",0,\"steps\",1]"));
        assert!(!fields.is_faulty("[\"scenario\",0,\"steps\",10]"));
        assert!(!fields.is_faulty("[\"scenario\",0,\"steps\",0]"));
        assert!(fields.is_faulty("[\"ldap\"]"));
        assert_ne!(id("a"), id("b"));
    }
}
