//! How values compare, and whether an entry matches a filter.
//!
//! There is no schema, so all attributes compare as most do: case is ignored and a run of spaces counts as one space.
//! If both sides are numbers, they are ordered as numbers. A filter that cannot be evaluated (an unknown matching rule)
//! is neither true nor false, as RFC 4511 section 4.5.1.7 requires.

use std::cmp::Ordering;

use brunt_ldap_wire::dn;
use brunt_ldap_wire::filter::Filter;

use super::entry::Entry;

/// Whether two values are equal.
pub(crate) fn equal(left: &[u8], right: &[u8]) -> bool {
    if left.eq_ignore_ascii_case(right) {
        return true;
    }
    let simple = |value: &[u8]| value.iter().all(|byte| byte.is_ascii() && *byte != b' ');
    !(simple(left) && simple(right)) && folded(left) == folded(right)
}

/// A value in the form in which values are compared.
pub(crate) fn folded(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    dn::fold(value, &mut out);
    out
}

/// How two values are ordered.
pub(crate) fn order(left: &[u8], right: &[u8]) -> Ordering {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => folded(left).cmp(&folded(right)),
    }
}

/// The value as a number, if it is one.
pub(crate) fn integer(value: &[u8]) -> Option<i128> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// Whether the entry matches. `None` means neither true nor false.
pub(crate) fn matches(entry: &Entry, filter: &Filter<&[u8]>) -> Option<bool> {
    match filter {
        Filter::And(filters) => all(entry, filters, false),
        Filter::Or(filters) => all(entry, filters, true),
        Filter::Not(filter) => matches(entry, filter).map(|matched| !matched),
        Filter::Equality { attribute, value } | Filter::Approximate { attribute, value } => {
            Some(entry.any(attribute, &mut |stored| equal(stored, value)))
        }
        Filter::Substrings { attribute, initial, any, last } => {
            let pattern = Substrings {
                initial: initial.map(folded),
                any: any.iter().map(|part| folded(part)).collect(),
                last: last.map(folded),
            };
            Some(entry.any(attribute, &mut |stored| pattern.matches(&folded(stored))))
        }
        Filter::GreaterOrEqual { attribute, value } => {
            Some(entry.any(attribute, &mut |stored| order(stored, value).is_ge()))
        }
        Filter::LessOrEqual { attribute, value } => {
            Some(entry.any(attribute, &mut |stored| order(stored, value).is_le()))
        }
        Filter::Present(attribute) => Some(entry.has(attribute)),
        Filter::Extensible { rule, attribute, value, dn_attributes } => {
            extensible(entry, *rule, *attribute, value, *dn_attributes)
        }
    }
}

/// Whether all match, or, with `decisive` true, whether one does.
fn all(entry: &Entry, filters: &[Filter<&[u8]>], decisive: bool) -> Option<bool> {
    let mut undefined = false;
    for filter in filters {
        match matches(entry, filter) {
            Some(matched) if matched == decisive => return Some(decisive),
            Some(_) => {}
            None => undefined = true,
        }
    }
    if undefined { None } else { Some(!decisive) }
}

struct Substrings {
    initial: Option<Vec<u8>>,
    any: Vec<Vec<u8>>,
    last: Option<Vec<u8>>,
}

impl Substrings {
    fn matches(&self, value: &[u8]) -> bool {
        let Some(mut rest) = value.strip_prefix(self.initial.as_deref().unwrap_or_default()) else {
            return false;
        };
        for part in &self.any {
            if part.is_empty() {
                continue;
            }
            let Some(at) = rest.windows(part.len()).position(|window| window == part) else {
                return false;
            };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(self.last.as_deref().unwrap_or_default())
    }
}

fn extensible(
    entry: &Entry,
    rule: Option<&[u8]>,
    attribute: Option<&[u8]>,
    value: &[u8],
    dn_attributes: bool,
) -> Option<bool> {
    let same: fn(&[u8], &[u8]) -> bool = match rule.map(<[u8]>::to_ascii_lowercase).as_deref() {
        None | Some(b"caseignorematch" | b"2.5.13.2" | b"caseignoreia5match") => equal,
        Some(b"caseexactmatch" | b"2.5.13.5" | b"octetstringmatch" | b"2.5.13.17") => {
            |left, right| left == right
        }
        Some(_) => return None,
    };
    let mut test = |stored: &[u8]| same(stored, value);
    let in_entry = match attribute {
        Some(attribute) => entry.any(attribute, &mut test),
        None => entry.attributes.iter().any(|attribute| attribute.values().any(&mut test)),
    };
    if in_entry || !dn_attributes {
        return Some(in_entry);
    }
    let name = dn::Dn::parse(&entry.dn).ok()?;
    let mut pairs = name.rdns.iter().flat_map(|rdn| &rdn.pairs);
    Some(pairs.any(|pair| {
        attribute.is_none_or(|attribute| pair.attribute.as_bytes().eq_ignore_ascii_case(attribute))
            && test(&pair.value)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let mut entry = Entry::new(b"uid=a,ou=People,dc=x", b"uid=a,ou=people,dc=x".to_vec());
        entry.attributes.push(b"cn", [&b"Ada  Lovelace"[..], b"Countess"]);
        entry.attributes.push(b"age", [&b"36"[..]]);
        entry.secret.push(b"userPassword", [&b"secret"[..]]);
        entry
    }

    #[test]
    fn filters_match_like_the_rfc() {
        let entry = entry();
        for (text, expected) in [
            ("(cn=ada lovelace)", Some(true)),
            ("(cn=COUNTESS)", Some(true)),
            ("(cn=ada)", Some(false)),
            ("(cn=a*LOVE*e)", Some(true)),
            ("(cn=*da*da*)", Some(false)),
            ("(cn=*)", Some(true)),
            ("(sn=*)", Some(false)),
            ("(age>=9)", Some(true)),
            ("(age<=9)", Some(false)),
            ("(age>=36)", Some(true)),
            ("(!(age=36))", Some(false)),
            ("(&)", Some(true)),
            ("(|)", Some(false)),
            ("(&(cn=*)(age=36))", Some(true)),
            ("(|(cn=x)(age=37))", Some(false)),
            ("(cn:caseExactMatch:=countess)", Some(false)),
            ("(ou:dn:=people)", Some(true)),
            ("(ou:=people)", Some(false)),
            ("(cn:1.2.3:=x)", None),
            ("(!(cn:1.2.3:=x))", None),
            ("(|(cn=*)(cn:1.2.3:=x))", Some(true)),
            ("(&(cn=*)(cn:1.2.3:=x))", None),
            ("(userPassword=secret)", Some(false)),
            ("(userPassword=*)", Some(false)),
        ] {
            let filter = Filter::parse(text).unwrap();
            let filter = filter.map(&mut |leaf| leaf.as_static().unwrap().to_vec());
            let filter = filter.map(&mut |leaf| leaked(leaf));
            assert_eq!(matches(&entry, &filter), expected, "{text}");
        }
    }

    /// A test's filters live as long as the test process.
    fn leaked(bytes: &[u8]) -> &'static [u8] {
        Box::leak(bytes.to_vec().into_boxed_slice())
    }
}
