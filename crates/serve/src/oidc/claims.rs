//! [`Claims`]: the claims of a provider about a user.

use serde_json::{Map, Value};

/// The claims of a provider about a user, from a signed token or over an authenticated connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims(Map<String, Value>);

/// Claims that are no JSON object.
#[derive(Debug, thiserror::Error)]
#[error("its claims cannot be read: {0}")]
pub struct ClaimsError(#[from] serde_json::Error);

impl Claims {
    /// Reads a JSON object.
    pub fn read(text: &[u8]) -> Result<Self, ClaimsError> {
        Ok(Self(serde_json::from_slice(text)?))
    }

    /// A claim that is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// Whom the claims are about; empty if there is no `sub`.
    pub fn subject(&self) -> &str {
        self.text("sub").unwrap_or_default()
    }

    /// A claim that is a time in seconds since 1970. Some providers write fractions.
    pub(super) fn time(&self, name: &str) -> Option<i64> {
        let value = self.0.get(name)?;
        value.as_i64().or_else(|| value.as_f64().map(|time| time as i64))
    }

    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The groups in a claim: a list of texts, or one text. Its name may be a path, such as `realm_access.roles`; a
    /// claim whose name has dots itself comes first. `None` if there is no such claim.
    pub fn groups(&self, path: &str) -> Option<Vec<String>> {
        let value = self.0.get(path).or_else(|| {
            let (first, rest) = path.split_once('.')?;
            rest.split('.').try_fold(self.0.get(first)?, |value, name| value.get(name))
        })?;
        let one = |value: &Value| value.as_str().map(str::to_owned);
        Some(match value {
            Value::Array(all) => all.iter().filter_map(one).collect(),
            other => one(other).into_iter().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_find_groups_by_name_or_path() {
        let claims = Claims::read(
            br#"{"sub": "1", "groups": ["/load/admins", 7, "b"], "realm_access": {"roles": ["r"]},
                 "https://example.com/groups": ["u"], "one": "alone", "none": null}"#,
        )
        .unwrap();
        let groups = |path| claims.groups(path);
        assert_eq!(groups("groups"), Some(vec!["/load/admins".to_owned(), "b".to_owned()]));
        assert_eq!(groups("realm_access.roles"), Some(vec!["r".to_owned()]));
        assert_eq!(groups("https://example.com/groups"), Some(vec!["u".to_owned()]));
        assert_eq!(groups("one"), Some(vec!["alone".to_owned()]));
        assert_eq!(
            (groups("none"), groups("realm_access.x.y"), groups("")),
            (Some(vec![]), None, None)
        );
        assert!(Claims::read(b"[]").is_err() && Claims::read(b"{").is_err());
    }
}
