//! [`HttpExchange`]: a step that is a request, as a plan describes it.

use crate::http::Body;
use brunt_feed::Text;

/// A request with holes.
#[derive(Debug, Default)]
pub struct HttpExchange {
    /// The method, as it goes over the wire.
    pub method: String,
    /// The whole URL: scheme, authority, path and query. Bytes that a URL must not hold are an error of the exchange,
    /// never repaired.
    pub url: Text,
    /// The fields, in order.
    pub fields: Vec<(String, Text)>,
    /// What follows the head.
    pub body: Content,
}

/// What follows the head of a request.
#[derive(Debug, Default)]
pub enum Content {
    /// Nothing.
    #[default]
    None,
    /// Text with holes.
    Text(Text),
    /// The same bytes for all.
    Fixed(Body),
}
