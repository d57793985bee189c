//! What a web server served: lines of its own access log, which no client can influence.

use serde_json::Value;
use std::collections::BTreeMap;

/// One request of an access log. OpenDJ's has fewer fields than nginx's: what it lacks is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Which listener took it: `clear`, `tls`, `mutual`, `short`, `impatient`, `proxy` or `unix`.
    pub listener: String,
    /// `GET` and the like.
    pub method: String,
    /// Path and query as sent.
    pub path: String,
    /// `HTTP/1.1` or `HTTP/2.0`.
    pub protocol: String,
    /// The status of the answer. 499: the client was gone before there was one.
    pub status: u16,
    /// A number that no other connection has.
    pub connection: u64,
    /// Which request of its connection it was, counted from 1.
    pub place: u64,
    /// Bytes of the request with its head.
    pub request: u64,
    /// Bytes of the answer's body as sent, after compression.
    pub body: u64,
    /// Bytes of the whole answer.
    pub sent: u64,
    /// The header `Host`.
    pub host: String,
    /// The header `User-Agent`.
    pub agent: String,
    /// The header `Content-Type`.
    pub content_type: String,
    /// The header `Cookie`.
    pub cookie: String,
    /// The header `Accept-Encoding`.
    pub accepted: String,
    /// The answer's `Content-Encoding`.
    pub encoding: String,
    /// The header `X-Test`.
    pub x_test: String,
    /// The user of basic authentication.
    pub user: String,
    /// `TLSv1.3`, or nothing.
    pub tls: String,
    /// Whether the connection resumed an earlier TLS session.
    pub resumed: bool,
    /// The subject of the client's certificate.
    pub client: String,
    /// The server name that the client indicated.
    pub server_name: String,
}

impl Served {
    /// The requests of nginx's log. A line that is still being written is left for later.
    pub(crate) fn of_nginx(log: &str) -> Vec<Self> {
        let lines = log.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.map(|line| Self::of_line(line.trim_end())).collect()
    }

    fn of_line(line: &str) -> Self {
        let fields: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("nginx logged {line}, which is not JSON: {error}"));
        let text = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
        let number = |name: &str| text(name).parse().unwrap_or_default();
        Self {
            listener: text("listener"),
            method: text("method"),
            path: text("path"),
            protocol: text("protocol"),
            status: number("status") as u16,
            connection: number("connection"),
            place: number("place"),
            request: number("request"),
            body: number("body"),
            sent: number("sent"),
            host: text("host"),
            agent: text("agent"),
            content_type: text("type"),
            cookie: text("cookie"),
            accepted: text("accepted"),
            encoding: text("encoding"),
            x_test: text("x"),
            user: text("user"),
            tls: text("tls"),
            resumed: text("reused") == "r",
            client: text("client"),
            server_name: text("name"),
        }
    }

    /// The requests of OpenDJ's log over HTTP.
    pub(crate) fn of_opendj(log: &str) -> Vec<Self> {
        let lines = log.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.map(|line| Self::of_columns(line.trim_end())).collect()
    }

    fn of_columns(line: &str) -> Self {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, _, user, _, method, path, query, protocol, status, agent, connection, ..] =
            columns[..]
        else {
            panic!("OpenDJ logged {line}, which has too few columns")
        };
        let path = if query == "-" { path.to_owned() } else { format!("{path}?{query}") };
        Self {
            method: method.to_owned(),
            path,
            protocol: protocol.to_owned(),
            status: status.parse().unwrap_or_default(),
            connection: connection.parse().unwrap_or_default(),
            user: user.replace('-', ""),
            agent: agent.to_owned(),
            ..Self::default()
        }
    }

    /// How many answers of each status there are.
    pub fn statuses<'a>(served: impl IntoIterator<Item = &'a Self>) -> BTreeMap<u16, u64> {
        let mut statuses = BTreeMap::new();
        for one in served {
            *statuses.entry(one.status).or_default() += 1;
        }
        statuses
    }

    /// How many requests each connection carried.
    pub fn connections<'a>(served: impl IntoIterator<Item = &'a Self>) -> BTreeMap<u64, u64> {
        let mut connections = BTreeMap::new();
        for one in served {
            *connections.entry(one.connection).or_default() += 1;
        }
        connections
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn served_leaves_an_incomplete_line_for_later() {
        let line = r#"{"method":"GET","path":"/a?b=\"c\"","status":"404","connection":"3","place":"2","reused":"r"}"#;
        let log = format!("{line}\n{line}\n{{\"meth");
        let served = Served::of_nginx(&log);
        let expected = Served {
            method: "GET".into(),
            path: "/a?b=\"c\"".into(),
            status: 404,
            connection: 3,
            place: 2,
            resumed: true,
            ..Served::default()
        };
        assert_eq!(served, [expected.clone(), expected]);
        assert_eq!(Served::statuses(&served), [(404, 2)].into());
        assert_eq!(Served::connections(&served), [(3, 2)].into());
    }

    #[test]
    fn served_parses_the_columns_of_opendj() {
        let log = "127.0.0.1\t127.0.0.1\tadmin\t21/Nov/2026:08:13:31 +0000\tPOST\t/api/users\t_action=create\t\
                   HTTP/1.1\t400\tcurl/7.88.1\t2\t15\t0\n127.0.0.1\t127";
        let expected = Served {
            method: "POST".into(),
            path: "/api/users?_action=create".into(),
            protocol: "HTTP/1.1".into(),
            status: 400,
            connection: 2,
            user: "admin".into(),
            agent: "curl/7.88.1".into(),
            ..Served::default()
        };
        assert_eq!(Served::of_opendj(log), [expected]);
    }
}
