//! The values of `rest-endpoint` wildcards, fetched before the run.
//!
//! They are fetched once, by the client that the run uses, and each iteration draws from them. A service that does not
//! return them is an error of the job: a run without them would measure something else.

use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use brunt_exchange::{Monotonic, Watch};
use brunt_http_driver::{Client, Group, Network, Request, Response, Wanted};
use brunt_run::{World, beside};
use serde_json::Value;

use super::draft::{Draft, Meaning};
use super::to_plan::{Listed, list_name};
use super::wildcard::Endpoint;

/// How long a service may take to return a list.
const PATIENCE: Duration = Duration::from_secs(30);

/// A list that a draft needs and that is not there.
#[derive(Debug, thiserror::Error)]
#[error("failed to fetch the values of ${variable} from {url}: {source}")]
pub(super) struct FetchError {
    variable: String,
    url: String,
    source: ListError,
}

/// Why a service returned no list.
#[derive(Debug, thiserror::Error)]
enum ListError {
    #[error(transparent)]
    Runtime(#[from] std::io::Error),
    #[error("no answer within {} s", PATIENCE.as_secs())]
    Late,
    #[error("{0}")]
    Exchange(brunt_http_driver::Failure),
    #[error("the answer was {0}")]
    Status(u16),
    #[error("the answer is too long for a list; request less")]
    Long,
    #[error("the answer is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("there is no \"{0}\" in the answer")]
    Missing(String),
    #[error("the list is empty")]
    Empty,
}

/// Fetches every list that a draft needs.
pub(super) fn fetch(
    draft: &Draft,
    network: &Arc<Network>,
    world: &World,
) -> Result<Listed, FetchError> {
    let mut listed = BTreeMap::new();
    for variable in &draft.variables {
        let Meaning::Element(endpoint) = &variable.meaning else { continue };
        let name = list_name(endpoint);
        if listed.contains_key(&name) {
            continue;
        }
        let values = one(endpoint, network, world).map_err(|source| FetchError {
            variable: variable.name.clone(),
            url: endpoint.url.clone(),
            source,
        });
        listed.insert(name, values?);
    }
    Ok(listed)
}

fn one(
    endpoint: &Endpoint,
    network: &Arc<Network>,
    world: &World,
) -> Result<Vec<Vec<u8>>, ListError> {
    let runtime = beside::runtime(&world.run_time())?;
    let addresses: Vec<_> = addresses(&endpoint.url).into_iter().collect();
    world.awaited.wait(&addresses, network.way(), &world.console);
    let answered = async {
        let answer = tokio::time::timeout(PATIENCE, request(endpoint, network)).await;
        answer.map_err(|_| ListError::Late)?
    };
    let response = runtime.block_on(answered)?;
    if response.status() >= 300 {
        return Err(ListError::Status(response.status()));
    }
    if response.is_truncated() {
        return Err(ListError::Long);
    }
    values(endpoint, response.body())
}

/// The addresses of the server in a URL, if its name can be resolved.
fn addresses(url: &str) -> Option<Vec<SocketAddr>> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let port = if scheme == "https" { 443 } else { 80 };
    let found = authority.to_socket_addrs().or_else(|_| (authority, port).to_socket_addrs());
    found.ok().map(Iterator::collect)
}

async fn request(endpoint: &Endpoint, network: &Arc<Network>) -> Result<Response, ListError> {
    let group = Group::new(network);
    let mut client = Client::new(network, &group, 0);
    let clock = Monotonic::new();
    let mut words = String::new();
    let mut watch = Watch::new(&clock, Some(&mut words));
    let (mut request, mut response) = (Request::default(), Response::default());
    request.begin("GET");
    let aimed = client.aim(endpoint.url.as_bytes(), &mut watch).await;
    let (origin, path) = aimed.map_err(ListError::Exchange)?;
    request.set_target(endpoint.url.get(path..).unwrap_or_default().as_bytes());
    for (name, value) in &endpoint.header {
        let write = |out: &mut Vec<u8>| {
            out.extend_from_slice(value.as_bytes());
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(()) = request.field(name, write);
    }
    client.ready(&origin, &mut watch).await.map_err(ListError::Exchange)?;
    let wanted = Wanted { body: true, ..Wanted::default() };
    client
        .exchange(&origin, &mut request, wanted, &mut response, &mut watch)
        .await
        .map_err(ListError::Exchange)?;
    client.close(&clock).await;
    Ok(response)
}

/// The values in an answer: the elements of a list, or a single value.
fn values(endpoint: &Endpoint, body: &[u8]) -> Result<Vec<Vec<u8>>, ListError> {
    let all: Value = serde_json::from_slice(body)?;
    let part = endpoint.attribute.as_deref().map_or(Ok(&all), |name| within(&all, name))?;
    let elements = match part {
        Value::Array(elements) => &elements[..],
        other => std::slice::from_ref(other),
    };
    let value = |element: &Value| {
        let value = endpoint.member.as_deref().map_or(Ok(element), |name| within(element, name))?;
        Ok(match value {
            Value::String(text) => text.clone().into_bytes(),
            other => other.to_string().into_bytes(),
        })
    };
    let values: Vec<Vec<u8>> = elements.iter().map(value).collect::<Result<_, ListError>>()?;
    if values.is_empty() { Err(ListError::Empty) } else { Ok(values) }
}

/// A part of a value by its name or by a JSON pointer.
fn within<'v>(value: &'v Value, name: &str) -> Result<&'v Value, ListError> {
    let found = if name.starts_with('/') { value.pointer(name) } else { value.get(name) };
    found.ok_or_else(|| ListError::Missing(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(
        attribute: Option<&str>,
        member: Option<&str>,
        body: &str,
    ) -> Result<Vec<String>, ListError> {
        let endpoint = Endpoint {
            url: String::new(),
            header: Vec::new(),
            attribute: attribute.map(str::to_owned),
            member: member.map(str::to_owned),
        };
        let text = |value: Vec<u8>| String::from_utf8(value).unwrap();
        Ok(values(&endpoint, body.as_bytes())?.into_iter().map(text).collect())
    }

    #[test]
    fn endpoint_list_gives_its_elements_or_itself() {
        assert_eq!(listed(None, None, "[\"a\", 2, {\"b\": 1}]").unwrap(), ["a", "2", "{\"b\":1}"]);
        assert_eq!(listed(None, None, "{\"b\": 1}").unwrap(), ["{\"b\":1}"]);
        let answer = "{\"result\": [{\"_id\": \"u1\"}, {\"_id\": \"u2\", \"n\": {\"x\": 5}}]}";
        assert_eq!(listed(Some("result"), Some("_id"), answer).unwrap(), ["u1", "u2"]);
        assert_eq!(listed(Some("/result/1/n"), Some("/x"), answer).unwrap(), ["5"]);
    }

    #[test]
    fn endpoint_without_values_is_an_error() {
        assert!(listed(None, None, "<html>").unwrap_err().to_string().contains("not JSON"));
        assert!(listed(None, None, "[]").unwrap_err().to_string().contains("empty"));
        assert!(listed(Some("x"), None, "{}").unwrap_err().to_string().contains("no \"x\""));
        assert!(
            listed(None, Some("id"), "[{\"id\": 1}, {}]")
                .unwrap_err()
                .to_string()
                .contains("no \"id\"")
        );
    }
}
