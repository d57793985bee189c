//! [`HttpExchange`]: a step that is a request, as a plan describes it.

use super::json_set::JsonSet;
use super::page_step::PageStep;
use super::signed::KeyRef;
use super::upload::{FileChoice, Upload};
use brunt_feed::Text;
use brunt_http_driver::Body;

/// A request that may contain variables.
#[derive(Debug, Default)]
pub struct HttpExchange {
    /// The method, as sent.
    pub method: String,
    /// The whole URL: scheme, authority, path and query. Bytes that are not allowed in a URL make the exchange fail;
    /// they are never repaired.
    pub url: Text,
    /// The text to put before a URL that begins with a variable, if the variable's value makes it a path: the field
    /// `Location` of an answer, for example, may be either.
    pub base: Option<Text>,
    /// What it does with the last page, which then decides the method, the URL and the body.
    pub page: Option<PageStep>,
    /// The fields, in order.
    pub fields: Vec<(String, Text)>,
    /// The fields that are made of the rest of the request, after the others.
    pub sealed: Vec<(String, Text)>,
    /// The proof that the sender has the key of its token, if there is one.
    pub dpop: Option<Box<Dpop>>,
    /// The body.
    pub body: Content,
}

/// The field `DPoP` of a request (RFC 9449).
#[derive(Debug)]
pub struct Dpop {
    /// Who signs it.
    pub key: KeyRef,
    /// The access token that is sent with it.
    pub token: Option<Text>,
}

impl HttpExchange {
    /// Whether any of its fields is made of the rest of the request.
    pub(super) fn is_sealed(&self) -> bool {
        self.dpop.is_some() || !self.sealed.is_empty()
    }

    /// Everything that may contain variables.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        std::iter::once(&self.url).chain(&self.base).chain(self.carrying())
    }

    /// The texts of fields and of the body.
    pub(super) fn carrying(&self) -> impl Iterator<Item = &Text> {
        let body = self.body.texts();
        let page = self.page.iter().flat_map(PageStep::texts);
        let fields = self.fields.iter().chain(&self.sealed).map(|(_, value)| value);
        let token = self.dpop.iter().filter_map(|dpop| dpop.token.as_ref());
        fields.chain(body).chain(page).chain(token)
    }

    /// The text to put before a URL that was filled in.
    pub fn base_before(&self, url: &[u8]) -> Option<&Text> {
        self.base.as_ref().filter(|_| matches!(url.first(), Some(b'/' | b'?')))
    }
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
    /// JSON with some of its values replaced.
    Json(Box<JsonSet>),
    /// The content of a file whose name varies.
    File(FileChoice),
    /// A form that may contain files, which determines the content type.
    Upload(Box<Upload>),
}

impl Content {
    /// The texts it is made of.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let (text, upload, json) = match self {
            Self::Text(text) => (Some(text), None, None),
            Self::File(choice) => (Some(&choice.name), None, None),
            Self::Upload(upload) => (None, Some(upload), None),
            Self::Json(json) => (None, None, Some(json)),
            Self::None | Self::Fixed(_) => (None, None, None),
        };
        let parts = upload.into_iter().flat_map(|upload| upload.texts());
        text.into_iter().chain(parts).chain(json.into_iter().flat_map(|json| json.texts()))
    }
}
