//! [`Offline`]: answers without a network, for tests that give it any input.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::call::Call;
use super::config::Config;
use super::realm::Realm;
use super::reply::Reply;
use super::request::{Fields, Request, Version};
use super::routes;
use super::server::StartError;
use super::stats::Stats;

/// An identity API without connections.
#[derive(Debug)]
pub struct Offline {
    realm: Realm,
}

impl Offline {
    /// Fails if the system has no random bytes.
    pub fn new(config: Config) -> Result<Self, StartError> {
        let secret = getrandom::u64().map_err(StartError::Secret)?;
        let realm = Realm::new(config, None, secret, 1).map_err(|_| StartError::Key)?;
        Ok(Self { realm })
    }

    /// Answers a request that arrives so long after the start: the status, the fields and the body. Fields whose names
    /// or values are none are left out.
    pub fn answer(
        &self,
        now: Duration,
        (method, target): (&str, &str),
        fields: &[(&str, &[u8])],
        body: &[u8],
    ) -> (u16, Vec<(&'static str, String)>, Vec<u8>) {
        let mut map = HeaderMap::new();
        for (name, value) in fields {
            if let (Ok(name), Ok(value)) =
                (HeaderName::try_from(*name), HeaderValue::from_bytes(value))
            {
                map.append(name, value);
            }
        }
        let request = Request {
            method,
            target,
            version: Version::Http11,
            fields: Fields::new(&map, None),
            body,
            body_bytes: body.len() as u64,
        };
        let call = Call {
            realm: &self.realm,
            request,
            number: self.realm.number(),
            now,
            secured: false,
            login_fault: None,
            scim_fault: None,
        };
        let mut reply = Reply::new();
        routes::answer(&call, &mut reply);
        (reply.status, reply.fields, reply.body)
    }

    /// What was counted.
    pub fn stats(&self) -> Stats {
        self.realm.stats()
    }
}
