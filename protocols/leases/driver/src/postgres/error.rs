//! Errors of the crate `tokio-postgres` as [`BackendError`], and the names of SQLSTATEs.

use super::messages::PasswordMissing;
use crate::error::{BackendError, sqlstate, sqlstate_text};
use crate::sql::ServerEndpoint;
use brunt_exchange::{Class, Meaning};
use brunt_net::{Failure, class_of_connecting};
use std::error::Error as _;
use std::io;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, Severity};

/// Codes that a run may meet, by the names of the documentation (PostgreSQL 15, appendix A).
const NAMES: [(&str, &str); 19] = [
    ("08006", "connection_failure"),
    ("22003", "numeric_value_out_of_range"),
    ("23503", "foreign_key_violation"),
    ("23505", "unique_violation"),
    ("25006", "read_only_sql_transaction"),
    ("25P02", "in_failed_sql_transaction"),
    ("28000", "invalid_authorization_specification"),
    ("28P01", "invalid_password"),
    ("3D000", "invalid_catalog_name"),
    ("40001", "serialization_failure"),
    ("40P01", "deadlock_detected"),
    ("42501", "insufficient_privilege"),
    ("42P01", "undefined_table"),
    ("53100", "disk_full"),
    ("53300", "too_many_connections"),
    ("57014", "query_canceled"),
    ("57P01", "admin_shutdown"),
    ("57P02", "crash_shutdown"),
    ("57P03", "cannot_connect_now"),
];

/// The name of a packed SQLSTATE, if it is known here.
pub(super) fn name_of(code: u32) -> Option<&'static str> {
    let state = sqlstate_text(code);
    NAMES.iter().find(|(known, _)| *known == state).map(|(_, name)| *name)
}

/// What a packed SQLSTATE means.
pub(super) fn meaning_of(code: u32) -> Option<Meaning> {
    match sqlstate_text(code).as_str() {
        state if is_login(state) => Some(Meaning::RefusedLogin),
        // too_many_connections, cannot_connect_now, lock_not_available
        "53300" | "57P03" | "55P03" => Some(Meaning::Busy),
        // query_canceled: by statement_timeout, or by an administrator.
        "57014" => Some(Meaning::TimeLimit),
        _ => None,
    }
}

/// Whether a SQLSTATE is in the class of invalid authorizations.
fn is_login(state: &str) -> bool {
    state.starts_with("28")
}

/// The system's name of one of its own codes, which are below any SQLSTATE of an error.
pub(super) fn system_name(code: u32) -> Option<String> {
    let known = code > 0 && code < 1_000;
    known.then(|| format!("{code} ({})", io::Error::from_raw_os_error(code.cast_signed()).kind()))
}

/// Converts an error of opening a connection.
pub(super) fn opening(endpoint: &ServerEndpoint, error: &io::Error) -> BackendError {
    BackendError::unconnected(
        class_of_connecting(error),
        error.raw_os_error().map_or(0, i32::unsigned_abs),
        (endpoint, error),
        "; is the server running and the address right?",
    )
}

/// Converts an error of logging in to a server that was reached.
pub(super) fn logging_in(endpoint: &ServerEndpoint, error: &Error) -> BackendError {
    if let Some(reported) = error.as_db_error() {
        let state = reported.code().code();
        let login = is_login(state);
        let remedy = if login { "; are the account and its password right?" } else { "" };
        let class = if login { Class::Login } else { Class::Connect };
        let why = (endpoint, words(reported));
        return BackendError::unconnected(class, sqlstate(state), why, remedy);
    }
    let source = error.source();
    if let Some(failure) = source.and_then(|source| source.downcast_ref::<Failure>()) {
        return BackendError::new(failure.class(), 0, failure.to_string());
    }
    if let Some(error) = source.and_then(|source| source.downcast_ref::<io::Error>()) {
        let missing = error.get_ref().and_then(|inner| inner.downcast_ref::<PasswordMissing>());
        return missing.map_or_else(
            || opening(endpoint, error),
            |missing| BackendError::unconnected(Class::Login, 0, (endpoint, missing), ""),
        );
    }
    BackendError::unconnected(Class::Connect, 0, (endpoint, chain(error)), "")
}

/// Converts an error of a request over a connection.
pub(super) fn request_failed(what: &str, error: &Error) -> BackendError {
    if let Some(reported) = error.as_db_error() {
        let last = matches!(reported.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
        return BackendError::new(
            if last { Class::Closed } else { Class::Result },
            sqlstate(reported.code().code()),
            format!("{what}: {}", words(reported)),
        );
    }
    let system = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let class = if system.is_some() || error.is_closed() { Class::Closed } else { Class::Protocol };
    let code = system.and_then(io::Error::raw_os_error).map_or(0, i32::unsigned_abs);
    BackendError::new(class, code, format!("{what}: {}", chain(error)))
}

fn words(reported: &DbError) -> String {
    format!("{} ({})", reported.message(), reported.code().code())
}

/// An error and its causes.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(behind) = source {
        let words = behind.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        source = behind.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgres_states_have_meanings() {
        for (state, meaning) in [
            ("28P01", Some(Meaning::RefusedLogin)),
            ("53300", Some(Meaning::Busy)),
            ("55P03", Some(Meaning::Busy)),
            ("57014", Some(Meaning::TimeLimit)),
            ("23505", None),
        ] {
            assert_eq!(meaning_of(sqlstate(state)), meaning, "{state}");
        }
    }
}
