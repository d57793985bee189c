//! Tests of the embedded identity API with minimal clients.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod grants;
mod h2;
mod idp;
mod plain;
mod protocol;
mod scim;
mod script;
mod sessions;
mod users;

use std::path::PathBuf;

use brunt_http_server::{Config, Running, Script, Server};

use client::Client;

/// A server with a few users.
fn server() -> Running {
    Server::start(Config { users: 20, ..Config::default() }).unwrap()
}

/// A server that misbehaves.
fn scripted(script: &str) -> Running {
    let script = Some(Script::parse(script).unwrap());
    Server::start(Config { users: 20, script, ..Config::default() }).unwrap()
}

fn connect(server: &Running) -> Client {
    Client::connect(server.address())
}

/// A file used only by this process, for a log.
fn log_file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("brunt-rest-{}-{name}", std::process::id()))
}
