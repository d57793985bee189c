//! A provider for tests: its answers are functions, and it can rotate its keys, set its clock, stop and lie.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use brunt_envelope::{Fetch, Fetched};
use serde_json::{Value, json};

use super::Fetcher;
use crate::child::ChildError;
use crate::oidc::made::{Pair, set};

pub(crate) const ISSUER: &str = "https://sso.example.com/realms/load";

/// Its settings and the requests that it received.
pub(crate) struct State {
    /// Its key that signs, and its name.
    pub(crate) key: (Pair, String),
    /// How far its clock is ahead, in seconds.
    pub(crate) ahead: i64,
    pub(crate) now: i64,
    pub(crate) is_down: bool,
    /// What it answers instead, by path.
    pub(crate) instead: HashMap<String, (u16, String)>,
    /// The claims of the next ID token, besides those that it always has.
    pub(crate) claims: Value,
    /// What it gives as user info.
    pub(crate) userinfo: Value,
    /// The nonce of the attempt that is going on.
    pub(crate) nonce: Option<String>,
    /// Whether it gives refresh tokens, and the one that is valid.
    pub(crate) refresh: Option<u32>,
    /// The requests: their paths and forms.
    pub(crate) requested: Vec<(String, Option<String>)>,
    /// The last `Authorization`.
    pub(crate) by: Option<String>,
}

/// A provider that a test controls.
#[derive(Clone)]
pub(crate) struct Scripted(pub(crate) Arc<Mutex<State>>);

impl Scripted {
    pub(crate) fn new(now: i64) -> Self {
        let state = State {
            key: (Pair::ec(), "k1".to_owned()),
            ahead: 0,
            now,
            is_down: false,
            instead: HashMap::new(),
            claims: json!({ "sub": "1", "preferred_username": "ada", "groups": ["admins"], "sid": "s1" }),
            userinfo: json!({ "sub": "1", "groups": ["runners"] }),
            nonce: None,
            refresh: Some(1),
            requested: Vec::new(),
            by: None,
        };
        Self(Arc::new(Mutex::new(state)))
    }

    pub(crate) fn fetcher(&self) -> Fetcher {
        let state = Arc::clone(&self.0);
        Box::new(move |fetch| state.lock().unwrap().answer(fetch))
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap());
    }

    /// How many requests it received for this path.
    pub(crate) fn requested(&self, path: &str) -> usize {
        self.0.lock().unwrap().requested.iter().filter(|(requested, _)| requested == path).count()
    }

    /// The form of the last request that had one.
    pub(crate) fn form(&self) -> HashMap<String, String> {
        let state = self.0.lock().unwrap();
        let last =
            state.requested.iter().rev().find_map(|(_, form)| form.clone()).unwrap_or_default();
        form_urlencoded::parse(last.as_bytes()).into_owned().collect()
    }

    /// A logout token about this session.
    pub(crate) fn logout(&self, claims: &Value) -> String {
        let state = self.0.lock().unwrap();
        let event = "http://schemas.openid.net/event/backchannel-logout";
        let mut all = json!({
            "iss": ISSUER, "aud": "brunt", "iat": state.now, "exp": state.now + 60, "jti": "1",
            "events": { event: {} },
        });
        merge(&mut all, claims);
        state.key.0.token(&state.key.1, &all)
    }
}

fn merge(all: &mut Value, more: &Value) {
    for (name, value) in more.as_object().unwrap() {
        all[name] = value.clone();
    }
}

fn metadata() -> Value {
    let at = |path: &str| format!("{ISSUER}/{path}");
    json!({
        "issuer": ISSUER, "authorization_endpoint": at("auth"), "token_endpoint": at("token"),
        "jwks_uri": at("keys"), "userinfo_endpoint": at("userinfo"), "end_session_endpoint": at("logout"),
    })
}

impl State {
    fn answer(&mut self, fetch: Fetch) -> Result<Fetched, ChildError> {
        let path = fetch.url.replace(ISSUER, "");
        self.requested.push((path.clone(), fetch.form.clone()));
        self.by = fetch.headers.first().map(|(_, value)| value.clone()).or(self.by.take());
        if self.is_down {
            return Err(ChildError::Declined("connection refused".to_owned()));
        }
        if let Some((status, body)) = self.instead.get(&path) {
            return Ok(Fetched { status: *status, body: body.clone() });
        }
        let (status, body) = match path.as_str() {
            "/.well-known/openid-configuration" => (200, metadata().to_string()),
            "/keys" => {
                let keys = set(&[self.key.0.jwk(&self.key.1)]);
                (200, String::from_utf8(keys).unwrap())
            }
            "/userinfo" => (200, self.userinfo.to_string()),
            "/token" => self.tokens(&fetch.form.unwrap_or_default()),
            _ => (404, String::new()),
        };
        Ok(Fetched { status, body })
    }

    fn tokens(&mut self, form: &str) -> (u16, String) {
        let form: HashMap<String, String> =
            form_urlencoded::parse(form.as_bytes()).into_owned().collect();
        let is_renewal = form["grant_type"] == "refresh_token";
        let valid = self.refresh.map(|number| format!("r{number}"));
        if is_renewal && form.get("refresh_token") != valid.as_ref()
            || form.get("code").is_some_and(|it| it == "used")
        {
            return (
                400,
                json!({ "error": "invalid_grant", "error_description": "not active" }).to_string(),
            );
        }
        self.refresh = self.refresh.map(|number| number + u32::from(is_renewal));
        let now = self.now + self.ahead;
        let mut claims = json!({ "iss": ISSUER, "aud": "brunt", "iat": now, "exp": now + 60 });
        if let Some(nonce) = self.nonce.as_ref().filter(|_| !is_renewal) {
            claims["nonce"] = json!(nonce);
        }
        merge(&mut claims, &self.claims);
        let id = self.key.0.token(&self.key.1, &claims);
        let mut reply = json!({ "id_token": id, "access_token": "access", "token_type": "Bearer" });
        if let Some(number) = self.refresh {
            reply["refresh_token"] = json!(format!("r{number}"));
        }
        (200, reply.to_string())
    }
}
