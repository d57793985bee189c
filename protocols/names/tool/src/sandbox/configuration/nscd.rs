//! nscd.conf, for accounts and groups; all other tables of nscd are off.

use std::fmt::Write as _;

use super::super::spec::Nscd;

/// The largest memory of a table. The default of 32 MiB has room for some hundred thousand entries.
const MAX_DB_SIZE: u64 = 128 << 20;

/// The article's times to live: accounts, then groups.
const TABLES: [(&str, u32, u32); 2] = [("passwd", 600, 20), ("group", 3600, 60)];

/// nscd.conf as tuned.
pub(crate) fn text(nscd: &Nscd) -> String {
    let mut text = String::from("paranoia no\n");
    let yes_or_no = |yes: bool| if yes { "yes" } else { "no" };
    for (table, positive, negative) in TABLES {
        let positive = nscd.positive_ttl_s.unwrap_or(positive);
        let negative = nscd.negative_ttl_s.unwrap_or(negative);
        for (key, value) in [
            ("enable-cache", "yes".to_owned()),
            ("positive-time-to-live", positive.to_string()),
            ("negative-time-to-live", negative.to_string()),
            ("suggested-size", nscd.suggested_size.to_string()),
            ("check-files", "yes".to_owned()),
            ("persistent", yes_or_no(nscd.persistent).to_owned()),
            ("shared", yes_or_no(nscd.shared).to_owned()),
            ("max-db-size", MAX_DB_SIZE.to_string()),
        ] {
            let _ = writeln!(text, "{key} {table} {value}");
        }
    }
    for table in ["hosts", "services", "netgroup"] {
        let _ = writeln!(text, "enable-cache {table} no");
    }
    text
}

/// The same for unscd, which has neither shared memory nor a persistent cache.
pub(crate) fn unscd(nscd: &Nscd) -> String {
    let known = |line: &&str| {
        !["paranoia", "persistent", "shared", "max-db-size"].iter().any(|key| line.starts_with(key))
            && !line.contains("services")
            && !line.contains("netgroup")
    };
    text(nscd).lines().filter(known).fold(String::new(), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nscd_times_to_live_default_to_the_article() {
        let text = text(&Nscd { suggested_size: 211, ..Nscd::default() });
        for line in [
            "positive-time-to-live passwd 600",
            "negative-time-to-live passwd 20",
            "positive-time-to-live group 3600",
            "suggested-size group 211",
            "shared passwd yes",
            "persistent passwd no",
            "enable-cache hosts no",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}");
        }
        let short = super::text(&Nscd { positive_ttl_s: Some(3), ..Nscd::default() });
        assert!(short.contains("positive-time-to-live group 3\n"));
    }

    #[test]
    fn unscd_configuration_has_only_supported_keys() {
        let text = unscd(&Nscd::default());
        assert!(text.contains("suggested-size passwd 32011\n") && !text.contains("shared"));
        assert!(text.contains("enable-cache hosts no\n") && !text.contains("netgroup"));
    }
}
