//! [`Visitor`]: somebody at a browser without scripts, by curl, which judges certificates and cookies by itself.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The name of the site, as the page for administrators has it.
pub(crate) const HOST: &str = "load.example.com";
/// Longer than any answer takes, on however busy a machine.
const PATIENCE: &str = "120";

/// Somebody with a jar of cookies, who finds the site at a port of this machine and trusts one certificate.
pub(crate) struct Visitor {
    pub(crate) jar: PathBuf,
    pub(crate) certificate: PathBuf,
    pub(crate) port: u16,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        let status = self.head.split(' ').nth(1).and_then(|word| word.parse().ok());
        status.unwrap_or_else(|| panic!("no status: {self:?}"))
    }

    /// The first header of this name; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut named = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.next().map_or("", |(_, value)| value)
    }

    /// The same, after a check of the status.
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status(), status, "{}\n{}", self.head, self.body);
        self
    }
}

impl Visitor {
    /// A page of the site.
    pub(crate) fn see(&self, path: &str) -> Reply {
        self.ask(&address(path), &[])
    }

    /// Sends a form of a page, with what the page put into it.
    pub(crate) fn send(&self, page: &str, path: &str, fields: &[(&str, &str)]) -> Reply {
        let shown = self.see(page).expect(200).body;
        let form = between(&shown, "name=\"form\" value=\"", "\"").to_owned();
        self.post(path, &[&[("form", form.as_str())], fields].concat(), &origin())
    }

    /// Sends fields as a page of this origin does.
    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)], origin: &str) -> Reply {
        self.ask(
            &address(path),
            &[&["--header".to_owned(), format!("Origin: {origin}")][..], &coded(fields)].concat(),
        )
    }

    /// Asks for any address, with these words for curl.
    pub(crate) fn ask(&self, address: &str, more: &[String]) -> Reply {
        let ended =
            self.curl(address).args(["--include", "--max-time", PATIENCE]).args(more).output();
        let ended = ended.expect("curl starts");
        let reply = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{address}: {reply}");
        let answer = String::from_utf8_lossy(&ended.stdout).into_owned();
        let (head, body) =
            answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{address}: {answer}"));
        Reply { head: head.to_owned(), body: body.to_owned() }
    }

    /// Begins to read an answer that does not end by itself.
    pub(crate) fn stream(&self, path: &str) -> Lines {
        let mut curl = self.curl(&address(path));
        let child =
            curl.args(["--no-buffer", "--max-time", PATIENCE]).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("curl starts");
        let output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        Lines { child, output }
    }

    fn curl(&self, address: &str) -> Command {
        let Self { jar, certificate, port } = self;
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--noproxy", "*"]).arg("--cacert").arg(certificate);
        curl.arg("--cookie").arg(jar).arg("--cookie-jar").arg(jar);
        curl.args(["--connect-to", &format!("{HOST}:443:127.0.0.1:{port}"), address]);
        curl
    }
}

/// The lines of an answer, as they come.
pub(crate) struct Lines {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Lines {
    /// Waits for a line that begins so.
    pub(crate) fn until(&mut self, begin: &str) {
        let mut all = String::new();
        loop {
            let before = all.len();
            let count = self.output.read_line(&mut all).expect("text");
            assert!(count > 0, "it ended without {begin}: {all}");
            if all[before..].starts_with(begin) {
                return;
            }
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The origin of the site.
pub(crate) fn origin() -> String {
    format!("https://{HOST}")
}

fn address(path: &str) -> String {
    format!("{}{path}", origin())
}

/// Words for curl that send these fields.
pub(crate) fn coded(fields: &[(&str, &str)]) -> Vec<String> {
    let words = fields
        .iter()
        .flat_map(|(name, value)| ["--data-urlencode".to_owned(), format!("{name}={value}")]);
    words.collect()
}

pub(crate) fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let rest = text.split_once(begin).unwrap_or_else(|| panic!("no {begin} in {text}")).1;
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} in {rest}")).0
}

/// A certificate for the site and its key, in this directory.
pub(crate) fn certified(directory: &Path) -> [PathBuf; 2] {
    let [certificate, key] = ["site.pem", "site.key"].map(|name| directory.join(name));
    let mut openssl = Command::new("openssl");
    openssl.args([
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "9",
    ]);
    openssl.args([
        "-subj",
        &format!("/CN={HOST}"),
        "-addext",
        &format!("subjectAltName=DNS:{HOST}"),
    ]);
    crate::made::succeed(openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate));
    [certificate, key]
}
