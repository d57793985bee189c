//! What virtual users do: scenarios and their steps.

use std::path::PathBuf;

use brunt_run::options::arrivals::Arrival;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Basic, Check, Choose, Condition, Connection, DhcpStep, Extract, LdapStep, Parallel, Parts,
    Repeat, Retry, Slower, Submit,
};
use crate::values::{Node, Pairs, Scalar, Several, Time};

/// Steps that belong together. An iteration performs the steps of one scenario, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// Name of the scenario.
    pub name: Option<String>,
    /// Weight relative to the other scenarios; 1 by default.
    pub weight: Option<u32>,
    /// What happens to the rest of an iteration after a failed step.
    pub after_failure: Option<AfterFailure>,
    /// Load of the scenario's own, in place of that of `[run]`. If one scenario has it, all have.
    pub run: Option<Box<ScenarioRun>>,
    /// Steps, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// What happens to the rest of an iteration after a failed step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterFailure {
    /// It is skipped, and counted as skipped.
    #[default]
    Skip,
    /// It continues.
    GoOn,
}

/// What happens if there is no value to replace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SetMissing {
    /// The step fails, and nothing is sent.
    #[default]
    Fail,
    /// The place is passed over.
    Skip,
}

/// A step: a request over HTTP (`get`, `post`, `put`, `patch`, `delete`, `head`, `options`, or `method` and `url`; or
/// `submit` or `follow`, which use the last page), a request to a directory (`ldap`) or a DHCP server (`dhcp`), a
/// `pause`, or a group of `steps`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// Name in figures and objectives; steps of the same name are counted together.
    pub name: Option<String>,
    /// Pause: "500ms", "uniform 1s..3s", "exponential 1s", "normal 1s±200ms". Pauses are not part of any step's
    /// latency.
    pub pause: Option<String>,
    /// Steps of a group, which is measured as a whole under its own name. Groups nest four deep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Self>,
    /// Conditions without which the step or the group is passed over; all must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// Performs only one of the steps of the group.
    pub choose: Option<Choose>,
    /// Weight relative to the other steps of a group with choose = "weights": a whole number, or a text with variables
    /// such as "${logout}"; 1 by default.
    pub weight: Option<Scalar>,
    /// Performs the steps of the group several times.
    pub repeat: Option<Repeat>,
    /// Performs the steps of the group at once, which are then single requests over HTTP: true, or how many at a time,
    /// on that many connections or as streams over HTTP/2.
    pub parallel: Option<Parallel>,
    /// GET of this path, which is added to the base, or of this URL.
    pub get: Option<String>,
    /// POST to this path or URL.
    pub post: Option<String>,
    /// PUT to this path or URL.
    pub put: Option<String>,
    /// PATCH of this path or URL.
    pub patch: Option<String>,
    /// DELETE of this path or URL.
    pub delete: Option<String>,
    /// HEAD of this path or URL.
    pub head: Option<String>,
    /// OPTIONS of this path or URL.
    pub options: Option<String>,
    /// Any other method, with `url`.
    pub method: Option<String>,
    /// Path or URL for `method`.
    pub url: Option<String>,
    /// Sends a form of the user's last HTML answer of this iteration: the one that a selector such as "#login" selects;
    /// true for the only form that has all fields of `form`.
    pub submit: Option<Submit>,
    /// Name of the button that sends the form of `submit`; by default the first.
    pub press: Option<String>,
    /// GET of the first link of the user's last HTML answer of this iteration that this selector selects.
    pub follow: Option<String>,
    /// Path where the answer must come from, after redirects; `*` is any text.
    pub lands: Option<String>,
    /// Content type of the body, in place of the one that its key implies; "" sends none.
    pub content_type: Option<String>,
    /// Text body.
    pub text: Option<String>,
    /// File whose content is the body. A variable in it is a constant, a `choice` or a feeder's column; all files that
    /// it can name are read at the start of the run.
    pub body_file: Option<PathBuf>,
    /// Token for `Authorization: Bearer`.
    pub bearer: Option<String>,
    /// Key that proves the possession of the token (DPoP, RFC 9449): each request has a `DPoP` header, and a `bearer`
    /// token becomes `Authorization: DPoP`. If the server demands a nonce, the step is performed once more at once;
    /// such answers are counted as `NAME nonce`.
    pub dpop: Option<String>,
    /// Codes that count as success, in place of those below 400: 200, "200..204, 409" or an array. For LDAP, result
    /// codes, in place of 0, 5 and 6.
    pub status: Option<Several>,
    /// Answers that take longer count as exceeded.
    pub threshold: Option<Time>,
    /// How long to wait for the answer.
    pub timeout: Option<Time>,
    /// Tries the step again after a failure. Each attempt is counted under the name of the step, further ones also
    /// as `NAME retry`.
    pub retry: Option<Retry>,
    /// Conditions of an answer that means "not yet": all must hold. The step is then asked again, and the answer is no
    /// failure; it is counted as `NAME pending`, and the whole as `NAME wait`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<Check>,
    /// With `pending` the time between an answer and the next request, such as "5s" or "${interval}s", which is at
    /// least 1s.
    pub every: Option<String>,
    /// With `pending` the time after which the step is not asked again and fails; "10m" by default.
    pub within: Option<Time>,
    /// With `pending` when the time between requests becomes longer.
    pub slower: Option<Slower>,
    /// Connection of the step; by default the one that the user has.
    pub connection: Option<Connection>,
    /// Variables without which the step is skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// User and password for `Authorization: Basic`.
    pub basic: Option<Basic>,
    /// Parameters to add to the URL after `?`, percent-encoded.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub query: Pairs<Several>,
    /// Request headers, in place of those of the same name in `[http]`.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub headers: Pairs<Several>,
    /// JSON body: text, or a table or an array of TOML.
    pub json: Option<Node>,
    /// With `json`, what is replaced in it before it is sent: the values by JSON pointer (`/a/0`) or `JSONPath`
    /// (`$.a[0]`), each of which must lead to one value. At most 64.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub set: Pairs<Node>,
    /// What happens if a place of `set` leads to no value; "fail" by default.
    pub set_missing: Option<SetMissing>,
    /// Body of the type `application/x-www-form-urlencoded`; with `submit` the fields of the page's form to set or to
    /// add.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub form: Pairs<Several>,
    /// Body of the type `multipart/form-data`: its parts by name. A text, a table for a file or a text with a type, or
    /// an array of them.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub multipart: Pairs<Parts>,
    /// Request to the directory.
    pub ldap: Option<LdapStep>,
    /// Request to the DHCP server.
    pub dhcp: Option<DhcpStep>,
    /// Conditions that the answer must meet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Values to extract from the answer, by variable name: a table, or for short a JSON pointer (`/access_token`) or a
    /// `JSONPath` (`$.access_token`).
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub extract: Pairs<Extract>,
}

impl Scenario {
    /// Its steps that are no groups, in order, with those of groups.
    pub fn leaves(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().flat_map(Step::leaves)
    }
}

impl Step {
    /// The steps of a group that are no groups themselves; of another step, itself.
    pub fn leaves(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        if self.steps.is_empty() {
            return Box::new(std::iter::once(self));
        }
        Box::new(self.steps.iter().flat_map(Self::leaves))
    }

    /// The keys that say what kind of step it is, and the values of those that are a method and a URL.
    pub fn requests(&self) -> [(&'static str, Option<&str>); 8] {
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

    /// The key with which it uses the last page, if it does.
    pub fn page_key(&self) -> Option<&'static str> {
        let follow = self.follow.as_ref().map(|_| "follow");
        self.submit.as_ref().map(|_| "submit").or(follow)
    }

    /// Sets a request by its method, with the key for that method.
    #[must_use]
    pub fn request(mut self, method: &str, url: impl Into<String>) -> Self {
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

/// Load of one scenario. With `rate`, `stages`, `trace` or `rate-file` it is open: iterations begin when they are due.
/// Without them each of its users begins the next iteration when the previous one is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScenarioRun {
    /// Virtual users of the scenario, over all nodes; 1 by default, with a rate as many as begin in a second, at
    /// least 10.
    pub users: Option<u32>,
    /// Iterations that begin per second, over all nodes, such as "200/s" or "90/m".
    pub rate: Option<String>,
    /// How the arrivals of `rate` are spread over time.
    pub arrival: Option<Arrival>,
    /// Rate that changes, such as "ramp 10..500 over 2m, 500/s for 10m".
    pub stages: Option<String>,
    /// File with the times at which iterations begin, one offset in seconds per line.
    pub trace: Option<String>,
    /// File with a rate that changes, as for `--rate-file`; multiples in it refer to `rate`.
    pub rate_file: Option<PathBuf>,
    /// Think time of a user between two iterations, in the forms of `pause`.
    pub think: Option<String>,
    /// Time over which the users start, one after the other.
    pub ramp_up: Option<Time>,
    /// Number of iterations of each user.
    pub iterations: Option<u64>,
    /// Time after which no iteration begins, counted from `start`.
    pub duration: Option<Time>,
    /// Time after the beginning of the run, or after its warm-up, at which the scenario begins.
    pub start: Option<Time>,
}
