//! Gives requests to the identity API in memory: its OpenID provider, SCIM and the other paths. Each begins with a line
//! of its method and its target, lines of fields follow, and after an empty line the body; a line of three hyphens ends
//! it. `{code}`, `{login}` and `{token}` stand for what an earlier answer had, so that an input can be a whole login.

use std::time::Duration;

use brunt_http_server::{Config, Offline};

/// The most requests of an input.
const MOST: usize = 20;

/// Panics if the decoder treats this input otherwise.
pub fn check(input: &[u8]) {
    let server = Offline::new(Config { users: 20, ..Config::default() }).expect("it starts");
    let text = String::from_utf8_lossy(input);
    let mut known = Known::default();
    for (number, request) in text.split("\n---\n").take(MOST).enumerate() {
        let request = known.filled(request);
        let (head, body) = request.split_once("\n\n").unwrap_or((&request, ""));
        let mut lines = head.lines();
        let line = lines.next().unwrap_or_default();
        let (method, target) = line.split_once(' ').unwrap_or((line, "/"));
        let fields: Vec<_> = lines.filter_map(|line| line.split_once(": ")).collect();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        let now = Duration::from_secs(number as u64);
        let (status, fields, body) = server.answer(now, (method, target), &fields, body.as_bytes());
        assert!((200..=599).contains(&status), "{status}");
        known.keep(&fields, &String::from_utf8_lossy(&body));
    }
    for (event, count) in server.stats().events {
        assert!(count <= MOST as u64, "{event} {count}");
    }
}

/// What answers had.
#[derive(Default)]
struct Known {
    code: String,
    login: String,
    page: String,
    token: String,
}

impl Known {
    fn filled(&self, text: &str) -> String {
        let text = text.replace("{code}", &self.code).replace("{login}", &self.login);
        text.replace("{page}", &self.page).replace("{token}", &self.token)
    }

    fn keep(&mut self, fields: &[(&str, String)], body: &str) {
        let texts = || fields.iter().map(|(_, value)| value.as_str()).chain([body]);
        let found = |before: &str| {
            texts().find_map(|text| {
                let (_, rest) = text.split_once(before)?;
                let ends = |letter: char| !letter.is_ascii_alphanumeric() && !"-_".contains(letter);
                rest.split(ends).next().map(str::to_owned)
            })
        };
        for (place, before) in [
            (&mut self.code, "?code="),
            (&mut self.login, "?login="),
            (&mut self.page, "name=\"page\" value=\""),
            (&mut self.token, "\"access_token\":\""),
        ] {
            *place = found(before).unwrap_or_else(|| std::mem::take(place));
        }
    }
}
