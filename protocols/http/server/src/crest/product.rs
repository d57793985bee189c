//! The products whose users are served, and how each of them presents a user.
//!
//! A user that was not changed is generated from its number on request, so that millions of them need no memory.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The product whose API it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    /// `/openam/json/users`.
    Am,
    /// `/api/users` and `/users` of OpenDJ's REST to LDAP.
    Ds,
    /// `/openidm/managed/user`.
    Idm,
}

impl Product {
    /// The fields of the user of a number, as the inside of a JSON object.
    pub(super) fn made(self, n: u32, out: &mut String) {
        let phone = format_args!("+1 555 {:03} {:04}", n / 10_000 % 1000, n % 10_000);
        // Writing to memory does not fail.
        let _ = match self {
            Self::Am => write!(
                out,
                concat!(
                    r#""username":"user.{n}","realm":"/","uid":["user.{n}"],"#,
                    r#""universalid":["id=user.{n},ou=user,dc=example,dc=com"],"#,
                    r#""objectClass":["person","inetOrgPerson"],"inetUserStatus":["Active"],"#,
                    r#""cn":["Given{n} Family{n}"],"givenName":["Given{n}"],"sn":["Family{n}"],"#,
                    r#""mail":["user.{n}@example.com"],"telephoneNumber":["{phone}"]"#,
                ),
                n = n,
                phone = phone
            ),
            Self::Ds => write!(
                out,
                concat!(
                    r#""_schema":"frapi:opendj:rest2ldap:user:1.0","_meta":{{}},"#,
                    r#""userName":"user.{n}@example.com","displayName":["Given{n} Family{n}"],"#,
                    r#""name":{{"givenName":"Given{n}","familyName":"Family{n}"}},"#,
                    r#""description":"This is the description of user {n}.","#,
                    r#""contactInformation":{{"telephoneNumber":"{phone}","#,
                    r#""emailAddress":"user.{n}@example.com"}}"#,
                ),
                n = n,
                phone = phone
            ),
            Self::Idm => write!(
                out,
                concat!(
                    r#""userName":"user.{n}","givenName":"Given{n}","sn":"Family{n}","#,
                    r#""mail":"user.{n}@example.com","telephoneNumber":"{phone}","#,
                    r#""accountStatus":"active","effectiveRoles":[],"effectiveAssignments":[]"#,
                ),
                n = n,
                phone = phone
            ),
        };
    }

    /// Whether a field holds the password, which is never shown.
    pub(super) fn is_password(self, field: &str) -> bool {
        match self {
            Self::Am | Self::Ds => {
                field.eq_ignore_ascii_case("userPassword") || field == "password"
            }
            Self::Idm => field == "password",
        }
    }

    /// The fields that name a user as `_id` does, beside it.
    pub(super) const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::Am => &["username", "uid"],
            Self::Ds => &[],
            Self::Idm => &["userName"],
        }
    }

    /// The identifier that a new user's own fields contain.
    pub(super) fn named(self, fields: &Map<String, Value>) -> Option<String> {
        let names: &[&str] = match self {
            Self::Am => &["username", "_id"],
            Self::Ds | Self::Idm => &["_id"],
        };
        names.iter().find_map(|name| fields.get(*name)?.as_str().map(str::to_owned))
    }

    /// Converts the fields that were sent to the form in which a user is stored.
    pub(super) fn settle(self, id: &str, fields: &mut Map<String, Value>) {
        for own in ["_id", "_rev"] {
            fields.remove(own);
        }
        match self {
            Self::Am => {
                fields.insert("username".to_owned(), id.into());
                fields.entry("realm").or_insert_with(|| "/".into());
                // Attributes of an identity repository are lists.
                for (name, value) in fields.iter_mut() {
                    if !matches!(name.as_str(), "username" | "realm") && !value.is_array() {
                        *value = Value::Array(vec![value.take()]);
                    }
                }
            }
            Self::Ds => {
                fields.entry("_schema").or_insert_with(|| "frapi:opendj:rest2ldap:user:1.0".into());
            }
            Self::Idm => {}
        }
    }

    /// The status for a user that exists already.
    pub(super) const fn taken(self) -> u16 {
        match self {
            Self::Am => 409,
            Self::Ds | Self::Idm => 412,
        }
    }
}
