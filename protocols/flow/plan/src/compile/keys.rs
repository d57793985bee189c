//! The table `[keys]`, and the values that are made with keys and seeds: `jwt`, `hmac`, `totp`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_feed::Text;
use brunt_flow_driver::{KeyCertificate, KeyRef, Signed};
use brunt_flow_signing::{Algorithm, Claims, Digest, Key, Mac, Notation, Totp, UsedCodes};
use brunt_net::certificate::Certificate;
use brunt_net::keystore::Store;
use brunt_net::secret::Secret;

use super::environment::CompileEnvironment;
use super::hidden::constant;
use super::json;
use super::names::Names;
use super::one::one;
use crate::key_error::{KeyError, instead};
use crate::model::{self, Plan, Source};
use crate::path::KeyPath;
use crate::values::Node;

/// The lifetime of a JWT by default.
const LIFETIME: Duration = Duration::from_secs(60);
/// The period of one-time passwords by default (RFC 6238 section 4.1), and their digits.
const PERIOD: Duration = Duration::from_secs(30);
const DIGITS: u32 = 6;

/// The keys of a plan.
#[derive(Debug, Default)]
pub(super) struct Keys {
    by_name: BTreeMap<String, PlanKey>,
    /// Those that each user generates for itself, by number.
    own: Vec<(Algorithm, Option<String>)>,
    /// The certificates of those in files.
    certificates: Vec<KeyCertificate>,
    /// The one-time passwords that were used.
    used: Arc<UsedCodes>,
}

/// A key of a plan.
#[derive(Clone, Debug)]
pub(super) struct PlanKey {
    pub(super) key: KeyRef,
    algorithm: Algorithm,
    /// The secret, if it is one.
    secret: Option<Secret>,
}

impl PlanKey {
    /// Whether it has a public part.
    pub(super) const fn has_public(&self) -> bool {
        self.secret.is_none()
    }
}

impl Keys {
    /// Reads the keys of a plan.
    pub(super) fn new(plan: &Plan, environment: &CompileEnvironment<'_>) -> Result<Self, KeyError> {
        let mut keys = Self::default();
        for (name, given) in plan.keys.iter() {
            let at = KeyPath::new("keys").key(name);
            let key = keys.key((name, &at), given, environment)?;
            keys.by_name.insert(name.to_owned(), key);
        }
        Ok(keys)
    }

    /// Adds the public parts of the keys as variables.
    pub(super) fn publish(&self, names: &mut Names) {
        for (name, key) in self.by_name.iter().filter(|(_, key)| key.has_public()) {
            names.publish(format!("keys.{name}.jwk"), Signed::Jwk(key.key.clone()));
            names.publish(format!("keys.{name}.thumbprint"), Signed::Thumbprint(key.key.clone()));
        }
    }

    /// The algorithm of each key, by name.
    pub(super) fn algorithms(&self) -> Vec<(String, Algorithm)> {
        self.by_name.iter().map(|(name, key)| (name.clone(), key.algorithm)).collect()
    }

    /// The certificates of the keys that are in files.
    pub(super) fn certificates(&self) -> Vec<KeyCertificate> {
        self.certificates.clone()
    }

    /// The keys that each user generates for itself.
    pub(super) fn own(self) -> Vec<(Algorithm, Option<String>)> {
        self.own
    }

    /// The key with this name.
    pub(super) fn find(&self, at: &KeyPath, name: &str) -> Result<&PlanKey, KeyError> {
        self.by_name.get(name).ok_or_else(|| {
            let hint = instead(name, self.by_name.keys().map(String::as_str));
            KeyError::new(at, format!("names the key '{name}', which is not in [keys]{hint}"))
        })
    }

    fn key(
        &mut self,
        (name, at): (&str, &KeyPath),
        given: &model::Key,
        environment: &CompileEnvironment<'_>,
    ) -> Result<PlanKey, KeyError> {
        let kinds = [
            ("file", given.file.is_some()),
            ("secret", given.secret.is_some()),
            ("generate", given.generate.is_some()),
        ];
        let kind = one(at, &kinds, "where the key comes from")?;
        for (part, of, there) in [
            ("password", "file", given.password.is_some()),
            ("alias", "file", given.alias.is_some()),
        ] {
            if there && kind != of {
                let what = format!("belongs to '{of}', but this key has '{kind}'");
                return Err(KeyError::new(&at.key(part), what));
            }
        }
        let requested =
            given.algorithm.as_deref().map(|name| algorithm(&at.key("algorithm"), name));
        let requested = requested.transpose()?;
        let at = at.key(kind);
        let wrong =
            |error: &dyn std::fmt::Display| KeyError::new(&at, format!("cannot be used: {error}"));
        match given {
            model::Key { generate: Some(given_name), .. } => {
                let named = algorithm(&at, given_name)?;
                if requested.is_some_and(|requested| requested != named) {
                    let what = "is the algorithm already; leave 'algorithm' out";
                    return Err(KeyError::new(&at, what));
                }
                Key::generate(named).map_err(|error| wrong(&error))?;
                self.own.push((named, given.id.clone()));
                let key = KeyRef::Own(self.own.len() - 1);
                Ok(PlanKey { key, algorithm: named, secret: None })
            }
            model::Key { secret: Some(secret), .. } => {
                let secret = constant(&at, secret, environment)?;
                let key = Key::shared(&secret, requested).map_err(|error| wrong(&error))?;
                Ok(PlanKey { secret: Some(secret), ..shared(key, given) })
            }
            _ => {
                let path = given.file.as_deref().unwrap_or(Path::new(""));
                let (key, certificate) = of_file((name, &at), path, given, requested, environment)?;
                self.certificates.extend(certificate);
                Ok(shared(key, given))
            }
        }
    }

    /// The value that a variable has with a key or a seed.
    pub(super) fn signed(
        &self,
        at: &KeyPath,
        (kind, given): (&'static str, &Source),
        names: &mut Names,
    ) -> Result<Signed, KeyError> {
        let at_kind = at.key(kind);
        match given {
            Source { jwt: Some(claims), .. } => self.jwt(at, claims, given, names),
            Source { hmac: Some(message), .. } => {
                let message = names.plain(&at_kind, message)?;
                let key = self.needed(at, kind, given)?;
                let Some(secret) = &key.secret else {
                    let what =
                        "is no key of a secret, which 'hmac' needs: give it 'secret' in [keys]";
                    return Err(KeyError::new(&at.key("key"), what));
                };
                let notation = given.as_.map_or(Notation::Hex, |given| match given {
                    model::MacNotation::Hex => Notation::Hex,
                    model::MacNotation::Base64 => Notation::Base64,
                    model::MacNotation::Base64Url => Notation::Base64Url,
                });
                Ok(Signed::Mac {
                    message,
                    mac: Mac::new(secret, digest(given.algorithm, Digest::Sha256), notation),
                })
            }
            _ => {
                let seed = names.plain(&at_kind, given.totp.as_deref().unwrap_or_default())?;
                let digits = given.digits.unwrap_or(DIGITS);
                let period = given.period.map_or(PERIOD, |time| time.0);
                let totp = Totp::new(digest(given.algorithm, Digest::Sha1), digits, period);
                let totp = totp.map_err(|error| KeyError::new(at, format!("failed to {error}")))?;
                Ok(Signed::Code { seed, totp, used: Arc::clone(&self.used) })
            }
        }
    }

    fn jwt(
        &self,
        at: &KeyPath,
        claims: &Node,
        given: &Source,
        names: &mut Names,
    ) -> Result<Signed, KeyError> {
        let key = self.needed(at, "jwt", given)?.key.clone();
        let at = at.key("jwt");
        let Node::Object(members) = claims else {
            return Err(KeyError::new(&at, "is no table of claims, such as { iss = \"app\" }"));
        };
        let lacks = |name: &str| members.iter().all(|(known, _)| known != name);
        let lifetime = given.lifetime.map_or(LIFETIME, |time| time.0);
        if lifetime < Duration::from_secs(1) {
            return Err(KeyError::new(&at, "has a lifetime of less than 1s"));
        }
        if given.lifetime.is_some() && !lacks("exp") {
            let what =
                "has 'exp', and the variable has a 'lifetime': only one of them can be the end";
            return Err(KeyError::new(&at, what));
        }
        let adds = Claims {
            issued: lacks("iat"),
            lifetime: lacks("exp").then_some(lifetime),
            identified: lacks("jti"),
        };
        let claims: Text = json::text(&at, claims, names)?;
        Ok(Signed::Jwt { claims, key, adds })
    }

    /// The key that a value needs.
    fn needed(&self, at: &KeyPath, kind: &str, given: &Source) -> Result<&PlanKey, KeyError> {
        let Some(name) = given.key.as_deref() else {
            let what = format!("needs a key for '{kind}': add key = \"NAME\" of one in [keys]");
            return Err(KeyError::new(at, what));
        };
        self.find(&at.key("key"), name)
    }
}

fn shared(key: Key, given: &model::Key) -> PlanKey {
    let algorithm = key.algorithm();
    let key = KeyRef::Shared(Arc::new(key.with_id(given.id.clone())));
    PlanKey { key, algorithm, secret: None }
}

fn of_file(
    (name, at): (&str, &KeyPath),
    path: &Path,
    given: &model::Key,
    algorithm: Option<Algorithm>,
    environment: &CompileEnvironment<'_>,
) -> Result<(Key, Option<KeyCertificate>), KeyError> {
    let wrong = |error: &dyn std::fmt::Display| {
        KeyError::new(at, format!("names {}, which cannot be used: {error}", path.display()))
    };
    let full = environment.path(at, path)?;
    let bytes = environment.secret(at, path)?;
    if bytes.expose().trim_ascii_start().starts_with(b"{") {
        let key = Key::from_jwk(bytes.expose(), algorithm).map_err(|error| wrong(&error))?;
        return Ok((key, None));
    }
    let password = given.password.as_ref();
    let password =
        password.map(|hidden| constant(&at.key("password"), hidden, environment)).transpose()?;
    let store = Store { path: full, password };
    let found = store.private_key(given.alias.as_deref(), &environment.files());
    let (key, certificate) = found.map_err(|error| {
        KeyError::new(at, format!("names a file whose key cannot be used: failed to {error}"))
    })?;
    let key = Key::new(&key, certificate.as_ref(), algorithm).map_err(|error| wrong(&error))?;
    Ok((key, certificate.and_then(|der| valid(name, path, &der))))
}

/// When the certificate of a key is valid, if it can be read.
fn valid(key: &str, path: &Path, der: &[u8]) -> Option<KeyCertificate> {
    let read = Certificate::parse(der)?;
    let valid = (read.not_before().timestamp(), read.not_after().timestamp());
    Some(KeyCertificate { key: key.to_owned(), file: path.display().to_string(), valid })
}

fn algorithm(at: &KeyPath, name: &str) -> Result<Algorithm, KeyError> {
    name.parse().map_err(|error| KeyError::new(at, format!("failed to {error}")))
}

fn digest(given: Option<model::MacDigest>, usual: Digest) -> Digest {
    given.map_or(usual, |given| match given {
        model::MacDigest::Sha1 => Digest::Sha1,
        model::MacDigest::Sha256 => Digest::Sha256,
        model::MacDigest::Sha384 => Digest::Sha384,
        model::MacDigest::Sha512 => Digest::Sha512,
    })
}
