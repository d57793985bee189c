//! The options of UnboundID's grammar as those of OpenDJ's, from which a run is made.
//!
//! Most options only change their names. Threads become connections, intervals become times, the filter and the
//! attributes become trailing arguments, and the binds that authrate measures have an identity apart from that of its
//! connections.

use brunt_net::secret::Secret;
use brunt_run::options::row::Kind;
use brunt_run::options::syntax::{Given, Source};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::syntax::spelled;
use super::{hosts, url};
use crate::options::rate::identity::Measured;
use crate::options::tool::Tool;

/// A line in the terms of OpenDJ's table.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The options.
    pub given: Vec<Given>,
    /// The trailing arguments.
    pub trailing: Vec<String>,
    /// The identity of the connections, where it is not that of the operation.
    pub login: Vec<Given>,
    /// The binds that are measured.
    pub measured: Option<Measured>,
    /// The rows after which the run ends.
    pub rows: Option<u64>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// The options of who binds, which in authrate are those of the connections.
const IDENTITY: [&str; 4] = ["bindDn", "bindPassword", "bindPasswordFile", "saslOption"];

/// Longer runs have no end.
const LONGEST: u64 = 4_294_967_295;

/// Without a limit of its own, an asynchronous run may have this many searches in flight on each connection at least.
const IN_FLIGHT_MIN: u64 = 64;
/// The most requests in flight on a connection.
const IN_FLIGHT_MAX: u64 = 65_536;

/// Translates a line that was checked.
pub(super) fn translate(tool: Tool, values: &Values) -> Result<Line, UsageError> {
    let mut line = Line::default();
    for given in values.given() {
        let row = values.row(given.name);
        if row.to.is_empty() {
            continue;
        }
        let source = if row.kind == Kind::Secret { Source::Verbatim } else { Source::Literal };
        line.push(tool, Given { name: row.to, source, place: None, ..given.clone() });
    }
    let mut add = Adder { tool, values, line: &mut line };
    add.servers()?;
    add.identity();
    add.table();
    add.load();
    match tool {
        Tool::Authrate => add.authentication(),
        Tool::SearchAndModRate => add.search_and_modify(),
        Tool::Searchrate => add.search()?,
        _ => {}
    }
    Ok(line)
}

impl Line {
    fn push(&mut self, tool: Tool, given: Given) {
        let of_login = tool == Tool::Authrate && IDENTITY.contains(&given.name);
        if of_login { self.login.push(given) } else { self.given.push(given) }
    }
}

/// Adds what takes more than a new name.
struct Adder<'a> {
    tool: Tool,
    values: &'a Values,
    line: &'a mut Line,
}

impl Adder<'_> {
    /// Adds an option in the name of one of the line.
    fn add(&mut self, name: &'static str, from: &str, text: impl Into<String>) {
        let spelled = spelled(self.values, from);
        let value = text.into();
        let given = Given { name, spelled, source: Source::Literal, value, place: None };
        self.line.push(self.tool, given);
    }

    fn servers(&mut self) -> Result<(), UsageError> {
        for server in hosts::pairs(self.values)? {
            self.add("hostname", "hostname", server);
        }
        let values = self.values;
        let secured = values.has("useSSL") || values.has("useStartTLS");
        if secured && !values.has("trustAll") && !values.has("verifyCertificateHostnames") {
            self.line.notes.push(
                "the name in the server's certificate is verified, as with --verifyCertificateHostnames: UnboundID's \
                 tools do so only with that option"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn identity(&mut self) {
        let values = self.values;
        for text in values.texts("saslOption") {
            self.add("saslOption", "saslOption", sasl(&text));
        }
        if values.has("useSASLExternal") {
            self.add("saslOption", "useSASLExternal", "mech=EXTERNAL");
        }
        let stored = values.has("bindPassword") || values.has("bindPasswordFile");
        if values.has("promptForBindPassword") || values.has("bindDN") && !stored {
            self.add("bindPassword", "promptForBindPassword", "-");
        }
        for (requested, option) in [
            ("promptForKeyStorePassword", "keyStorePassword"),
            ("promptForTrustStorePassword", "trustStorePassword"),
        ] {
            if values.has(requested) {
                self.add(option, requested, "-");
            }
        }
    }

    /// The table shows the original's durations, and the result codes unless they are not wanted.
    fn table(&mut self) {
        self.add("compat", "compat", "");
        if !self.values.has("suppressErrorResultCodes") {
            self.add("codes", "codes", "");
        }
    }

    fn load(&mut self) {
        let values = self.values;
        let bound = if self.tool == Tool::Authrate { "keepConnectionsOpen" } else { "noRebind" };
        self.add(bound, bound, "");
        self.add("value-patterns", "value-patterns", "");
        self.threads();
        let interval = values.count("intervalDuration").unwrap_or(5);
        let rows = values.count("numIntervals").filter(|rows| *rows < 2_147_483_647);
        self.line.rows = rows.filter(|rows| rows.saturating_mul(interval) <= LONGEST);
        if let Some(rows) = self.line.rows {
            self.add("maxDuration", "numIntervals", (rows * interval).to_string());
        }
        let warm_up = values.count("warmUpIntervals").unwrap_or(0).saturating_mul(interval);
        if warm_up > 0 {
            self.add("warmUpDuration", "warmUpIntervals", warm_up.to_string());
        }
        if let Some(seed) = values.integer("randomSeed") {
            // Every number of 32 bits is a seed of its own.
            self.add("seed", "randomSeed", (seed & 0xffff_ffff).to_string());
        }
        if let Some(operations) = values.count("iterationsBeforeReconnect").filter(|it| *it > 0) {
            let option = "iterationsBeforeReconnect";
            self.add(option, option, operations.to_string());
        }
    }

    /// A thread has a connection. Asynchronous threads have several requests in flight on it.
    fn threads(&mut self) {
        let values = self.values;
        let threads = values.count("numThreads").unwrap_or(1);
        if !values.has("asynchronous") {
            return self.add("numConnections", "numThreads", threads.to_string());
        }
        let rate = values.count("ratePerSecond").unwrap_or(0);
        let most = values.count("maxOutstandingRequests");
        let wanted = most.unwrap_or_else(|| threads.saturating_mul(IN_FLIGHT_MIN).max(2 * rate));
        let connections = threads.min(wanted);
        let each = (wanted / connections).clamp(1, IN_FLIGHT_MAX);
        self.add("numConnections", "numThreads", connections.to_string());
        self.add("numConcurrentRequests", "maxOutstandingRequests", each.to_string());
        if most.is_none_or(|most| most != each * connections) {
            self.line.notes.push(format!(
                "at most {} searches are in flight: {each} on each of {connections} connections",
                each * connections
            ));
        }
    }

    fn authentication(&mut self) {
        let values = self.values;
        let base = values.text("baseDN").unwrap_or_default().to_owned();
        let mechanism = match values.text("authType").map(str::to_ascii_lowercase).as_deref() {
            Some("cram-md5") => Some("CRAM-MD5"),
            Some("digest-md5") => Some("DIGEST-MD5"),
            Some("plain") => Some("PLAIN"),
            _ => None,
        };
        let password = values.text("credentials").unwrap_or_default().as_bytes().to_vec();
        let only = values.has("bindOnly");
        let dn = only.then(|| base.clone());
        self.line.measured = Some(Measured { mechanism, dn, password: Secret::new(password) });
        if only {
            if values.has("filter") {
                let note = "the filter has no effect with --bindOnly, which binds without a search";
                self.line.notes.push(note.to_owned());
            }
            return;
        }
        self.add("baseDn", "baseDN", base);
        self.line.trailing.push(values.text("filter").unwrap_or_default().to_owned());
        self.line.trailing.extend(values.texts("attribute"));
        self.scope();
    }

    fn scope(&mut self) {
        if let Some(scope) = self.values.text("scope") {
            self.add("searchScope", "scope", scope_of(scope));
        }
    }

    fn search(&mut self) -> Result<(), UsageError> {
        let values = self.values;
        if let Some(text) = values.text("ldapURL") {
            let url = url::parse(text)?;
            self.add("baseDn", "ldapURL", url.base);
            self.add("searchScope", "ldapURL", url.scope);
            self.line.trailing.push(url.filter);
            self.line.trailing.extend(url.attributes);
            return Ok(());
        }
        self.add("baseDn", "baseDN", values.text("baseDN").unwrap_or_default());
        self.line.trailing.push(values.text("filter").unwrap_or_default().to_owned());
        self.line.trailing.extend(values.texts("attribute"));
        self.scope();
        Ok(())
    }

    fn search_and_modify(&mut self) {
        let values = self.values;
        for name in values.texts("attribute") {
            self.add("attribute", "attribute", name);
        }
        self.add("baseDn", "baseDN", values.text("baseDN").unwrap_or_default());
        self.line.trailing.push(values.text("filter").unwrap_or_default().to_owned());
        self.scope();
    }
}

/// A SASL option under the name that it has here; mechanisms are matched in any case.
fn sasl(text: &str) -> String {
    let Some((name, value)) = text.split_once('=') else { return text.to_owned() };
    match name.trim().to_ascii_lowercase().as_str() {
        "mech" => format!("mech={}", value.to_ascii_uppercase()),
        "username" => format!("authid={value}"),
        "kdcaddress" => format!("kdc={value}"),
        name => format!("{name}={value}"),
    }
}

/// A scope by any of its names, as the one that it has here; an unknown one is refused there.
fn scope_of(scope: &str) -> String {
    let plain = scope.to_ascii_lowercase().replace('-', "");
    let known = match plain.as_str() {
        "base" | "baseobject" | "0" => "base",
        "one" | "onelevel" | "singlelevel" | "1" => "one",
        "sub" | "subtree" | "wholesubtree" | "2" => "sub",
        "subord" | "subordinate" | "subordinates" | "subordinatesubtree" | "3" => "subordinates",
        _ => return scope.to_owned(),
    };
    known.to_owned()
}
