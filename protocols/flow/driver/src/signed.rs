//! [`Signed`]: values that are made with a key or a seed: assertions, message authentication codes, one-time passwords.

use brunt_feed::{Text, Unfilled, Values, since_1970};
use brunt_flow_signing::{Claims, Key, Mac, Seed, SeedError, Totp, UsedCodes, signed};
use std::sync::Arc;
use std::time::Duration;

/// A value that is made with a key or a seed.
#[derive(Clone, Debug)]
pub enum Signed {
    /// A JWT.
    Jwt {
        /// Its claims, a JSON object.
        claims: Text,
        /// Who signs it.
        key: KeyRef,
        /// Claims that are added to them.
        adds: Claims,
    },
    /// A message authentication code.
    Mac {
        /// What it is made of.
        message: Text,
        /// How.
        mac: Mac,
    },
    /// A one-time password.
    Code {
        /// The seed, as text.
        seed: Text,
        /// How.
        totp: Totp,
        /// Those that were used, of all users.
        used: Arc<UsedCodes>,
    },
    /// The public part of a key, in JSON.
    Jwk(KeyRef),
    /// The thumbprint of the public part of a key.
    Thumbprint(KeyRef),
}

/// A key of the plan.
#[derive(Clone, Debug)]
pub enum KeyRef {
    /// The same for all users.
    Shared(Arc<Key>),
    /// One of those that each user generates, by number: see [`Flow::own_keys`](super::plan::Flow::own_keys).
    Own(usize),
}

impl KeyRef {
    /// The key, of a user who has these keys.
    pub(super) fn key<'a>(&'a self, own: &'a [Key]) -> Option<&'a Key> {
        match self {
            Self::Shared(key) => Some(key),
            Self::Own(number) => own.get(*number),
        }
    }
}

/// Why there is no value.
pub(super) enum Unsigned {
    /// A value that it is made of is missing.
    Unfilled(Unfilled),
    /// The seed of a one-time password cannot be read.
    Seed(SeedError),
}

impl From<Unfilled> for Unsigned {
    fn from(unfilled: Unfilled) -> Self {
        Self::Unfilled(unfilled)
    }
}

impl Signed {
    /// The texts it is made of.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        match self {
            Self::Jwt { claims: text, .. }
            | Self::Mac { message: text, .. }
            | Self::Code { seed: text, .. } => Some(text),
            Self::Jwk(_) | Self::Thumbprint(_) => None,
        }
        .into_iter()
    }

    /// Whether the value is a credential.
    pub const fn is_secret(&self) -> bool {
        matches!(self, Self::Jwt { .. } | Self::Mac { .. } | Self::Code { .. })
    }

    /// Writes the value, for a user who has these keys. `step` is the period whose one-time password was set aside.
    pub(super) fn write(
        &self,
        values: &Values,
        own: &[Key],
        step: Option<u64>,
        out: &mut Vec<u8>,
    ) -> Result<(), Unsigned> {
        match self {
            Self::Jwt { claims, key, adds } => {
                let mut object = Vec::new();
                claims.render(values, &mut object)?;
                let made = key.key(own).map(|key| signed(key, &object, *adds, since_1970()));
                out.extend_from_slice(made.unwrap_or_default().as_bytes());
            }
            Self::Mac { message, mac } => {
                let mut text = Vec::new();
                message.render(values, &mut text)?;
                out.extend_from_slice(mac.code(&text).as_bytes());
            }
            Self::Code { totp, used, .. } => {
                let seed = self.seed(values)?;
                let now = totp.step(since_1970());
                let step =
                    step.filter(|step| *step >= now).unwrap_or_else(|| used.take(&seed, now));
                out.extend_from_slice(totp.code(&seed, step).as_bytes());
            }
            Self::Jwk(key) => {
                let public = key.key(own).and_then(Key::published);
                out.extend_from_slice(public.unwrap_or_default().as_bytes());
            }
            Self::Thumbprint(key) => {
                let thumbprint = key.key(own).and_then(Key::thumbprint);
                out.extend_from_slice(thumbprint.unwrap_or_default().as_bytes());
            }
        }
        Ok(())
    }

    /// Sets the next one-time password aside for a moment that is this far away. Returns its period, and how long after
    /// that moment it begins.
    pub(super) fn set_aside(&self, values: &Values, ahead: Duration) -> Option<(u64, Duration)> {
        let Self::Code { totp, used, .. } = self else { return None };
        // The step that needs the password reports an unreadable seed.
        let seed = self.seed(values).ok()?;
        let then = since_1970() + ahead;
        let step = used.take(&seed, totp.step(then));
        Some((step, totp.wait_for(step, then)))
    }

    /// The seed of a one-time password.
    fn seed(&self, values: &Values) -> Result<Seed, Unsigned> {
        let mut bytes = Vec::new();
        for text in self.texts() {
            text.render(values, &mut bytes)?;
        }
        Seed::parse(&String::from_utf8_lossy(&bytes)).map_err(Unsigned::Seed)
    }

    /// Why it has no value for these values, as far as it is known without signing anything.
    pub fn seed_error(&self, values: &Values) -> Option<SeedError> {
        match (self, self.seed(values)) {
            (Self::Code { .. }, Err(Unsigned::Seed(error))) => Some(error),
            _ => None,
        }
    }
}
