//! The directory content of every server, so that one command line works with all of them.

use std::fmt::Write;

/// The suffix.
pub const BASE_DN: &str = "dc=example,dc=com";
/// Where the users are.
pub const PEOPLE_DN: &str = "ou=people,dc=example,dc=com";
/// May do everything, with [`PASSWORD`].
pub const ADMIN_DN: &str = "uid=admin,dc=example,dc=com";
/// May act for any user by proxied authorization, with [`PASSWORD`].
pub const PROXY_DN: &str = "uid=proxy,ou=people,dc=example,dc=com";
/// The password of every entry that has one.
pub const PASSWORD: &str = "password";
/// How many users a server holds unless a test says otherwise.
pub const USERS: usize = 2_000;

/// The DN of user `number`, counted from 0.
pub fn user_dn(number: usize) -> String {
    format!("uid=user.{number},{PEOPLE_DN}")
}

/// How the entries differ from one server to the next.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    /// The prefix of a password that must be stored as plain text, which SASL's digests need.
    pub(crate) clear: &'static str,
    /// Lines added to the suffix entry.
    pub(crate) base: &'static str,
    /// Lines added to the entry that may act for others.
    pub(crate) proxy: &'static str,
    /// Entries added at the end.
    pub(crate) more: &'static str,
}

/// The LDIF of `users` users and what stands above and beside them.
pub(crate) fn ldif(users: usize, dialect: Dialect) -> String {
    let Dialect { clear, base, proxy, more } = dialect;
    let mut text = format!(
        "dn: {BASE_DN}\nobjectClass: top\nobjectClass: domain\ndc: example\n{base}\n\
         dn: {PEOPLE_DN}\nobjectClass: top\nobjectClass: organizationalUnit\nou: people\n\n\
         dn: {PROXY_DN}\n{PERSON}uid: proxy\ncn: Proxy\nsn: Proxy\nuserPassword: {clear}{PASSWORD}\n{proxy}\n"
    );
    for number in 0..users {
        let _ = writeln!(
            text,
            "dn: {}\n{PERSON}uid: user.{number}\ncn: User {number}\nsn: {number}\ngivenName: User\n\
             mail: user.{number}@example.com\ndescription: as made\ntelephoneNumber: +1 555 {number:07}\n\
             employeeNumber: {number}\nuserPassword: {clear}{PASSWORD}\n",
            user_dn(number)
        );
    }
    text + more
}

const PERSON: &str = "objectClass: top\nobjectClass: person\nobjectClass: organizationalPerson\n\
                      objectClass: inetOrgPerson\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ldif_entries_are_separated() {
        let text = ldif(
            3,
            Dialect {
                clear: "{CLEAR}",
                base: "aci: x\n",
                proxy: "",
                more: "dn: cn=last\ncn: last\n",
            },
        );
        let entries: Vec<&str> = text.split("\n\n").filter(|entry| !entry.is_empty()).collect();
        assert_eq!(entries.len(), 3 + 3 + 1);
        assert!(entries.iter().all(|entry| entry.trim_start().starts_with("dn: ")));
        assert!(entries[0].ends_with("aci: x"));
        assert!(
            entries[5].contains("uid: user.2\n")
                && entries[5].ends_with("userPassword: {CLEAR}password")
        );
    }
}
