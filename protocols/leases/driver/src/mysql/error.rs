//! Errors of a MySQL [`Client`](super::client::Client) as [`BackendError`], and the names of the server's codes.

use super::client::Error;
use crate::error::BackendError;
use crate::sql::ServerEndpoint;
use brunt_exchange::{Class, Meaning};
use brunt_net::class_of_connecting;
use std::io;

/// Codes of the server that a run may meet, by the names of the manual (MySQL 8.4 Error Reference, 2).
const NAMES: [(u32, &str); 21] = [
    (1021, "ER_DISK_FULL"),
    (1040, "ER_CON_COUNT_ERROR"),
    (1044, "ER_DBACCESS_DENIED_ERROR"),
    (1045, "ER_ACCESS_DENIED_ERROR"),
    (1046, "ER_NO_DB_ERROR"),
    (1049, "ER_BAD_DB_ERROR"),
    (1053, "ER_SERVER_SHUTDOWN"),
    (1062, "ER_DUP_ENTRY"),
    (1064, "ER_PARSE_ERROR"),
    (1114, "ER_RECORD_FILE_FULL"),
    (1142, "ER_TABLEACCESS_DENIED_ERROR"),
    (1146, "ER_NO_SUCH_TABLE"),
    (1180, "ER_ERROR_DURING_COMMIT"),
    (1205, "ER_LOCK_WAIT_TIMEOUT"),
    (1213, "ER_LOCK_DEADLOCK"),
    (1227, "ER_SPECIFIC_ACCESS_DENIED_ERROR"),
    (1290, "ER_OPTION_PREVENTS_STATEMENT"),
    (1317, "ER_QUERY_INTERRUPTED"),
    (1419, "ER_BINLOG_CREATE_ROUTINE_NEED_SUPER"),
    (1698, "ER_ACCESS_DENIED_NO_PASSWORD_ERROR"),
    (1927, "ER_CONNECTION_KILLED"),
];

/// Answers after which the server ends the connection.
const LAST_WORDS: [u16; 2] = [1053, 1927];
/// The server has as many connections as it allows.
const CON_COUNT_ERROR: u32 = 1040;
/// A lock was not free within `innodb_lock_wait_timeout`.
const LOCK_WAIT_TIMEOUT: u32 = 1205;
/// The statement was ended, by `max_statement_time` or an administrator.
const QUERY_INTERRUPTED: u32 = 1317;
/// Refusals of an account.
const REFUSED: [u16; 4] = [1044, 1045, 1130, 1698];

/// What happened if a connection ends where an answer was expected.
const GONE: &str = "the server closed the connection without an answer: it was stopped, it crashed or it ended the \
                    session, as its log says";

/// A code and its name.
pub(super) fn name_of(code: u32) -> String {
    // The server's own codes begin at 1,000; those below are the operating system's.
    if code > 0 && code < 1_000 {
        return format!("{code} ({})", io::Error::from_raw_os_error(code.cast_signed()).kind());
    }
    let name = NAMES.iter().find(|(known, _)| *known == code).map(|(_, name)| *name);
    name.map_or_else(|| code.to_string(), |name| format!("{code} ({name})"))
}

/// What a code of the server means.
pub(super) fn meaning_of(code: u32) -> Option<Meaning> {
    match code {
        _ if REFUSED.iter().any(|refused| u32::from(*refused) == code) => {
            Some(Meaning::RefusedLogin)
        }
        CON_COUNT_ERROR => Some(Meaning::Busy),
        LOCK_WAIT_TIMEOUT | QUERY_INTERRUPTED => Some(Meaning::TimeLimit),
        _ => None,
    }
}

/// Converts an error of opening a connection.
pub(super) fn opening(endpoint: &ServerEndpoint, error: &Error) -> BackendError {
    let (class, code) = match error {
        Error::Server { code, .. } if REFUSED.contains(code) => (Class::Login, u32::from(*code)),
        Error::Server { code, .. } => (Class::Connect, u32::from(*code)),
        Error::Io(error) => (class_of_connecting(error), system(error)),
        Error::Tls(_) => (Class::Tls, 0),
        Error::Protocol(_) => (Class::Connect, 0),
    };
    let remedy = match error {
        _ if class == Class::Login => "; are the account and its password right?",
        Error::Io(_) => "; is the server running and the address right?",
        Error::Protocol(_) => "; is it a MySQL server?",
        Error::Tls(_) => "; ssl-ca=FILE in the URL names the authorities to trust",
        Error::Server { .. } => "",
    };
    BackendError::unconnected(class, code, (endpoint, words(error)), remedy)
}

/// Converts an error of a request over a connection.
pub(super) fn request_failed(what: &str, error: &Error) -> BackendError {
    let (class, code) = match error {
        Error::Server { code, .. } if LAST_WORDS.contains(code) => {
            (Class::Closed, u32::from(*code))
        }
        Error::Server { code, .. } => (Class::Result, u32::from(*code)),
        Error::Io(error) => (Class::Closed, system(error)),
        Error::Protocol(_) | Error::Tls(_) => (Class::Protocol, 0),
    };
    BackendError::new(class, code, format!("{what}: {}", words(error)))
}

fn system(error: &io::Error) -> u32 {
    error.raw_os_error().map_or(0, i32::unsigned_abs)
}

fn words(error: &Error) -> String {
    match error {
        Error::Server { code, message } => format!("{message} ({})", name_of(u32::from(*code))),
        Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => GONE.to_owned(),
        Error::Io(error) => error.to_string(),
        Error::Protocol(why) | Error::Tls(why) => why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_that_closes_is_reported_as_closed() {
        let error = Error::Io(io::ErrorKind::UnexpectedEof.into());
        let failure = request_failed("write a lease", &error);
        assert_eq!(failure.class, Class::Closed);
        assert!(
            failure.text.starts_with("write a lease: the server closed the connection"),
            "{failure}"
        );
        let endpoint = ServerEndpoint::Socket("/run/db".into());
        let unopened = opening(&endpoint, &error);
        assert!(unopened.text.contains("closed the connection"));
        assert_eq!(unopened.unreached.map(|to| to.address).as_deref(), Some("/run/db"));
        let refused = Error::Server { code: 1040, message: "Too many connections".to_owned() };
        let unreached = opening(&endpoint, &refused).unreached.expect("there is no connection");
        assert_eq!(unreached.error, "Too many connections (1040 (ER_CON_COUNT_ERROR))");
    }

    #[test]
    fn mysql_codes_have_meanings() {
        for (code, meaning) in [
            (1045, Some(Meaning::RefusedLogin)),
            (1040, Some(Meaning::Busy)),
            (1205, Some(Meaning::TimeLimit)),
            (1062, None),
            (19, None),
        ] {
            assert_eq!(meaning_of(code), meaning, "{code}");
        }
    }
}
