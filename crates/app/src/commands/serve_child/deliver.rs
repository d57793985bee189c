//! Sends a message to a webhook, by one request that must be answered with success.

use std::time::Duration;

use brunt_envelope::Delivery;
use http::{Method, header};

use super::call::{CallError, Sent, call};

/// How long it may take, from connecting.
const WITHIN: Duration = Duration::from_secs(10);
/// The most bytes of an answer, whose content is ignored.
const ANSWER_MAX: usize = 64 << 10;

/// Sends the message. The error says why it did not arrive.
pub(super) fn deliver(requested: &Delivery, files: &brunt_feed::Files) -> Result<(), CallError> {
    let mut headers = vec![(header::CONTENT_TYPE.to_string(), "application/json".to_owned())];
    headers.extend(requested.headers.iter().cloned());
    let (method, body) = (Method::POST, requested.body.clone());
    let sent = Sent { method, headers, body, within: WITHIN, answer_max: ANSWER_MAX };
    let (status, _) = call(&requested.url, sent, files)?;
    // A redirect is not followed: its address is not one that an administrator wrote.
    if status.is_success() { Ok(()) } else { Err(CallError::Status(status)) }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

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
}
