//! The users of one product: those made from a number, the changes to them, and those that were added.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::product::Product;
use crate::refusal::Refusal;

/// The users of one product.
#[derive(Debug)]
pub(crate) struct Collection {
    pub(crate) product: Product,
    /// How many users there are from `user.0` on, unless they were deleted.
    made: u32,
    /// The password of those users.
    password: Box<str>,
    kept: RwLock<Changes>,
}

#[derive(Debug, Default)]
struct Changes {
    /// The changed users among those that were made; `None` for deleted ones.
    changed: HashMap<u32, Option<Arc<Record>>, foldhash::fast::FixedState>,
    added: BTreeMap<Box<str>, Arc<Record>>,
    /// The number of the last change.
    revision: u64,
}

/// A user that was changed or added.
#[derive(Debug)]
pub(super) struct Record {
    revision: u64,
    password: Option<Box<str>>,
    /// A JSON object.
    fields: Box<str>,
}

/// A user that exists.
#[derive(Clone, Debug)]
pub(super) enum Found {
    Made(u32),
    Stored(Arc<Record>),
}

/// A user that is about to change.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) revision: u64,
    pub(super) fields: Map<String, Value>,
}

/// The result of a change.
#[derive(Debug)]
pub(super) enum Change {
    Set(Map<String, Value>),
    Delete,
}

/// The user at which a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PageStart {
    Made(u32),
    Added(Box<str>),
}

impl Collection {
    pub(crate) fn new(product: Product, made: u32, password: &str) -> Self {
        Self { product, made, password: password.into(), kept: RwLock::default() }
    }

    /// Whether it is the password of that user.
    pub(crate) fn check(&self, id: &str, password: &str) -> bool {
        match self.find(id) {
            Some(Found::Made(_)) => *self.password == *password,
            Some(Found::Stored(record)) => record.password.as_deref() == Some(password),
            None => false,
        }
    }

    /// Whether there is such a user.
    pub(crate) fn holds(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    pub(super) fn find(&self, id: &str) -> Option<Found> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        self.find_in(&kept, id)
    }

    fn find_in(&self, kept: &Changes, id: &str) -> Option<Found> {
        match self.number(id) {
            Some(n) => match kept.changed.get(&n) {
                Some(changed) => changed.clone().map(Found::Stored),
                None => Some(Found::Made(n)),
            },
            None => kept.added.get(id).cloned().map(Found::Stored),
        }
    }

    /// The number of a user that was made.
    fn number(&self, id: &str) -> Option<u32> {
        let digits = id.strip_prefix("user.")?;
        let plain = digits == "0" || !digits.starts_with(['0', '+']);
        digits.parse().ok().filter(|n| plain && *n < self.made)
    }

    /// Writes the fields of a user, as a JSON object with the fields of every resource.
    pub(super) fn write(&self, id: &str, found: &Found, out: &mut Vec<u8>) {
        use std::io::Write as _;
        out.extend_from_slice(b"{\"_id\":");
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut *out, id);
        let _ = write!(out, ",\"_rev\":\"{:016x}\"", found.revision());
        match found {
            Found::Made(n) => {
                let mut fields = String::with_capacity(512);
                self.product.made(*n, &mut fields);
                out.push(b',');
                out.extend_from_slice(fields.as_bytes());
                out.push(b'}');
            }
            Found::Stored(record) => {
                let inside = &record.fields[1..];
                if inside.len() > 1 {
                    out.push(b',');
                }
                out.extend_from_slice(inside.as_bytes());
            }
        }
    }

    /// The fields of a user, for reading.
    pub(super) fn fields(&self, found: &Found) -> Map<String, Value> {
        let text = match found {
            Found::Made(n) => {
                let mut text = "{".to_owned();
                self.product.made(*n, &mut text);
                text.push('}');
                text.into()
            }
            Found::Stored(record) => record.fields.clone(),
        };
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Changes, adds or deletes a user. Nothing happens if `change` refuses. Returns the user after the change, or the
    /// deleted one.
    pub(super) fn change(
        &self,
        id: &str,
        change: impl FnOnce(Option<Current>) -> Result<Change, Refusal>,
    ) -> Result<Found, Refusal> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let found = self.find_in(&kept, id);
        let current = found
            .as_ref()
            .map(|found| Current { revision: found.revision(), fields: self.fields(found) });
        let record = match change(current)? {
            Change::Set(mut fields) => {
                let password = self.take_password(&mut fields).or_else(|| match &found {
                    Some(Found::Made(_)) => Some(self.password.clone()),
                    Some(Found::Stored(record)) => record.password.clone(),
                    None => None,
                });
                self.product.settle(id, &mut fields);
                let fields = Value::Object(fields).to_string().into();
                kept.revision += 1;
                Some(Arc::new(Record { revision: kept.revision, password, fields }))
            }
            Change::Delete => None,
        };
        match self.number(id) {
            Some(n) => {
                kept.changed.insert(n, record.clone());
            }
            None => match &record {
                Some(record) => {
                    kept.added.insert(id.into(), Arc::clone(record));
                }
                None => {
                    kept.added.remove(id);
                }
            },
        }
        record.map(Found::Stored).or(found).ok_or_else(Refusal::nothing_there)
    }

    fn take_password(&self, fields: &mut Map<String, Value>) -> Option<Box<str>> {
        let name = fields.keys().find(|name| self.product.is_password(name))?.clone();
        let value = fields.remove(&name)?;
        let value = value.as_array().and_then(|values| values.first()).unwrap_or(&value);
        value.as_str().map(Into::into)
    }

    /// Passes users in their order from `from` on to `take`, until it has enough.
    pub(super) fn each(
        &self,
        from: &PageStart,
        mut take: impl FnMut(&str, &Found, PageStart) -> bool,
    ) {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let mut id = String::new();
        let first = match from {
            PageStart::Made(n) => *n,
            PageStart::Added(_) => self.made,
        };
        for n in first..self.made {
            let found = match kept.changed.get(&n) {
                Some(Some(record)) => Found::Stored(Arc::clone(record)),
                Some(None) => continue,
                None => Found::Made(n),
            };
            id.clear();
            id.push_str("user.");
            id.push_str(itoa::Buffer::new().format(n));
            if !take(&id, &found, PageStart::Made(n)) {
                return;
            }
        }
        let from = match from {
            PageStart::Added(id) => id,
            PageStart::Made(_) => "",
        };
        let range = (std::ops::Bound::Included(from), std::ops::Bound::Unbounded);
        for (id, record) in kept.added.range::<str, _>(range) {
            if !take(id, &Found::Stored(Arc::clone(record)), PageStart::Added(id.clone())) {
                return;
            }
        }
    }
}

impl Found {
    pub(super) fn revision(&self) -> u64 {
        match self {
            Self::Made(_) => 0,
            Self::Stored(record) => record.revision,
        }
    }
}

/// A revision in the form that clients see.
pub(super) fn shown(revision: u64) -> String {
    format!("{revision:016x}")
}
