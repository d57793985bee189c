//! [`HttpClient`]: the HTTP connections of a user.

use super::compiled_flow::{CompiledFlow, ExchangeInfo};
use super::http::{Content, HttpExchange};
use super::json_set::{JsonSet, Unset};
use super::last_page::{LastPage, NoPage};
use super::page_request::{self, PageSource, SentForm, Unsent};
use super::page_step::PageStep;
use super::reply::Reply;
use super::source::{RequestPart, Source};
use super::step_id::StepId;
use super::variables::Variables;
use brunt_exchange::{Class, Clock, Outcome, Watch};
use brunt_feed::{FILLED_MAX, Text, TraceContext, Unfilled, Values, since_1970};
use brunt_flow_signing::{Proof, access_token_hash};
use brunt_http_driver::{
    self as http, Body, Client, ClientActions, Group, Origin, Request, Response, Wanted,
};
use brunt_redact::HIDDEN;
use std::rc::Rc;
use std::sync::Arc;

/// A user's client, and the buffers for its requests and their answers.
pub(super) struct HttpClient {
    client: Client,
    request: Request,
    response: Response,
    url: Vec<u8>,
    /// The step whose request is in the buffers, if that request never changes.
    rendered: Option<StepId>,
    /// Why a connection could not be opened, to be reported for the step that needed it.
    failed: Option<Box<(Arc<Origin>, http::Failure)>>,
    /// The form that was sent last, in an exchange that is traced.
    form: Option<Box<SentForm>>,
    /// The nonces that servers demand in proofs.
    nonces: Nonces,
}

/// A request that is rendered, with its URL, and its answer.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) request: Request,
    pub(super) response: Response,
    url: Vec<u8>,
}

impl Message {
    /// Sends the request with this client and reads its answer; returns its status.
    pub(super) async fn send(
        &mut self,
        client: &mut Client,
        info: &ExchangeInfo,
        values: &Values,
        watch: &mut Watch<'_>,
    ) -> Result<u32, Outcome> {
        let origin = match &info.origin {
            Some((origin, _)) => Ok(Arc::clone(origin)),
            None => self.aim(client, watch).await,
        };
        let origin = origin.map_err(|failure| outcome_of(&failure, values, watch))?;
        let (refusal, shown) = (watch.wants_text(), watch.keeps_words());
        let wanted = Wanted { refusal, shown, ..info.wanted };
        let Self { request, response, .. } = self;
        let sent = client.exchange(&origin, request, wanted, response, watch).await;
        sent.map_err(|failure| outcome_of(&failure, values, watch))?;
        watch.items(response.received());
        Ok(response.status().into())
    }

    async fn aim(
        &mut self,
        client: &mut Client,
        watch: &mut Watch<'_>,
    ) -> Result<Arc<Origin>, http::Failure> {
        let (origin, path) = client.aim(&self.url, watch).await?;
        self.request.set_target(&self.url[path..]);
        Ok(origin)
    }
}

impl HttpClient {
    /// Creates the client of user `number`, who shares the connections of `group`.
    pub(super) fn new(compiled: &CompiledFlow, group: &Rc<Group>, number: u32) -> Self {
        Self {
            client: Client::new(compiled.network(), group, number),
            request: Request::default(),
            response: Response::default(),
            url: Vec::new(),
            rendered: None,
            failed: None,
            form: None,
            nonces: Nonces::default(),
        }
    }

    /// The client, for requests that are made at once.
    pub(super) const fn client_mut(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Exchanges its buffers with those of another request of the user.
    pub(super) const fn swap(&mut self, message: &mut Message) {
        std::mem::swap(&mut self.request, &mut message.request);
        std::mem::swap(&mut self.response, &mut message.response);
        std::mem::swap(&mut self.url, &mut message.url);
        self.rendered = None;
    }

    /// Opens a connection to a server. A failure is kept for the step that needed it.
    pub(super) async fn open(&mut self, origin: &Arc<Origin>, watch: &mut Watch<'_>) {
        let Err(failure) = self.client.ready(origin, watch).await else { return };
        watch.not_ready(failure.as_outcome());
        if self.failed.is_none() {
            self.failed = Some(Box::new((Arc::clone(origin), failure)));
        }
    }

    /// Deletes what belongs to one visit: its cookies.
    pub(super) fn begin_visit(&mut self) {
        self.client.forget();
    }

    /// That a cookie of the visit was not kept, which may be why a server refuses what follows.
    pub(super) fn refused_cookie(&self) -> Option<String> {
        let (name, why) = self.client.refused_cookie()?;
        Some(format!("the cookie '{name}' was not kept, and not sent: {why}"))
    }

    /// Handles the cancellation of an exchange.
    pub(super) fn give_up(&mut self) {
        self.rendered = None;
    }

    /// Sends a request and reads its answer; returns its status.
    pub(super) async fn exchange(
        &mut self,
        (id, http, info): (StepId, &HttpExchange, &ExchangeInfo),
        compiled: &CompiledFlow,
        (variables, last): (&mut Variables, Option<&LastPage>),
        watch: &mut Watch<'_>,
    ) -> Result<u32, Outcome> {
        self.write((id, http, info), compiled, (&mut *variables, last), watch)?;
        let values = variables.values();
        let aimed;
        let origin = if let Some((origin, _)) = &info.origin {
            origin
        } else {
            aimed = self.aim(watch).await.map_err(|failure| outcome_of(&failure, values, watch))?;
            &aimed
        };
        if let Some(failed) = self.failed.take_if(|failed| Arc::ptr_eq(&failed.0, origin)) {
            return Err(outcome_of(&failed.1, values, watch));
        }
        let (request, response) = (&mut self.request, &mut self.response);
        let (refusal, shown) = (watch.wants_text(), watch.keeps_words());
        let wanted = Wanted { refusal, shown, ..info.wanted };
        let sent = self.client.exchange(origin, request, wanted, response, watch).await;
        sent.map_err(|failure| {
            self.rendered = None;
            outcome_of(&failure, values, watch)
        })?;
        watch.items(self.response.received());
        if http.dpop.is_some() {
            self.keep_nonce();
        }
        Ok(self.response.status().into())
    }

    /// Writes a request, with everything that is known before it is sent.
    #[inline]
    pub(super) fn write(
        &mut self,
        (id, http, info): (StepId, &HttpExchange, &ExchangeInfo),
        compiled: &CompiledFlow,
        (variables, last): (&mut Variables, Option<&LastPage>),
        watch: &mut Watch<'_>,
    ) -> Result<(), Outcome> {
        self.response.clear();
        if let Some(step) = &http.page {
            self.render_page((http, step, info), compiled, (variables.values(), last), watch)?;
        } else if self.rendered != Some(id) {
            self.render((id, http, info), compiled, variables.values())
                .map_err(|unset| compiled.bare(unset, watch))?;
            if let Content::Json(json) = &http.body {
                self.set(json, compiled, variables.values(), watch)?;
            }
        }
        if http.is_sealed() {
            self.seal(http, compiled, variables, watch)?;
        }
        if compiled.flow().traceparent {
            self.identify(variables.trace_context(compiled.flow()));
        }
        Ok(())
    }

    /// Writes a body that is JSON with some of its values replaced.
    fn set(
        &mut self,
        json: &JsonSet,
        compiled: &CompiledFlow,
        values: &Values,
        watch: &mut Watch<'_>,
    ) -> Result<(), Outcome> {
        let unset = match json.filled(values) {
            Ok(body) => {
                self.request.body_mut().extend_from_slice(&body);
                return Ok(());
            }
            Err(unset) => unset,
        };
        self.rendered = None;
        match unset {
            Unset::Unfilled(unfilled) => Err(compiled.bare(unfilled, watch)),
            Unset::Wrong(error) => {
                watch.explain(format_args!("set: {error}"));
                Err(Outcome::Failed(Class::Check, 0))
            }
        }
    }

    /// Adds the fields that are made of the rest of the request.
    #[cold]
    fn seal(
        &mut self,
        http: &HttpExchange,
        compiled: &CompiledFlow,
        variables: &mut Variables,
        watch: &mut Watch<'_>,
    ) -> Result<(), Outcome> {
        let (request, url) = (&self.request, &self.url);
        let begun = variables.begin_request(compiled, |part| match part {
            RequestPart::Method => request.method().to_vec(),
            RequestPart::Url => url.clone(),
            RequestPart::Path => path_of(url).to_vec(),
            RequestPart::Body => request.body().bytes().unwrap_or_default().to_vec(),
        });
        begun.map_err(|spent| spent.as_outcome(watch))?;
        let values = variables.values();
        for (name, value) in &http.sealed {
            let added = self.request.field(name, |out| Text::render(value, values, out));
            added.map_err(|unset| compiled.bare(unset, watch))?;
        }
        let Some(dpop) = &http.dpop else { return Ok(()) };
        let mut token = Vec::new();
        if let Some(text) = &dpop.token {
            text.render(values, &mut token).map_err(|unset| compiled.bare(unset, watch))?;
        }
        let token = dpop.token.is_some().then(|| access_token_hash(&token));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (method, url) = (text(self.request.method()), text(&self.url));
        let nonce = self.nonces.get(origin_of(&self.url));
        let proof = Proof { method: &method, url: &url, token: token.as_deref(), nonce };
        let key = dpop.key.key(variables.own_keys());
        let signed = key.map(|key| proof.signed(key, since_1970()));
        self.request.add("DPoP", signed.unwrap_or_default().as_bytes());
        Ok(())
    }

    /// Keeps the nonce of an answer for the next proof that goes to its origin.
    #[cold]
    fn keep_nonce(&mut self) {
        let nonce = self.reply().value("dpop-nonce").map(<[u8]>::to_vec);
        if let Some(nonce) = nonce {
            self.nonces.keep(origin_of(&self.url), &nonce);
        }
    }

    /// Adds the identity of the exchange to its request, unless the plan gives it one.
    #[cold]
    fn identify(&mut self, trace: Option<TraceContext>) {
        let Some(trace) = trace else { return };
        if self.request.value(TraceContext::FIELD).is_none() {
            self.request.add(TraceContext::FIELD, trace.to_string().as_bytes());
        }
    }

    /// The request line of a request that a page decided, for a reader: without the query, which may be a secret.
    pub(super) fn page_request_line(&self) -> String {
        let [method, url] = [self.request.method(), &self.url].map(String::from_utf8_lossy);
        let (path, query) = url.split_once('?').unwrap_or((&url, ""));
        if !query.is_empty() {
            return format!("{method} {path}?{HIDDEN}");
        }
        format!("{method} {}", brunt_redact::url(&url))
    }

    /// The request that was sent last, its URL, and the form it sent.
    pub(super) fn sent(&self) -> (&Request, &[u8], Option<&SentForm>) {
        (&self.request, &self.url, self.form.as_deref())
    }

    /// The answer.
    pub(super) fn reply(&self) -> Reply<'_> {
        Reply::Http(&self.response)
    }

    /// The answer, if an exchange that was called off had received its head.
    pub(super) fn begun(&self) -> Option<&Response> {
        Some(&self.response).filter(|response| response.status() > 0)
    }

    /// What the client did by itself, in an exchange that is traced.
    pub(super) fn actions(&self) -> &ClientActions {
        self.client.actions()
    }

    /// Releases the answer, which is no longer needed, and the buffer of a long body.
    pub(super) fn put_away(&mut self) {
        self.response.trim();
        if self.rendered.is_none() {
            self.request.trim();
        }
    }

    /// Closes every connection, since the next request has one of its own.
    pub(super) async fn renew(&mut self, clock: &dyn Clock) {
        self.failed = None;
        self.client.close(clock).await;
    }

    /// Closes every connection.
    pub(super) async fn close(&mut self, clock: &dyn Clock) {
        self.client.close(clock).await;
    }

    fn render(
        &mut self,
        (id, http, info): (StepId, &HttpExchange, &ExchangeInfo),
        compiled: &CompiledFlow,
        values: &Values,
    ) -> Result<(), Unfilled> {
        self.rendered = None;
        self.url.clear();
        write(&mut self.request, &mut self.url, http, values)?;
        if let Some((_, path)) = &info.origin {
            self.request.set_target(&self.url[*path..]);
            let settings = compiled.network().settings();
            let alone =
                settings.redirects == 0 && !settings.cookies && !compiled.flow().traceparent;
            self.rendered = (info.constant && alone).then_some(id);
        }
        Ok(())
    }

    /// Renders a request that the last page decides.
    fn render_page(
        &mut self,
        (http, step, info): (&HttpExchange, &PageStep, &ExchangeInfo),
        compiled: &CompiledFlow,
        (values, last): (&Values, Option<&LastPage>),
        watch: &mut Watch<'_>,
    ) -> Result<(), Outcome> {
        self.rendered = None;
        self.form = None;
        self.url.clear();
        let flow = compiled.flow();
        let written = if let Some(LastPage::Page(page)) = last {
            let (selector, traced) = (info.selector, watch.keeps_words());
            let source = PageSource { page, selector, origins: &flow.origins, traced };
            page_request::write(&mut self.request, &mut self.url, (http, step), source, values)
        } else {
            let why = NoPage { last, operations: &flow.operations };
            Err(Unsent::Page(format!("{}: {why}", step.verb())))
        };
        match written {
            Ok(form) => {
                self.form = form.map(Box::new);
                Ok(())
            }
            Err(Unsent::Unfilled(unset)) => Err(compiled.bare(unset, watch)),
            Err(Unsent::Page(words)) => {
                watch.explain(format_args!("{}", values.shown(&words)));
                Err(Outcome::Failed(Class::Check, 0))
            }
        }
    }

    /// Determines the origin of a URL that is different each time.
    async fn aim(&mut self, watch: &mut Watch<'_>) -> Result<Arc<Origin>, http::Failure> {
        let (origin, path) = self.client.aim(&self.url, watch).await?;
        self.request.set_target(&self.url[path..]);
        Ok(origin)
    }
}

/// Turns a failure into the outcome of the exchange. Its text, which may contain a URL, is
/// explained without secrets.
fn outcome_of(failure: &http::Failure, values: &Values, watch: &mut Watch<'_>) -> Outcome {
    if watch.wants_text() {
        let text = brunt_redact::text(&failure.to_string());
        watch.explain(format_args!("{}", values.shown(&text)));
        failure.locate(watch);
    }
    failure.as_outcome()
}

impl CompiledFlow {
    /// The outcome of a step whose request cannot be filled in from its variables.
    pub(super) fn bare(&self, unfilled: Unfilled, watch: &mut Watch<'_>) -> Outcome {
        let (Unfilled::Unset(hole) | Unfilled::Long(hole)) = unfilled;
        let variable = self.flow().variables.get(usize::from(hole.0));
        let name = variable.map_or("?", |variable| &variable.name);
        match unfilled {
            Unfilled::Unset(_)
                if variable.is_some_and(|one| matches!(one.source, Source::Filtered(..))) =>
            {
                let value = name.split('|').next().unwrap_or_default();
                watch.explain(format_args!(
                    "'{name}' has no value: '{value}' has none, or none that these filters take"
                ));
            }
            Unfilled::Unset(_) => watch.explain(format_args!("the variable '{name}' has no value")),
            Unfilled::Long(_) => watch.explain(format_args!(
                "the value of '{name}' is too long here: variables fill at most {FILLED_MAX} bytes of a text"
            )),
        }
        Outcome::Failed(Class::Check, 0)
    }
}

/// The scheme and the authority of a URL.
fn origin_of(url: &[u8]) -> &[u8] {
    &url[..url.len() - path_of(url).len()]
}

/// The path and the query of a URL.
fn path_of(url: &[u8]) -> &[u8] {
    let authority = memchr::memmem::find(url, b"://").map_or(0, |at| at + 3);
    let path = url[authority..].iter().position(|byte| b"/?#".contains(byte));
    let path = &url[path.map_or(url.len(), |at| authority + at)..];
    path.split(|byte| *byte == b'#').next().unwrap_or_default()
}

/// Writes a request, except for its target, and its URL.
fn write(
    request: &mut Request,
    url: &mut Vec<u8>,
    http: &HttpExchange,
    values: &Values,
) -> Result<(), Unfilled> {
    request.begin(&http.method);
    http.url.render(values, url)?;
    if let Some(base) = http.base_before(url) {
        let path = std::mem::take(url);
        base.render(values, url)?;
        url.extend_from_slice(&path);
    }
    for (name, value) in &http.fields {
        request.field(name, |out| Text::render(value, values, out))?;
    }
    match &http.body {
        // JSON is written when it is known what is in it.
        Content::None | Content::Json(_) => request.set_body(Body::None),
        Content::Text(text) => text.render(values, request.body_mut())?,
        Content::Fixed(body) => request.set_body(body.clone()),
        Content::File(choice) => {
            // All names that the text can have were read.
            let content = choice.content(values)?.cloned();
            request.set_body(Body::Shared(content.unwrap_or_default()));
        }
        Content::Upload(upload) => {
            if let Some((content_type, body)) = &upload.constant {
                request.add("Content-Type", content_type);
                request.set_body(Body::Shared(Arc::clone(body)));
                return Ok(());
            }
            let body = request.body_mut();
            let content_type = upload.write(values, body, |part, out| part.content(values, out))?;
            request.add("Content-Type", &content_type);
        }
    }
    Ok(())
}

/// The last nonce of each origin, which it demands in the next proof of the user (DPoP, RFC 9449 section 8). A user who
/// was never given one has an empty pointer.
#[derive(Debug, Default)]
struct Nonces(Option<Box<Known>>);

#[derive(Debug, Default)]
struct Known {
    by_origin: Vec<(Vec<u8>, String)>,
}

/// The most origins, and the most bytes of a nonce, that are kept.
const ORIGINS_MAX: usize = 16;
const NONCE_MAX: usize = 4 << 10;

impl Nonces {
    /// The nonce for an origin.
    fn get(&self, origin: &[u8]) -> Option<&str> {
        let mut known = self.0.iter().flat_map(|known| &known.by_origin);
        known.find(|(of, _)| of == origin).map(|(_, nonce)| nonce.as_str())
    }

    /// Keeps a nonce in place of the one before. One that is too long, or is no text, is left out.
    fn keep(&mut self, origin: &[u8], nonce: &[u8]) {
        let Ok(nonce) = std::str::from_utf8(nonce) else { return };
        if nonce.len() > NONCE_MAX {
            return;
        }
        let known = &mut self.0.get_or_insert_default().by_origin;
        known.retain(|(of, _)| of != origin);
        if known.len() == ORIGINS_MAX {
            known.remove(0);
        }
        known.push((origin.to_vec(), nonce.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_are_kept_per_origin_and_limited() {
        let mut nonces = Nonces::default();
        assert_eq!(nonces.get(b"https://a"), None);
        nonces.keep(b"https://a", b"1");
        nonces.keep(b"https://b", b"2");
        nonces.keep(b"https://a", b"3");
        nonces.keep(b"https://b", &vec![b'x'; NONCE_MAX + 1]);
        nonces.keep(b"https://b", &[0xff]);
        assert_eq!((nonces.get(b"https://a"), nonces.get(b"https://b")), (Some("3"), Some("2")));
        for number in 0..ORIGINS_MAX {
            nonces.keep(format!("https://{number}").as_bytes(), b"n");
        }
        assert_eq!((nonces.get(b"https://a"), nonces.get(b"https://0")), (None, Some("n")));
    }
}
