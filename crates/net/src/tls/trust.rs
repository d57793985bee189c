//! [`Trust`]: which certificates of servers are trusted, and the verification.
//!
//! The chain and the signatures are checked by webpki. Three things are added, each because the tools this replaces do
//! it: a certificate that is itself in the trust store is trusted even if it is that of an authority (webpki refuses
//! these as server certificates); a certificate that names no host in its extension is checked by its common name (RFC
//! 4513 section 3.1.3.1, and what `keytool` makes by default); and a refusal names the certificate, its issuer or its
//! names, and the remedy.

use super::TlsError;
use crate::certificate::{Certificate, Date};
use crate::keystore::Store;
use brunt_feed::Files;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};
use std::sync::Arc;

/// Which certificates of a server are trusted.
#[derive(Clone, Debug)]
pub enum Trust {
    /// All: any certificate is accepted, whatever its name, dates and issuer. The server must still prove that it has
    /// the key.
    Anything,
    /// Those issued by the authorities that this machine trusts.
    System,
    /// Those issued by, or contained in, the certificates of these stores.
    Stores(Vec<Store>),
}

/// Why a certificate was refused, as text.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(
        "no certificate that is trusted ({trusted}) issued that of the server ({subject}, issued by {issuer}); \
         add the issuer's certificate to the trust store"
    )]
    UnknownIssuer { trusted: String, subject: String, issuer: String },
    #[error(
        "the server's certificate ({subject}) is self-signed and not trusted; if it is the right \
         one, trust its file (--cacert or --ca, in a plan tls.ca), or do not verify it (--insecure, in a plan \
         tls.insecure)"
    )]
    SelfSigned { subject: String },
    #[error(
        "the server presents the certificate of an authority ({subject}) as its own; if it is the right one, trust \
         its file (--cacert or --ca, in a plan tls.ca), or do not verify it (--insecure, in a plan tls.insecure)"
    )]
    Authority { subject: String },
    #[error("the server's certificate ({subject}) expired on {on}; the server needs a new one")]
    Expired { subject: String, on: Date },
    #[error("the server's certificate ({subject}) is valid from {from} only; compare the clocks")]
    NotYetValid { subject: String, from: Date },
    #[error(
        "the server's certificate is for {presented}, not for {expected}; \
         connect by a name it has (--tls-name of the LDAP tools names another to check)"
    )]
    Name { expected: String, presented: String },
}

/// The verifier for `trust`.
pub(super) fn verifier(
    (trust, files): (&Trust, &Files),
    provider: &CryptoProvider,
) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
    let anchors = match trust {
        Trust::Anything => None,
        Trust::System => Some(Anchors::of_system()?),
        Trust::Stores(stores) => Some(Anchors::of_stores(stores, files)?),
    };
    Ok(Arc::new(Verifier { anchors, algorithms: provider.signature_verification_algorithms }))
}

/// What is trusted.
#[derive(Debug)]
struct Anchors {
    roots: RootCertStore,
    /// The certificates themselves, compared with those that servers present.
    pinned: Vec<CertificateDer<'static>>,
    words: String,
}

impl Anchors {
    fn of_system() -> Result<Self, TlsError> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (usable, _) = roots.add_parsable_certificates(found.certs);
        if usable == 0 {
            let why = found
                .errors
                .first()
                .map_or_else(|| "there are none".to_owned(), ToString::to_string);
            return Err(TlsError::NoSystemRoots(why));
        }
        Ok(Self {
            roots,
            pinned: Vec::new(),
            words: format!("{usable} of this machine's authorities"),
        })
    }

    /// Certificates that webpki cannot use as an authority are skipped, as long as one of each store is usable.
    fn of_stores(stores: &[Store], files: &Files) -> Result<Self, TlsError> {
        let mut anchors =
            Self { roots: RootCertStore::empty(), pinned: Vec::new(), words: String::new() };
        let mut words = Vec::new();
        for store in stores {
            let before = anchors.pinned.len();
            let mut complaint = None;
            for certificate in store.certificates(files)? {
                match anchors.roots.add(certificate.clone()) {
                    Ok(()) => anchors.pinned.push(certificate),
                    Err(why) => complaint = complaint.or(Some(why)),
                }
            }
            let usable = anchors.pinned.len() - before;
            match complaint {
                Some(why) if usable == 0 => {
                    return Err(TlsError::Unusable { path: store.path.clone(), why });
                }
                _ => {}
            }
            words.push(format!("{usable} in {}", store.path.display()));
        }
        anchors.words = words.join(", ");
        Ok(anchors)
    }
}

/// Checks that the server has the key of the certificate that it presents and, unless any certificate is trusted,
/// everything else.
#[derive(Debug)]
struct Verifier {
    anchors: Option<Anchors>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(anchors) = &self.anchors else { return Ok(ServerCertVerified::assertion()) };
        let parsed = ParsedCertificate::try_from(end_entity)?;
        let certificate = Certificate::parse(end_entity)
            .ok_or_else(|| Error::from(CertificateError::BadEncoding))?;
        check_dates(&certificate, now)?;
        if !anchors.pinned.iter().any(|pinned| pinned == end_entity) {
            verify_server_cert_signed_by_trust_anchor(
                &parsed,
                &anchors.roots,
                intermediates,
                now,
                self.algorithms.all,
            )
            .map_err(|error| anchors.explain(error, &certificate))?;
        }
        check_name(&parsed, &certificate, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl Anchors {
    /// Explains why webpki refused a certificate.
    fn explain(&self, error: Error, certificate: &Certificate<'_>) -> Error {
        let subject = certificate.subject();
        match error {
            // The certificates that `openssl req -x509` makes by default are their own authority, and webpki reports no
            // more than that.
            Error::InvalidCertificate(_) if certificate.is_self_issued() => {
                refused(Refusal::SelfSigned { subject })
            }
            Error::InvalidCertificate(CertificateError::Other(_))
                if certificate.is_of_authority() =>
            {
                refused(Refusal::Authority { subject })
            }
            Error::InvalidCertificate(
                CertificateError::UnknownIssuer | CertificateError::BadSignature,
            ) => refused(Refusal::UnknownIssuer {
                trusted: self.words.clone(),
                subject,
                issuer: certificate.issuer(),
            }),
            other => other,
        }
    }
}

fn refused(refusal: Refusal) -> Error {
    Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(refusal))))
}

fn check_dates(certificate: &Certificate<'_>, now: UnixTime) -> Result<(), Error> {
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let [from, on] = [certificate.not_before(), certificate.not_after()];
    if now > on.timestamp() {
        return Err(refused(Refusal::Expired { subject: certificate.subject(), on }));
    }
    if now < from.timestamp() {
        return Err(refused(Refusal::NotYetValid { subject: certificate.subject(), from }));
    }
    Ok(())
}

fn check_name(
    parsed: &ParsedCertificate<'_>,
    certificate: &Certificate<'_>,
    expected: &ServerName<'_>,
) -> Result<(), Error> {
    let names = certificate.alternative_names();
    let fits = match (&names, expected) {
        (None, ServerName::DnsName(expected)) => {
            certificate.common_names().any(|pattern| fits_pattern(pattern, expected.as_ref()))
        }
        _ => verify_server_name(parsed, expected).is_ok(),
    };
    if fits {
        return Ok(());
    }
    let names = names.unwrap_or_else(|| certificate.common_names().map(str::to_owned).collect());
    let presented = if names.is_empty() { "no host at all".to_owned() } else { names.join(", ") };
    Err(refused(Refusal::Name { expected: expected.to_str().into_owned(), presented }))
}

/// Whether a host matches a name whose leftmost label may be `*` (RFC 6125 section 6.4.3).
fn fits_pattern(pattern: &str, host: &str) -> bool {
    let host = host.trim_end_matches('.');
    match pattern.strip_prefix("*.") {
        None => pattern.eq_ignore_ascii_case(host),
        Some(parent) => {
            parent.contains('.')
                && host.split_once('.').is_some_and(|(label, rest)| {
                    !label.is_empty() && rest.eq_ignore_ascii_case(parent)
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error for a server that presents a certificate that is an authority or not, and is issued by itself or by
    /// another.
    fn error_text(authority: bool, itself: bool) -> String {
        use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
        let made = |name: &str, authority: bool| {
            let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
            params.distinguished_name.push(DnType::CommonName, name);
            params.is_ca = if authority {
                IsCa::Ca(BasicConstraints::Unconstrained)
            } else {
                IsCa::ExplicitNoCa
            };
            (params, KeyPair::generate().unwrap())
        };
        let (params, key) = made("server", authority);
        let (root, root_key) = made("root", true);
        let mut roots = RootCertStore::empty();
        roots.add(root.self_signed(&root_key).unwrap().der().clone()).unwrap();
        let shown = if itself {
            params.self_signed(&key).unwrap()
        } else {
            params.signed_by(&key, &Issuer::new(root, root_key)).unwrap()
        };
        let anchors = Anchors { roots, pinned: Vec::new(), words: "1".to_owned() };
        let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        let name = ServerName::try_from("localhost").unwrap();
        let checked = Verifier { anchors: Some(anchors), algorithms };
        let verdict = checked.verify_server_cert(shown.der(), &[], &name, &[], UnixTime::now());
        match verdict {
            Ok(_) => "fine".to_owned(),
            Err(Error::InvalidCertificate(CertificateError::Other(other))) => other.0.to_string(),
            Err(other) => other.to_string(),
        }
    }

    #[test]
    fn self_signed_certificate_error_names_both_remedies() {
        for authority in [true, false] {
            let words = error_text(authority, true);
            assert!(words.contains("CN=server") && words.contains("self-signed"), "{words}");
            assert!(words.contains("--cacert") && words.contains("--insecure"), "{words}");
        }
        let words = error_text(true, false);
        assert!(words.contains("of an authority") && words.contains("--cacert"), "{words}");
        assert_eq!(error_text(false, false), "fine");
    }

    #[test]
    fn wildcard_matches_one_leftmost_label() {
        assert!(fits_pattern("ldap.example.com", "LDAP.example.com."));
        assert!(fits_pattern("*.example.com", "ldap.example.com"));
        for (pattern, host) in [
            ("*.example.com", "example.com"),
            ("*.example.com", "a.b.example.com"),
            ("*.com", "example.com"),
            ("l*.example.com", "ldap.example.com"),
            ("ldap.example.com", "ldap2.example.com"),
            ("*.example.com", ".example.com"),
        ] {
            assert!(!fits_pattern(pattern, host), "{pattern} {host}");
        }
    }
}
