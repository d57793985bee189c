//! nginx with minimal work: one worker, no log, a small file, and a count of requests.

use brunt_testbed::{Daemon, free_port, require};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A running nginx.
pub(crate) struct Server {
    _daemon: Daemon,
    _directory: TempDir,
    /// HTTP/1.1.
    pub(crate) port: u16,
    /// HTTP/2 without TLS, for clients that know it.
    pub(crate) port_h2: u16,
}

impl Server {
    /// Starts it on ports of its own.
    pub(crate) fn start() -> Self {
        assert!(require(&["nginx"]), "the bench needs nginx: run tests/setup");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path();
        let (port, port_h2) = (free_port(), free_port());
        std::fs::write(root.join("small.txt"), "a small file\n").expect("the file can be written");
        std::fs::write(root.join("nginx.conf"), configured(root, port, port_h2))
            .expect("the configuration can be written");
        let mut command = Command::new("nginx");
        command.arg("-p").arg(root).arg("-c").arg(root.join("nginx.conf")).args(["-e", "stderr"]);
        let daemon = Daemon::start(&command, &root.join("log"));
        daemon.wait_for_port(port);
        daemon.wait_for_port(port_h2);
        Self { _daemon: daemon, _directory: directory, port, port_h2 }
    }

    /// How many requests it has answered by now, over either version; this one included.
    pub(crate) fn requests(&self) -> u64 {
        let text = self.ask("/count");
        let line = text.lines().find(|line| line.starts_with(' '));
        let third = line.and_then(|line| line.split_whitespace().nth(2));
        third.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no count in:\n{text}"))
    }

    fn ask(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("nginx is there");
        let mut request = String::new();
        let _ = write!(request, "GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("nginx listens");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("nginx answers");
        text
    }
}

fn configured(root: &Path, port: u16, port_h2: u16) -> String {
    let root = root.display();
    format!(
        "daemon off;\nmaster_process off;\npid {root}/pid;\nworker_rlimit_nofile 30000;\n\
         events {{ worker_connections 20000; }}\n\
         http {{\naccess_log off;\n\
         client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;\n\
         scgi_temp_path scgi;\n\
         keepalive_requests 1000000000; keepalive_timeout 300s; tcp_nodelay on; open_file_cache max=10;\n\
         server {{ listen 127.0.0.1:{port}; root {root}; location = /count {{ stub_status; }} }}\n\
         server {{ listen 127.0.0.1:{port_h2} http2; root {root}; }}\n}}\n"
    )
}
