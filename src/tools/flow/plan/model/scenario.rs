//! What virtual users do: scenarios and their steps.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Basic, Check, DhcpStep, Extract, LdapStep};
use crate::tools::flow::plan::values::{Node, Pairs, Several, Time};

/// Steps that belong together. An iteration carries out the steps of one scenario, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Scenario {
    /// What it is called.
    pub(crate) name: Option<String>,
    /// How often it is drawn, beside the weights of the others; 1 without it.
    pub(crate) weight: Option<u32>,
    /// What becomes of the rest of an iteration when a step has failed.
    pub(crate) after_failure: Option<AfterFailure>,
    /// What is done, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<Step>,
}

/// What becomes of the rest of an iteration when a step has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AfterFailure {
    /// It is skipped, and counted as such.
    #[default]
    Skip,
    /// It goes on.
    GoOn,
}

/// A step: a request over HTTP (`get`, `post`, `put`, `patch`, `delete`, `head`, `options`, or `method` and `url`),
/// a request to a directory (`ldap`) or a DHCP server (`dhcp`), or a `pause`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Step {
    /// What it is called in figures and objectives; steps of the same name are counted together.
    pub(crate) name: Option<String>,
    /// A pause: "500ms", "uniform 1s..3s", "exponential 1s", "normal 1s±200ms". It is in no latency.
    pub(crate) pause: Option<String>,
    /// A GET of this path, which is added to the base, or of this URL.
    pub(crate) get: Option<String>,
    /// A POST to this path or URL.
    pub(crate) post: Option<String>,
    /// A PUT to this path or URL.
    pub(crate) put: Option<String>,
    /// A PATCH of this path or URL.
    pub(crate) patch: Option<String>,
    /// A DELETE of this path or URL.
    pub(crate) delete: Option<String>,
    /// A HEAD of this path or URL.
    pub(crate) head: Option<String>,
    /// An OPTIONS of this path or URL.
    pub(crate) options: Option<String>,
    /// Any other method, with `url`.
    pub(crate) method: Option<String>,
    /// The path or URL that `method` is of.
    pub(crate) url: Option<String>,
    /// The type of the body, in place of the one that follows from its key; "" sends none.
    pub(crate) content_type: Option<String>,
    /// A body of text.
    pub(crate) text: Option<String>,
    /// A body from a file, as it is.
    pub(crate) body_file: Option<PathBuf>,
    /// A token for `Authorization: Bearer`.
    pub(crate) bearer: Option<String>,
    /// The codes that are a success, in place of those below 400: 200, "200..204, 409" or an array. Of LDAP, result
    /// codes, in place of 0, 5 and 6.
    pub(crate) status: Option<Several>,
    /// An answer that takes longer counts as exceeded.
    pub(crate) threshold: Option<Time>,
    /// How long to wait for the answer.
    pub(crate) timeout: Option<Time>,
    /// Skipped while one of these variables has no value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) needs: Vec<String>,
    /// A user and a password for `Authorization: Basic`.
    pub(crate) basic: Option<Basic>,
    /// What is added to the URL after `?`, percent-encoded.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub(crate) query: Pairs<Several>,
    /// Fields, in place of those of the same name in `[http]`.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub(crate) headers: Pairs<Several>,
    /// A body of JSON: as text, or as a table or an array of TOML.
    pub(crate) json: Option<Node>,
    /// A body of the type `application/x-www-form-urlencoded`.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub(crate) form: Pairs<Several>,
    /// A request to the directory.
    pub(crate) ldap: Option<LdapStep>,
    /// A request to the DHCP server.
    pub(crate) dhcp: Option<DhcpStep>,
    /// What must hold of the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) checks: Vec<Check>,
    /// What is kept of the answer, by the name of the variable: where it is, as a table or for short as a JSON pointer
    /// (`/access_token`) or a `JSONPath` (`$.access_token`).
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub(crate) extract: Pairs<Extract>,
}

impl Step {
    /// The key that says what kind of step it is, and the value of those keys that are a method and a URL.
    pub(crate) fn requests(&self) -> [(&'static str, Option<&str>); 8] {
        [
            ("get", self.get.as_deref()),
            ("post", self.post.as_deref()),
            ("put", self.put.as_deref()),
            ("patch", self.patch.as_deref()),
            ("delete", self.delete.as_deref()),
            ("head", self.head.as_deref()),
            ("options", self.options.as_deref()),
            ("url", self.url.as_deref()),
        ]
    }

    /// Sets a request by its method, whichever key that takes.
    #[must_use]
    pub(crate) fn request(mut self, method: &str, url: impl Into<String>) -> Self {
        let url = Some(url.into());
        match method {
            "GET" => self.get = url,
            "POST" => self.post = url,
            "PUT" => self.put = url,
            "PATCH" => self.patch = url,
            "DELETE" => self.delete = url,
            "HEAD" => self.head = url,
            "OPTIONS" => self.options = url,
            other => {
                self.method = Some(other.to_owned());
                self.url = url;
            }
        }
        self
    }
}
