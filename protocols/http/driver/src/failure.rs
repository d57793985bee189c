//! [`Failure`]: why there is no answer, counted as the outcome of an exchange.
//!
//! Making one allocates nothing unless it quotes what came; the text is made only when it is printed.

use super::encoding::EncodingError;
use super::proxy::ProxyFailure;
use brunt_exchange::{Class, Outcome, Watch};
use brunt_http_wire::http2::ErrorCode;
use brunt_http_wire::{self as wire, Malformed};
use brunt_net as net;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

/// How many characters of what a server sent are quoted.
pub(super) const QUOTED_MAX: usize = 120;

/// Why an exchange over HTTP got no answer that could be read.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// No connection could be opened or secured.
    #[error(transparent)]
    Net(#[from] net::Failure),
    /// A proxy did not open a connection.
    #[error(transparent)]
    Proxy(#[from] ProxyFailure),
    /// The URL cannot be used, or it cannot be put in a request line.
    #[error(transparent)]
    Url(#[from] super::UrlError),
    /// The same error, shared by all users that waited for the lookup.
    #[error("{0}")]
    LookedUp(Arc<super::UrlError>),
    /// A name or a value that is not allowed in a request.
    #[error("send the request: {0}")]
    Unsendable(&'static str),
    /// The server ended the connection.
    #[error("read the answer: {0}")]
    Closed(FailureStage),
    /// The connection broke.
    #[error("{when}: {error}")]
    Broken {
        /// The stage of the exchange.
        when: FailureStage,
        /// The system's error.
        error: io::Error,
    },
    /// The bytes received are not HTTP, or not allowed here.
    #[error("read the answer: {0}")]
    Protocol(Malformed),
    /// A line of the head, which is quoted, is not a field.
    #[error("read the answer: a line of its head is not a field: {0:?}")]
    Field(String),
    /// A failure that is specific to HTTP/2.
    #[error(transparent)]
    Http2(#[from] Http2Failure),
    /// The shared connection could not be opened.
    #[error("{0}")]
    Shared(Rc<Self>),
    /// A body that cannot be decoded.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// Too many redirects in one exchange.
    #[error("follow the redirects of the answer: there are more than {0}")]
    Redirects(u8),
    /// A redirect to another origin of a request whose body may not go there.
    #[error(
        "follow the redirect to {0}: its body would go to another origin; allow bodies to follow redirects there, or \
         follow none"
    )]
    BodyElsewhere(String),
    /// A redirect or a URL leads to an origin that the settings do not name.
    #[error(
        "go to {0}: the plan names no such origin; add it to http.origins if requests may go there"
    )]
    Elsewhere(String),
    /// A head that is longer than the limit.
    #[error("read the answer: its head is longer than {0} bytes")]
    HeadTooLong(usize),
    /// A body that is longer than the limit.
    #[error("read the answer: its body is longer than {0} bytes")]
    BodyTooLong(u64),
}

/// The stage an exchange had reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureStage {
    /// No part of the request had been sent.
    Unsent,
    /// The request was being sent.
    Sending,
    /// No part of the answer had arrived.
    Waiting,
    /// A part of the head had arrived.
    Head,
    /// A part of the body had arrived.
    Body,
}

impl std::fmt::Display for FailureStage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unsent => "the connection ended before the request was sent",
            Self::Sending => "the connection ended while the request was being sent",
            Self::Waiting => "the connection ended before any answer",
            Self::Head => "the connection ended within the head of the answer",
            Self::Body => "the connection ended within the body of the answer",
        })
    }
}

impl Failure {
    /// The class a failed exchange is counted under.
    pub fn class(&self) -> Class {
        match self {
            Self::Net(failure) => failure.class(),
            Self::Proxy(failure) => failure.class(),
            Self::Http2(failure) => failure.class(),
            Self::Shared(failure) => failure.class(),
            Self::Url(_)
            | Self::LookedUp(_)
            | Self::Unsendable(_)
            | Self::BodyTooLong(_)
            | Self::BodyElsewhere(_)
            | Self::Elsewhere(_)
            | Self::Redirects(_) => Class::Check,
            Self::Closed(_) | Self::Broken { .. } => Class::Closed,
            Self::Encoding(EncodingError::Frames) => Class::Unexamined,
            Self::Protocol(_) | Self::Field(_) | Self::HeadTooLong(_) | Self::Encoding(_) => {
                Class::Protocol
            }
        }
    }

    /// The error number of the operating system, else 0.
    pub fn code(&self) -> u32 {
        match self {
            Self::Net(failure) => failure.code(),
            Self::Proxy(failure) => failure.code(),
            Self::Http2(failure) => failure.code(),
            Self::Shared(failure) => failure.code(),
            Self::Broken { error, .. } => error.raw_os_error().map_or(0, i32::unsigned_abs),
            _ => 0,
        }
    }

    /// Counts it as the outcome of the exchange that `watch` is on.
    pub fn outcome(&self, watch: &mut Watch<'_>) -> Outcome {
        watch.explain(format_args!("{self}"));
        self.locate(watch);
        self.as_outcome()
    }

    /// Names the address that could not be reached, if that is why.
    pub fn locate(&self, watch: &mut Watch<'_>) {
        match self {
            Self::Net(failure) => {
                failure.unreached(|address, error| watch.could_not_reach(address, error));
            }
            Self::Shared(failure) => failure.locate(watch),
            _ => {}
        }
    }

    /// As the outcome of an exchange, or of an attempt to get ready for one.
    pub fn as_outcome(&self) -> Outcome {
        Outcome::Failed(self.class(), self.code())
    }

    /// The connection broke. Under TLS 1.3 a server that refuses a client's certificate reports it only now, in place
    /// of its first answer.
    pub(super) fn broken(when: FailureStage, error: io::Error) -> Self {
        let secured =
            error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>);
        match when {
            FailureStage::Unsent | FailureStage::Sending | FailureStage::Waiting if secured => {
                Self::Net(net::Failure::Tls(error))
            }
            _ => Self::Broken { when, error },
        }
    }

    /// What is wrong with this head. A line that is no field is quoted, without its secrets.
    pub(super) fn of_head(malformed: Malformed, head: &[u8]) -> Self {
        let line = wire::refused_field(head).filter(|_| malformed == Malformed::Field);
        line.map_or(Self::Protocol(malformed), |line| {
            let line = String::from_utf8_lossy(line);
            Self::Field(brunt_redact::text(&line).chars().take(QUOTED_MAX).collect())
        })
    }

    /// Whether the connection ended without any byte of an answer, so that the request may have arrived too late at a
    /// server that was closing it.
    pub(super) fn is_unanswered(&self) -> bool {
        let (Self::Closed(when) | Self::Broken { when, .. }) = self else { return false };
        matches!(when, FailureStage::Unsent | FailureStage::Sending | FailureStage::Waiting)
    }

    /// Whether the connection ended after a part of the request may have been sent.
    pub(super) fn is_end(&self) -> bool {
        matches!(self, Self::Closed(when) | Self::Broken { when, .. } if *when != FailureStage::Unsent)
    }

    /// Whether the server refused the stream before it processed any of it (RFC 9113 section 8.7).
    pub(super) fn is_refused(&self) -> bool {
        matches!(self, Self::Http2(Http2Failure::Reset(ErrorCode::REFUSED_STREAM)))
    }

    /// Whether the server cannot have processed the request: no part of it was sent, or the server reported it.
    pub(super) fn is_unprocessed(&self) -> bool {
        match self {
            Self::Closed(when) | Self::Broken { when, .. } => *when == FailureStage::Unsent,
            Self::Http2(failure) => failure.is_unprocessed(),
            _ => false,
        }
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Self {
        Self::Protocol(malformed)
    }
}

/// Why an exchange over HTTP/2 has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Http2Failure {
    /// Another protocol, or none, was negotiated in the handshake.
    #[error(
        "speak HTTP/2: the server did not agree to it in the TLS handshake (ALPN); ask for HTTP/1.1"
    )]
    NotAgreed,
    /// The server is closing the connection, and the request arrived too late.
    #[error(
        "read the answer: the server was leaving the connection (GOAWAY, {code}{after})",
        after = ServerText(message)
    )]
    GoAway {
        /// The error code.
        code: ErrorCode,
        /// The text that came with it, if any.
        message: String,
    },
    /// The server reset the stream of the request.
    #[error("read the answer: the server gave the request up (RST_STREAM, {0})")]
    Reset(ErrorCode),
    /// The bytes received are not HTTP/2, or break its rules.
    #[error(
        "read the answer: what came is against the rules of HTTP/2 ({code}: {rule}); does the server speak it on \
         this port?",
        code = .0,
        rule = rule(*.0)
    )]
    Violation(ErrorCode),
    /// The head of an answer breaks the rules of HTTP/2.
    #[error(
        "read the answer: its head breaks a rule of HTTP/2 (a name in capitals, a field of the connection, no \
         status, or a Content-Length that is not its body's)"
    )]
    Head,
}

/// The text of a server, after a colon.
struct ServerText<'a>(&'a str);

impl std::fmt::Display for ServerText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

/// What rule an error code of RFC 9113 section 7 is about.
fn rule(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::FLOW_CONTROL_ERROR => "more data than the window allows",
        ErrorCode::STREAM_CLOSED => "a frame on a stream that was closed",
        ErrorCode::FRAME_SIZE_ERROR => "a frame whose size is not allowed",
        ErrorCode::COMPRESSION_ERROR => "fields that cannot be unpacked",
        ErrorCode::ENHANCE_YOUR_CALM => "too many frames, or a head without end",
        ErrorCode::PROTOCOL_ERROR => "a frame that is malformed, or not allowed there",
        _ => "a rule without a code of its own",
    }
}

impl Http2Failure {
    /// The class a failed exchange is counted under.
    pub fn class(&self) -> Class {
        match self {
            Self::NotAgreed | Self::Violation(_) | Self::Head => Class::Protocol,
            Self::GoAway { .. } | Self::Reset(_) => Class::Closed,
        }
    }

    /// The error code of RFC 9113 section 7.
    pub fn code(&self) -> u32 {
        match self {
            Self::NotAgreed => 0,
            Self::Head => ErrorCode::PROTOCOL_ERROR.0,
            Self::GoAway { code, .. } | Self::Reset(code) | Self::Violation(code) => code.0,
        }
    }

    /// Whether the server reported that it did not process the request, because it was closing the connection
    /// gracefully (RFC 9113 section 6.8). Then any request may be sent again.
    pub(super) fn is_unprocessed(&self) -> bool {
        matches!(self, Self::GoAway { code: ErrorCode::NO_ERROR, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Unreached;

    /// A clock: no time is looked at here.
    struct StandingClock;

    impl brunt_exchange::Clock for StandingClock {
        fn now(&self) -> brunt_exchange::Moment {
            brunt_exchange::Moment::ZERO
        }
    }

    #[test]
    fn connect_failure_names_the_address_to_all_waiting() {
        let refused = || Failure::Net(net::Failure::Refused(([127, 0, 0, 1], 9).into()));
        let [address, error] = ["127.0.0.1:9", "connection refused"].map(str::to_owned);
        let named = Some(Unreached { address, error });
        for (failure, unreached) in [
            (refused(), named.clone()),
            (Failure::Shared(Rc::new(refused())), named),
            (Failure::Closed(FailureStage::Waiting), None),
        ] {
            let mut text = String::new();
            let mut watch = Watch::new(&StandingClock, Some(&mut text));
            failure.outcome(&mut watch);
            assert_eq!(watch.take_unreached(), unreached);
        }
    }

    #[test]
    fn goaway_allows_resending_only_unprocessed_requests() {
        let left = |code| Http2Failure::GoAway { code, message: "max requests".to_owned() };
        assert!(left(ErrorCode::NO_ERROR).is_unprocessed());
        assert!(
            left(ErrorCode::NO_ERROR).to_string().ends_with("(GOAWAY, NO_ERROR: max requests)")
        );
        for other in [
            left(ErrorCode::ENHANCE_YOUR_CALM),
            Http2Failure::Reset(ErrorCode::REFUSED_STREAM),
            Http2Failure::Violation(ErrorCode::NO_ERROR),
            Http2Failure::NotAgreed,
        ] {
            assert!(!other.is_unprocessed(), "{other}");
        }
        let reset = Http2Failure::Reset(ErrorCode::REFUSED_STREAM);
        assert_eq!((reset.class(), reset.code()), (Class::Closed, 7));
        assert!(reset.to_string().contains("REFUSED_STREAM"), "{reset}");
    }

    #[test]
    fn http2_failures_name_rule_and_limit() {
        let window = Http2Failure::Violation(ErrorCode::FLOW_CONTROL_ERROR).to_string();
        assert!(window.contains("(FLOW_CONTROL_ERROR: more data than the window"), "{window}");
        assert!(Failure::HeadTooLong(65_536).to_string().contains("65536 bytes"));
    }

    #[test]
    fn invalid_header_line_is_quoted_without_secrets() {
        let quoted = |line: &str| {
            let head = format!("HTTP/1.1 200 OK\r\n{line}\r\n\r\n");
            Failure::of_head(Malformed::Field, head.as_bytes()).to_string()
        };
        assert!(quoted("X Y: z").ends_with("is not a field: \"X Y: z\""), "{}", quoted("X Y: z"));
        assert!(!quoted("Set Cookie: token=hunter2").contains("hunter2"));
        assert!(quoted(&"x".repeat(9_999)).len() < 300);
        let other = Failure::of_head(Malformed::Length, b"HTTP/1.1 200 OK\r\nX Y\r\n\r\n");
        assert!(matches!(other, Failure::Protocol(Malformed::Length)));
    }
}
