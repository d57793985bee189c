//! What stands in a plan file: tables and keys, as they are read and written.
//!
//! The model says which keys there are and of which kind their values are; whether values make sense together is found
//! where they are compiled. It is written as well as read: a LoadGen job or a HAR file becomes one of these and then a
//! file. What is written into doc comments here is what the schema tells an editor.

mod answer;
mod dhcp;
mod http;
mod ldap;
mod run;
mod scenario;
mod variable;

pub(crate) use answer::{Check, Extract, Missing, Must, Spot};
pub(crate) use dhcp::{Dhcp, DhcpStep};
pub(crate) use http::{Basic, Close, Hidden, Http, HttpLimits, HttpVersion, Tls, TlsVersion};
pub(crate) use ldap::{ChangeKind, Ldap, LdapStep, Login, SearchScope};
pub(crate) use run::{Arrival, Groups, Iterations, Order, Round, Run};
pub(crate) use scenario::{AfterFailure, Scenario, Step};
pub(crate) use variable::{Choice, Extracted, Feeder, Number, Renewal, RowOrder, Source, Variable};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Pairs;

/// What a load test does: who does what, how often, and what must come of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Plan {
    /// What the run is called.
    pub(crate) name: Option<String>,
    /// What must be reached, such as `token.p99 < 20ms`; where one is missed the exit code is 99, where one is
    /// undecided 4.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) objectives: Vec<String>,
    /// When, how many and how long.
    pub(crate) run: Run,
    /// What holds for all requests over HTTP.
    pub(crate) http: Option<Box<Http>>,
    /// The directory that `ldap` steps ask.
    pub(crate) ldap: Option<Box<Ldap>>,
    /// The DHCP server that `dhcp` steps ask.
    pub(crate) dhcp: Option<Box<Dhcp>>,
    /// Values by name. A text or a number is a constant; a table says where values come from.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub(crate) variables: Pairs<Variable>,
    /// Files of rows. A column is used as `${feeder.column}`, the lines of a file without columns as `${feeder}`.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub(crate) feeders: Pairs<Feeder>,
    /// What virtual users do. An iteration carries out the steps of one scenario.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) scenario: Vec<Scenario>,
}
