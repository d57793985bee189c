//! The keys with which values and requests are signed: the table `[keys]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Hidden;

/// Key that signs: exactly one of `file`, `secret` and `generate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Key {
    /// File with a private key: PEM, PKCS#12, JKS or JCEKS, or a JWK in JSON.
    pub file: Option<PathBuf>,
    /// Password of `file`.
    pub password: Option<Hidden>,
    /// Name of the key in `file`; by default the first.
    pub alias: Option<String>,
    /// Secret that the server has too.
    pub secret: Option<Hidden>,
    /// Algorithm of a new key, of which each user has its own: "ES256", "ES384" or "EdDSA".
    pub generate: Option<String>,
    /// Algorithm of the signatures (RFC 7518, RFC 8037): "RS256", "PS256", "ES256", "ES384", "EdDSA", "HS256" and so
    /// on; by default the usual one for the kind of key.
    pub algorithm: Option<String>,
    /// Identifier by which the server knows the key (`kid`).
    pub id: Option<String>,
}
