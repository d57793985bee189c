//! The secrets in a request, and the variables that replace them.
//!
//! Recordings and pasted command lines contain tokens, cookies and passwords, and plans end up in repositories. So a
//! value that is a secret by the name of its header, parameter or member becomes a variable which the environment
//! fills, unless secrets are to be kept.

use crate::imported::{Value, Variable};
use crate::notation::{has_holes, hole};
use brunt_redact::is_secret_header;
use std::collections::HashMap;

/// What is done with secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Secrets {
    /// They become variables that the environment fills.
    #[default]
    Named,
    /// They stay as they are.
    Kept,
}

/// The variables of an import, and the secrets among them.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    list: Vec<Variable>,
    /// The secret that each variable replaced, by position in the list.
    taken: Vec<Option<String>>,
    secrets: Secrets,
    /// Names of variables that answers fill.
    reserved: Vec<String>,
    /// The number that the next variable of a name would get. Those before it are taken.
    numbers: HashMap<String, u64>,
}

impl Variables {
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self { secrets, ..Self::default() }
    }

    /// No variables, with the same treatment of secrets.
    pub(crate) fn none_yet(&self) -> Self {
        Self::new(self.secrets)
    }

    pub(crate) fn into_list(self) -> Vec<Variable> {
        self.list
    }

    /// A variable of the environment whose name is known.
    pub(crate) fn environment(&mut self, name: &str, comment: &str) {
        if !self.list.iter().any(|known| known.name == name) {
            self.add(name.to_owned(), Value::Environment(name.to_owned()), comment, None);
        }
    }

    /// Adds a variable with a value, and returns its hole. The same name with another value becomes another name.
    pub(crate) fn constant(&mut self, name: &str, value: &str, comment: &str) -> String {
        let wanted = Value::Constant(value.to_owned());
        let base = identifier(name);
        let named = |known: &Variable| known.name == base || is_numbered(&known.name, &base);
        let same = self.list.iter().find(|known| named(known) && known.value == wanted);
        let same = same.map(|known| known.name.clone());
        let name = same.unwrap_or_else(|| self.free(&base));
        if same_is_missing(&self.list, &name) {
            self.add(name.clone(), wanted, comment, None);
        }
        hole(&name)
    }

    /// The replacement of a secret in a plan. If the value has holes already, or secrets are kept, it is unchanged.
    /// `value` is in the notation of plans.
    pub(crate) fn secret(&mut self, name: &str, value: &str, comment: &str) -> String {
        if has_holes(value) || value.is_empty() {
            return value.to_owned();
        }
        if self.secrets == Secrets::Kept {
            return value.to_owned();
        }
        if let Some(at) = self.taken.iter().position(|taken| taken.as_deref() == Some(value)) {
            return hole(&self.list[at].name);
        }
        let name = self.free(&identifier(name));
        let environment = Value::Environment(name.to_ascii_uppercase());
        self.add(name.clone(), environment, comment, Some(value.to_owned()));
        hole(&name)
    }

    /// A name for a variable that an answer fills.
    pub(crate) fn reserved(&mut self, name: &str) -> String {
        let name = self.free(&identifier(name));
        self.reserved.push(name.clone());
        name
    }

    /// The name of a new variable with this source.
    pub(crate) fn made(&mut self, name: &str, source: Value, comment: &str) -> String {
        let name = self.free(&identifier(name));
        self.add(name.clone(), source, comment, None);
        name
    }

    /// A secret that is not in the import at all, but must be supplied: the same name is the same secret.
    pub(crate) fn missing(&mut self, name: &str, comment: &str) -> String {
        let name = identifier(name);
        if same_is_missing(&self.list, &name) {
            let environment = Value::Environment(name.to_ascii_uppercase());
            self.add(name.clone(), environment, comment, None);
        }
        hole(&name)
    }

    /// The note about the secrets that were replaced, if there are any.
    pub(crate) fn taken_note(&self) -> Option<String> {
        let names = self.list.iter().zip(&self.taken).filter(|(_, taken)| taken.is_some());
        let names: Vec<String> = names.map(|(known, _)| known.name.to_ascii_uppercase()).collect();
        let given = names.join(", ");
        (!names.is_empty())
            .then(|| format!("secrets are left out, and to be given in the environment as {given}"))
    }

    /// The value of a header as it is written in a plan.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> String {
        let lower = name.to_ascii_lowercase();
        let comment = format!("what the header {name} held");
        if matches!(lower.as_str(), "authorization" | "proxy-authorization") {
            let Some((scheme, rest)) = value.split_once(' ') else {
                return self.secret(&lower, value, &comment);
            };
            let called =
                if scheme.eq_ignore_ascii_case("bearer") { "token" } else { "credentials" };
            return format!("{scheme} {}", self.secret(called, rest.trim_start(), &comment));
        }
        if is_secret_header(&lower) {
            self.secret(&lower, value, &comment)
        } else {
            value.to_owned()
        }
    }

    fn add(&mut self, name: String, value: Value, comment: &str, taken: Option<String>) {
        self.list.push(Variable { name, value, comment: comment.to_owned() });
        self.taken.push(taken);
    }

    /// A name that is not used yet.
    fn free(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        let mut number = self.numbers.get(base).copied().unwrap_or(2);
        if number > 2 {
            name = format!("{base}_{number}");
            number += 1;
        }
        while self.list.iter().any(|known| known.name == name) || self.reserved.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        self.numbers.insert(base.to_owned(), number);
        name
    }
}

fn same_is_missing(list: &[Variable], name: &str) -> bool {
    !list.iter().any(|known| known.name == name)
}

fn is_numbered(name: &str, base: &str) -> bool {
    let number = name.strip_prefix(base).and_then(|rest| rest.strip_prefix('_'));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A name that a variable may have.
pub(crate) fn identifier(name: &str) -> String {
    let mut out = String::new();
    for char in name.chars() {
        if char.is_ascii_alphanumeric() {
            out.push(char);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    let out = out.trim_end_matches('_');
    match out.chars().next() {
        None => "value".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{out}"),
        Some(_) => out.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body;

    #[test]
    fn equal_secrets_share_a_variable_and_others_do_not() {
        let mut variables = Variables::new(Secrets::Named);
        assert_eq!(variables.header("Authorization", "Bearer abc"), "Bearer ${token}");
        assert_eq!(variables.header("authorization", "bearer abc"), "bearer ${token}");
        assert_eq!(variables.header("Authorization", "Bearer xyz"), "Bearer ${token_2}");
        assert_eq!(variables.header("X-OpenAM-Password", "p"), "${x_openam_password}");
        assert_eq!(variables.header("Cookie", "a=b"), "${cookie}");
        assert_eq!(variables.header("Accept", "token"), "token");
        assert_eq!(variables.header("Authorization", "Bearer ${MINE}"), "Bearer ${MINE}");
        assert!(
            variables.taken_note().unwrap().ends_with("TOKEN, TOKEN_2, X_OPENAM_PASSWORD, COOKIE")
        );
        let names: Vec<_> = variables.into_list().into_iter().map(|it| it.value).collect();
        assert_eq!(names[1], Value::Environment("TOKEN_2".to_owned()));
        let mut kept = Variables::new(Secrets::Kept);
        assert_eq!(kept.header("Authorization", "Bearer abc"), "Bearer abc");
        assert_eq!(body::text(r#"{"password":"p"}"#, &mut kept), r#"{"password":"p"}"#);
        assert!(kept.into_list().is_empty());
    }

    #[test]
    fn constants_share_a_name_only_with_the_same_value() {
        let mut variables = Variables::new(Secrets::Named);
        assert_eq!(variables.constant("user-id", "1", ""), "${user_id}");
        assert_eq!(variables.constant("user-id", "1", ""), "${user_id}");
        assert_eq!(variables.constant("user-id", "2", ""), "${user_id_2}");
        assert_eq!(variables.constant("user-id", "2", ""), "${user_id_2}");
        assert_eq!(variables.missing("user-id", ""), "${user_id}");
        for (name, expected) in [("", "value"), ("--", "value"), ("1a", "_1a"), ("a.b[]", "a_b")] {
            assert_eq!(identifier(name), expected);
        }
    }
}
