//! What each exchange does, as the driver's task.

use brunt_run::World;
use std::collections::BTreeSet;
use std::sync::Arc;

use brunt_feed::{Arguments, Piece, Slot, Template, patterns};
use brunt_ldap_driver::sasl::SaslOptions;
use brunt_ldap_driver::{
    AddSetup, Change, CompareSetup, DeleteMode, DeleteSetup, Identity, ModifySetup,
    OperationControls, RenameSetup, SearchSetup, Task, Threshold,
};
use brunt_ldap_wire::control::{Control, SortKey};
use brunt_ldap_wire::request::{Deref, Scope};

use super::entries::Entries;
use super::problem::Problem;
use crate::options::rate::operation::{
    self, Assertion, Dereference, Modify, Operation, Search, Strategy, ValueText,
};
use crate::options::rate::{self, RateArgs, control};

/// The texts of a command line, and the arguments they share.
pub(crate) struct Texts {
    /// The arguments of templates. A value pattern adds its own.
    pub arguments: Arguments,
    /// Whether templates are value patterns.
    patterns: bool,
    /// The arguments that templates use, counted from 0.
    used: BTreeSet<usize>,
}

impl Texts {
    /// No texts yet.
    pub(crate) const fn new(arguments: Arguments, patterns: bool) -> Self {
        Self { arguments, patterns, used: BTreeSet::new() }
    }

    /// A template in the form that the driver takes.
    pub(crate) fn template(&mut self, text: &str) -> Result<String, Problem> {
        if self.patterns {
            return self.pattern(text);
        }
        self.note(text);
        Ok(text.to_owned())
    }

    /// Notes the arguments that a template uses. The driver refuses one that is wrong; the DN that a search finds is
    /// one more argument.
    pub(crate) fn note(&mut self, text: &str) {
        if let Ok(template) = self.arguments.template(text, 1) {
            self.used.extend(template.slots().map(Slot::argument));
        }
    }

    /// Which of the first `given` arguments no template has used, counted from 1.
    pub(crate) fn unused(&self, given: usize) -> Vec<usize> {
        (0..given).filter(|index| !self.used.contains(index)).map(|index| index + 1).collect()
    }

    /// A value pattern, as a template with arguments of its own.
    fn pattern(&mut self, text: &str) -> Result<String, Problem> {
        let template = patterns::translate(text, &mut self.arguments).map_err(Problem::failed)?;
        Ok(spelled(&template))
    }

    /// A random string, as a template with an argument of its own.
    fn random(&mut self, length: u32, characters: &str) -> Result<String, Problem> {
        // UnboundID's character sets are plain lists; in the notation of randstr a bracket begins a range.
        let characters = characters.replace('[', "[[-[]");
        let spec = format!("randstr({length},{characters})");
        self.arguments.push(&spec).map_err(Problem::failed)?;
        Ok(format!("{{{}}}", self.arguments.len()))
    }
}

/// The text of a template without conversions. Anything in its text that looks like a placeholder is doubled.
fn spelled(template: &Template) -> String {
    let pieces = template.pieces().iter().map(|piece| match piece {
        Piece::Text(text) => text.replace('%', "%%").replace('{', "{{").replace('}', "}}"),
        Piece::Slot(slot) => format!("{{{}}}", slot.argument() + 1),
    });
    pieces.collect()
}

/// The task.
pub(crate) fn build(
    args: &RateArgs,
    identity: &Identity,
    texts: &mut Texts,
    (seed, world): (u64, &World),
) -> Result<Task, Problem> {
    Ok(match &args.operation {
        Operation::Bind { search: None, invalid_percent } => {
            Task::Bind { identity: identity.clone(), invalid_percent: percent(*invalid_percent)? }
        }
        Operation::Bind { search: Some(find), invalid_percent } => {
            let search = search(find, texts)?;
            let measured = match &args.identity {
                // The entry that is found is the argument after all others, and the search has added its own.
                rate::identity::Identity::Measured(measured) => {
                    Some(self::measured(measured, texts)?)
                }
                _ => None,
            };
            Task::SearchThenBind {
                search,
                apart: measured.is_some(),
                identity: measured.unwrap_or_else(|| identity.clone()),
                invalid_percent: percent(*invalid_percent)?,
            }
        }
        Operation::Search(find) => Task::Search(search(find, texts)?),
        Operation::Modify { target, strategy, modify: change } => {
            let dn = texts.template(target)?;
            let modify = modify(change, dn, texts)?;
            match strategy {
                Strategy::Modify => Task::Modify(modify),
                Strategy::ReadModify { mvcc } => Task::ReadModify { modify, version: mvcc.clone() },
            }
        }
        Operation::SearchAndModify { search: find, modify: change } => Task::SearchAndModify {
            search: search(find, texts)?,
            modify: modify(change, String::new(), texts)?,
        },
        Operation::Compare { target, attribute, value, assertion } => Task::Compare(CompareSetup {
            dn: texts.template(target)?,
            attribute: attribute.clone(),
            value: texts.template(value)?,
            controls: operation_controls(assertion, texts)?,
        }),
        Operation::Delete { target, assertion } => Task::Delete(DeleteSetup {
            dn: texts.template(target)?,
            controls: operation_controls(assertion, texts)?,
        }),
        Operation::Rename(rename) => Task::Rename(RenameSetup {
            dn: texts.template(&rename.target)?,
            rdn: texts.template(&rename.rdn)?,
            superior: rename.superior.as_deref().map(|text| texts.template(text)).transpose()?,
            keep_old: rename.keep_old,
            undo: !rename.one_way,
            controls: operation_controls(&rename.assertion, texts)?,
        }),
        Operation::Add(mix) => Task::AddAndDelete(add(mix, seed, world)?),
    })
}

/// The identity of binds that are measured apart from that of their connections.
pub(crate) fn measured(
    given: &rate::identity::Measured,
    texts: &mut Texts,
) -> Result<Identity, Problem> {
    let dn = match &given.dn {
        Some(dn) => texts.template(dn)?,
        None => format!("{{{}}}", texts.arguments.len() + 1),
    };
    let password = given.password.clone();
    let Some(mechanism) = given.mechanism else { return Ok(Identity::Simple { dn, password }) };
    let authid = format!("dn:{dn}");
    let options = SaslOptions::parse(&[("mech", mechanism), ("authid", &authid)], None)
        .map_err(|error| Problem::usage(error.to_string()))?;
    Ok(Identity::Sasl { options, password })
}

/// A whole percentage: which bind has the wrong password is drawn from a hundred.
fn percent(given: f64) -> Result<u8, Problem> {
    if given.fract() != 0.0 {
        return Err(Problem::usage(format!(
            "--invalidPassword {given}: give a whole number from 0 to 100"
        )));
    }
    Ok(given as u8)
}

fn search(given: &Search, texts: &mut Texts) -> Result<SearchSetup, Problem> {
    Ok(SearchSetup {
        base: texts.template(&given.base)?,
        scope: match given.scope {
            operation::Scope::Base => Scope::Base,
            operation::Scope::One => Scope::One,
            operation::Scope::Sub => Scope::Subtree,
            operation::Scope::Subordinates => Scope::Subordinate,
        },
        deref: match given.dereference {
            Dereference::Never => Deref::Never,
            Dereference::Always => Deref::Always,
            Dereference::Search => Deref::Searching,
            Dereference::Find => Deref::Finding,
        },
        size_limit: limit(given.size_limit),
        time_limit: limit(given.time_limit),
        types_only: given.types_only,
        filter: texts.template(&given.filter)?,
        attributes: given.attributes.clone(),
        page_size: given.page_size.map(limit),
        sort: given.sort.as_deref().map(sort_keys).unwrap_or_default(),
        controls: operation_controls(&given.assertion, texts)?,
    })
}

fn limit(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// `+sn,-givenName:2.5.13.3`: ascending unless a minus says otherwise, with a matching rule after a colon.
fn sort_keys(text: &str) -> Vec<SortKey> {
    let key = |text: &str| {
        let (reverse, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (attribute, rule) =
            text.split_once(':').map_or((text, None), |(name, rule)| (name, Some(rule)));
        SortKey { attribute: attribute.to_owned(), rule: rule.map(str::to_owned), reverse }
    };
    text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(key).collect()
}

fn modify(given: &Modify, dn: String, texts: &mut Texts) -> Result<ModifySetup, Problem> {
    let mut shared = None;
    let mut values = Vec::with_capacity(given.changes.len());
    for change in &given.changes {
        let value = match &change.value {
            ValueText::Template(text) => texts.template(text)?,
            ValueText::Amount(amount) => amount.to_string(),
            // One random value is used for every attribute, as in the tools that have these options.
            ValueText::Pattern(text) => match &shared {
                Some(value) => String::clone(value),
                None => shared.insert(texts.pattern(text)?).clone(),
            },
            ValueText::Random { length, characters } => match &shared {
                Some(value) => String::clone(value),
                None => shared.insert(texts.random(*length, characters)?).clone(),
            },
        };
        values.push((change.attribute.clone(), value));
    }
    let mut controls = operation_controls(&given.assertion, texts)?;
    controls.permissive_modify = given.permissive;
    controls.pre_read.clone_from(&given.pre_read);
    controls.post_read.clone_from(&given.post_read);
    Ok(ModifySetup {
        dn,
        values,
        change: if given.increment { Change::Increment } else { Change::Replace },
        value_count: given.value_count,
        controls,
    })
}

fn operation_controls(given: &Assertion, texts: &mut Texts) -> Result<OperationControls, Problem> {
    Ok(OperationControls {
        proxy_as: given.proxy_as.as_deref().map(|text| texts.template(text)).transpose()?,
        assertion: given.filter.as_deref().map(|text| texts.template(text)).transpose()?,
        manage_dsa_it: given.manage_dsa_it,
        other: controls(&given.controls),
        ..OperationControls::default()
    })
}

fn add(given: &operation::AddMix, seed: u64, world: &World) -> Result<AddSetup, Problem> {
    let (delete, threshold) = match given.delete {
        operation::DeleteMode::Off => (DeleteMode::Off, Threshold::Size(u64::MAX)),
        operation::DeleteMode::Random(size) => (DeleteMode::Random, Threshold::Size(size)),
        operation::DeleteMode::Fifo(operation::Threshold::Size(size)) => {
            (DeleteMode::Fifo, Threshold::Size(size))
        }
        operation::DeleteMode::Fifo(operation::Threshold::Age(age)) => {
            (DeleteMode::Fifo, Threshold::Age(age))
        }
    };
    let entries = Entries::read(given, seed, world)?;
    Ok(AddSetup {
        exchanges_max: entries.exchanges_max(given),
        entries: Arc::new(entries),
        delete,
        threshold,
        controls: OperationControls {
            proxy_as: given.assertion.proxy_as.clone(),
            manage_dsa_it: given.assertion.manage_dsa_it,
            other: controls(&given.assertion.controls),
            ..OperationControls::default()
        },
        share: (0, 1),
    })
}

/// The controls, in order.
pub(crate) fn controls(given: &[control::Control]) -> Vec<Control> {
    let one = |given: &control::Control| {
        let control = Control::new(given.oid.clone(), given.critical);
        match &given.value {
            None => control,
            Some(value) => control.with_value(&value.as_slice().into()),
        }
    };
    given.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_feed::{Files, Settings};

    #[test]
    fn unused_arguments_are_listed_by_number() {
        let specs = ["rand(0,9)", "inc(0,9)", "x"].map(str::to_owned);
        let texts = |patterns| {
            Texts::new(
                Arguments::parse(&specs, &Settings::default(), &Files::default()).unwrap(),
                patterns,
            )
        };
        let mut used = texts(false);
        for text in ["uid={1},dc=x", "(uid=%s)", "description", "{4}"] {
            used.template(text).unwrap();
        }
        assert_eq!(used.unused(3), [2, 3], "the fourth is the DN that a search finds");
        used.note("{3} {2}");
        assert_eq!(used.unused(3), [0; 0]);
        // A pattern has no placeholders.
        let mut patterns = texts(true);
        patterns.template("(uid={1}[1-5])").unwrap();
        assert_eq!(patterns.unused(3), [1, 2, 3]);
    }
}
