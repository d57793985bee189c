//! Keys, and what clients of identity servers sign with them: JWTs (RFC 7515, 7519, 7523), DPoP proofs (RFC 9449),
//! message authentication codes (RFC 2104) and one-time passwords (RFC 6238).
//!
//! All algorithms are those of `ring`. What is here is what stands around a signature: which algorithm a key can be
//! used with, and which text is signed. Keys never show their private part. Nothing here knows of plans, variables or
//! HTTP.

mod algorithm;
mod dpop;
mod jwk;
mod jws;
mod key;
mod mac;
mod random;
mod totp;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use dpop::{Proof, access_token_hash};
pub use jwk::JwkError;
pub use jws::{Claims, signed};
pub use key::{Key, KeyError};
pub use mac::{Digest, Mac, Notation};
pub use random::unique;
pub use totp::{CodeError, Seed, SeedError, Totp, UsedCodes};
