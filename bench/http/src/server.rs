//! nginx with minimal work: one worker, a small file, a count of requests, and a log only where its lines are compared
//! with a tool's own count.

use crate::contender::Protocol;
use brunt_testbed::{Daemon, Pki, free_port, require};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The file that every tool requests.
const FILE: &str = "/small.txt";

/// A running nginx.
pub(crate) struct Server {
    _daemon: Daemon,
    directory: TempDir,
    ports: [u16; Protocol::ALL.len()],
}

impl Server {
    /// Starts it on ports of its own, without a log.
    pub(crate) fn start() -> Self {
        Self::with_log("access_log off;")
    }

    /// Starts it with a log of the protocol of each request.
    pub(crate) fn logged() -> Self {
        Self::with_log("log_format one '$server_protocol $https $uri'; access_log access.log one;")
    }

    fn with_log(log: &str) -> Self {
        assert!(require(&["nginx", "openssl"]), "the bench needs nginx: run tests/setup");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path();
        let ports = Protocol::ALL.map(|_| free_port());
        Pki::make(&root.join("pki"));
        std::fs::write(root.join("small.txt"), "a small file\n").expect("the file can be written");
        std::fs::write(root.join("nginx.conf"), configured(root, ports, log))
            .expect("the configuration can be written");
        let mut command = Command::new("nginx");
        command.arg("-p").arg(root).arg("-c").arg(root.join("nginx.conf")).args(["-e", "stderr"]);
        let daemon = Daemon::start(&command, &root.join("log"));
        for port in ports {
            daemon.wait_for_port(port);
        }
        Self { _daemon: daemon, directory, ports }
    }

    /// The URL of the small file.
    pub(crate) fn url(&self, protocol: Protocol) -> String {
        let scheme = if protocol.is_secured() { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}{FILE}", self.ports[protocol as usize])
    }

    /// How many requests for the small file are in the log, over this protocol and over any other.
    pub(crate) fn in_log(&self, protocol: Protocol) -> (u64, u64) {
        let path = self.directory.path().join("access.log");
        let log = std::fs::read_to_string(path).expect("nginx writes a log");
        let version = if protocol.is_http2() { "HTTP/2.0" } else { "HTTP/1.1" };
        let secured = if protocol.is_secured() { "on" } else { "" };
        let expected = format!("{version} {secured} {FILE}");
        let (these, others): (Vec<&str>, Vec<&str>) =
            log.lines().filter(|line| line.ends_with(FILE)).partition(|line| *line == expected);
        (these.len() as u64, others.len() as u64)
    }

    /// How many requests it has answered by now, over every protocol; this one included.
    pub(crate) fn requests(&self) -> u64 {
        let text = self.ask("/count");
        let line = text.lines().find(|line| line.starts_with(' '));
        let third = line.and_then(|line| line.split_whitespace().nth(2));
        third.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no count in:\n{text}"))
    }

    fn ask(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.ports[Protocol::Http1 as usize]))
            .expect("nginx is there");
        let mut request = String::new();
        let _ = write!(request, "GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("nginx listens");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("nginx answers");
        text
    }
}

fn configured(root: &Path, ports: [u16; Protocol::ALL.len()], log: &str) -> String {
    let servers: Vec<String> = Protocol::ALL
        .iter()
        .zip(ports)
        .map(|(protocol, port)| {
            let tls = if protocol.is_secured() { " ssl" } else { "" };
            let version = if protocol.is_http2() { " http2" } else { "" };
            let count = if *protocol == Protocol::Http1 {
                "location = /count { stub_status; }"
            } else {
                ""
            };
            let root = root.display();
            format!("server {{ listen 127.0.0.1:{port}{tls}{version}; root {root}; {count} }}\n")
        })
        .collect();
    let (servers, root) = (servers.concat(), root.display());
    // One cipher, so that no tool has less to encrypt than another.
    format!(
        "daemon off;\nmaster_process off;\npid {root}/pid;\nworker_rlimit_nofile 30000;\n\
         events {{ worker_connections 20000; }}\n\
         http {{\n{log}\n\
         client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;\n\
         scgi_temp_path scgi;\n\
         keepalive_requests 1000000000; keepalive_timeout 300s; tcp_nodelay on; open_file_cache max=10;\n\
         ssl_certificate pki/server.pem; ssl_certificate_key pki/server.key; ssl_protocols TLSv1.3;\n\
         ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;\n\
         {servers}}}\n"
    )
}
