//! [`Environment`]: the variables that a command was started with.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Variables, and which of them were referred to. Clones are the same environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: Arc<BTreeMap<OsString, OsString>>,
    referred_to: Arc<Mutex<BTreeSet<String>>>,
}

impl Environment {
    /// The variables of this process, as they are now.
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The value of a variable that is UTF-8.
    pub fn text(&self, name: &str) -> Option<String> {
        self.variable(name)?.to_str().map(str::to_owned)
    }

    /// The path in a variable.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from)
    }

    /// The names of all variables, as far as they are UTF-8.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().filter_map(|name| name.to_str())
    }

    /// Records that a command line or a plan referred to a variable.
    pub fn remember(&self, name: &str) {
        self.referred_to.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    /// The variables that command lines and plans have referred to.
    pub fn referred_to(&self) -> Vec<String> {
        self.referred_to.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { variables: Arc::new(variables.collect()), referred_to: Arc::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_has_only_its_own_variables() {
        let (one, other): (Environment, Environment) =
            ([("A", "1"), ("B", "2")].into_iter().collect(), [("A", "3")].into_iter().collect());
        one.remember("B");
        assert_eq!((one.text("A").as_deref(), other.text("A").as_deref()), (Some("1"), Some("3")));
        assert_eq!((one.variable("B"), other.variable("B")), (Some(OsStr::new("2")), None));
        assert_eq!((one.referred_to(), other.referred_to()), (vec!["B".to_owned()], Vec::new()));
        assert_eq!(one.names().collect::<Vec<_>>(), ["A", "B"]);
    }
}
