//! A private MariaDB server.
//!
//! It has its own directory, a Unix socket and a loopback port, and small buffers, which are sufficient for tests. Its
//! durability is the default, which is that of production. As root it runs as the user `mysql` that its package
//! created, as it refuses to run as root.
//!
//! Its data directory is a copy of one that was made once on this machine, which takes far longer than the start of a
//! server on a copy. So each test has its own server: what is new on it is the test's, and nothing that a test sets
//! disturbs another.

use crate::daemon::Daemon;
use crate::pki::Pki;
use crate::ports::free_port;
use crate::prepared::{copy, prepared, version};
use crate::sql::{number, rows};
use crate::tool::{command, finish, found, run};
use crate::wait::until;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// How long a server may take to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running mariadbd.
#[derive(Debug)]
pub struct MariaDb {
    // First, so that the server is gone before its directory is removed.
    daemon: Daemon,
    port: u16,
    pki: Pki,
    directory: TempDir,
}

impl MariaDb {
    /// The account that tests use: it may do everything.
    pub const USER: &'static str = "tester";
    /// Its password.
    pub const PASSWORD: &'static str = "maria-hunter2";

    /// Starts a server on a data directory of its own.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// One that flushes nothing, for tests of something else than its disk.
    pub fn start_unflushed() -> Self {
        Self::start_with(&["--innodb-flush-method=nosync"])
    }

    /// The same as [`start`](Self::start) with further options on mariadbd's command line.
    pub fn start_with(options: &[&str]) -> Self {
        let data = prepare();
        Self::start_on(options, |root| copy(&data, &root.join("data")))
    }

    /// The same on the data directory that `fill` makes.
    fn start_on(options: &[&str], fill: impl FnOnce(&Path)) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("testbed-mariadb-")
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        fs::create_dir(temporary(root)).expect("a directory");
        let pki = Pki::copy(&root.join("pki"));
        if rustix::process::geteuid().is_root() {
            run("chown", ["-R", "mysql", &root.display().to_string()]);
        }
        fill(root);
        let port = free_port();
        let daemon = launch(root, port, &pki, options);
        Self { daemon, port, pki, directory }
    }

    /// The Unix socket.
    pub fn socket(&self) -> PathBuf {
        self.directory.path().join("s.sock")
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The certificates of the server and of its authority.
    pub fn pki(&self) -> &Pki {
        &self.pki
    }

    /// `mysql://tester@localhost/?socket=...`, without the password.
    pub fn url(&self) -> String {
        format!("mysql://{}@localhost/?socket={}", Self::USER, self.socket().display())
    }

    /// `mysql://tester@127.0.0.1:PORT/`, without the password.
    pub fn tcp_url(&self) -> String {
        format!("mysql://{}@127.0.0.1:{}/", Self::USER, self.port)
    }

    /// The rows that the `mariadb` client prints, as the superuser, of a query or of several.
    pub fn sql(&self, query: &str) -> Vec<Vec<String>> {
        rows(self.client().arg("-e").arg(query))
    }

    /// The one number that a query answers.
    pub fn number(&self, query: &str) -> u64 {
        number(&self.sql(query), query)
    }

    /// Runs a file of statements in a database, by the `mariadb` client.
    pub fn source(&self, database: &str, file: &Path) {
        let script = File::open(file).expect("the file of statements is there");
        finish(self.client().arg(database).stdin(script));
    }

    /// The databases that are not the server's own.
    pub fn databases(&self) -> Vec<String> {
        let own = ["information_schema", "mysql", "performance_schema", "sys"];
        let names = self.sql("SHOW DATABASES").into_iter().flatten();
        names.filter(|name| !own.contains(&name.as_str())).collect()
    }

    /// Stops mariadbd in its tracks; connections stay open.
    pub fn pause(&self) {
        self.daemon.pause();
    }

    /// Resumes a paused mariadbd.
    pub fn resume(&self) {
        self.daemon.resume();
    }

    /// Ends mariadbd with SIGKILL.
    pub fn kill(&self) {
        self.daemon.kill();
    }

    fn client(&self) -> Command {
        let mut client = command("mariadb");
        client.arg("--no-defaults").arg(format!("--socket={}", self.socket().display()));
        // A handshake for each statement would be half of what the client costs.
        client.args(["--user=root", "--batch", "--skip-column-names", "--skip-ssl"]);
        client
    }
}

/// The data directory that servers have a copy of, made first if need be.
fn prepare() -> PathBuf {
    let accounts = ["localhost", "127.0.0.1"].map(|host| {
        let (user, password) = (MariaDb::USER, MariaDb::PASSWORD);
        format!(
            "CREATE USER {user}@'{host}' IDENTIFIED BY '{password}'; GRANT ALL ON *.* TO {user}@'{host}'"
        )
    });
    let program = found("mariadbd").map(|program| version(&program));
    let recipe = (INSTALL, SIZES, &accounts, user(), program);
    let place = prepared("mariadb", recipe, |place| {
        // The server's user cannot enter the directory of the cache.
        let server = MariaDb::start_on(&[], |root| {
            let mut install = command("mariadb-install-db");
            install.args(INSTALL).args(SIZES).args(user()).env("TMPDIR", temporary(root));
            install.arg(format!("--datadir={}", root.join("data").display()));
            finish(&mut install);
        });
        for account in &accounts {
            server.sql(account);
        }
        // A server that has just begun may overlook the signal to end.
        server.sql("SHUTDOWN");
        assert!(until(PATIENCE, || !server.daemon.is_running()), "mariadbd did not end");
        copy(&server.directory.path().join("data"), &place.join("data"));
    });
    place.join("data")
}

/// How a data directory is made.
const INSTALL: [&str; 3] =
    ["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"];

/// What is written to disk before anything is done is kept small, as each server writes it.
const SIZES: [&str; 2] =
    ["--innodb-log-file-size=8M", "--innodb-temp-data-file-path=ibtmp1:1M:autoextend"];

/// Where a server has its temporary tables. One that starts removes those of others from where it has its own.
fn temporary(root: &Path) -> PathBuf {
    root.join("tmp")
}

/// What it says when it is ready to answer. It listens to the port before it does to the socket.
const READY: &str = "ready for connections";

fn launch(root: &Path, port: u16, pki: &Pki, options: &[&str]) -> Daemon {
    let mut server = command("mariadbd");
    let path = |name: &str| root.join(name).display().to_string();
    server.args(["--no-defaults", "--bind-address=127.0.0.1", "--skip-name-resolve"]);
    server.arg("--innodb-buffer-pool-size=64M").args(SIZES);
    server.arg(format!("--datadir={}", path("data")));
    server.arg(format!("--tmpdir={}", temporary(root).display()));
    server.arg(format!("--socket={}", path("s.sock")));
    server.arg(format!("--pid-file={}", path("pid")));
    server.arg(format!("--port={port}"));
    server.arg(format!("--ssl-cert={}", pki.pem("server").display()));
    server.arg(format!("--ssl-key={}", pki.private_key("server").display()));
    server.args(user()).args(options);
    let daemon = Daemon::start_in(root, &server, &root.join("log"));
    daemon.wait_for_text(READY);
    daemon
}

/// mariadbd does not run as root, and only root may select another user for it.
fn user() -> Option<&'static str> {
    rustix::process::geteuid().is_root().then_some("--user=mysql")
}
