//! OpenAPI 3.0 and 3.1: the description of an API.
//!
//! Each operation becomes a step, filled from the document: examples first, then defaults, then values that the schemas
//! allow. Parameters in paths become variables, since a run usually varies them. References within the document are
//! followed; those to other files are not, and a note says so. Cycles, depth and size are bounded wherever a schema is
//! walked.

mod operation;
mod parameters;
mod pattern;
mod refs;
mod sample;
mod security;

use crate::imported::Imported;
use crate::node::Node;
use crate::notation::literal;
use crate::secrets::{Secrets, Variables};
use crate::yaml;
use std::collections::BTreeSet;

/// The most operations that are imported.
const MOST_OPERATIONS: usize = 5_000;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// A document that cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum OpenApiError {
    /// It is neither JSON nor YAML.
    #[error("read the document as {kind}: {reason}")]
    Malformed {
        /// JSON or YAML.
        kind: &'static str,
        /// What is wrong, and where.
        reason: String,
    },
    /// Its version is not supported.
    #[error("import version '{0}': OpenAPI 3.0 and 3.1 are read, so convert the document first")]
    Version(String),
    /// It names no version.
    #[error("find the member 'openapi' at the top of the document: OpenAPI 3.0 and 3.1 are read")]
    NotOpenApi,
    /// It names no server, or one without a host.
    #[error("find where the API is: the document says '{0}', so give --server URL")]
    Server(String),
    /// It has no operation.
    #[error("find an operation in the document: 'paths' has none")]
    Empty,
    /// It has too many operations.
    #[error(
        "make one plan of more than {MOST_OPERATIONS} operations: take some out of the document"
    )]
    Large,
}

/// Reads a document. `server` is the address of the API, if it is not the one in the document.
pub fn openapi(
    text: &str,
    server: Option<&str>,
    secrets: Secrets,
) -> Result<Imported, OpenApiError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = document(text)?;
    let Some(version) = document.member("openapi") else {
        return Err(document.member("swagger").map_or(OpenApiError::NotOpenApi, |version| {
            OpenApiError::Version(format!("swagger {}", version.plain()))
        }));
    };
    if !version.plain().starts_with("3.") {
        return Err(OpenApiError::Version(version.plain()));
    }
    let mut api = Api::new(&document, server, secrets);
    for (path, item) in document.at("paths").members() {
        api.path(path, item)?;
    }
    if api.imported.steps.is_empty() {
        return Err(OpenApiError::Empty);
    }
    Ok(api.finish())
}

fn document(text: &str) -> Result<Node, OpenApiError> {
    if text.trim_start().starts_with('{') {
        let malformed = |error: serde_json::Error| OpenApiError::Malformed {
            kind: "JSON",
            reason: error.to_string(),
        };
        Node::json(text).map_err(malformed)
    } else {
        let malformed = |error: yaml::YamlError| OpenApiError::Malformed {
            kind: "YAML",
            reason: error.to_string(),
        };
        yaml::parse(text).map_err(malformed)
    }
}

/// The state while operations are read.
struct Api<'a> {
    document: &'a Node,
    server: Option<&'a str>,
    variables: Variables,
    imported: Imported,
    names: BTreeSet<String>,
    notes: BTreeSet<String>,
}

impl<'a> Api<'a> {
    fn new(document: &'a Node, server: Option<&'a str>, secrets: Secrets) -> Self {
        let name = document.at("info").at("title").plain();
        let name = if name == "null" { "api".to_owned() } else { name };
        Self {
            document,
            server,
            variables: Variables::new(secrets),
            imported: Imported { name, independent: true, ..Imported::default() },
            names: BTreeSet::new(),
            notes: BTreeSet::new(),
        }
    }

    fn path(&mut self, path: &str, item: &'a Node) -> Result<(), OpenApiError> {
        let item = self.resolved(item);
        for (method, operation) in item.members() {
            if !METHODS.contains(&method.as_str()) {
                continue;
            }
            if self.imported.steps.len() == MOST_OPERATIONS {
                return Err(OpenApiError::Large);
            }
            self.operation(method, path, item, operation)?;
        }
        Ok(())
    }

    /// The address of the API, without a slash at its end, in the notation of plans.
    fn base(&mut self, servers: [&'a Node; 3]) -> Result<String, OpenApiError> {
        if let Some(server) = self.server {
            return Ok(literal(server.trim_end_matches('/')));
        }
        let server = servers.into_iter().find_map(|servers| servers.list().first());
        let Some(server) = server else { return Err(OpenApiError::Server(String::new())) };
        let mut url = literal(&server.at("url").plain());
        for (name, variable) in server.at("variables").members() {
            let first = variable.at("enum").list().first();
            let value = variable.member("default").or(first).map(Node::plain).unwrap_or_default();
            url = url.replace(&format!("{{{name}}}"), &literal(&value));
        }
        let url = url.trim_end_matches('/');
        let with_host = url.split_once("://").is_some_and(|(scheme, rest)| {
            matches!(scheme, "http" | "https") && !rest.is_empty() && !rest.starts_with('/')
        });
        if with_host && !url.contains(['{', ' ']) {
            Ok(url.to_owned())
        } else {
            Err(OpenApiError::Server(url.to_owned()))
        }
    }

    /// A name for an operation that no other has.
    fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = 2;
        while !self.names.insert(unique.clone()) {
            unique = format!("{name} ({number})");
            number += 1;
        }
        unique
    }

    fn note(&mut self, note: String) {
        self.notes.insert(note);
    }

    fn finish(mut self) -> Imported {
        self.imported.variables = self.variables.into_list();
        self.imported.notes = self.notes.into_iter().collect();
        self.imported
    }
}

#[cfg(test)]
mod tests;
