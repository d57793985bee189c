//! What the article measured: the four tables of "Making OpenLDAP Faster", as published.
//!
//! "Making OpenLDAP Faster", TechHelpList.com, tutorials of OpenLDAP; on a machine it does not name, with the BDB back
//! end of its day. Its seconds cannot be compared with ours, but the shape of its curves can. What it prints "each"
//! follows from the totals and is not repeated here.

/// Where the figures are from, for reports.
pub(super) const SOURCE: &str = "\"Making OpenLDAP Faster\", TechHelpList.com";

/// How many files its `ls -l` listed, each with an owner and a group of its own.
pub(super) const FILES: u64 = 1_000;

/// A line of a table of the article: seconds for n users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Published {
    /// n.
    pub users: u64,
    /// Seconds to insert them.
    pub insertion: f64,
    /// Seconds to delete them.
    pub deletion: f64,
    /// Seconds of `ls -l` of 1,000 files with 1,000 owners and groups.
    pub lookup: f64,
}

/// The tables, by our back end that corresponds to each of them.
pub(super) const TABLES: [(&str, &str, [Published; 5]); 4] = [
    (
        "files",
        "Flat-File System",
        [
            row(1000, 135.0, 125.0, 1.7),
            row(3000, 753.0, 584.0, 3.6),
            row(6000, 3134.0, 1980.0, 5.2),
            row(9000, 6589.0, 4217.0, 8.5),
            row(11000, 10052.0, 6002.0, 10.4),
        ],
    ),
    (
        "ldap",
        "Default OpenLDAP System",
        [
            row(1000, 34.0, 23.0, 77.0),
            row(3000, 117.0, 75.0, 264.0),
            row(6000, 260.0, 157.0, 431.0),
            row(9000, 467.0, 281.0, 782.0),
            row(11000, 609.0, 354.0, 500.0),
        ],
    ),
    (
        "ldap+index",
        "OpenLDAP System with uidNumber and gidNumber indexed",
        [
            row(1000, 47.0, 27.0, 4.41),
            row(3000, 140.0, 94.0, 5.86),
            row(6000, 326.0, 202.0, 5.96),
            row(9000, 511.0, 320.0, 5.87),
            row(11000, 675.0, 622.0, 6.47),
        ],
    ),
    (
        "ldap+index+nscd",
        "OpenLDAP System, indices, NSCD suggested-size = 32011",
        [
            row(1000, 38.0, 27.0, 0.83),
            row(3000, 124.0, 90.0, 0.89),
            row(6000, 300.0, 229.0, 0.94),
            row(9000, 510.0, 307.0, 0.94),
            row(11000, 615.0, 453.0, 1.03),
        ],
    ),
];

const fn row(users: u64, insertion: f64, deletion: f64, lookup: f64) -> Published {
    Published { users, insertion, deletion, lookup }
}

/// What the article measured of a back end.
pub(super) fn table(backend: &str) -> Option<&'static [Published]> {
    TABLES.iter().find(|table| table.0 == backend).map(|table| table.2.as_slice())
}

/// What the article measured of a back end with this many users.
pub(super) fn published(backend: &str, users: u64) -> Option<Published> {
    table(backend)?.iter().copied().find(|row| row.users == users)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_totals_agree_with_the_figures_per_user() {
        let each = [
            ("files", [(0.14, 0.13), (0.25, 0.19), (0.52, 0.33), (0.73, 0.47), (0.91, 0.55)]),
            ("ldap", [(0.03, 0.02), (0.04, 0.03), (0.04, 0.03), (0.05, 0.03), (0.06, 0.03)]),
            ("ldap+index", [(0.05, 0.03), (0.05, 0.03), (0.05, 0.03), (0.06, 0.04), (0.06, 0.06)]),
            (
                "ldap+index+nscd",
                [(0.04, 0.03), (0.04, 0.03), (0.05, 0.04), (0.06, 0.03), (0.06, 0.04)],
            ),
        ];
        for (backend, each) in each {
            for (row, (insertion, deletion)) in table(backend).unwrap().iter().zip(each) {
                let users = row.users as f64;
                assert!((row.insertion / users - insertion).abs() <= 0.0051, "{backend} {row:?}");
                assert!((row.deletion / users - deletion).abs() <= 0.0051, "{backend} {row:?}");
            }
        }
    }

    #[test]
    fn published_index_ratios_are_as_stated() {
        let ratio = |users| {
            published("ldap", users).unwrap().lookup
                / published("ldap+index", users).unwrap().lookup
        };
        assert_eq!([1000, 3000, 11000].map(|users| ratio(users).round() as u32), [17, 45, 77]);
        assert!(ratio(9000) > 100.0);
        assert_eq!(published("ldap", 2000), None);
        assert_eq!(table("sssd"), None);
    }
}
