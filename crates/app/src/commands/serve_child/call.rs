//! One request to a server that the site itself calls: a webhook, or the provider at which people sign in.
//!
//! The site must not give access to places that its administrator did not intend: the name is resolved once, and the
//! connection goes to one of its addresses. That is neither an address of this machine, unless the URL names one, nor
//! one that no run may reach either.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::Duration;

use brunt_net::Network;
use brunt_net::address_policy::Policy;
use brunt_net::allowed::Allowed;
use brunt_net::tls::Trust;
use brunt_run::options::base_url::{BaseUrl, UrlError};
use brunt_run::service::{Service, ServiceError, ServiceOptions};
use brunt_serve::reach::is_barred;
use http::{Method, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Bytes;

/// What is sent, and how long and how large the answer may be.
pub(super) struct Sent {
    pub(super) method: Method,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
    pub(super) within: Duration,
    pub(super) answer_max: usize,
}

/// Why there is no answer, or it is not one that is wanted.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    #[error(transparent)]
    Url(#[from] UrlError),
    #[error("it is no URL")]
    NoUrl,
    #[error(transparent)]
    Resolve(#[from] io::Error),
    #[error("{0} has no address to which a message may be sent")]
    NoAddress(String),
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error(transparent)]
    Request(#[from] http::Error),
    #[error("it answered {0}")]
    Status(StatusCode),
    #[error("it answered no text")]
    NoText,
}

/// Sends a request. The error says why there is no answer.
pub(super) fn call(
    url: &str,
    sent: Sent,
    files: &brunt_feed::Files,
) -> Result<(StatusCode, Bytes), CallError> {
    let server = BaseUrl::read(url, "write a URL such as https://ci.example.com/hook")?;
    let uri: Uri = url.parse().map_err(|_| CallError::NoUrl)?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let addresses = addresses(&server)?;
    let Sent { method, headers, body, within, answer_max } = sent;
    let options = ServiceOptions { trust: Trust::System, advice: "", within, answer_max };
    let allowed = addresses.iter().map(|to| Allowed::address(to.ip()).at_port(to.port()));
    let policy = Policy { allowed: Some(allowed.collect()), ..Policy::default() };
    let network = Network::within(policy, files);
    let service = Service::new(&server, options, &network)?.at(addresses);
    let mut request = service.request(method, path);
    for (name, value) in &headers {
        request = request.header(name, value);
    }
    Ok(service.ask(request.body(Full::from(body))?)?)
}

/// The addresses of a URL to which a message may be sent.
fn addresses(url: &BaseUrl) -> Result<Vec<SocketAddr>, CallError> {
    let found = (url.host(), url.port()).to_socket_addrs()?;
    let is_allowed = |at: &SocketAddr| {
        let address = at.ip().to_canonical();
        !is_barred(address) && (url.is_loopback() || !address.is_loopback())
    };
    let found: Vec<SocketAddr> = found.filter(is_allowed).collect();
    if found.is_empty() {
        return Err(CallError::NoAddress(url.host().to_owned()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses_of(text: &str) -> Result<Vec<SocketAddr>, CallError> {
        addresses(&BaseUrl::read(text, "").unwrap())
    }

    #[test]
    fn barred_address_is_refused_in_any_notation() {
        for text in [
            "http://169.254.169.254/latest",
            // The C library takes these for the same address.
            "http://2852039166/latest",
            "http://0xa9fea9fe/latest",
            "http://[::ffff:169.254.169.254]/latest",
            "http://0.0.0.0/",
            "http://0.1.2.3/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://[::]/",
            "http://[fe80::1]/",
            "http://[ff02::1]/",
            // This machine, without saying so.
            "http://2130706433/",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert!(addresses_of(text).is_err(), "{text}: {:?}", addresses_of(text));
        }
        for (text, at) in [
            ("http://127.0.0.1:81/x", "127.0.0.1:81"),
            ("http://10.1.0.7/", "10.1.0.7:80"),
            ("https://192.0.2.1/", "192.0.2.1:443"),
            ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"),
        ] {
            assert_eq!(addresses_of(text).unwrap(), [at.parse().unwrap()], "{text}");
        }
    }
}
