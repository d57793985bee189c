//! A private nginx: HTTP/1.1 in the clear and on a Unix socket, HTTP/2 and client certificates over TLS, a forward
//! proxy, and a place for every behaviour that a client must cope with.
//!
//! One process without a master, so that a signal meets the server itself and its log has one writer: once a request
//! is in the log, everything that ended before it is there too, which is what makes the log exact evidence.

use crate::ask::ask;
use crate::daemon::Daemon;
use crate::pki::Pki;
use crate::ports::free_port;
use crate::served::Served;
use crate::tool::{command, make_directory, write};
use crate::wait::until;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// How long the log may take to show a request.
const PATIENCE: Duration = Duration::from_secs(90);

/// A running nginx with its files, certificates and log.
///
/// What there is to ask for: `/small.txt`, `/text.txt` (compressed for who asks), `/large.bin`, `/user.json` and
/// `/user.xml`; `/status/CODE`; `/slow.txt`, which takes [`SLOW`](Self::SLOW); `/chunked.txt`; `/redirect/N`, which is
/// N redirects away from `/small.txt`, `/redirect/again`, which never arrives, `/redirect/kept` (307, to
/// `/kept/redirected`) and `/redirect/elsewhere` (to [`Listener::Short`]); `/close`, `/dropped` and `/cookie`;
/// `/private`, which wants user.5; and `/kept/NAME`, which keeps what is PUT there.
#[derive(Debug)]
pub struct Nginx {
    // First, so that the server is gone before its directory is removed.
    daemon: Daemon,
    ports: [u16; 8],
    pki: Pki,
    directory: TempDir,
    marks: AtomicU64,
}

/// Where nginx listens. The access log says which it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Listener {
    /// HTTP/1.1, without HTTP/2.
    Clear,
    /// TLS, with HTTP/2 for who negotiates it.
    Tls,
    /// The same for clients with a certificate of the authority.
    Mutual,
    /// HTTP/1.1 with at most [`Nginx::SHORT`] requests a connection.
    Short,
    /// HTTP/1.1 with connections that are closed after a tenth of a second without a request.
    Impatient,
    /// A forward proxy for `http` URLs.
    Proxy,
    /// HTTP/2 from the first byte, without TLS.
    Prior,
    /// HTTP/2 over TLS, with at most [`Nginx::NARROW`] streams at a time and ten times as many requests a connection.
    Narrow,
    /// HTTP/1.1 on a socket of this machine.
    Unix,
}

const PORTS: [Listener; 8] = [
    Listener::Clear,
    Listener::Tls,
    Listener::Mutual,
    Listener::Short,
    Listener::Impatient,
    Listener::Proxy,
    Listener::Prior,
    Listener::Narrow,
];

impl Listener {
    /// Its name in the access log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Tls => "tls",
            Self::Mutual => "mutual",
            Self::Short => "short",
            Self::Impatient => "impatient",
            Self::Proxy => "proxy",
            Self::Prior => "prior",
            Self::Narrow => "narrow",
            Self::Unix => "unix",
        }
    }

    fn scheme(self) -> &'static str {
        if matches!(self, Self::Tls | Self::Mutual | Self::Narrow) { "https" } else { "http" }
    }
}

impl Nginx {
    /// What `/small.txt` holds.
    pub const SMALL: &'static str = "here and well\n";
    /// How many bytes `/large.bin` has.
    pub const LARGE: usize = 1 << 20;
    /// How many bytes `/text.txt` and `/chunked.txt` have, before any compression.
    pub const TEXT: usize = 100_000;
    /// How long `/slow.txt` takes at least.
    pub const SLOW: Duration = Duration::from_millis(300);
    /// Requests that a connection to [`Listener::Short`] may carry.
    pub const SHORT: usize = 5;
    /// Streams that a connection to [`Listener::Narrow`] may have at a time.
    pub const NARROW: usize = 4;
    /// What `/status/CODE` can answer.
    pub const STATUSES: [u16; 12] = [200, 201, 204, 400, 401, 403, 404, 409, 429, 500, 502, 503];

    /// Starts a server, which is quick enough that each test has its own.
    pub fn start() -> Self {
        let directory = tempfile::Builder::new()
            .prefix("testbed-nginx-")
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        for part in ["files", "kept", "scratch"] {
            make_directory(&root.join(part));
        }
        let files = root.join("files");
        let text = "All the world is a stage, and one man plays many parts.\n";
        write(&files.join("small.txt"), Self::SMALL);
        write(&files.join("text.txt"), &text.repeat(Self::TEXT / text.len() + 1)[..Self::TEXT]);
        write(&files.join("chunked.txt"), &text.repeat(Self::TEXT / text.len() + 1)[..Self::TEXT]);
        // Sent in two parts, and the first takes as long as the limit of the rate wants.
        write(&files.join("slow.txt"), "slow text\n".repeat(60));
        let large: Vec<u8> = (0..Self::LARGE).map(|at| (at * 31 % 251) as u8).collect();
        write(&files.join("large.bin"), large);
        write(&files.join("user.json"), r#"{"id": 5, "name": "user.5", "groups": ["a", "b"]}"#);
        write(&files.join("user.xml"), "<user id=\"5\"><name>user.5</name></user>\n");
        write(&root.join("passwords"), "user.5:{PLAIN}password\n");
        let pki = Pki::copy(&root.join("pki"));
        let ports = PORTS.map(|_| free_port());
        write(&root.join("places.conf"), places(root, ports));
        let configuration = root.join("nginx.conf");
        write(&configuration, configured(root, &pki, ports));
        let mut command = command("nginx");
        command.arg("-p").arg(root).arg("-c").arg(&configuration).args(["-e", "stderr"]);
        let daemon = Daemon::start(&command, &root.join("log"));
        for port in ports {
            daemon.wait_for_port(port);
        }
        Self { daemon, ports, pki, directory, marks: AtomicU64::new(0) }
    }

    /// The port of a listener on 127.0.0.1; a Unix socket has none.
    pub fn port(&self, listener: Listener) -> u16 {
        let place = PORTS.iter().position(|one| *one == listener);
        place.map(|place| self.ports[place]).expect("a Unix socket has no port")
    }

    /// The URL of a path, by the address of a listener. At the Unix socket any host will do.
    pub fn url(&self, listener: Listener, path: &str) -> String {
        match listener {
            Listener::Unix => format!("http://localhost{path}"),
            _ => format!("{}://127.0.0.1:{}{path}", listener.scheme(), self.port(listener)),
        }
    }

    /// The Unix socket.
    pub fn socket(&self) -> PathBuf {
        self.directory.path().join("socket")
    }

    /// The certificates; the server serves `server`.
    pub fn pki(&self) -> &Pki {
        &self.pki
    }

    /// What was PUT at `/kept/NAME`.
    pub fn kept(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.directory.path().join("kept").join(name)).ok()
    }

    /// The process id of the server.
    pub fn id(&self) -> u32 {
        self.daemon.id()
    }

    /// Every request that ended by now, in the order of their ends.
    pub fn served(&self) -> Vec<Served> {
        let mark = self.marks.fetch_add(1, Ordering::Relaxed);
        let path = format!("/mark/{mark}");
        ask(self.port(Listener::Clear), &path);
        let mut lines = Vec::new();
        let there = until(PATIENCE, || {
            let log = fs::read(self.directory.path().join("access.log")).unwrap_or_default();
            lines = Served::of_nginx(&String::from_utf8_lossy(&log));
            lines.iter().any(|served| served.path == path)
        });
        assert!(there, "a request of the test itself is not in nginx's log");
        lines.retain(|served| !served.path.starts_with("/mark/"));
        lines
    }
}

fn configured(root: &Path, pki: &Pki, ports: [u16; 8]) -> String {
    let root_text = root.display();
    let servers = PORTS.into_iter().zip(ports).map(|(listener, port)| match listener {
        Listener::Tls | Listener::Mutual => {
            let wants = if listener == Listener::Mutual { "on" } else { "off" };
            let trust = format!("ssl_verify_client {wants}; ssl_client_certificate pki/ca.pem;");
            server(listener, &format!("127.0.0.1:{port} ssl http2"), &trust)
        }
        Listener::Prior => server(listener, &format!("127.0.0.1:{port} http2"), ""),
        Listener::Narrow => {
            let (streams, requests) = (Nginx::NARROW, 10 * Nginx::NARROW);
            let limits =
                format!("http2_max_concurrent_streams {streams}; keepalive_requests {requests};");
            server(listener, &format!("127.0.0.1:{port} ssl http2"), &limits)
        }
        Listener::Short => {
            let limit = format!("keepalive_requests {};", Nginx::SHORT);
            server(listener, &format!("127.0.0.1:{port}"), &limit)
        }
        Listener::Impatient => {
            server(listener, &format!("127.0.0.1:{port}"), "keepalive_timeout 100ms;")
        }
        _ => server(listener, &format!("127.0.0.1:{port}"), ""),
    });
    let servers: String = servers.collect();
    let unix = server(Listener::Unix, &format!("unix:{root_text}/socket"), "");
    let (certificate, key) = (pki.pem("server"), pki.private_key("server"));
    format!(
        "daemon off;\nmaster_process off;\npid {root_text}/pid;\nevents {{ worker_connections 14000; }}\n\
         http {{\n{FORMAT}access_log {root_text}/access.log evidence;\n\
         client_body_temp_path scratch/body; proxy_temp_path scratch/proxy; fastcgi_temp_path scratch/fastcgi;\n\
         uwsgi_temp_path scratch/uwsgi; scgi_temp_path scratch/scgi;\n\
         types {{ text/plain txt; application/json json; application/xml xml; }}\n\
         client_max_body_size 0; keepalive_requests 1000000; keepalive_timeout 60s; tcp_nodelay on;\n\
         ssl_certificate {}; ssl_certificate_key {};\n\
         ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:tls:1m;\n\
         {servers}{unix}}}\n",
        certificate.display(),
        key.display(),
    )
}

/// What [`Served`] reads, one JSON object a line.
const FORMAT: &str = r#"log_format evidence escape=json '{"listener":"$server_name","method":"$request_method",'
'"path":"$request_uri","protocol":"$server_protocol","status":"$status","connection":"$connection",'
'"place":"$connection_requests","request":"$request_length","body":"$body_bytes_sent","sent":"$bytes_sent",'
'"host":"$http_host","agent":"$http_user_agent","type":"$content_type","cookie":"$http_cookie",'
'"accepted":"$http_accept_encoding","encoding":"$sent_http_content_encoding","x":"$http_x_test","user":"$remote_user",'
'"tls":"$ssl_protocol","reused":"$ssl_session_reused","client":"$ssl_client_s_dn","name":"$ssl_server_name"}';
"#;

fn server(listener: Listener, address: &str, more: &str) -> String {
    let name = listener.name();
    let places = match listener {
        Listener::Proxy => "location / { proxy_pass http://$http_host; }",
        _ => "include places.conf;",
    };
    format!("server {{ listen {address}; server_name {name}; {more} {places} }}\n")
}

/// The locations that every listener but the proxy has.
fn places(root: &Path, ports: [u16; 8]) -> String {
    let statuses = Nginx::STATUSES.map(|status| {
        let body = if status == 204 { "" } else { " \"as asked\"" };
        format!("location = /status/{status} {{ return {status}{body}; }}\n")
    });
    let redirects = (2..=10).map(|left| {
        format!("location = /redirect/{left} {{ return 302 /redirect/{}; }}\n", left - 1)
    });
    let redirects: String = redirects.collect();
    let elsewhere = format!("http://127.0.0.1:{}/small.txt", ports[3]);
    format!(
        "root {root}/files;\n{statuses}{redirects}\
         location = /redirect/1 {{ return 302 /small.txt; }}\n\
         location = /redirect/again {{ return 302 /redirect/again; }}\n\
         location = /redirect/kept {{ return 307 /kept/redirected; }}\n\
         location = /redirect/elsewhere {{ return 302 {elsewhere}; }}\n\
         location = /slow.txt {{ sendfile on; sendfile_max_chunk 300; limit_rate 1000; }}\n\
         location = /text.txt {{ gzip on; gzip_types *; }}\n\
         location = /chunked.txt {{ ssi on; ssi_types *; }}\n\
         location = /close {{ keepalive_timeout 0; return 200 closing; }}\n\
         location = /dropped {{ return 444; }}\n\
         location = /cookie {{ add_header Set-Cookie \"session=$request_id; Path=/\"; return 200 \"$http_cookie\"; }}\n\
         location = /private {{ auth_basic private; auth_basic_user_file {root}/passwords;\n\
         try_files /small.txt =404; }}\n\
         location /mark/ {{ return 204; }}\n\
         location /kept/ {{ root {root}; dav_methods PUT DELETE; }}\n",
        root = root.display(),
        statuses = statuses.concat(),
    )
}
