//! The provider of OpenID Connect at which people may sign in, as an administrator set it, and its client secret,
//! encrypted.

use rusqlite::OptionalExtension as _;
use serde::{Deserialize, Serialize};

use super::{Result, Store};
use crate::auth::Role;

/// What an administrator sets of the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProviderSettings {
    /// What people call it, on the button.
    pub(crate) name: String,
    pub(crate) issuer: String,
    /// The name that it has for this site.
    pub(crate) client: String,
    /// The scopes that are requested, separated by spaces.
    pub(crate) scopes: String,
    /// The claim that has the groups of a user, or a path to it.
    pub(crate) claim: String,
    /// What the members of groups may do.
    pub(crate) groups: Vec<(String, Role)>,
    /// The role of all other users; `None` if they may not sign in.
    pub(crate) others: Option<Role>,
    /// After how many minutes a session is checked at the provider again.
    pub(crate) minutes: i64,
}

impl ProviderSettings {
    /// The role of a user in these groups: the highest that one of them gives. `None` if they may not sign in.
    pub(crate) fn role(&self, groups: &[String]) -> Option<Role> {
        let named = self.groups.iter().filter(|(group, _)| groups.contains(group));
        named.map(|(_, role)| *role).max().max(self.others)
    }
}

impl Store {
    /// The provider, and its encrypted client secret.
    pub(crate) fn provider(&self) -> Result<Option<(ProviderSettings, Vec<u8>)>> {
        self.read(|file| {
            let found = file.query_row("SELECT settings, sealed FROM provider", [], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?))
            });
            // The program writes nothing here that it cannot read.
            let read =
                |(text, sealed): (String, _)| Some((serde_json::from_str(&text).ok()?, sealed));
            Ok(found.optional()?.and_then(read))
        })
    }

    /// Stores the provider in place of another. Sessions that began at another issuer end.
    pub(crate) fn put_provider(&self, settings: &ProviderSettings, sealed: &[u8]) -> Result<()> {
        let text = serde_json::to_string(settings).unwrap_or_default();
        self.write(|file| {
            let put = "INSERT OR REPLACE INTO provider (id, settings, sealed) VALUES (1, ?1, ?2)";
            file.execute(put, (text, sealed))?;
            let foreign = "DELETE FROM session WHERE checked IS NOT NULL AND user NOT IN \
                           (SELECT user FROM identity WHERE issuer = ?1)";
            file.execute(foreign, [&settings.issuer])?;
            Ok(())
        })
    }

    /// Removes the provider, and ends the sessions that began there; false if there is none.
    pub(crate) fn end_provider(&self) -> Result<bool> {
        self.write(|file| {
            file.execute("DELETE FROM session WHERE checked IS NOT NULL", [])?;
            Ok(file.execute("DELETE FROM provider", [])? > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_is_that_of_the_best_group() {
        let of = |text: &str| text.to_owned();
        let mut settings = ProviderSettings {
            name: of("SSO"),
            issuer: of("https://sso.example.com"),
            client: of("brunt"),
            scopes: of("openid"),
            claim: of("groups"),
            groups: vec![(of("a"), Role::Runner), (of("b"), Role::Admin), (of("c"), Role::Viewer)],
            others: None,
            minutes: 5,
        };
        let role = |settings: &ProviderSettings, groups: &[&str]| {
            settings.role(&groups.iter().map(|group| of(group)).collect::<Vec<_>>())
        };
        assert_eq!(role(&settings, &["x", "a", "b"]), Some(Role::Admin));
        assert_eq!(role(&settings, &["c", "a"]), Some(Role::Runner));
        assert_eq!((role(&settings, &["A", "x"]), role(&settings, &[])), (None, None));
        settings.others = Some(Role::Viewer);
        assert_eq!(role(&settings, &["x"]), Some(Role::Viewer));
        assert_eq!(role(&settings, &["a"]), Some(Role::Runner));
    }

    #[test]
    fn provider_settings_are_stored_once() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        assert_eq!(store.provider().unwrap(), None);
        let settings = ProviderSettings {
            name: "SSO".to_owned(),
            issuer: "https://sso.example.com".to_owned(),
            client: "brunt".to_owned(),
            scopes: "openid".to_owned(),
            claim: "groups".to_owned(),
            groups: Vec::new(),
            others: Some(Role::Viewer),
            minutes: 5,
        };
        store.put_provider(&settings, b"sealed").unwrap();
        let other = ProviderSettings { minutes: 7, ..settings };
        store.put_provider(&other, b"other").unwrap();
        assert_eq!(store.provider().unwrap(), Some((other, b"other".to_vec())));
        assert_eq!(store.sealed().unwrap(), 1);
        assert!(store.end_provider().unwrap() && !store.end_provider().unwrap());
    }
}
