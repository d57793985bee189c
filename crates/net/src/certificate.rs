//! [`Certificate`]: what is read in an X.509 certificate, and [`chain`]: the issuers of one.
//!
//! It is the only module that names the parser, so that a certificate means the same to the trust in a server, to every
//! key store and to a token. Nothing here decides whether a certificate is trusted.

use std::fmt;

use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{ASN1Time, FromDer, X509Certificate};
use x509_parser::public_key::PublicKey;
use x509_parser::x509::SubjectPublicKeyInfo;

/// The longest chain that is followed.
const CHAIN_MAX: usize = 16;

/// A certificate that was parsed.
#[derive(Debug)]
pub struct Certificate<'a>(X509Certificate<'a>);

/// A moment in a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(ASN1Time);

/// The kind of a key in a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// RSA.
    Rsa,
    /// A point on the curve P-256.
    P256,
    /// A point on the curve P-384.
    P384,
    /// A point on the curve P-521.
    P521,
}

/// A public key of RSA, as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsaKey {
    /// The modulus, most significant octet first.
    pub modulus: Vec<u8>,
    /// The exponent.
    pub exponent: u64,
}

impl Date {
    /// Seconds since 1970.
    pub fn timestamp(self) -> i64 {
        self.0.timestamp()
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a> Certificate<'a> {
    /// Parses the certificate at the beginning of these bytes.
    pub fn parse(der: &'a [u8]) -> Option<Self> {
        X509Certificate::from_der(der).ok().map(|(_, parsed)| Self(parsed))
    }

    /// Whether the bytes are one certificate, and nothing else.
    pub fn is_all_of(bytes: &[u8]) -> bool {
        X509Certificate::from_der(bytes).is_ok_and(|(rest, _)| rest.is_empty())
    }

    /// The name of its owner.
    pub fn subject(&self) -> String {
        self.0.subject().to_string()
    }

    /// The name of its issuer.
    pub fn issuer(&self) -> String {
        self.0.issuer().to_string()
    }

    /// Whether its owner issued it.
    pub fn is_self_issued(&self) -> bool {
        self.0.subject() == self.0.issuer()
    }

    /// Whether its issuer has the name of the owner of `other`, however the two are encoded.
    pub fn names_as_issuer(&self, other: &Self) -> bool {
        let (issuer, subject) = (self.0.issuer(), other.0.subject());
        issuer.as_raw() == subject.as_raw() || issuer.to_string() == subject.to_string()
    }

    /// Whether it is that of an authority.
    pub fn is_of_authority(&self) -> bool {
        let constraints = self.0.basic_constraints().ok().flatten();
        constraints.is_some_and(|constraints| constraints.value.ca)
    }

    /// When it begins to be valid.
    pub fn not_before(&self) -> Date {
        Date(self.0.validity().not_before)
    }

    /// When it ends to be valid.
    pub fn not_after(&self) -> Date {
        Date(self.0.validity().not_after)
    }

    /// The hosts of its extension; `None` if it names no host there.
    pub fn alternative_names(&self) -> Option<Vec<String>> {
        let extension = self.0.subject_alternative_name().ok().flatten()?;
        let names = extension.value.general_names.iter().filter_map(|name| match name {
            GeneralName::DNSName(name) => Some((*name).to_owned()),
            GeneralName::IPAddress(octets) => Some(address(octets)),
            _ => None,
        });
        Some(names.collect()).filter(|names: &Vec<String>| !names.is_empty())
    }

    /// The common names of its owner.
    pub fn common_names(&self) -> impl Iterator<Item = &str> {
        self.0.subject().iter_common_name().filter_map(|name| name.as_str().ok())
    }

    /// The kind of its key, if it is one that is known here.
    pub fn key_kind(&self) -> Option<KeyKind> {
        let algorithm = &self.0.public_key().algorithm;
        let curve = || algorithm.parameters.as_ref()?.as_oid().ok().map(|oid| oid.to_id_string());
        match algorithm.algorithm.to_id_string().as_str() {
            "1.2.840.113549.1.1.1" => Some(KeyKind::Rsa),
            "1.2.840.10045.2.1" => match curve()?.as_str() {
                "1.2.840.10045.3.1.7" => Some(KeyKind::P256),
                "1.3.132.0.34" => Some(KeyKind::P384),
                "1.3.132.0.35" => Some(KeyKind::P521),
                _ => None,
            },
            _ => None,
        }
    }
}

impl RsaKey {
    /// Reads a `SubjectPublicKeyInfo`; `None` if it holds no RSA key.
    pub fn of_public_key(der: &[u8]) -> Option<Self> {
        let (_, key) = SubjectPublicKeyInfo::from_der(der).ok()?;
        let Ok(PublicKey::RSA(key)) = key.parsed() else { return None };
        Some(Self { modulus: key.modulus.to_vec(), exponent: key.try_exponent().ok()? })
    }
}

/// A certificate and its issuers among `all`, as far as they are there, each before its issuer.
pub fn chain<'a>(own: &'a [u8], all: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut chain = vec![own];
    while let Some(issuer) = chain.last().and_then(|last| issuer(last, all)) {
        if chain.len() == CHAIN_MAX || chain.contains(&issuer) {
            break;
        }
        chain.push(issuer);
    }
    chain
}

fn issuer<'a>(of: &[u8], all: &[&'a [u8]]) -> Option<&'a [u8]> {
    let of = Certificate::parse(of)?;
    let is_issuer = |one: &&[u8]| Certificate::parse(one).is_some_and(|it| of.names_as_issuer(&it));
    all.iter().copied().find(is_issuer)
}

fn address(octets: &[u8]) -> String {
    if let Ok(v4) = <[u8; 4]>::try_from(octets) {
        return std::net::Ipv4Addr::from(v4).to_string();
    }
    match <[u8; 16]>::try_from(octets) {
        Ok(v6) => std::net::Ipv6Addr::from(v6).to_string(),
        Err(_) => "a malformed address".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{
        BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair,
        PKCS_ECDSA_P384_SHA384,
    };

    fn params(name: &str, hosts: &[&str]) -> CertificateParams {
        let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
        let mut params = CertificateParams::new(hosts).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::OrganizationName, "Lab");
        params.distinguished_name.push(DnType::CommonName, name);
        params
    }

    fn authority(name: &str) -> CertificateParams {
        let mut params = params(name, &[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
    }

    #[test]
    fn certificate_chain_is_followed_to_its_root() {
        let key = || KeyPair::generate().unwrap();
        let root = CertifiedIssuer::self_signed(authority("root"), key()).unwrap();
        let middle = CertifiedIssuer::signed_by(authority("middle"), key(), &root).unwrap();
        let leaf = params("leaf", &["a.example", "192.0.2.7", "2001:db8::1"]);
        let leaf = leaf.signed_by(&key(), &middle).unwrap();
        let stranger = CertifiedIssuer::self_signed(authority("stranger"), key()).unwrap();
        let (root, middle, leaf, stranger): (&[u8], &[u8], &[u8], &[u8]) =
            (root.der(), middle.der(), leaf.der(), stranger.der());
        assert_eq!(chain(leaf, &[stranger, root, leaf, middle]), [leaf, middle, root]);
        assert_eq!(chain(leaf, &[stranger, root]), [leaf]);
        assert_eq!(chain(b"nothing", &[root]), [&b"nothing"[..]]);
        let (parsed, top) = (Certificate::parse(leaf).unwrap(), Certificate::parse(root).unwrap());
        assert_eq!(
            (parsed.subject(), parsed.issuer()),
            ("O=Lab, CN=leaf".into(), "O=Lab, CN=middle".into())
        );
        assert_eq!(parsed.common_names().collect::<Vec<_>>(), ["leaf"]);
        let hosts = ["a.example", "192.0.2.7", "2001:db8::1"].map(str::to_owned).to_vec();
        assert_eq!((parsed.alternative_names(), top.alternative_names()), (Some(hosts), None));
        assert!(parsed.not_before().timestamp() < parsed.not_after().timestamp());
        assert_eq!((parsed.is_of_authority(), top.is_of_authority()), (false, true));
        assert_eq!((parsed.is_self_issued(), top.is_self_issued()), (false, true));
    }

    #[test]
    fn certificate_key_type_is_read_and_trailing_bytes_refused() {
        for (key, kind) in [
            (KeyPair::generate().unwrap(), KeyKind::P256),
            (KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).unwrap(), KeyKind::P384),
        ] {
            let certificate = params("one", &[]).self_signed(&key).unwrap();
            let der: &[u8] = certificate.der();
            assert_eq!(Certificate::parse(der).unwrap().key_kind(), Some(kind));
            assert!(Certificate::is_all_of(der));
            assert!(!Certificate::is_all_of(&[der, b"x"].concat()));
            assert!(!Certificate::is_all_of(&der[1..]) && Certificate::parse(&der[1..]).is_none());
            assert_eq!(RsaKey::of_public_key(der), None);
        }
    }
}
