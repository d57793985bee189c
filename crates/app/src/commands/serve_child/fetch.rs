//! Sends one request to the provider at which people sign in, and returns what it answers.
//!
//! The request carries secrets, so it goes only where a message of the site may go (see [`call`](super::call)). A
//! provider that is slow, or answers without end, keeps nobody waiting for long.

use std::time::Duration;

use brunt_envelope::{Fetch, Fetched};
use http::{Method, header};

use super::call::{CallError, Sent, call};

/// How long an answer may take, from connecting.
const WITHIN: Duration = Duration::from_secs(5);
/// The most bytes of an answer.
const ANSWER_MAX: usize = 256 << 10;

/// Sends the request. The error says why there is no answer.
pub(super) fn fetch(requested: &Fetch, files: &brunt_feed::Files) -> Result<Fetched, CallError> {
    let mut headers = vec![(header::ACCEPT.to_string(), "application/json".to_owned())];
    headers.extend(requested.headers.iter().cloned());
    let mut method = Method::GET;
    if requested.form.is_some() {
        method = Method::POST;
        let kind = "application/x-www-form-urlencoded".to_owned();
        headers.push((header::CONTENT_TYPE.to_string(), kind));
    }
    let body = requested.form.clone().unwrap_or_default();
    let sent = Sent { method, headers, body, within: WITHIN, answer_max: ANSWER_MAX };
    let (status, body) = call(&requested.url, sent, files)?;
    // A redirect is an answer like any other: it is not followed.
    let body = String::from_utf8(body.to_vec()).map_err(|_| CallError::NoText)?;
    Ok(Fetched { status: status.as_u16(), body })
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// What is asked of a provider that answers so, and what is made of the answer.
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
