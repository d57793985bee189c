//! [`Searched`]: an LDAP URL (RFC 4516) as a search, with value patterns in it.

use brunt_run::options::usage_error::UsageError;

/// What a URL asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Searched {
    /// The base DN.
    pub base: String,
    /// The attributes to return.
    pub attributes: Vec<String>,
    /// The scope: base, one or sub.
    pub scope: String,
    /// The filter.
    pub filter: String,
}

/// Reads a URL; its host and port are not used.
pub(super) fn parse(url: &str) -> Result<Searched, UsageError> {
    let wrong = |why: &str| {
        UsageError::new(format!(
            "--ldapURL '{url}' is not an LDAP URL: {why}; write it as \
             in 'ldap:///dc=example,dc=com?cn?sub?(uid=user.1)'"
        ))
    };
    let schemes = ["ldap://", "ldaps://"];
    let rest = schemes.iter().find_map(|scheme| {
        let begins = url.get(..scheme.len())?.eq_ignore_ascii_case(scheme);
        begins.then(|| &url[scheme.len()..])
    });
    let rest = rest.ok_or_else(|| wrong("it must begin with ldap://"))?;
    let (_, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let parts: Vec<&str> = rest.splitn(5, '?').collect();
    let part = |at: usize| decoded(parts.get(at).copied().unwrap_or_default());
    let part =
        |at: usize| part(at).ok_or_else(|| wrong("two hexadecimal digits must follow each %"));
    let scope = part(2)?.to_ascii_lowercase();
    if !["", "base", "one", "sub", "subordinates"].contains(&scope.as_str()) {
        return Err(wrong("its scope must be base, one or sub"));
    }
    let (attributes, filter) = (part(1)?, part(3)?);
    Ok(Searched {
        base: part(0)?,
        attributes: attributes.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect(),
        scope: if scope.is_empty() { "base".to_owned() } else { scope },
        filter: if filter.is_empty() { "(objectClass=*)".to_owned() } else { filter },
    })
}

/// The text with %XX decoded, except within the brackets of a value pattern, where a % begins a number format.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut open, mut rest) = (false, text.as_bytes());
    while let [byte, tail @ ..] = rest {
        rest = tail;
        open = (open || *byte == b'[') && *byte != b']';
        if *byte != b'%' || open {
            bytes.push(*byte);
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(base: &str, attributes: &[&str], scope: &str, filter: &str) -> Searched {
        Searched {
            base: base.to_owned(),
            attributes: attributes.iter().map(ToString::to_string).collect(),
            scope: scope.to_owned(),
            filter: filter.to_owned(),
        }
    }

    #[test]
    fn ldap_url_has_its_own_defaults() {
        for (url, expected) in [
            (
                "ldap:///dc=x?cn,mail?sub?(uid=user.[1-9])",
                searched("dc=x", &["cn", "mail"], "sub", "(uid=user.[1-9])"),
            ),
            (
                "LDAP://host:389/ou=a%20b,dc=x",
                searched("ou=a b,dc=x", &[], "base", "(objectClass=*)"),
            ),
            (
                "ldap:///dc=x??one?(uid=u[1:9%000])",
                searched("dc=x", &[], "one", "(uid=u[1:9%000])"),
            ),
            ("ldap://", searched("", &[], "base", "(objectClass=*)")),
        ] {
            assert_eq!(parse(url).unwrap(), expected, "{url}");
        }
        for wrong in ["http://x/", "dc=x", "ldap:///dc=x??all", "ldap:///dc=%2"] {
            assert!(parse(wrong).unwrap_err().reason.contains("is not an LDAP URL"), "{wrong}");
        }
    }
}
