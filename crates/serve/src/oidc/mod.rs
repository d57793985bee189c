//! OpenID Connect for a relying party: the description of the provider, its keys, and the tokens that it signs.
//!
//! Nothing here opens a connection or reads a clock: the documents and the time are arguments. A provider is trusted to
//! authenticate people, and not to write correct documents.

mod claims;
mod keys;
#[cfg(test)]
pub(crate) mod made;
mod metadata;
mod reply;
mod token;

pub use claims::{Claims, ClaimsError};
pub use keys::{KeyError, Keys, KeysError};
pub use metadata::{Metadata, MetadataError, discovery, is_issuer};
pub use reply::{ReplyError, TokenReply, read_reply};
pub use token::{Expected, TokenError, verify, verify_logout};

/// The most characters of a provider's own words that are repeated.
const WORDS_MAX: usize = 200;

/// A provider's own words, bounded and on one line.
pub(crate) fn words(text: &str) -> String {
    let plain = text.chars().map(|one| if one.is_control() { ' ' } else { one });
    plain.take(WORDS_MAX).collect()
}
