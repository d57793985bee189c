//! The long names of an option: in any case, and with dashes between their words.

use brunt_run::options::row::Row;

/// Whether this long name is one of an option's own. Case does not matter, and a name of several words may have dashes.
pub(super) fn is_named(row: &Row, name: &str) -> bool {
    row.names().any(|own| own.eq_ignore_ascii_case(name) || is_dashed_of(own, name))
}

/// Whether a long name is the dashed form of one of an option.
pub(super) fn is_dashed(row: &Row, name: &str) -> bool {
    !row.names().any(|own| own.eq_ignore_ascii_case(name)) && is_named(row, name)
}

/// Whether a name is the dashed form of another, which is made only if the two have the same letters.
fn is_dashed_of(own: &str, name: &str) -> bool {
    letters(own).eq(letters(name)) && dashed(own).eq_ignore_ascii_case(name)
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|letter| *letter != b'-').map(|letter| letter.to_ascii_lowercase())
}

/// `numThreads` as `num-threads`, and `useSASLExternal` as `use-sasl-external`.
pub(crate) fn dashed(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let after_small = at > 0 && letters[at - 1].is_ascii_lowercase();
        let before_small = at > 0
            && letters[at - 1].is_ascii_uppercase()
            && letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && (after_small || before_small) {
            out.push('-');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_split_at_case_changes() {
        for (name, expected) in [
            ("numThreads", "num-threads"),
            ("baseDN", "base-dn"),
            ("entryDN", "entry-dn"),
            ("useSSL", "use-ssl"),
            ("ldapURL", "ldap-url"),
            ("useSASLExternal", "use-sasl-external"),
            ("useStartTLS", "use-start-tls"),
            ("csv", "csv"),
        ] {
            assert_eq!(dashed(name), expected);
        }
    }
}
