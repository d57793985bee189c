//! One request to a server that the site itself calls: [`deliver`] sends a message to a webhook, and [`fetch`] a
//! request to the provider at which people sign in.
//!
//! The site must not give access to places that its administrator did not intend: the name is resolved once, and the
//! connection goes to one of its addresses. That is neither an address of this machine, unless the URL names one, nor
//! one that no run may reach either. Redirects are not followed: their addresses are not those that an administrator
//! wrote.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::Duration;

use brunt_envelope::{Delivery, Fetch, Fetched};
use brunt_net::Network;
use brunt_net::address_policy::Policy;
use brunt_net::allowed::Allowed;
use brunt_net::tls::Trust;
use brunt_run::options::base_url::{BaseUrl, UrlError};
use brunt_run::service::{Service, ServiceError, ServiceOptions};
use brunt_serve::reach::is_barred;
use http::{Method, StatusCode, Uri, header};
use http_body_util::Full;
use hyper::body::Bytes;

/// How long a delivery may take, from connecting, and the most bytes of its answer, whose content is ignored.
const DELIVERY: (Duration, usize) = (Duration::from_secs(10), 64 << 10);
/// How long a request to the provider may take, from connecting, and the most bytes of its answer.
const FETCH: (Duration, usize) = (Duration::from_secs(5), 256 << 10);

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
    #[error("it answered no text")]
    NoText,
}

/// Sends a message to a webhook, which must answer with success.
pub(super) fn deliver(requested: &Delivery, files: &brunt_feed::Files) -> Result<(), CallError> {
    let Delivery { url, headers, body } = requested;
    let mut sent = vec![(header::CONTENT_TYPE.to_string(), "application/json".to_owned())];
    sent.extend(headers.iter().cloned());
    let (status, _) = call((Method::POST, url), (&sent, body), DELIVERY, files)?;
    if status.is_success() { Ok(()) } else { Err(ServiceError::Status(status).into()) }
}

/// Sends a request to the provider, and returns its answer, whatever its status. The request carries secrets.
pub(super) fn fetch(requested: &Fetch, files: &brunt_feed::Files) -> Result<Fetched, CallError> {
    let Fetch { url, headers, form } = requested;
    let mut sent = vec![(header::ACCEPT.to_string(), "application/json".to_owned())];
    sent.extend(headers.iter().cloned());
    let mut method = Method::GET;
    if form.is_some() {
        method = Method::POST;
        let kind = "application/x-www-form-urlencoded".to_owned();
        sent.push((header::CONTENT_TYPE.to_string(), kind));
    }
    let body = form.as_deref().unwrap_or_default();
    let (status, body) = call((method, url), (&sent, body), FETCH, files)?;
    let body = String::from_utf8(body.to_vec()).map_err(|_| CallError::NoText)?;
    Ok(Fetched { status: status.as_u16(), body })
}

/// Sends a request, and waits so long for an answer of so many bytes.
fn call(
    (method, url): (Method, &str),
    (headers, body): (&[(String, String)], &str),
    (within, answer_max): (Duration, usize),
    files: &brunt_feed::Files,
) -> Result<(StatusCode, Bytes), CallError> {
    let server = BaseUrl::read(url, "write a URL such as https://ci.example.com/hook")?;
    let uri: Uri = url.parse().map_err(|_| CallError::NoUrl)?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let addresses = addresses(&server)?;
    let options = ServiceOptions { trust: Trust::System, advice: "", within, answer_max };
    let allowed = addresses.iter().map(|to| Allowed::address(to.ip()).at_port(to.port()));
    let policy = Policy { allowed: Some(allowed.collect()), ..Policy::default() };
    let network = Network::within(policy, files);
    let service = Service::new(&server, options, &network)?.at(addresses);
    let mut request = service.request(method, path);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    Ok(service.send(request.body(Full::from(body.to_owned())))?)
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
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::TcpListener;

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

    #[test]
    fn webhook_redirect_is_not_followed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
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
        let why = deliver(&delivery, &brunt_feed::Files::default()).unwrap_err().to_string();
        assert!(why.starts_with("it answered 307"), "{why}");
        let again = server.join().unwrap().accept().map_err(|error| error.kind());
        assert_eq!(again.err(), Some(ErrorKind::WouldBlock), "the other address is not asked");
    }

    /// The requests to a provider that gives this answer, and the result.
    fn requested(
        form: Option<&str>,
        answer: &'static [u8],
        endless: bool,
    ) -> (String, Result<Fetched, CallError>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let provider = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = vec![0; 4_096];
            let count = stream.read(&mut bytes).unwrap();
            stream.write_all(answer).unwrap();
            while endless && stream.write_all(&[b' '; 4_096]).is_ok() {}
            String::from_utf8_lossy(&bytes[..count]).into_owned()
        });
        let url = format!("http://{at}/token?p=a");
        let headers = vec![("authorization".to_owned(), "Basic x".to_owned())];
        let fetch = Fetch { url, headers, form: form.map(str::to_owned) };
        let fetched = super::fetch(&fetch, &brunt_feed::Files::default());
        (provider.join().unwrap(), fetched)
    }

    #[test]
    fn fetch_posts_a_form_or_gets_a_url() {
        let answer = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}";
        let (request, fetched) = requested(Some("code=c"), answer, false);
        assert!(request.starts_with("POST /token?p=a HTTP/1.1\r\n"), "{request}");
        assert!(request.contains("authorization: Basic x\r\n"), "{request}");
        assert!(request.contains("application/x-www-form-urlencoded\r\n"), "{request}");
        assert!(fetched.is_ok_and(|fetched| fetched == Fetched { status: 400, body: "{}".into() }));
        let (request, _) = requested(None, answer, false);
        assert!(request.starts_with("GET /token?p=a HTTP/1.1\r\n"), "{request}");
    }

    #[test]
    fn fetch_limits_the_answer() {
        let (_, fetched) = requested(None, b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", true);
        assert!(fetched.is_err());
        let (_, fetched) =
            requested(None, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xfe", false);
        assert_eq!(fetched.err().unwrap().to_string(), "it answered no text");
    }

    #[test]
    fn fetch_refuses_barred_addresses() {
        for url in ["http://169.254.169.254/latest", "http://2130706433/", "ftp://127.0.0.1/"] {
            let fetch = Fetch { url: url.to_owned(), headers: Vec::new(), form: None };
            assert!(super::fetch(&fetch, &brunt_feed::Files::default()).is_err(), "{url}");
        }
    }
}
