//! The tables `[http]` and `[http.tls]`: converts them to the settings of connections.

use std::net::SocketAddr;

use brunt_http_driver::{CrossOrigin, Exceptions, Keep, Limits, Proxy, Resolve, Settings, Version};
use brunt_http_wire::FIELDS_MAX;
use brunt_net::keystore::Store;
use brunt_net::secret::Secret;
use brunt_net::source::Sources;
use brunt_net::tcp;
use brunt_net::tls::{self, Identity, Resume, Trust};

use super::environment::CompileEnvironment;
use super::hidden::constant;
use super::load::CONNECT;
use super::token::is_token;
use crate::key_error::KeyError;
use crate::model::{Close, Hidden, Http, HttpLimits, HttpVersion, Tls, TlsVersion};
use crate::path::KeyPath;

/// The settings of HTTP connections.
pub(super) fn network(
    http: &Http,
    seed: u64,
    environment: &CompileEnvironment<'_>,
) -> Result<Settings, KeyError> {
    let at = KeyPath::new("http");
    let positive = |key: &str, given: Option<u64>| match given {
        Some(0) => Err(KeyError::new(
            &at.key(key),
            "is 0, but must be at least 1; leave it out for the default",
        )),
        _ => Ok(()),
    };
    positive("requests-per-connection", http.requests_per_connection)?;
    positive("streams", http.streams.map(u64::from))?;
    if http.streams.is_some() && http.version.unwrap_or_default() == HttpVersion::Http1 {
        return Err(KeyError::new(
            &at.key("streams"),
            "needs HTTP/2: set http.version to \"2\" or \"auto\"",
        ));
    }
    let secure =
        http.base.as_deref().is_none_or(|base| base.to_ascii_lowercase().starts_with("https"));
    let tls =
        http.tls.as_deref().map(|tls| options(tls, &at.key("tls"), environment)).transpose()?;
    if http.unix.is_some() && http.proxy.is_some() {
        return Err(KeyError::new(
            &at.key("unix"),
            "cannot be used with 'proxy': only one of them can be the connection's destination",
        ));
    }
    Ok(Settings {
        version: match http.version.unwrap_or_default() {
            HttpVersion::Http1 => Version::Http1,
            HttpVersion::Http2 if secure => Version::Http2,
            HttpVersion::Http2 => Version::Http2PriorKnowledge,
            HttpVersion::Auto => Version::Negotiate,
        },
        dialing: tcp::Options {
            sources: sources(http, &at)?,
            timeout: Some(http.connect_timeout.map_or(CONNECT, |time| time.0)),
            close: match http.close.unwrap_or_default() {
                Close::Fin => tcp::Close::Fin,
                Close::Reset => tcp::Close::Reset,
            },
        },
        proxy: proxy(http, tls.as_ref(), &at, environment)?,
        unix: http.unix.as_ref().map(|path| environment.path(&at.key("unix"), path)).transpose()?,
        tls,
        keep: http.requests_per_connection.map_or(Keep::Alive, Keep::Requests),
        resend: http.resend.unwrap_or_default().into(),
        streams: http.streams.unwrap_or(1),
        redirects: http.redirects.unwrap_or(0),
        cross_origin: cross_origin(http, &at)?,
        // Known when all URLs of the plan are.
        origins: Vec::new(),
        cookies: http.cookies.unwrap_or(false),
        decompress: http.compression.unwrap_or(false),
        resolve: resolve(http, &at.key("resolve"))?,
        limits: limits(http.limits.as_ref(), &at.key("limits"))?,
        seed,
    })
}

/// What may be sent to other origins after a redirect.
fn cross_origin(http: &Http, at: &KeyPath) -> Result<CrossOrigin, KeyError> {
    let given = [
        ("redirect-headers", !http.redirect_headers.is_empty()),
        ("redirect-body", http.redirect_body.is_some()),
    ];
    if let Some((key, _)) = given.into_iter().find(|(_, given)| *given)
        && http.redirects.unwrap_or(0) == 0
    {
        return Err(KeyError::new(
            &at.key(key),
            "belongs to 'redirects', which is 0: set it to the number of redirects to follow",
        ));
    }
    for (index, name) in http.redirect_headers.iter().enumerate() {
        if name.is_empty() || !name.bytes().all(is_token) {
            let what = format!("\"{name}\" is not a valid header name");
            return Err(KeyError::new(&at.key("redirect-headers").index(index), what));
        }
        if name.eq_ignore_ascii_case("host") {
            let what = "'Host' names the first origin, and cannot be sent to another";
            return Err(KeyError::new(&at.key("redirect-headers").index(index), what));
        }
    }
    let (fields, body) = (http.redirect_headers.clone(), http.redirect_body.unwrap_or(false));
    Ok(CrossOrigin { fields, body })
}

fn sources(http: &Http, at: &KeyPath) -> Result<Sources, KeyError> {
    let Some(text) = &http.source_ips else { return Ok(Sources::default()) };
    text.parse().map_err(|error| KeyError::new(&at.key("source-ips"), format!("failed to {error}")))
}

fn proxy(
    http: &Http,
    tls: Option<&tls::Options>,
    at: &KeyPath,
    environment: &CompileEnvironment<'_>,
) -> Result<Option<Proxy>, KeyError> {
    let Some(text) = &http.proxy else {
        let left =
            [("no-proxy", http.no_proxy.is_some()), ("proxy-login", http.proxy_login.is_some())];
        return match left.into_iter().find(|(_, given)| *given) {
            None => Ok(None),
            Some((key, _)) => {
                Err(KeyError::new(&at.key(key), "belongs to 'proxy', which is missing"))
            }
        };
    };
    let at_key = at.key("proxy");
    let mut proxy: Proxy =
        text.parse().map_err(|error| KeyError::new(&at_key, format!("failed to {error}")))?;
    if proxy.credentials.is_some() {
        return Err(KeyError::new(
            &at_key,
            "contains a user or a password; give them as 'proxy-login'",
        ));
    }
    if let Some(except) = &http.no_proxy {
        proxy.except = except.parse::<Exceptions>().unwrap_or_else(|never| match never {});
    }
    if let Some(login) = &http.proxy_login {
        let at = at.key("proxy-login");
        let password = constant(&at.key("password"), &login.password, environment)?;
        let both = [login.user.as_bytes(), b":", password.expose()].concat();
        proxy.credentials = Some(Secret::new(both));
    }
    proxy.tls = tls.cloned();
    Ok(Some(proxy))
}

fn resolve(http: &Http, at: &KeyPath) -> Result<Vec<Resolve>, KeyError> {
    let read = |(place, to): (&str, &String)| {
        let at = at.key(place);
        let wrong = |what: &str| {
            KeyError::new(
                &at,
                format!("{what}; write it as \"id.example.com:443\" = \"127.0.0.1:8443\""),
            )
        };
        let (host, port) = place.rsplit_once(':').ok_or_else(|| wrong("names no port"))?;
        let port = port.parse().map_err(|_| wrong("names no port"))?;
        let to: SocketAddr = to.parse().map_err(|_| {
            wrong(&format!("leads to \"{to}\", which is not an address with a port"))
        })?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Resolve { host, port, to })
    };
    http.resolve.iter().map(read).collect()
}

fn limits(given: Option<&HttpLimits>, at: &KeyPath) -> Result<Limits, KeyError> {
    let usual = Limits::default();
    let Some(given) = given else { return Ok(usual) };
    if let Some(fields) = given.fields
        && !(1..=FIELDS_MAX as u32).contains(&fields)
    {
        let what = format!("is {fields}, but must be from 1 to {FIELDS_MAX}");
        return Err(KeyError::new(&at.key("fields"), what));
    }
    Ok(Limits {
        head: given.head.map_or(usual.head, |size| size.0 as usize),
        fields: given.fields.map_or(usual.fields, |count| count as usize),
        body_kept: given.body_kept.map_or(usual.body_kept, |size| size.0 as usize),
        body: given.body.map_or(usual.body, |size| size.0),
    })
}

/// How a connection is secured.
pub(super) fn options(
    given: &Tls,
    at: &KeyPath,
    environment: &CompileEnvironment<'_>,
) -> Result<tls::Options, KeyError> {
    if given.insecure == Some(true) && given.ca.is_some() {
        let what = "cannot be used with 'ca': if any certificate is trusted, no CA is checked";
        return Err(KeyError::new(&at.key("insecure"), what));
    }
    for (key, there, of, other) in [
        ("key", given.key.is_some(), "cert", given.cert.is_some()),
        ("alias", given.alias.is_some(), "cert", given.cert.is_some()),
        ("password", given.password.is_some(), "cert", given.cert.is_some()),
        ("ca-password", given.ca_password.is_some(), "ca", given.ca.is_some()),
    ] {
        if there && !other {
            return Err(KeyError::new(
                &at.key(key),
                format!("belongs to '{of}', which is missing"),
            ));
        }
    }
    let version = |given: TlsVersion| match given {
        TlsVersion::Tls12 => tls::Version::Tls12,
        TlsVersion::Tls13 => tls::Version::Tls13,
    };
    let usual = tls::Options::default();
    let lowest = given.lowest.map_or(usual.lowest, version);
    let highest = given.highest.map_or(usual.highest, version);
    if lowest > highest {
        return Err(KeyError::new(&at.key("lowest"), "is higher than the highest version"));
    }
    let password = |key: &str, given: &Option<Hidden>| match given {
        None => Ok(None),
        Some(given) => constant(&at.key(key), given, environment).map(Some),
    };
    let trust = match &given.ca {
        _ if given.insecure == Some(true) => Trust::Anything,
        None => Trust::System,
        Some(path) => {
            let password = password("ca-password", &given.ca_password)?;
            Trust::Stores(vec![Store { path: environment.path(&at.key("ca"), path)?, password }])
        }
    };
    let password = password("password", &given.password)?;
    let identity = |path| {
        let store = Store { path: environment.path(&at.key("cert"), path)?, password };
        Ok(match &given.key {
            None => Identity::Store { store, alias: given.alias.clone() },
            Some(key) => {
                Identity::Pair { certificate: store, key: environment.path(&at.key("key"), key)? }
            }
        })
    };
    let identity = given.cert.as_deref().map(identity).transpose()?;
    Ok(tls::Options {
        trust,
        identity,
        name: given.server_name.clone(),
        lowest,
        highest,
        ciphers: given.ciphers.clone(),
        resume: if given.resume == Some(false) { Resume::Never } else { Resume::Always },
        alpn: Vec::new(),
    })
}
