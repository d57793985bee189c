//! The content of a plan file: tables and keys, as they are read and written.
//!
//! The model defines the keys and the types of their values; whether values are consistent is checked when they are
//! compiled. The model is written as well as read: a LoadGen job or a HAR file becomes a model and then a file. The doc
//! comments here become the descriptions in the schema that editors show.

mod answer;
mod around;
mod dhcp;
mod find_max;
mod http;
mod journey;
mod keys;
mod ldap;
mod multipart;
mod page;
mod parallel;
mod run;
mod scenario;
mod variable;

pub use answer::{AnswerLocation, Check, Expires, Extract, Missing, ValueCondition};
pub use around::{Around, Each};
pub use dhcp::{Dhcp, DhcpStep};
pub use find_max::FindMax;
pub use http::{Basic, Close, Hidden, Http, HttpLimits, HttpVersion, Tls, TlsVersion};
pub use journey::{Choose, Condition, Connection, Repeat, Retry, Slower};
pub use keys::Key;
pub use ldap::{ChangeKind, Ldap, LdapStep, Login, SearchScope};
pub use multipart::{Part, PartTable, Parts};
pub use page::{Pick, Submit};
pub use parallel::Parallel;
pub use run::{Groups, Iterations, Order, Round, Run};
pub use scenario::{AfterFailure, Scenario, ScenarioRun, SetMissing, Step};
pub use variable::{
    Choice, Extracted, Feeder, MacDigest, MacNotation, Number, Renewal, RowOrder, Source, Variable,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Pairs;

/// A load test: virtual users, their steps, the load, and objectives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// Name of the run.
    pub name: Option<String>,
    /// Objectives, such as `token.p99 < 20ms`. The exit code is 99 if one is missed, 4 if one is undecided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<String>,
    /// Conditions that end the run when they persist, such as `errors > 50% for 10s`. The exit code is 10 then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abort_on: Vec<String>,
    /// Load: number of users, rate and duration.
    pub run: Run,
    /// What is done before the load: a token for all users, test data. If it fails, the run ends with the exit code 1.
    pub prepare: Option<Box<Around>>,
    /// What is done after the load, also if it was ended early.
    pub clean_up: Option<Box<Around>>,
    /// The search of `brunt find-max`.
    pub find_max: Option<Box<FindMax>>,
    /// Settings for all HTTP requests.
    pub http: Option<Box<Http>>,
    /// The directory for `ldap` steps.
    pub ldap: Option<Box<Ldap>>,
    /// The DHCP server for `dhcp` steps.
    pub dhcp: Option<Box<Dhcp>>,
    /// Keys by name, with which values and requests are signed. `${keys.NAME.jwk}` is the public part of a key, and
    /// `${keys.NAME.thumbprint}` its thumbprint (RFC 7638).
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub keys: Pairs<Key>,
    /// Variables by name. A text or a number is a constant; a table defines the source of the values.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub variables: Pairs<Variable>,
    /// Files of rows. A column is used as `${feeder.column}`, the lines of a file without columns as `${feeder}`.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub feeders: Pairs<Feeder>,
    /// What virtual users do. An iteration performs the steps of one scenario.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scenario: Vec<Scenario>,
}
