//! [`Settled`]: the model of a plan, made from an import.
//!
//! Fields that a plan sets by itself (the length of a body, the type of a form) are omitted; anything that a plan
//! cannot express is noted.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_flow_import::notation::{filled, has_holes, literal, literal_path};
use brunt_flow_import::{
    Auth, Body, Client, FormPart, Imported, Location, PageAction, PartContent, Step, Value, Version,
};
use brunt_flow_plan::model::{
    self, AfterFailure, AnswerLocation, Basic, Hidden, Http, HttpVersion, Iterations, Part,
    PartTable, Parts, Renewal, Run, Scenario, Source, Submit, Tls, Variable,
};
use brunt_flow_plan::values::{Node, Pairs, Scalar, Several, Time, time_words};
use brunt_net::resolve::Lookup;

use super::people::People;
use super::{beside, shared_headers};

/// How long a visit is repeated.
const VISITED: Duration = Duration::from_secs(60);
/// Fields that a plan sets by itself.
const FOLLOWING: [&str; 5] =
    ["content-length", "transfer-encoding", "connection", "keep-alive", "upgrade"];

/// A plan, and the files and notes that belong to it.
#[derive(Debug)]
pub struct Settled {
    /// Everything but the steps.
    pub plan: model::Plan,
    /// The steps, in order, each with its comment.
    pub steps: Vec<(model::Step, String)>,
    /// What happens to the rest of an iteration after a failed step.
    after_failure: Option<AfterFailure>,
    /// Files that the plan names, which must be written.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// What differs from user to user.
    pub people: Option<People>,
    /// What was omitted or guessed.
    pub notes: Vec<String>,
}

/// Something imported that a plan cannot express.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// A body that is not text, without a place to write it.
    #[error(
        "write the body of '{0}', which is not text, to a file next to the plan: name the plan's file with -o"
    )]
    Bytes(String),
    /// A name that cannot be resolved.
    #[error("find the address of {host}:{port}: {reason}")]
    Address {
        /// The name.
        host: String,
        /// The port.
        port: u16,
        /// Why it cannot.
        reason: String,
    },
}

impl Settled {
    /// Makes a plan. `output` is its future path, which the names of files beside it are derived from.
    pub fn new(imported: &Imported, output: Option<&Path>) -> Result<Self, SettleError> {
        Self::with_people(imported, output, None)
    }

    /// Makes a plan whose file of users, if there is one, is `people`.
    pub fn with_people(
        imported: &Imported,
        output: Option<&Path>,
        people: Option<&Path>,
    ) -> Result<Self, SettleError> {
        let people =
            imported.feeder.as_ref().and_then(|feeder| People::new(feeder, output, people));
        let base = base(imported);
        let mut settled = Self {
            plan: model::Plan {
                name: Some(imported.name.clone()),
                run: run(imported),
                http: Some(Box::new(http(&imported.client, base.clone())?)),
                variables: variables(imported),
                feeders: Pairs(people.iter().map(|it| it.named.clone()).collect()),
                ..model::Plan::default()
            },
            steps: Vec::new(),
            after_failure: imported.independent.then_some(AfterFailure::GoOn),
            files: Vec::new(),
            people,
            notes: imported.notes.clone(),
        };
        for step in &imported.steps {
            settled.add(step, base.as_deref(), output)?;
        }
        if imported.visit {
            settled.note_origins(&imported.client.origins);
        }
        if imported.client.trusting {
            let steps = settled.steps.iter().map(|(step, _)| step);
            let headers = header_names(steps);
            if let Some(http) = &mut settled.plan.http {
                trust_redirects(http, headers);
            }
        }
        Ok(settled)
    }

    /// The whole plan.
    pub fn whole(&self) -> model::Plan {
        let steps = self.steps.iter().map(|(step, _)| step.clone()).collect();
        let scenario = Scenario { steps, ..self.scenario() };
        model::Plan { scenario: vec![scenario], ..self.plan.clone() }
    }

    /// The scenario without its steps.
    pub fn scenario(&self) -> Scenario {
        let name = self.plan.name.clone();
        Scenario { name, after_failure: self.after_failure, ..Scenario::default() }
    }

    fn add(
        &mut self,
        step: &Step,
        base: Option<&str>,
        output: Option<&Path>,
    ) -> Result<(), SettleError> {
        if let Some(pause) = step.pause {
            let pause = Some(time_words(pause));
            self.steps.push((model::Step { pause, ..model::Step::default() }, String::new()));
        }
        let url = encoded(&step.url);
        let path =
            base.and_then(|base| url.strip_prefix(base)).filter(|path| path.starts_with('/'));
        let url = path.unwrap_or(&url).to_owned();
        let mut made = model::Step { name: Some(step.name.clone()), ..model::Step::default() };
        match &step.act {
            None => made = made.request(&step.method, url),
            Some(PageAction::Submit { selector, press }) => {
                made.submit = Some(Submit::Selected(selector.clone()));
                made.press.clone_from(press);
            }
            Some(PageAction::Follow(selector)) => made.follow = Some(selector.clone()),
        }
        made.lands.clone_from(&step.lands);
        made.status = (!step.statuses.is_empty()).then(|| {
            Several(step.statuses.iter().map(|status| Scalar::Integer((*status).into())).collect())
        });
        made.timeout = step.timeout.map(Time);
        match &step.auth {
            None => {}
            Some(Auth::Bearer(token)) => made.bearer = Some(token.clone()),
            Some(Auth::Basic { user, password }) => {
                let password = Hidden::Text(password.clone());
                made.basic = Some(Basic { user: user.clone(), password });
            }
        }
        let extract = |extract: &brunt_flow_import::Extract| {
            let spot = location(&extract.from);
            let missing = Some(model::Missing::Fail);
            (extract.name.clone(), model::Extract { spot, missing, ..model::Extract::default() })
        };
        made.extract = Pairs(step.extracts.iter().map(extract).collect());
        self.headers(step, &mut made);
        self.body(step, &mut made, output)?;
        let message =
            step.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let may_have_any = made.text.is_some() || made.json.is_some() || made.body_file.is_some();
        if may_have_any && !message {
            // The import had no type, so the plan sends none.
            made.content_type = Some(String::new());
        }
        self.steps.push((made, step.comment.clone()));
        Ok(())
    }

    /// Writes what is the same for all steps of a visit once, and which origins it may lead to.
    fn note_origins(&mut self, origins: &[String]) {
        let Some(http) = &mut self.plan.http else { return };
        let steps = self.steps.iter_mut().map(|(step, _)| step).filter(|step| step.pause.is_none());
        shared_headers::share(http, &mut steps.collect::<Vec<_>>());
        let others = origins.iter().filter(|origin| Some(*origin) != http.base.as_ref());
        http.origins = others.cloned().collect();
    }

    fn headers(&mut self, step: &Step, made: &mut model::Step) {
        for (name, value) in &step.headers {
            let lower = name.to_ascii_lowercase();
            let closes = lower == "connection"
                && value.trim().eq_ignore_ascii_case("close")
                && self.plan.http.as_ref().is_some_and(|http| http.is_http1());
            if FOLLOWING.contains(&lower.as_str()) && !closes {
                let note = format!(
                    "the header {name} is left out: it is derived from the body and the connection"
                );
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
                continue;
            }
            if lower == "authorization" && step.auth.is_some() {
                continue;
            }
            let value: String =
                value.chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect();
            let known =
                made.headers.0.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name));
            match known {
                Some((_, values)) => values.0.push(Scalar::Text(value)),
                None => made.headers.0.push((name.clone(), Several(vec![Scalar::Text(value)]))),
            }
        }
    }

    fn body(
        &mut self,
        step: &Step,
        made: &mut model::Step,
        output: Option<&Path>,
    ) -> Result<(), SettleError> {
        match &step.body {
            Body::None => {}
            Body::Form(fields) => {
                for (name, value) in fields {
                    let known = made.form.0.iter_mut().find(|(known, _)| known == name);
                    if let Some((_, values)) = known {
                        values.0.push(Scalar::Text(value.clone()));
                    } else {
                        let values = Several(vec![Scalar::Text(value.clone())]);
                        made.form.0.push((name.clone(), values));
                    }
                }
            }
            Body::Multipart(parts) => {
                for part in parts {
                    let name = literal(&part.name);
                    let part = self.part(part, &step.name, output)?;
                    match made.multipart.0.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, parts)) => parts.0.push(part),
                        None => made.multipart.0.push((name, Parts(vec![part]))),
                    }
                }
            }
            Body::File(path) => made.body_file = Some(literal_path(path)),
            Body::Bytes(bytes) => {
                let name = self.beside(bytes, &step.name, output)?;
                made.body_file = Some(literal(&name).into());
            }
            Body::Text(text) => {
                let kind = made.headers.iter().position(|(name, value)| {
                    name.eq_ignore_ascii_case("content-type")
                        && *value == Several::from(Scalar::from("application/json"))
                });
                // Variables in JSON are escaped for it, whatever its declared type.
                let json = (kind.is_some() || has_holes(text)) && is_json(text);
                if let Some(at) = kind.filter(|_| json) {
                    made.headers.0.remove(at);
                }
                if json {
                    made.json = Some(Node::Scalar(Scalar::Text(text.clone())));
                } else {
                    made.text = Some(text.clone());
                }
            }
        }
        Ok(())
    }
}

impl Settled {
    /// A part of a form.
    fn part(
        &mut self,
        part: &FormPart,
        step: &str,
        output: Option<&Path>,
    ) -> Result<Part, SettleError> {
        let FormPart { file, kind, content, .. } = part;
        let mut table =
            PartTable { type_: kind.clone(), name: file.clone(), ..PartTable::default() };
        match content {
            PartContent::Text(text) if file.is_none() && kind.is_none() => {
                return Ok(Part::Text(Scalar::Text(text.clone())));
            }
            PartContent::Text(text) => table.text = Some(text.clone()),
            PartContent::File(path) => table.file = Some(literal(&path.to_string_lossy())),
            PartContent::Bytes(bytes) => {
                if file.is_none() {
                    let note = "a part that is not text is sent as a file";
                    self.notes.push(format!("the part '{}' of '{step}': {note}", part.name));
                }
                table.file = Some(literal(&self.beside(bytes, step, output)?));
            }
        }
        Ok(Part::Table(Box::new(table)))
    }

    /// Puts bytes that are not text into a file beside the plan; returns its name.
    fn beside(
        &mut self,
        bytes: &[u8],
        step: &str,
        output: Option<&Path>,
    ) -> Result<String, SettleError> {
        let plan = output.ok_or_else(|| SettleError::Bytes(step.to_owned()))?;
        let path = beside(plan, &format!("{}.bin", self.files.len() + 1));
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.files.push((path, bytes.to_vec()));
        Ok(name.unwrap_or_default())
    }
}

/// Permits redirects to carry these headers and the body to any origin, if redirects are followed at all.
pub fn trust_redirects(http: &mut Http, headers: Vec<String>) {
    if http.redirects.is_some_and(|most| most > 0) {
        (http.redirect_headers, http.redirect_body) = (headers, Some(true));
    }
}

/// The names of all headers that steps send, except for the one that names their origin.
pub fn header_names<'a>(steps: impl Iterator<Item = &'a model::Step>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for step in steps {
        let login = (step.basic.is_some() || step.bearer.is_some()).then_some("Authorization");
        let own = step.headers.iter().map(|(name, _)| name);
        for name in own.chain(login).filter(|name| !name.eq_ignore_ascii_case("host")) {
            if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// Whether it is JSON once each hole is replaced by a complete value.
fn is_json(text: &str) -> bool {
    let sample = filled(text, |_| Some("0".to_owned()));
    sample.is_some_and(|sample| serde_json::from_str::<serde::de::IgnoredAny>(&sample).is_ok())
}

/// The load of an import: one iteration, or for a visit one user for some time.
fn run(imported: &Imported) -> Run {
    let iterations = (!imported.visit).then_some(Iterations::Each(1));
    let duration = imported.visit.then_some(Time(VISITED));
    Run { users: Some(1), iterations, duration, ..Run::default() }
}

/// The URL that paths are added to: that of the first request of a visit, or what all requests share.
fn base(imported: &Imported) -> Option<String> {
    let first = if imported.visit { 1 } else { imported.steps.len() };
    common_base(&imported.steps[..first.min(imported.steps.len())])
}

/// The scheme and the authority that all steps share.
fn common_base(steps: &[Step]) -> Option<String> {
    let origin = |step: &Step| {
        let (scheme, rest) = step.url.split_once("://")?;
        let authority = rest.split(['/', '?']).next()?;
        let path = rest.get(authority.len()..)?;
        let plain = !authority.is_empty() && path.starts_with('/') && !has_holes(scheme);
        plain.then(|| format!("{scheme}://{authority}"))
    };
    let first = origin(steps.first()?)?;
    steps.iter().all(|step| origin(step).as_ref() == Some(&first)).then_some(first)
}

/// A URL with only allowed bytes: others are percent-encoded, as a browser would do.
pub fn encoded(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for byte in url.bytes() {
        if (0x21..0x7f).contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn variables(imported: &Imported) -> Pairs<Variable> {
    let source = |source: Source| Variable::Source(Box::new(source));
    let variable = |value: &Value| match value {
        Value::Constant(text) => Variable::Constant(Scalar::Text(text.clone())),
        Value::Environment(name) => source(Source { env: Some(name.clone()), ..Source::default() }),
        Value::Uuid => source(Source { uuid: Some(true), ..Source::default() }),
        Value::Chars { chars, length } => source(Source {
            chars: Some(chars.clone()),
            length: Some(*length),
            ..Source::default()
        }),
        Value::Timestamp { milliseconds } => source(Source {
            timestamp: Some(if *milliseconds { "milliseconds" } else { "seconds" }.to_owned()),
            renew: Some(Renewal::Exchange),
            ..Source::default()
        }),
    };
    let named = imported.variables.iter();
    Pairs(named.map(|it| (it.name.clone(), variable(&it.value))).collect())
}

/// How requests are sent.
pub fn http(client: &Client, base: Option<String>) -> Result<Http, SettleError> {
    let mut resolve = Pairs::default();
    for known in &client.resolve {
        let to = address(&known.to_host, known.to_port)?;
        resolve.0.push((format!("{}:{}", known.host, known.port), to.to_string()));
    }
    let tls = Tls {
        ca: client.ca.clone().filter(|_| !client.insecure),
        cert: client.certificate.clone(),
        key: client.key.clone(),
        insecure: client.insecure.then_some(true),
        ..Tls::default()
    };
    Ok(Http {
        base,
        version: match client.version {
            Version::Unsaid => None,
            Version::Http1 => Some(HttpVersion::Http1),
            Version::Http2 => Some(HttpVersion::Auto),
            Version::Http2PriorKnowledge => Some(HttpVersion::Http2),
        },
        requests_per_connection: client.churn.then_some(1),
        redirects: (client.redirects > 0).then_some(client.redirects),
        cookies: client.cookies.then_some(true),
        compression: client.compression.then_some(true),
        connect_timeout: client.connect_timeout.map(Time),
        proxy: client.proxy.clone(),
        proxy_login: client.proxy_login.as_ref().map(proxy_login),
        unix: client.unix.clone(),
        resolve,
        tls: (tls != Tls::default()).then(|| Box::new(tls)),
        ..Http::default()
    })
}

/// The login of a proxy. A placeholder for its password is read from the environment, since no user has variables yet
/// when a connection is made.
fn proxy_login((user, password): &(String, String)) -> Basic {
    let hole = password.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let password = match hole {
        Some(name) => Hidden::Env(name.to_ascii_uppercase()),
        None => Hidden::Text(password.clone()),
    };
    Basic { user: user.clone(), password }
}

/// The first address of a name.
pub fn address(host: &str, port: u16) -> Result<SocketAddr, SettleError> {
    let failed = |reason: String| SettleError::Address { host: host.to_owned(), port, reason };
    let found = Lookup::begin(host, port, None).wait();
    let found = found.map_err(|error| failed(error.to_string()))?;
    found.into_iter().next().ok_or_else(|| failed("the name has no address".to_owned()))
}

/// The keys of a plan for a position in an answer.
fn location(place: &Location) -> AnswerLocation {
    let none = AnswerLocation::default();
    let some = |text: &String| Some(text.clone());
    match place {
        Location::Json(pointer) => AnswerLocation { json: some(pointer), ..none },
        Location::Header(name) => AnswerLocation { header: some(name), ..none },
        Location::Pattern(pattern) => AnswerLocation { regex: some(pattern), ..none },
        Location::Cookie(name) => AnswerLocation { cookie: some(name), ..none },
        Location::Html(selector, attribute) => {
            AnswerLocation { html: some(selector), attribute: attribute.clone(), ..none }
        }
        Location::Url(parameter) => {
            AnswerLocation { url: Some(true), parameter: parameter.clone(), ..none }
        }
        Location::Parameter(inside, name) => {
            AnswerLocation { parameter: some(name), ..location(inside) }
        }
        Location::Within(inside, pattern) => {
            AnswerLocation { regex: some(pattern), ..location(inside) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_flow_import::Secrets;

    fn settled(line: &str) -> Settled {
        let read = |_: &Path| Ok(vec![0xff]);
        let imported = brunt_flow_import::curl(line, Secrets::Named, &read).unwrap();
        Settled::new(&imported, Some(Path::new("/x/plan.toml"))).unwrap()
    }

    #[test]
    fn shared_origin_becomes_the_base() {
        let one = settled("curl https://h:1/a --next https://h:1/b?c");
        assert_eq!(one.plan.http.unwrap().base.as_deref(), Some("https://h:1"));
        assert_eq!(one.steps[1].0.get.as_deref(), Some("/b?c"));
        let two = settled("curl https://h/a --next http://h/a");
        assert_eq!(two.plan.http.unwrap().base, None);
        assert_eq!(two.steps[0].0.get.as_deref(), Some("https://h/a"));
        assert_eq!(settled("curl $BASE/a").steps[0].0.get.as_deref(), Some("${BASE|raw}/a"));
    }

    #[test]
    fn bodies_take_the_most_specific_form() {
        let json = &settled("curl --json '{\"a\":1}' h").steps[0].0;
        assert_eq!(json.json, Some(Node::Scalar(Scalar::Text("{\"a\":1}".to_owned()))));
        assert_eq!(json.headers.0.len(), 1, "Accept alone");
        let broken = &settled("curl --json '{\"a\":' h").steps[0].0;
        assert_eq!((broken.text.as_deref(), broken.headers.0.len()), (Some("{\"a\":"), 2));
        // A variable is escaped as its place in JSON requires, and the type stays what it was.
        let typed = "curl -d '{\"pwd\":\"x\"}' -H 'Content-Type: text/plain' h";
        let typed = &settled(typed).steps[0].0;
        assert_eq!(typed.json, Some(Node::Scalar(Scalar::Text("{\"pwd\":\"${pwd}\"}".to_owned()))));
        assert!(typed.headers.iter().any(|(name, _)| name == "Content-Type"), "{typed:?}");
        let form = &settled("curl -d a=1 -d a=2 h").steps[0].0;
        assert_eq!(form.form.0.len(), 1, "a name stands once, with both values");
        let parts = &settled("curl -F a=1 -F a=2 -F 'f=@x/a.png;type=image/png' h").steps[0].0;
        let written = toml::to_string(&parts.multipart).unwrap();
        assert_eq!(
            written.trim(),
            "a = [\"1\", \"2\"]\n\n[f]\nfile = \"x/a.png\"\ntype = \"image/png\""
        );
        let bytes = settled("curl -d @f h");
        assert_eq!(bytes.steps[0].0.body_file, Some("plan.1.bin".into()));
        assert_eq!(bytes.files, [("/x/plan.1.bin".into(), vec![0xff])]);
    }

    #[test]
    fn derived_headers_are_omitted_and_noted() {
        let settled = settled("curl -H 'Content-Length: 7' -H 'X: a' -H 'x: b' 'http://h/é'");
        let (step, _) = &settled.steps[0];
        let names: Vec<_> =
            step.headers.iter().map(|(name, values)| (name, values.0.len())).collect();
        assert_eq!(names, [("Accept", 1), ("X", 2)]);
        assert!(settled.notes[0].contains("Content-Length"));
        assert_eq!(step.get.as_deref(), Some("/%C3%A9"));
    }

    #[test]
    fn connection_close_is_kept() {
        let closes = |line: &str| {
            let settled = settled(line);
            let mut names = settled.steps[0].0.headers.iter().map(|(name, _)| name);
            (names.any(|name| name == "Connection"), settled.notes.len())
        };
        assert_eq!(closes("curl -H 'Connection: close' https://h/"), (true, 0));
        for line in ["curl -H 'Connection: keep-alive' h", "curl --http2 -H 'Connection: close' h"]
        {
            assert_eq!(closes(line), (false, 1), "{line}");
        }
    }

    #[test]
    fn connection_settings_are_kept() {
        let line = "curl -kL --http2 --resolve h:443:127.0.0.1 --no-keepalive -m 1.5 https://h/";
        let settled = settled(line);
        let http = settled.plan.http.unwrap();
        assert_eq!((http.version, http.redirects), (Some(HttpVersion::Auto), Some(50)));
        assert_eq!(http.resolve.value("h:443").map(String::as_str), Some("127.0.0.1:443"));
        assert_eq!(
            (http.requests_per_connection, http.tls.unwrap().insecure),
            (Some(1), Some(true))
        );
        assert_eq!(settled.steps[0].0.timeout, Some(Time(std::time::Duration::from_millis(1500))));
    }
}
