//! A private PostgreSQL server.
//!
//! It has its own cluster, a Unix socket and a loopback port. Its durability is the default, which is that of
//! production. It refuses to run as root, so then it runs as the user `postgres` that its package created, who becomes
//! the owner of its directory.
//!
//! Its cluster is a copy of one that was made once on this machine, which takes longer than the start of a server on a
//! copy. So each test has its own server.

use crate::daemon::Daemon;
use crate::pki::Pki;
use crate::ports::free_port;
use crate::prepared::{copy, prepared, version};
use crate::sql::{number, rows};
use crate::tool::{finish, found, run, write};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A running postgres.
#[derive(Debug)]
pub struct Postgres {
    // First, so that the server is gone before its directory is removed.
    daemon: Daemon,
    port: u16,
    pki: Pki,
    directory: TempDir,
}

impl Postgres {
    /// The account that tests use, a superuser.
    pub const USER: &'static str = "tester";
    /// Its password.
    pub const PASSWORD: &'static str = "elephant-hunter2";

    /// Where Debian keeps the server's programs: the newest that is installed.
    pub fn programs() -> Option<PathBuf> {
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok);
        let mut all: Vec<(u32, PathBuf)> = versions
            .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
            .map(|(version, path)| (version, path.join("bin")))
            .filter(|(_, path)| path.join("initdb").exists())
            .collect();
        all.sort();
        all.pop()
            .map(|(_, path)| path)
            .or_else(|| found("initdb").and_then(|program| program.parent().map(Path::to_owned)))
    }

    /// Starts a server on a cluster of its own.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// One that flushes nothing, for tests of something else than its disk.
    pub fn start_unflushed() -> Self {
        Self::start_with(&["fsync=off"])
    }

    /// The same with further settings: `fsync=off`.
    pub fn start_with(settings: &[&str]) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("testbed-postgres-")
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        let pki = Pki::copy(&root.join("pki"));
        let port = free_port();
        let data = root.join("data");
        for (from, name) in
            [(pki.pem("server"), "server.crt"), (pki.private_key("server"), "server.key")]
        {
            fs::copy(from, root.join(name)).expect("a certificate can be copied");
        }
        give(root);
        run("chmod", ["600", &root.join("server.key").display().to_string()]);
        copy(&prepare(), &data);
        let mut server = program("postgres");
        server.arg("-D").arg(&data);
        let setting = |server: &mut Command, name: &str, value: &str| {
            server.arg("-c").arg(format!("{name}={value}"));
        };
        setting(&mut server, "listen_addresses", "127.0.0.1");
        setting(&mut server, "port", &port.to_string());
        setting(&mut server, "unix_socket_directories", &root.display().to_string());
        setting(&mut server, "shared_buffers", "64MB");
        setting(&mut server, "ssl", "on");
        setting(&mut server, "ssl_cert_file", &root.join("server.crt").display().to_string());
        setting(&mut server, "ssl_key_file", &root.join("server.key").display().to_string());
        for setting in settings {
            server.arg("-c").arg(setting);
        }
        let daemon = Daemon::start_in(root, &server, &root.join("log"));
        daemon.wait_for_text(READY);
        Self { daemon, port, pki, directory }
    }

    /// The directory of the Unix socket.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The port on 127.0.0.1, by which the socket is called as well.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The certificates: postgres serves `server`.
    pub fn pki(&self) -> &Pki {
        &self.pki
    }

    /// `postgres://tester@localhost:PORT/?host=...`, the Unix socket, without the password.
    pub fn url(&self) -> String {
        let (user, port) = (Self::USER, self.port);
        format!("postgres://{user}@localhost:{port}/?host={}", self.directory().display())
    }

    /// `postgres://tester@127.0.0.1:PORT/`, without the password.
    pub fn tcp_url(&self) -> String {
        format!("postgres://{}@127.0.0.1:{}/", Self::USER, self.port)
    }

    /// The rows that `psql` prints, in the database `postgres`.
    pub fn sql(&self, query: &str) -> Vec<Vec<String>> {
        rows(&mut self.client(query))
    }

    /// The same in another database.
    pub fn sql_in(&self, database: &str, query: &str) -> Vec<Vec<String>> {
        rows(&mut self.client_of(database, query))
    }

    /// The one number that a query answers.
    pub fn number(&self, query: &str) -> u64 {
        number(&self.sql(query), query)
    }

    /// Runs a file of statements in a database, by `psql`.
    pub fn source(&self, database: &str, file: &Path) {
        let mut client = self.base(database);
        finish(client.arg("--set=ON_ERROR_STOP=1").arg("--file").arg(file));
    }

    /// The schemas of the database `postgres` that are not the server's own.
    pub fn schemas(&self) -> Vec<String> {
        let query =
            "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)'";
        self.sql(query).into_iter().flatten().collect()
    }

    /// Suspends the postgres process that accepts connections; existing connections continue.
    pub fn pause(&self) {
        self.signal_all("STOP");
    }

    /// Resumes a paused postgres.
    pub fn resume(&self) {
        self.signal_all("CONT");
    }

    /// Ends postgres with SIGKILL, and with it every process that serves a connection.
    pub fn kill(&self) {
        self.signal_all("KILL");
        self.daemon.kill();
    }

    /// postgres serves each connection by a process of its own, a child of the first.
    fn signal_all(&self, signal: &str) {
        let parent = self.daemon.id().to_string();
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", &parent]).output();
        let children = String::from_utf8_lossy(&children.expect("ps runs").stdout).into_owned();
        let all = std::iter::once(parent.as_str()).chain(children.split_whitespace());
        for process in all {
            // A child may have ended in between.
            let _ = Command::new("kill").args(["-s", signal, process]).output();
        }
    }

    fn client(&self, query: &str) -> Command {
        self.client_of("postgres", query)
    }

    fn client_of(&self, database: &str, query: &str) -> Command {
        let mut client = self.base(database);
        client
            .args(["--no-align", "--tuples-only", "--field-separator=\t", "--command"])
            .arg(query);
        client
    }

    fn base(&self, database: &str) -> Command {
        // Debian's psql on the path is a script, which takes several times as long to start as the program does.
        let beside = Self::programs().map(|programs| programs.join("psql"));
        let mut client =
            Command::new(beside.filter(|it| it.exists()).unwrap_or_else(|| "psql".into()));
        client.env("PGPASSWORD", Self::PASSWORD).args(["--no-psqlrc", "--quiet"]);
        client.arg("--host").arg(self.directory()).arg("--port").arg(self.port.to_string());
        client.arg("--username").arg(Self::USER).arg("--dbname").arg(database);
        client
    }
}

/// The cluster that servers have a copy of, made first if need be.
fn prepare() -> PathBuf {
    let programs = Postgres::programs().expect("postgres is installed; run tests/setup");
    let (user, password) = (Postgres::USER, Postgres::PASSWORD);
    let recipe = (INITDB, user, password, rustix::process::geteuid().is_root());
    let place = prepared("postgres", (recipe, version(&programs.join("postgres"))), |place| {
        // The server's user cannot enter the directory of the cache.
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (data, file) = (directory.path().join("data"), directory.path().join("password"));
        write(&file, password);
        give(directory.path());
        let mut initdb = program("initdb");
        initdb.arg("--pgdata").arg(&data).args(["--username", user]).args(INITDB);
        finish(initdb.arg("--pwfile").arg(&file));
        copy(&data, &place.join("data"));
    });
    place.join("data")
}

/// What it says when it is ready to answer, in the language of the cluster. It listens before.
const READY: &str = "database system is ready to accept connections";

/// How a cluster is made.
const INITDB: [&str; 5] = [
    "--auth-host=scram-sha-256",
    "--auth-local=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
];

/// Makes a directory that of the user whom the server runs as.
fn give(directory: &Path) {
    if rustix::process::geteuid().is_root() {
        run("chown", ["-R", "postgres:", &directory.display().to_string()]);
    }
}

/// A program of the server's, as a user that it runs as.
fn program(name: &str) -> Command {
    let path =
        Postgres::programs().unwrap_or_else(|| panic!("{name} is not installed; run tests/setup"));
    let path = path.join(name);
    if !rustix::process::geteuid().is_root() {
        return Command::new(path);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]).arg(path);
    command
}
