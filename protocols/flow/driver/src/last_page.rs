//! [`LastPage`]: what is kept of the last page of a user, as far as later steps of the iteration need it.

use super::reply::{Parsed, Reply};
use super::unexamined::Unexamined;
use brunt_flow_page::{Page, PageQuery, Referrer};
use std::fmt;
use url::Url;

/// What is kept of the last answer that was a page, or of the last answer.
#[derive(Debug)]
pub(super) enum LastPage {
    /// A page.
    Page(Page),
    /// A page that could not be read.
    Unread {
        /// The number of the operation that it answered.
        operation: u16,
        /// Why.
        why: Unexamined,
    },
    /// There was no page yet, only an answer of another type.
    Other {
        /// The number of the operation that it answered.
        operation: u16,
        /// The type.
        kind: String,
    },
}

impl LastPage {
    /// Keeps what is wanted of an answer. One that is no page does not take the place of one.
    pub(super) fn renew(
        last: &mut Option<Box<Self>>,
        parsed: &Parsed<'_>,
        (operation, query): (u16, &PageQuery),
    ) {
        let reply = parsed.reply();
        match kind(reply) {
            Kind::Page => *last = Some(Box::new(Self::read(parsed, operation, query))),
            Kind::Nothing => {}
            Kind::Other(kind) => {
                if !matches!(last.as_deref(), Some(Self::Page(_) | Self::Unread { .. })) {
                    *last = Some(Box::new(Self::Other { operation, kind }));
                }
            }
        }
    }

    fn read(parsed: &Parsed<'_>, operation: u16, query: &PageQuery) -> Self {
        let reply = parsed.reply();
        let url = reply.url().map(String::from_utf8_lossy);
        let Some(url) = url.and_then(|url| Url::parse(&url).ok()) else {
            return Self::Unread { operation, why: Unexamined::NoUrl };
        };
        let mut referrer = Referrer::default();
        if let Some(policy) = reply.value("referrer-policy") {
            referrer.narrow(&String::from_utf8_lossy(policy));
        }
        let status = u16::try_from(reply.code()).unwrap_or_default();
        let read = parsed.page().and_then(|document| {
            let page = Page::read(document, query, (url, status, referrer), parsed.work());
            page.map_err(|_| Unexamined::Work)
        });
        match read {
            Ok(page) => Self::Page(page),
            Err(why) => Self::Unread { operation, why },
        }
    }
}

enum Kind {
    Page,
    /// A redirect that was not followed, or an answer without a body.
    Nothing,
    Other(String),
}

fn kind(reply: &Reply<'_>) -> Kind {
    let redirects = matches!(reply.code(), 300..400) && reply.value("location").is_some();
    if redirects || reply.body().is_empty() {
        return Kind::Nothing;
    }
    let Some(given) = reply.value("content-type") else {
        let markup = reply.body().trim_ascii_start().starts_with(b"<");
        return if markup { Kind::Page } else { Kind::Other("of no type".to_owned()) };
    };
    let kind = String::from_utf8_lossy(given);
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "text/html" | "application/xhtml+xml" => Kind::Page,
        _ => Kind::Other(kind.chars().take(80).collect()),
    }
}

/// Why a page cannot be used: in the words of a failed step.
pub(super) struct NoPage<'a> {
    pub(super) last: Option<&'a LastPage>,
    pub(super) operations: &'a [String],
}

impl fmt::Display for NoPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = |operation: &u16| {
            self.operations.get(usize::from(*operation)).map_or("?", |name| name.as_str())
        };
        match self.last {
            Some(LastPage::Page(page)) => write!(f, "the last page is {}", page.words()),
            Some(LastPage::Unread { operation, why }) => {
                write!(f, "the last page, of step '{}', was not read: {why}", step(operation))
            }
            Some(LastPage::Other { operation, kind }) => {
                write!(f, "the last page is {kind}, of step '{}'", step(operation))
            }
            None => f.write_str("no answer of this iteration is a page"),
        }
    }
}
