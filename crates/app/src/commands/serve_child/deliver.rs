//! Sends a message to a webhook, by one request that must be answered with success.
//!
//! The site must not give access to places that its administrator did not intend: the name is resolved once, and the
//! connection goes to one of its addresses. That is neither an address of this machine, unless the URL names one, nor
//! one that no run may reach either.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::Duration;

use brunt_envelope::Delivery;
use brunt_net::Network;
use brunt_net::allowed::Allowed;
use brunt_net::fence::Policy;
use brunt_net::tls::Trust;
use brunt_run::options::base_url::BaseUrl;
use brunt_run::service::{Service, ServiceOptions};
use brunt_serve::reach::is_barred;
use http::{Method, header};
use http_body_util::Full;

/// How long it may take, from connecting.
const WITHIN: Duration = Duration::from_secs(10);
/// The most bytes of an answer, whose content is ignored.
const ANSWER_MAX: usize = 64 << 10;

/// Sends the message. The error says why it did not arrive.
pub(super) fn deliver(asked: &Delivery, files: &brunt_feed::Files) -> Result<(), String> {
    let url = BaseUrl::read(&asked.url, "write a URL such as https://ci.example.com/hook")?;
    let addresses = addresses(&url)?;
    let manner =
        ServiceOptions { trust: Trust::System, advice: "", within: WITHIN, answer_max: ANSWER_MAX };
    let allowed = addresses.iter().map(|to| Allowed::address(to.ip()).at_port(to.port()));
    let policy = Policy { allowed: Some(allowed.collect()), ..Policy::default() };
    let network = Network::within(policy, files);
    let service = Service::new(&url, manner, &network).map_err(|error| error.to_string())?;
    let service = service.at(addresses);
    let request = service.request(Method::POST, url.path());
    let mut request = request.header(header::CONTENT_TYPE, "application/json");
    for (name, value) in &asked.headers {
        request = request.header(name, value);
    }
    let request =
        request.body(Full::from(asked.body.clone())).map_err(|error| error.to_string())?;
    let (status, _) = service.ask(request).map_err(|error| error.to_string())?;
    // A redirect is not followed: its address is not one that an administrator wrote.
    if status.is_success() { Ok(()) } else { Err(format!("it answered {status}")) }
}

/// The addresses of a URL to which a message may be sent.
fn addresses(url: &BaseUrl) -> Result<Vec<SocketAddr>, String> {
    let found = (url.host(), url.port()).to_socket_addrs().map_err(|error| error.to_string())?;
    let is_allowed = |at: &SocketAddr| {
        let address = at.ip().to_canonical();
        !is_barred(address) && (url.is_loopback() || !address.is_loopback())
    };
    let found: Vec<SocketAddr> = found.filter(is_allowed).collect();
    if found.is_empty() {
        return Err(format!("{} has no address to which a message may be sent", url.host()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    fn of(text: &str) -> Result<Vec<SocketAddr>, String> {
        addresses(&BaseUrl::read(text, "").unwrap())
    }

    #[test]
    fn what_no_run_may_reach_is_sent_no_message_however_it_is_written() {
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
            assert!(of(text).is_err(), "{text}: {:?}", of(text));
        }
        for (text, at) in [
            ("http://127.0.0.1:81/x", "127.0.0.1:81"),
            ("http://10.1.0.7/", "10.1.0.7:80"),
            ("https://192.0.2.1/", "192.0.2.1:443"),
            ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"),
        ] {
            assert_eq!(of(text), Ok(vec![at.parse().unwrap()]), "{text}");
        }
    }

    #[test]
    fn a_redirect_is_not_followed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let asked = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let answer =
                format!("HTTP/1.1 307 x\r\nLocation: http://{at}/\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.read(&mut [0; 4_096]);
            stream.write_all(answer.as_bytes()).unwrap();
            drop(stream);
            listener.set_nonblocking(true).unwrap();
            listener
        });
        let url = format!("http://{at}/hook");
        let delivery = Delivery { url, headers: Vec::new(), body: "{}".to_owned() };
        let why = deliver(&delivery, &brunt_feed::Files::default()).unwrap_err();
        assert!(why.starts_with("it answered 307"), "{why}");
        let again = asked.join().unwrap().accept().map_err(|error| error.kind());
        assert_eq!(again.err(), Some(ErrorKind::WouldBlock), "the other address is not asked");
    }
}
