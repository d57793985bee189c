//! What each exchange does: the bind, search, modification or addition that is measured.
//!
//! DNs, filters and values stay template text; rendering them once before the run checks that they are well formed.

use std::path::PathBuf;
use std::time::Duration;

use super::attributes::attributes;
use super::control::{self, Control};
use super::{Load, Tool, UsageError, Values};
use crate::options::opendj::exclusive;

/// What each exchange does.
#[derive(Debug, PartialEq)]
pub enum Operation {
    /// A bind, after a search for the entry to bind as if there is one.
    Bind {
        /// That search.
        search: Option<Search>,
        /// Percentage of binds with a wrong password.
        invalid_percent: f64,
    },
    /// A search.
    Search(Search),
    /// A modification.
    Modify {
        /// The entry, as a template.
        target: String,
        /// How it is modified.
        strategy: Strategy,
        /// The modification.
        modify: Modify,
    },
    /// A comparison.
    Compare {
        /// The entry, as a template.
        target: String,
        /// The attribute.
        attribute: Attribute,
        /// The value, as a template.
        value: String,
        /// Options of its requests.
        assertion: Assertion,
    },
    /// A deletion.
    Delete {
        /// The entry, as a template.
        target: String,
        /// Options of its requests.
        assertion: Assertion,
    },
    /// A modify DN.
    Rename(Rename),
    /// Additions and deletions.
    Add(AddMix),
    /// A search, and a modification of each entry it finds.
    SearchAndModify {
        /// The search.
        search: Search,
        /// The modification.
        modify: Modify,
    },
}

/// A search.
#[derive(Debug, Default, PartialEq)]
pub struct Search {
    /// Base DN template.
    pub base: String,
    /// Filter template.
    pub filter: String,
    /// Attributes to return; if empty, all user attributes.
    pub attributes: Vec<String>,
    /// The scope.
    pub scope: Scope,
    /// How aliases are dereferenced.
    pub dereference: Dereference,
    /// The maximum number of entries, 0 for no limit.
    pub size_limit: u32,
    /// The maximum number of seconds, 0 for no limit.
    pub time_limit: u32,
    /// Return names without values.
    pub types_only: bool,
    /// Entries per page.
    pub page_size: Option<u32>,
    /// Keys the server sorts by.
    pub sort: Option<String>,
    /// Options of its requests.
    pub assertion: Assertion,
}

/// Options of a request.
#[derive(Debug, Default, PartialEq)]
pub struct Assertion {
    /// Filter of the assertion control.
    pub filter: Option<String>,
    /// Authorization ID template of the proxied authorization control.
    pub proxy_as: Option<String>,
    /// Whether referral entries are treated as entries.
    pub manage_dsa_it: bool,
    /// Further controls.
    pub controls: Vec<Control>,
}

/// The scope of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Only the entry.
    Base,
    /// Its children.
    One,
    /// It and all below it.
    #[default]
    Sub,
    /// All below it.
    Subordinates,
}

/// How a search dereferences aliases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dereference {
    /// Not at all.
    #[default]
    Never,
    /// Follow them everywhere.
    Always,
    /// Follow those below the base.
    Search,
    /// Follow them in finding the base.
    Find,
}

/// How entries are modified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// With one request.
    Modify,
    /// By reading this attribute and then asserting that it is unchanged.
    ReadModify {
        /// The attribute.
        mvcc: String,
    },
}

/// What a modification changes.
#[derive(Debug, Default, PartialEq)]
pub struct Modify {
    /// The changes, in order.
    pub changes: Vec<Modification>,
    /// Increment, rather than replace.
    pub increment: bool,
    /// The number of values of each attribute.
    pub value_count: u32,
    /// Send the permissive modify control.
    pub permissive: bool,
    /// Attributes whose values before the change are returned.
    pub pre_read: Vec<Attribute>,
    /// Attributes whose values after the change are returned.
    pub post_read: Vec<Attribute>,
    /// Options of its requests.
    pub assertion: Assertion,
}

/// The name of an attribute.
pub type Attribute = String;

/// One change.
#[derive(Debug, PartialEq, Eq)]
pub struct Modification {
    /// The attribute it changes.
    pub attribute: Attribute,
    /// Its new value, or the amount to increment it by.
    pub value: ValueText,
}

/// How a value is made.
#[derive(Debug, PartialEq, Eq)]
pub enum ValueText {
    /// From a template.
    Template(String),
    /// From a value pattern, one value for all attributes of a modification.
    Pattern(String),
    /// At random, one value for all attributes of a modification.
    Random {
        /// The number of characters.
        length: u32,
        /// The set of characters.
        characters: String,
    },
    /// This number.
    Amount(i64),
}

/// A modify DN.
#[derive(Debug, PartialEq)]
pub struct Rename {
    /// The entry, as a template.
    pub target: String,
    /// Its new RDN, as a template.
    pub rdn: String,
    /// Its new parent, as a template, if it is moved.
    pub superior: Option<String>,
    /// Whether it keeps the values of its old RDN.
    pub keep_old: bool,
    /// Whether it keeps its new name.
    pub one_way: bool,
    /// Options of its requests.
    pub assertion: Assertion,
}

/// Additions and deletions.
#[derive(Debug, PartialEq)]
pub struct AddMix {
    /// The template file.
    pub template: PathBuf,
    /// The directory of its files.
    pub resources: Option<PathBuf>,
    /// Constants that override its own.
    pub constants: Vec<(String, String)>,
    /// Which entries are deleted.
    pub delete: DeleteMode,
    /// Delete the added entries at the end.
    pub purge: bool,
    /// Options of its requests.
    pub assertion: Assertion,
}

/// Which entries are deleted, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteMode {
    /// None.
    Off,
    /// The oldest, once the threshold is exceeded.
    Fifo(Threshold),
    /// Any, once there are more than this number.
    Random(u64),
}

/// When deletions begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// When there are more entries.
    Size(u64),
    /// When the oldest entry is older.
    Age(Duration),
}

/// Reads what is done.
pub fn read(
    values: &Values,
    tool: Tool,
    trailing: &[String],
    load: &Load,
) -> Result<Operation, UsageError> {
    let first = trailing.first().map(String::as_str);
    let rest = trailing.get(1..).unwrap_or_default();
    Ok(match tool {
        Tool::Authrate => Operation::Bind {
            search: search_before_bind(values, first, rest)?,
            invalid_percent: values.decimal("invalidPassword").unwrap_or(0.0),
        },
        Tool::Searchrate => Operation::Search(search(
            values,
            required(values, "baseDn")?,
            first.unwrap_or_default(),
            attributes(rest)?,
            assertion(values, "assertionFilter", "control")?,
        )),
        Tool::Modrate => Operation::Modify {
            target: required(values, "targetDn")?,
            strategy: strategy(values)?,
            modify: modify(
                values,
                trailing,
                "attribute",
                assertion(values, "assertionFilter", "control")?,
            )?,
        },
        Tool::Comparerate => {
            let (attribute, value) = comparison(first.unwrap_or_default())?;
            let assertion = assertion(values, "assertionFilter", "control")?;
            Operation::Compare {
                target: required(values, "targetDn")?,
                attribute,
                value,
                assertion,
            }
        }
        Tool::Deleterate => Operation::Delete {
            target: required(values, "targetDn")?,
            assertion: assertion(values, "assertionFilter", "control")?,
        },
        Tool::Moddnrate => Operation::Rename(Rename {
            target: required(values, "targetDn")?,
            rdn: new_rdn(first.unwrap_or_default())?,
            superior: values.text("newSuperior").map(str::to_owned),
            keep_old: values.has("keepOldRdn"),
            one_way: values.has("oneWay"),
            assertion: assertion(values, "assertionFilter", "control")?,
        }),
        Tool::Addrate => Operation::Add(add_mix(values, first.unwrap_or_default(), load)?),
        Tool::SearchAndModRate => Operation::SearchAndModify {
            search: search(
                values,
                required(values, "baseDn")?,
                first.unwrap_or_default(),
                values.texts("attribute"),
                assertion(values, "searchAssertionFilter", "searchControl")?,
            ),
            modify: modify(
                values,
                rest,
                "modifyAttribute",
                assertion(values, "modifyAssertionFilter", "modifyControl")?,
            )?,
        },
    })
}

/// The text is that of the original tools.
fn required(values: &Values, long: &str) -> Result<String, UsageError> {
    values.text(long).map(str::to_owned).ok_or_else(|| {
        UsageError::new(format!(
            "The argument {long} is required to have a value but none was provided in the argument list \
             and no default value is available: give --{long}"
        ))
    })
}

fn search_before_bind(
    values: &Values,
    filter: Option<&str>,
    rest: &[String],
) -> Result<Option<Search>, UsageError> {
    match (values.text("baseDn"), filter) {
        (Some(base), Some(filter)) => {
            let mut assertion = assertion(values, "", "searchControl")?;
            assertion.manage_dsa_it = values.has("manageDsaIt");
            // A bind needs exactly one entry, so the server need not send more than the first.
            let search = search(values, base.to_owned(), filter, attributes(rest)?, assertion);
            Ok(Some(Search { size_limit: 1, ..search }))
        }
        (_, None) => {
            let given = ["searchControl", "manageDsaIt"].into_iter().find(|long| values.has(long));
            given.map_or(Ok(None), |long| {
                Err(UsageError::new(format!(
                    "--{long} needs a search: give --baseDn and a filter as the first trailing argument"
                )))
            })
        }
        (None, Some(filter)) => Err(UsageError::new(format!(
            "The trailing argument '{filter}' is read as a search filter, which needs --baseDn.  Options must come \
             before trailing arguments"
        ))),
    }
}

fn search(
    values: &Values,
    base: String,
    filter: &str,
    attributes: Vec<String>,
    assertion: Assertion,
) -> Search {
    let small = |long: &str| values.count(long).and_then(|count| u32::try_from(count).ok());
    Search {
        base,
        filter: filter.to_owned(),
        attributes,
        scope: match values.choice("searchScope") {
            Some("base") => Scope::Base,
            Some("one") => Scope::One,
            Some("subordinates" | "subord") => Scope::Subordinates,
            _ => Scope::Sub,
        },
        dereference: match values.choice("dereferencePolicy") {
            Some("always") => Dereference::Always,
            Some("search") => Dereference::Search,
            Some("find") => Dereference::Find,
            _ => Dereference::Never,
        },
        size_limit: small("sizeLimit").unwrap_or(0),
        time_limit: small("timeLimit").unwrap_or(0),
        types_only: values.has("typesOnly"),
        page_size: small("simplePageSize"),
        sort: values.text("sortOrder").map(str::to_owned),
        assertion,
    }
}

/// An empty name stands for an option that the tool does not have.
fn assertion(values: &Values, filter: &str, controls: &str) -> Result<Assertion, UsageError> {
    Ok(Assertion {
        filter: if filter.is_empty() { None } else { values.text(filter).map(str::to_owned) },
        proxy_as: values.text("proxyAs").map(str::to_owned),
        manage_dsa_it: values.has("manageDsaIt"),
        controls: control::read(values, controls)?,
    })
}

fn strategy(values: &Values) -> Result<Strategy, UsageError> {
    if values.choice("strategy") != Some("read_modify") {
        return Ok(Strategy::Modify);
    }
    if values.has("assertionFilter") {
        return Err(UsageError::new(
            "--assertionFilter cannot be used with --strategy read_modify, which sends its own assertion",
        ));
    }
    Ok(Strategy::ReadModify { mvcc: values.text("mvcc").unwrap_or("eTag").to_owned() })
}

fn modify(
    values: &Values,
    trailing: &[String],
    named: &str,
    assertion: Assertion,
) -> Result<Modify, UsageError> {
    let increment = values.has("increment");
    exclusive(values, &["valuePattern", "valueLength"])?;
    exclusive(values, &["valuePattern", "characterSet"])?;
    for long in ["valuePattern", "valueLength", "characterSet", "valueCount"] {
        exclusive(values, &["increment", long])?;
    }
    if values.has("incrementAmount") && !increment {
        return Err(UsageError::new("--incrementAmount needs --increment"));
    }
    let mut changes = trailing.iter().map(|text| change(text)).collect::<Result<Vec<_>, _>>()?;
    let attributes = values.texts(named);
    for attribute in &attributes {
        changes
            .push(Modification { attribute: attribute.clone(), value: value(values, increment) });
    }
    if changes.is_empty() {
        return Err(UsageError::new(format!(
            "At least 1 unnamed trailing arguments are required in the argument list, but too few were provided: say \
             what to modify, as in 'description:{{2}}', or with --{named}"
        )));
    }
    if attributes.is_empty() {
        for long in ["valuePattern", "valueLength", "characterSet", "incrementAmount"] {
            if values.has(long) {
                return Err(UsageError::new(format!(
                    "--{long} needs --{named}: name the attribute to give that value"
                )));
            }
        }
    }
    Ok(Modify {
        changes,
        increment,
        value_count: values
            .count("valueCount")
            .and_then(|count| u32::try_from(count).ok())
            .unwrap_or(1),
        permissive: values.has("permissiveModify"),
        pre_read: values.texts("preReadAttribute"),
        post_read: values.texts("postReadAttribute"),
        assertion,
    })
}

fn value(values: &Values, increment: bool) -> ValueText {
    if increment {
        return ValueText::Amount(values.integer("incrementAmount").unwrap_or(1));
    }
    if let Some(pattern) = values.text("valuePattern") {
        return ValueText::Pattern(pattern.to_owned());
    }
    ValueText::Random {
        length: values
            .count("valueLength")
            .and_then(|length| u32::try_from(length).ok())
            .unwrap_or(10),
        characters: values.text("characterSet").unwrap_or("abcdefghijklmnopqrstuvwxyz").to_owned(),
    }
}

/// The original tool ignores an argument without a colon and modifies nothing.
fn change(text: &str) -> Result<Modification, UsageError> {
    match text.split_once(':') {
        Some((attribute, value)) if !attribute.trim().is_empty() => Ok(Modification {
            attribute: attribute.trim().to_owned(),
            value: ValueText::Template(value.to_owned()),
        }),
        _ if text.starts_with('-') => Err(UsageError::new(format!(
            "The trailing argument '{text}' is not a modification.  Options must come before the first trailing \
             argument"
        ))),
        _ => Err(UsageError::new(format!(
            "The trailing argument '{text}' is not a modification: it must be an attribute, a colon and a value \
             template, as in 'description:{{2}}'"
        ))),
    }
}

fn comparison(text: &str) -> Result<(Attribute, String), UsageError> {
    match text.split_once(':') {
        Some((attribute, value)) if !attribute.trim().is_empty() => {
            Ok((attribute.trim().to_owned(), value.to_owned()))
        }
        _ => Err(UsageError::new(format!(
            "The trailing argument '{text}' is not a comparison: it must be an attribute, a colon and a value \
             template, as in 'mail:user.{{1}}@example.com'"
        ))),
    }
}

fn new_rdn(text: &str) -> Result<String, UsageError> {
    if text.contains('=') {
        return Ok(text.to_owned());
    }
    Err(UsageError::new(format!(
        "The trailing argument '{text}' is not an RDN: it must be an attribute, an equals sign and a value \
         template, as in 'uid=renamed.{{1}}'"
    )))
}

fn add_mix(values: &Values, template: &str, load: &Load) -> Result<AddMix, UsageError> {
    if template.is_empty() {
        return Err(UsageError::new(
            "The template file path is empty: name a MakeLDIF template file",
        ));
    }
    let mut constants = Vec::new();
    for text in values.texts("constant") {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => {
                constants.push((name.to_owned(), value.to_owned()));
            }
            _ => {
                let spelled = values.spelled("constant").unwrap_or("--constant");
                return Err(crate::options::opendj::refused(
                    &text,
                    spelled,
                    "It must be in the form name=value",
                ));
            }
        }
    }
    Ok(AddMix {
        template: PathBuf::from(template),
        resources: values.path("resourcePath"),
        constants,
        delete: delete_mode(values, load)?,
        purge: !values.has("noPurge"),
        assertion: assertion(values, "", "control")?,
    })
}

fn delete_mode(values: &Values, load: &Load) -> Result<DeleteMode, UsageError> {
    let (size, age) = (values.count("deleteSizeThreshold"), values.count("deleteAgeThreshold"));
    let mode = values.choice("deleteMode").unwrap_or("fifo");
    if size.is_some() && age.is_some() {
        return Err(UsageError::new(
            "Size and age based deletion thresholds were both specified, but only one at a time is supported: leave \
             out --deleteSizeThreshold or --deleteAgeThreshold",
        ));
    }
    if mode == "off" && (size.is_some() || age.is_some()) {
        return Err(UsageError::new(
            "A deletion threshold should not be specified when deletion is disabled: leave it out, or choose another \
             --deleteMode than off",
        ));
    }
    if mode == "random" && age.is_some() {
        return Err(UsageError::new(
            "An age based deletion threshold should not be used with a random deletion mode: use --deleteMode fifo, or \
             --deleteSizeThreshold",
        ));
    }
    if let (Some(size), Some(most)) = (size, load.options.count)
        && size > most
    {
        return Err(UsageError::new(format!(
            "The size threshold must be lower than the maximum number of add operations: --deleteSizeThreshold is \
             {size}, --maxIterations is {most}, so nothing would ever be deleted"
        )));
    }
    let size = size.unwrap_or(10_000);
    Ok(match (mode, age) {
        ("off", _) => DeleteMode::Off,
        ("random", _) => DeleteMode::Random(size),
        (_, Some(age)) => DeleteMode::Fifo(Threshold::Age(Duration::from_secs(age))),
        (_, None) => DeleteMode::Fifo(Threshold::Size(size)),
    })
}
