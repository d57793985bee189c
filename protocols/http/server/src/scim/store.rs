//! The resources of one type: users, or groups.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::HashMap;
use serde_json::{Map, Value, json};

use super::filter::{Filter, member};
use super::order::Order;
use super::problem::ScimError;
use super::resource::Resource;

/// The most resources of a type, and the longest of them in bytes.
const MOST: usize = 100_000;
const LONGEST: usize = 16 << 10;

/// The types of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Group,
}

impl Kind {
    /// Its name, that of its endpoint, its schema and the attribute that names a resource.
    pub(super) const fn words(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::User => {
                ("User", "Users", "urn:ietf:params:scim:schemas:core:2.0:User", "userName")
            }
            Self::Group => {
                ("Group", "Groups", "urn:ietf:params:scim:schemas:core:2.0:Group", "displayName")
            }
        }
    }
}

/// The resources of one type.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) kind: Kind,
    kept: RwLock<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    last: u64,
    resources: BTreeMap<u64, Resource>,
    /// The numbers by name in lower case.
    names: HashMap<Box<str>, u64, foldhash::fast::RandomState>,
}

/// What is listed: at most so many from a number on, or from a position counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) after: u64,
    pub(super) skip: usize,
    pub(super) most: usize,
}

impl Page {
    /// Where the page begins in a sorted list: a cursor is the last resource of the page before.
    fn place(self, sorted: &[&Resource]) -> Result<usize, ScimError> {
        if self.after == 0 {
            return Ok(self.skip);
        }
        let last = sorted.iter().position(|resource| resource.number == self.after);
        last.map(|last| last + 1).ok_or_else(|| {
            ScimError::new(400, "expiredCursor", "the resource at which the cursor points is gone")
        })
    }
}

impl Store {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, kept: RwLock::default() }
    }

    pub(super) fn get(&self, id: &str) -> Result<Resource, ScimError> {
        let number = Resource::number(id).ok_or_else(|| absent(id))?;
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.resources.get(&number).cloned().ok_or_else(|| absent(id))
    }

    /// Adds a resource.
    pub(super) fn add(&self, fields: Map<String, Value>, now: u64) -> Result<Resource, ScimError> {
        let (fields, name) = self.settled(fields)?;
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if kept.names.contains_key(&*name) {
            return Err(taken());
        }
        if kept.resources.len() >= MOST {
            return Err(ScimError::new(507, "", "this server keeps no more resources"));
        }
        kept.last += 1;
        let number = kept.last;
        let fields = Arc::new(fields);
        let resource = Resource { number, version: 1, created: now, modified: now, fields };
        kept.names.insert(name, number);
        kept.resources.insert(number, resource.clone());
        Ok(resource)
    }

    /// Changes a resource, if its version is one of these.
    pub(super) fn change(
        &self,
        id: &str,
        versions: Option<&str>,
        now: u64,
        change: impl FnOnce(&Map<String, Value>) -> Result<Map<String, Value>, ScimError>,
    ) -> Result<Resource, ScimError> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let current = kept.current(id, versions)?;
        let (fields, name) = self.settled(change(&current.fields)?)?;
        if kept.names.get(&*name).is_some_and(|number| *number != current.number) {
            return Err(taken());
        }
        if fields == *current.fields {
            return Ok(current);
        }
        let version = current.version + 1;
        let changed = Resource { version, modified: now, fields: Arc::new(fields), ..current };
        kept.forget(self.kind, &current.fields);
        kept.names.insert(name, changed.number);
        kept.resources.insert(changed.number, changed.clone());
        Ok(changed)
    }

    pub(super) fn delete(&self, id: &str, versions: Option<&str>) -> Result<(), ScimError> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let current = kept.current(id, versions)?;
        kept.forget(self.kind, &current.fields);
        kept.resources.remove(&current.number);
        Ok(())
    }

    /// The resources of a page that meet a filter, and how many meet it in all.
    pub(super) fn list(
        &self,
        filter: Option<&Filter>,
        order: Option<&Order>,
        page: Page,
    ) -> Result<(Vec<Resource>, usize), ScimError> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let meets = |resource: &Resource| filter.is_none_or(|it| it.meets(&resource.fields));
        let later = |resource: &&Resource| resource.number > page.after;
        if let Some(name) = filter.and_then(|filter| filter.name(self.kind.words().3)) {
            let number = kept.names.get(&*name.to_lowercase());
            let found = number.and_then(|number| kept.resources.get(number));
            let total = usize::from(found.is_some());
            let found = found.filter(later).into_iter().skip(page.skip).take(page.most);
            return Ok((found.cloned().collect(), total));
        }
        let all = || kept.resources.values().filter(|resource| meets(resource));
        if let Some(order) = order {
            let mut sorted: Vec<&Resource> = all().collect();
            order.sort(&mut sorted);
            let from = page.place(&sorted)?;
            let shown = sorted.iter().skip(from).take(page.most).map(|it| (*it).clone()).collect();
            return Ok((shown, sorted.len()));
        }
        let total = if filter.is_some() { all().count() } else { kept.resources.len() };
        let shown = all().filter(later).skip(page.skip).take(page.most).cloned().collect();
        Ok((shown, total))
    }

    /// What clients may write, without what only the server writes, and the name in lower case.
    fn settled(
        &self,
        mut fields: Map<String, Value>,
    ) -> Result<(Map<String, Value>, Box<str>), ScimError> {
        let (_, _, schema, naming) = self.kind.words();
        for name in ["id", "meta", "password"] {
            fields.remove(name);
        }
        fields.entry("schemas").or_insert_with(|| json!([schema]));
        let name = member(&fields, naming).and_then(Value::as_str).filter(|name| !name.is_empty());
        let name = name.map(str::to_lowercase).ok_or_else(|| {
            ScimError::new(400, "invalidValue", format!("the attribute {naming} is required"))
        })?;
        if serde_json::to_vec(&fields).map_or(true, |bytes| bytes.len() > LONGEST) {
            return Err(ScimError::new(413, "", "the resource is too long for this server"));
        }
        Ok((fields, name.into()))
    }
}

impl Kept {
    fn current(&self, id: &str, versions: Option<&str>) -> Result<Resource, ScimError> {
        let found = Resource::number(id).and_then(|number| self.resources.get(&number));
        let found = found.cloned().ok_or_else(|| absent(id))?;
        if versions.is_some_and(|versions| !matches(versions, &found.tag())) {
            return Err(ScimError::new(412, "", "the resource has another version"));
        }
        Ok(found)
    }

    fn forget(&mut self, kind: Kind, fields: &Map<String, Value>) {
        if let Some(name) = member(fields, kind.words().3).and_then(Value::as_str) {
            self.names.remove(&*name.to_lowercase());
        }
    }
}

/// Whether a tag is in a list of tags, or the list is a star.
pub(super) fn matches(list: &str, tag: &str) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    list.trim() == "*" || list.split(',').any(|one| bare(one) == bare(tag))
}

fn absent(id: &str) -> ScimError {
    let id: String = id.chars().take(60).collect();
    ScimError::new(404, "", format!("Resource {id} not found"))
}

fn taken() -> ScimError {
    ScimError::new(409, "uniqueness", "another resource has that name")
}
