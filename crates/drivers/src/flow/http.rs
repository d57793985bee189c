//! [`HttpExchange`]: a step that is a request, as a plan describes it.

use crate::http::Body;
use brunt_feed::Text;

/// A request that may contain variables.
#[derive(Debug, Default)]
pub struct HttpExchange {
    /// The method, as sent.
    pub method: String,
    /// The whole URL: scheme, authority, path and query. Bytes that are not allowed in a URL make the exchange fail;
    /// they are never repaired.
    pub url: Text,
    /// The fields, in order.
    pub fields: Vec<(String, Text)>,
    /// The body.
    pub body: Content,
}

/// The body of a request.
#[derive(Debug, Default)]
pub enum Content {
    /// No body.
    #[default]
    None,
    /// Text that may contain variables.
    Text(Text),
    /// The same bytes for every request.
    Fixed(Body),
}
