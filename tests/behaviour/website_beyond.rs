//! The website from another machine: over its own TLS, and behind a real nginx that terminates TLS.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use brunt_testbed::{Daemon, Pki, found, free_port, require};
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::website::{api, between, end, record, serve};
use brunt_test_program::{Program, RestTarget, run, scratch};

const PASSWORD: &str = "correct-horse-battery";

/// A browser without scripts that trusts an authority.
struct Client {
    port: u16,
    /// The address that it comes from.
    from: Ipv4Addr,
    config: Option<Arc<ClientConfig>>,
    host: String,
    cookie: String,
}

impl Client {
    fn trusting(ca: &Path, port: u16) -> Self {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(ca).expect("a file") {
            roots.add(certificate.expect("a certificate")).expect("an authority");
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self { config: Some(Arc::new(config)), ..Self::plain(port) }
    }

    fn plain(port: u16) -> Self {
        let (host, cookie) = (format!("localhost:{port}"), String::new());
        Self { port, from: Ipv4Addr::LOCALHOST, config: None, host, cookie }
    }

    fn connect(&self) -> TcpStream {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        bind(&socket, &SocketAddrV4::new(self.from, 0)).expect("loopback has many addresses");
        let at = SocketAddrV4::new(Ipv4Addr::LOCALHOST, self.port);
        connect(&socket, &at).expect("somebody listens");
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(Duration::from_secs(90))).expect("a timeout");
        stream
    }

    /// The head and the body of an answer.
    fn ask(&self, method: &str, path: &str, more: &str, body: &str) -> (String, String) {
        let Self { host, cookie, .. } = self;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nSec-Fetch-Site: same-origin\r\n\
             Cookie: {cookie}\r\n{more}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let stream = self.connect();
        let answer = match &self.config {
            None => exchanged(stream, &request),
            Some(config) => {
                let name = ServerName::try_from("localhost").expect("a name");
                let tls = ClientConnection::new(Arc::clone(config), name).expect("a connection");
                exchanged(StreamOwned::new(tls, stream), &request)
            }
        };
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (head.to_owned(), body.to_owned())
    }

    /// Chooses the password of the administrator; what is said of the session.
    fn welcome(&mut self, link: &str) -> String {
        let fields = format!("link={link}&password={PASSWORD}&again={PASSWORD}");
        let (head, body) = self.ask("POST", "/welcome", "", &fields);
        assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
        between(&head.to_lowercase(), "set-cookie: ", "=").clone_into(&mut self.cookie);
        let cookie = between(&head, &format!("{}=", prefix(&head)), "\r\n").to_owned();
        self.cookie = format!("{}={}", prefix(&head), cookie.split(';').next().expect("a value"));
        cookie
    }

    /// Sends a form of a page, which is accepted.
    fn send(&self, page: &str, path: &str, fields: &str) -> String {
        let (_, shown) = self.ask("GET", page, "", "");
        let form = between(&shown, "name=\"form\" value=\"", "\"");
        let (head, body) = self.ask("POST", path, "", &format!("form={form}&{fields}"));
        let is_done = ["HTTP/1.1 200", "HTTP/1.1 303"].iter().any(|done| head.starts_with(done));
        assert!(is_done, "{path}: {head}\n{body}");
        body
    }

    /// Signs in at the provider as a user of it, and gives the browser of that user.
    fn signed_in_at(&self, provider: &str, user: &str) -> Self {
        let authority = provider.trim_start_matches("http://");
        let port = authority.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        let mut there = Self { host: authority.to_owned(), ..Self::plain(port) };
        let mut here =
            Self { config: self.config.clone(), host: self.host.clone(), ..Self::plain(self.port) };
        let (head, _) = here.ask("GET", "/sign-in/provider?next=/plans", "", "");
        here.cookie = cookies(&head);
        let requested = located(&head);
        let back = format!(
            "redirect_uri=https%3A%2F%2F{}%2Fsign-in%2Fcallback",
            self.host.replace(':', "%3A")
        );
        assert!(requested.contains(&back), "{requested}");
        let (head, page) = there.ask("GET", path_of(requested, provider), "", "");
        there.cookie = cookies(&head);
        let number = between(&page, "name=\"page\" value=\"", "\"");
        let typed = format!("page={number}&username={user}&password=password&login=Sign+in");
        let more = "Content-Type: application/x-www-form-urlencoded\r\n";
        let (head, output) = there.ask("POST", between(&page, "action=\"", "\""), more, &typed);
        assert!(head.starts_with("HTTP/1.1 302"), "{head}\n{output}");
        let (head, output) =
            here.ask("GET", path_of(located(&head), &format!("https://{}", self.host)), "", "");
        assert!(head.starts_with("HTTP/1.1 303") && located(&head) == "/plans", "{head}\n{output}");
        here.cookie = cookies(&head);
        here
    }

    fn sign_in(&self, password: &str, more: &str) -> u16 {
        let (head, _) =
            self.ask("POST", "/sign-in", more, &format!("name=admin&password={password}"));
        head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }
}

/// The cookies that an answer sets, as they are sent back.
fn cookies(head: &str) -> String {
    let set = head.lines().filter_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next().unwrap_or_default())
    });
    set.collect::<Vec<_>>().join("; ")
}

/// Where an answer leads.
fn located(head: &str) -> &str {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let found =
        lines.filter(|(name, _)| name.eq_ignore_ascii_case("location")).map(|(_, to)| to).next();
    found.unwrap_or_else(|| panic!("it leads nowhere: {head}"))
}

/// The path of an address of this origin.
fn path_of<'a>(address: &'a str, origin: &str) -> &'a str {
    address.strip_prefix(origin).unwrap_or_else(|| panic!("{address} is elsewhere than {origin}"))
}

/// What the cookie of a session is called.
fn prefix(head: &str) -> &'static str {
    if head.contains("__Host-brunt=") { "__Host-brunt" } else { "brunt" }
}

fn exchanged(mut stream: impl Read + Write, request: &str) -> String {
    let mut answer = Vec::new();
    if stream.write_all(request.as_bytes()).is_ok() {
        // Whoever does not like what it was sent may close without a word.
        let _ = stream.read_to_end(&mut answer);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// A site that was started with these words, its port, and the link of the first administrator.
fn site(directory: &Path, words: &[&str]) -> (Program, u16, String, String) {
    let mut program = serve(directory).args(words).start();
    let output = program.wait_for_url("serve: ");
    let (origin, link) = output.split_once("/welcome#").expect("a link");
    let port = listening(program.id());
    (program, port, origin.to_owned(), link.to_owned())
}

/// The port that a process listens on.
fn listening(pid: u32) -> u16 {
    let sockets: Vec<String> = fs::read_dir(format!("/proc/{pid}/fd"))
        .expect("a process")
        .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|link| {
            Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
        })
        .collect();
    let table = fs::read_to_string("/proc/net/tcp").expect("Linux");
    let mut rows = table.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
    let row = rows.find(|row| row[3] == "0A" && sockets.iter().any(|inode| inode == row[9]));
    let port = row.expect("it listens")[1].rsplit(':').next().expect("a port").to_owned();
    u16::from_str_radix(&port, 16).expect("a port")
}

#[test]
fn tls_site_is_reachable_only_by_https() {
    let directory = scratch();
    let pki = Pki::make(&directory.path().join("pki"));
    let (certificate, key) = (pki.pem("server"), pki.private_key("server"));
    let words = [
        "--host",
        "localhost",
        "--tls-cert",
        certificate.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
    ];
    let (program, port, origin, link) = site(&directory.path().join("site"), &words);
    assert_eq!(origin, format!("https://localhost:{port}"));
    let mut client = Client::trusting(&pki.ca(), port);
    let cookie = client.welcome(&link);
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"), "{cookie}");
    assert!(client.cookie.starts_with("__Host-brunt="), "{}", client.cookie);
    let (head, body) = client.ask("GET", "/", "", "");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    assert!(head.contains("strict-transport-security: max-age=31536000"), "{head}");
    // Of the name that a page without TLS could set, nothing is believed.
    let value = client.cookie.trim_start_matches("__Host-").to_owned();
    let (head, _) =
        Client { cookie: value, ..Client::trusting(&pki.ca(), port) }.ask("GET", "/", "", "");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}");
    // Whoever does not speak TLS learns nothing.
    let (head, _) = Client::plain(port).ask("GET", "/sign-in", "", "");
    assert!(!head.contains("HTTP/1.1"), "{head}");
    // Nor is another name answered.
    let foreign = Client { host: "evil.example".to_owned(), ..Client::trusting(&pki.ca(), port) };
    assert!(foreign.ask("GET", "/sign-in", "", "").0.starts_with("HTTP/1.1 421"));
    // A program pushes to it, if it trusts the authority.
    let (_, shown) = client.ask("GET", "/account", "", "");
    let form = between(&shown, "name=\"form\" value=\"", "\"").to_owned();
    let fields = format!("form={form}&name=ci&scope=push&days=7");
    let (_, shown) = client.ask("POST", "/account/tokens", "", &fields);
    let token = directory.path().join("token");
    fs::write(&token, between(&shown, "data-copy>", "<")).unwrap();
    let (_api, target) = api();
    let file = record(directory.path(), &target, ("run.json", "1"));
    let [file, token] = [&file, &token].map(|path| path.to_str().unwrap());
    let push = ["push", file, "--to", &origin, "--token-file", token];
    let authority = pki.ca();
    let ended = run(push.iter().copied().chain(["--ca", authority.to_str().unwrap()])).expect(0);
    assert!(ended.stdout.starts_with(&format!("{origin}/runs/")), "{ended}");
    let ended = run(push);
    assert!(ended.code() != 0 && ended.output().contains("certificate"), "{ended}");
    end(program);
}

/// nginx with a certificate, before a site.
fn nginx(root: &Path, pki: &Pki, port: u16, site: u16) -> Daemon {
    for part in ["body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        fs::create_dir_all(root.join(part)).expect("a directory");
    }
    let at = root.display();
    let (certificate, key) = (pki.pem("server"), pki.private_key("server"));
    let text = format!(
        "daemon off;\nmaster_process off;\npid {at}/pid;\nevents {{ }}\nhttp {{\naccess_log off;\n\
         client_body_temp_path {at}/body; proxy_temp_path {at}/proxy; fastcgi_temp_path {at}/fastcgi;\n\
         uwsgi_temp_path {at}/uwsgi; scgi_temp_path {at}/scgi;\n\
         server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {}; ssl_certificate_key {};\n\
         location / {{ proxy_pass http://127.0.0.1:{site}; proxy_http_version 1.1;\n\
         proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto https;\n\
         proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }} }} }}\n",
        certificate.display(),
        key.display(),
    );
    let configuration = root.join("nginx.conf");
    fs::write(&configuration, text).expect("a file");
    let mut command = Command::new(found("nginx").expect("nginx is installed"));
    command.arg("-p").arg(root).arg("-c").arg(&configuration).args(["-e", "stderr"]);
    let daemon = Daemon::start(&command, &root.join("log"));
    daemon.wait_for_port(port);
    daemon
}

#[test]
fn nginx_proxy_is_the_only_trusted_forwarder() {
    if !require(&["nginx"]) {
        return;
    }
    let directory = scratch();
    let pki = Pki::make(&directory.path().join("pki"));
    let front = free_port();
    let host = format!("localhost:{front}");
    let words = ["--host", "localhost", "--behind-proxy", "127.0.0.1/32"];
    let (program, port, _, link) = site(&directory.path().join("site"), &words);
    let _nginx = nginx(directory.path(), &pki, front, port);
    let mut client = Client { host: host.clone(), ..Client::trusting(&pki.ca(), front) };
    let cookie = client.welcome(&link);
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let (head, _) = client.ask("GET", "/", "", "");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.to_lowercase().contains("strict-transport-security"), "{head}");
    let forged = "X-Forwarded-For: 203.0.113.9\r\n";
    let of = |number: u8, more: Client| Client { from: Ipv4Addr::new(127, 0, 0, number), ..more };
    let through =
        |number| of(number, Client { host: host.clone(), ..Client::trusting(&pki.ca(), front) });
    let direct = |number| of(number, Client { host: host.clone(), ..Client::plain(port) });
    let origin = format!("{forged}Origin: https://{host}\r\n");
    // Through the proxy a client's address is the one that the proxy reports, whatever the client claims.
    assert_eq!(through(3).sign_in(PASSWORD, forged), 303);
    // Around the proxy, from an address that is none of it, they are who they are.
    assert_eq!(direct(2).sign_in(PASSWORD, &origin), 303);
    let (_, audit) = client.ask("GET", "/audit", "", "");
    assert!(audit.contains("from 127.0.0.3") && audit.contains("from 127.0.0.2"), "{audit}");
    assert!(!audit.contains("203.0.113.9"), "{audit}");
    // A client that guesses a password is blocked with that name at its own address: no other client is, and nobody
    // else who signs in from there.
    let guess = |name: &str| {
        let form = format!("name={name}&password=wrong");
        through(4).ask("POST", "/sign-in", forged, &form).0
    };
    for _ in 0..5 {
        let head = guess("admin");
        assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    }
    assert_eq!(through(4).sign_in(PASSWORD, ""), 429);
    assert_eq!(through(5).sign_in(PASSWORD, ""), 303);
    let head = guess("nobody");
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    end(program);
}

#[test]
fn nginx_proxy_claim_decides_role_and_projects() {
    if !require(&["nginx"]) {
        return;
    }
    let (directory, provider) = (scratch(), RestTarget::start());
    let pki = Pki::make(&directory.path().join("pki"));
    let front = free_port();
    let words = ["--host", "localhost", "--behind-proxy", "127.0.0.1/32"];
    let (program, port, _, link) = site(&directory.path().join("site"), &words);
    let _nginx = nginx(directory.path(), &pki, front, port);
    let mut admin = Client::trusting(&pki.ca(), front);
    admin.welcome(&link);
    let fields = format!(
        "name=SSO&issuer={}/idp&client=brunt&public=1&scopes=openid+profile+email&claim=preferred_username&\
         groups=user.7+%3D+runner&others=viewer&minutes=5",
        provider.base
    );
    let output = admin.send("/provider", "/provider", &fields);
    assert!(output.contains("The provider answers"), "{output}");
    admin.send("/projects", "/projects", "name=house&users=&groups=user.7");
    admin.send("/plans", "/plans", "name=orchid&template=0&project=1");
    let seen = |client: &Client, path: &str| client.ask("GET", path, "", "");
    let inside = admin.signed_in_at(&provider.base, "user.7");
    let outside = admin.signed_in_at(&provider.base, "user.8");
    for (client, role) in [(&inside, "runner"), (&outside, "viewer")] {
        let (_, account) = seen(client, "/account");
        assert!(account.contains(&format!("Your role is {role}")), "{account}");
    }
    assert!(seen(&inside, "/plans").1.contains("orchid"));
    assert!(seen(&inside, "/plans/1").0.starts_with("HTTP/1.1 200"));
    assert!(!seen(&outside, "/plans").1.contains("orchid"));
    assert!(seen(&outside, "/plans/1").0.starts_with("HTTP/1.1 404"));
    // The group loses the project, and the next request knows.
    admin.send("/projects/1", "/projects/1", "name=house&users=&groups=");
    assert!(seen(&inside, "/plans/1").0.starts_with("HTTP/1.1 404"));
    end(program);
}
