//! Sends a message to a webhook, by one request that must be answered with success.
//!
//! The site must not give access to places that its administrator did not intend: the name is resolved once, and the
//! connection goes to one of its addresses. That is neither an address of this machine, unless the URL names one, nor a
//! link-local one.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::time::Duration;

use brunt_drivers::net::tls::Trust;
use brunt_serve::child::Delivery;
use http::{Method, header};
use http_body_util::Full;

use crate::cli::base_url::BaseUrl;
use crate::run::service::{Manner, Service};

/// How long it may take, from connecting.
const WITHIN: Duration = Duration::from_secs(10);
/// The most bytes of an answer, whose content is ignored.
const ANSWER_MAX: usize = 64 << 10;

/// Sends the message. The error says why it did not arrive.
pub(super) fn deliver(asked: &Delivery) -> Result<(), String> {
    let url = BaseUrl::read(&asked.url, "write a URL such as https://ci.example.com/hook")?;
    let addresses = addresses(&url)?;
    let manner =
        Manner { trust: Trust::System, advice: "", within: WITHIN, answer_max: ANSWER_MAX };
    let service = Service::new(&url, manner)?.at(addresses);
    let request = service.request(Method::POST, url.path());
    let mut request = request.header(header::CONTENT_TYPE, "application/json");
    for (name, value) in &asked.headers {
        request = request.header(name, value);
    }
    let request =
        request.body(Full::from(asked.body.clone())).map_err(|error| error.to_string())?;
    let (status, _) = service.ask(request)?;
    // A redirect is not followed: its address is not one that an administrator wrote.
    if status.is_success() { Ok(()) } else { Err(format!("it answered {status}")) }
}

/// The addresses of a URL to which a message may be sent.
fn addresses(url: &BaseUrl) -> Result<Vec<SocketAddr>, String> {
    let found = (url.host(), url.port()).to_socket_addrs().map_err(|error| error.to_string())?;
    let found: Vec<SocketAddr> =
        found.filter(|at| url.is_loopback() || is_elsewhere(at.ip().to_canonical())).collect();
    if found.is_empty() {
        return Err(format!("{} has no address that may be told something", url.host()));
    }
    Ok(found)
}

/// Whether an address is neither of this machine nor link-local, and is a unicast address.
fn is_elsewhere(address: IpAddr) -> bool {
    let is_of_link = match address {
        IpAddr::V4(address) => {
            address.is_link_local() || address.is_broadcast() || address.octets()[0] == 0
        }
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    !(address.is_loopback() || address.is_unspecified() || address.is_multicast() || is_of_link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_elsewhere_is_told_nothing_unless_the_url_says_so() {
        for (address, is) in [
            ("10.1.0.7", true),
            ("192.0.2.1", true),
            ("2001:db8::1", true),
            ("127.0.0.1", false),
            ("169.254.169.254", false),
            ("0.0.0.0", false),
            ("0.1.2.3", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::1", false),
            ("::", false),
            ("fe80::1", false),
            ("ff02::1", false),
        ] {
            assert_eq!(is_elsewhere(address.parse().unwrap()), is, "{address}");
        }
        let of = |text: &str| addresses(&BaseUrl::read(text, "").unwrap());
        assert_eq!(
            of("http://127.0.0.1:81/x").unwrap(),
            ["127.0.0.1:81".parse::<SocketAddr>().unwrap()]
        );
        assert!(of("http://169.254.169.254/latest").is_err());
        // The IPv6 form of the address is the same place.
        assert!(of("http://[::ffff:169.254.169.254]/latest").is_err());
    }
}
