//! What a server saw, according to its own log, which no client can influence.

use std::collections::BTreeMap;

/// How many of each operation a server received, and how they ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Connections accepted.
    pub connections: u64,
    /// Binds. A SASL bind in two steps counts twice, as it is two requests.
    pub binds: u64,
    /// Unbinds.
    pub unbinds: u64,
    /// Searches.
    pub searches: u64,
    /// Modifications.
    pub modifies: u64,
    /// Entries added.
    pub adds: u64,
    /// Entries deleted.
    pub deletes: u64,
    /// Comparisons.
    pub compares: u64,
    /// Extended operations, StartTLS among them.
    pub extended: u64,
    /// Operations abandoned.
    pub abandons: u64,
    /// Entries that searches returned.
    pub entries: u64,
    /// Answers by result code, whatever the operation.
    pub results: BTreeMap<u32, u64>,
}

impl Operations {
    /// What was added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut results = self.results.clone();
        for (code, count) in &earlier.results {
            let entry = results.entry(*code).or_default();
            *entry =
                entry.checked_sub(*count).expect("a count of answers went down: not the same log");
        }
        results.retain(|_, count| *count > 0);
        Self {
            connections: self.connections - earlier.connections,
            binds: self.binds - earlier.binds,
            unbinds: self.unbinds - earlier.unbinds,
            searches: self.searches - earlier.searches,
            modifies: self.modifies - earlier.modifies,
            adds: self.adds - earlier.adds,
            deletes: self.deletes - earlier.deletes,
            compares: self.compares - earlier.compares,
            extended: self.extended - earlier.extended,
            abandons: self.abandons - earlier.abandons,
            entries: self.entries - earlier.entries,
            results,
        }
    }

    /// Answers that carried this result code.
    pub fn with_result(&self, code: u32) -> u64 {
        self.results.get(&code).copied().unwrap_or_default()
    }

    /// Requests that are answered: all but unbinds and abandons.
    pub fn requests(&self) -> u64 {
        self.binds
            + self.searches
            + self.modifies
            + self.adds
            + self.deletes
            + self.compares
            + self.extended
    }

    /// Requests the server has not answered, or not yet.
    pub fn unanswered(&self) -> u64 {
        self.requests().saturating_sub(self.results.values().sum())
    }

    /// Counts one line of slapd's statistics log (`-d stats`).
    pub(crate) fn count_slapd(&mut self, line: &str) {
        let Some((_, line)) = line.split_once(" conn=") else { return };
        let Some((_, words)) = line.split_once(' ') else { return };
        if words.contains(" ACCEPT from ") {
            self.connections += 1;
            return;
        }
        let Some((_, words)) = words.strip_prefix("op=").and_then(|rest| rest.split_once(' '))
        else {
            return;
        };
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        match verb {
            // A bind has up to three lines; only the first names a method.
            "BIND" if rest.contains("\" method=") => self.binds += 1,
            "UNBIND" => self.unbinds += 1,
            // Searches and modifications have a second line for their attributes.
            "SRCH" if rest.starts_with("base=") => self.searches += 1,
            "MOD" if rest.starts_with("dn=") => self.modifies += 1,
            "ADD" => self.adds += 1,
            "DEL" => self.deletes += 1,
            "CMP" => self.compares += 1,
            "EXT" => self.extended += 1,
            "ABANDON" => self.abandons += 1,
            "RESULT" => self.result(rest, "err="),
            "SEARCH" => {
                self.result(rest, "err=");
                self.entries += number(rest, "nentries=").unwrap_or_default();
            }
            _ => {}
        }
    }

    /// Counts one line of OpenDJ's access log.
    pub(crate) fn count_opendj(&mut self, line: &str) {
        let Some((_, words)) = line.split_once("] ") else { return };
        let mut parts = words.splitn(3, ' ');
        let (verb, kind, rest) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
        match (verb, kind) {
            (Some("CONNECT"), _) => self.connections += 1,
            (Some("UNBIND"), _) => self.unbinds += 1,
            (Some("ABANDON"), Some("REQ")) => self.abandons += 1,
            (Some("BIND"), Some("REQ")) => self.binds += 1,
            (Some("SEARCH"), Some("REQ")) => self.searches += 1,
            (Some("MODIFY"), Some("REQ")) => self.modifies += 1,
            (Some("ADD"), Some("REQ")) => self.adds += 1,
            (Some("DELETE"), Some("REQ")) => self.deletes += 1,
            (Some("COMPARE"), Some("REQ")) => self.compares += 1,
            (Some("EXTENDED"), Some("REQ")) => self.extended += 1,
            (Some("ABANDON"), _) => {}
            (_, Some("RES")) => {
                self.result(rest, "result=");
                self.entries += number(rest, "nentries=").unwrap_or_default();
            }
            _ => {}
        }
    }

    fn result(&mut self, words: &str, name: &str) {
        if let Some(code) = number(words, name) {
            *self.results.entry(code as u32).or_default() += 1;
        }
    }
}

/// The number after `name` in a line of words.
fn number(words: &str, name: &str) -> Option<u64> {
    words.split(' ').find_map(|word| word.strip_prefix(name)?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slapd_log_lines_are_counted_once() {
        let log = r#"
6b00fc09.2c1d7075 0x7f1e361fe6c0 conn=1004 fd=11 ACCEPT from IP=127.0.0.1:43608 (IP=127.0.0.1:13890)
6b00fc09.2c1df350 0x7f1e359fd6c0 conn=1004 op=0 BIND dn="" method=163
6b00fc09.2c8076a9 0x7f1e359fd6c0 conn=1004 op=0 RESULT tag=97 err=14 qtime=0.000007 etime=0.006464 text=SASL(0): ok:
6b00fc09.2d3c0f97 0x7f1e361fe6c0 conn=1004 op=1 BIND dn="" method=163
6b00fc09.2d3cc77b 0x7f1e361fe6c0 conn=1004 op=1 BIND authcid="user.3" authzid="user.3"
6b00fc09.2d3cd81b 0x7f1e361fe6c0 conn=1004 op=1 BIND dn="uid=user.3" mech=SCRAM-SHA-256 bind_ssf=0 ssf=0
6b00fc09.2d3d5b7b 0x7f1e361fe6c0 conn=1004 op=1 RESULT tag=97 err=0 qtime=0.000012 etime=0.000099 text=
6b00fc09.2d3f9c8b 0x7f1e359fd6c0 conn=1004 op=2 EXT oid=1.3.6.1.4.1.4203.1.11.3
6b00fc09.2d3fbba0 0x7f1e359fd6c0 conn=1004 op=2 WHOAMI
6b00fc09.2d3fed2f 0x7f1e359fd6c0 conn=1004 op=2 RESULT oid= err=0 qtime=0.000007 etime=0.000030 text=
6b00fc09.2d3fed2f 0x7f1e359fd6c0 conn=1004 op=3 SRCH base="dc=example,dc=com" scope=2 deref=0 filter="(uid=*)"
6b00fc09.2d3fed2f 0x7f1e359fd6c0 conn=1004 op=3 SRCH attr=1.1
6b00fc09.2d3fed2f 0x7f1e359fd6c0 conn=1004 op=3 SEARCH RESULT tag=101 err=4 qtime=0.0 etime=0.0 nentries=7 text=
6b00fc09.2d3fed2f 0x7f1e359fd6c0 conn=1004 op=4 MOD dn="uid=user.1"
6b00fc09.2d3fed2f 0x7f1e359fd6c0 conn=1004 op=4 MOD attr=description
6b00fc09.2d4100f4 0x7f1e361fe6c0 conn=1004 op=5 UNBIND
6b00fc09.2d419968 0x7f1e361fe6c0 conn=1004 fd=11 closed"#;
        let mut seen = Operations::default();
        log.lines().for_each(|line| seen.count_slapd(line));
        let expected = Operations {
            connections: 1,
            binds: 2,
            unbinds: 1,
            searches: 1,
            modifies: 1,
            extended: 1,
            entries: 7,
            results: BTreeMap::from([(0, 2), (4, 1), (14, 1)]),
            ..Operations::default()
        };
        assert_eq!(seen, expected);
        assert_eq!(seen.unanswered(), 1);
        assert_eq!(seen.since(&seen), Operations::default());
    }

    #[test]
    fn opendj_log_lines_are_counted_once() {
        let log = r#"[21/Nov/2026:01:58:32 +0000] CONNECT conn=3 from=127.0.0.1:40110 to=127.0.0.1:31389 protocol=LDAP
[21/Nov/2026:01:58:32 +0000] BIND REQ conn=3 op=0 msgID=1 version=3 type=SIMPLE dn="cn=Directory Manager"
[21/Nov/2026:01:58:32 +0000] BIND RES conn=3 op=0 msgID=1 result=49 authFailureReason="no" etime=1
[21/Nov/2026:01:58:32 +0000] SEARCH REQ conn=3 op=1 msgID=2 base="cn=monitor" scope=sub filter="(a=b)" attrs="ALL"
[21/Nov/2026:01:58:33 +0000] SEARCH RES conn=3 op=1 msgID=2 result=0 nentries=30 etime=118
[21/Nov/2026:01:58:33 +0000] UNBIND REQ conn=3 op=2 msgID=3
[21/Nov/2026:01:58:33 +0000] DISCONNECT conn=3 reason="Client Disconnect""#;
        let mut seen = Operations::default();
        log.lines().for_each(|line| seen.count_opendj(line));
        let expected = Operations {
            connections: 1,
            binds: 1,
            unbinds: 1,
            searches: 1,
            entries: 30,
            results: BTreeMap::from([(0, 1), (49, 1)]),
            ..Operations::default()
        };
        assert_eq!(seen, expected);
        assert_eq!(seen.unanswered(), 0);
    }
}
