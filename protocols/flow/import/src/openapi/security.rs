//! Authentication: security schemes become headers, parameters and secrets that the user must supply.

use super::Api;
use crate::form::percent;
use crate::imported::{Auth, Step};
use crate::node::Node;

impl<'a> Api<'a> {
    /// Adds the credentials of the first alternative that an operation accepts.
    pub(super) fn secure(&mut self, operation: &'a Node, step: &mut Step) {
        let message = operation.member("security").unwrap_or(self.document.at("security"));
        let Some(first) = message.list().first() else { return };
        for (name, _) in first.members() {
            let scheme = self.document.at("components").at("securitySchemes").at(name);
            let scheme = self.resolved(scheme);
            self.show(name, scheme, step);
        }
    }

    fn show(&mut self, name: &str, scheme: &'a Node, step: &mut Step) {
        let comment = format!("what the security scheme '{name}' asks for");
        let http = scheme.at("scheme").text().unwrap_or_default().to_ascii_lowercase();
        match (scheme.at("type").text().unwrap_or_default(), http.as_str()) {
            ("http", "basic") => {
                let user = self.variables.missing(&format!("{name}_user"), &comment);
                let password = self.variables.missing(&format!("{name}_password"), &comment);
                step.auth = Some(Auth::Basic { user, password });
            }
            ("http", "bearer") | ("oauth2" | "openIdConnect", _) => {
                step.auth = Some(Auth::Bearer(self.variables.missing(name, &comment)));
            }
            ("http", _) => {
                let value = self.variables.missing(name, &comment);
                step.headers.push(("Authorization".to_owned(), value));
            }
            ("apiKey", _) => {
                let value = self.variables.missing(name, &comment);
                let key = scheme.at("name").plain();
                match scheme.at("in").text() {
                    Some("query") => {
                        let joint = if step.url.contains('?') { '&' } else { '?' };
                        step.url.push(joint);
                        step.url.push_str(&[&percent(key.as_bytes()), "=", &value].concat());
                    }
                    Some("cookie") => add_cookie(step, &format!("{key}={value}")),
                    _ => step.headers.push((key, value)),
                }
            }
            ("mutualTLS", _) => {
                self.note(format!("the security scheme '{name}' asks for a client certificate"));
            }
            _ => self.note(format!("the security scheme '{name}' is not known and is left out")),
        }
    }
}

/// Adds a cookie to those a request has.
pub(super) fn add_cookie(step: &mut Step, cookie: &str) {
    match step.headers.iter_mut().find(|(name, _)| name == "Cookie") {
        Some((_, value)) => value.push_str(&["; ", cookie].concat()),
        None => step.headers.push(("Cookie".to_owned(), cookie.to_owned())),
    }
}
