//! The certificate authority of a cluster, and certificates signed by it.
//!
//! The authority serves this cluster only: a party that trusts it trusts only the broker and its clients. A client
//! certificate is not valid for a server, so an agent cannot impersonate the broker.

use std::path::Path;

use jiff::civil::Date;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use zeroize::Zeroizing;

use super::{KeysError, Wanted, files};

/// The party that a certificate is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum CertificateSubject<'a> {
    /// The broker, reached by these names and addresses.
    Server(&'a [String]),
    /// A client of the broker.
    Client(&'a str),
}

/// The certificate authority.
pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    from: Date,
    until: Date,
}

impl Authority {
    /// The authority of a directory, made if the directory has none.
    pub(super) fn new(directory: &Path, wanted: &Wanted) -> Result<Self, KeysError> {
        let (certificate, key) = (directory.join("ca.pem"), directory.join("ca.key"));
        let params = authority();
        if !certificate.exists() || !key.exists() {
            let pair = KeyPair::generate().map_err(failed("the authority"))?;
            let mut signed = params.clone();
            lasting(&mut signed, wanted.from, wanted.until);
            let made = signed.self_signed(&pair).map_err(failed("the authority"))?;
            files::write(&key, Zeroizing::new(pair.serialize_pem()).as_bytes())?;
            files::write(&certificate, made.pem().as_bytes())?;
        }
        let text = Zeroizing::new(files::read(&key)?);
        let pair = KeyPair::from_pem(&text).map_err(|_| KeysError::Foreign(key))?;
        Ok(Self {
            issuer: Issuer::new(params, pair),
            pem: files::read(&certificate)?,
            from: wanted.from,
            until: wanted.until,
        })
    }

    /// Writes a certificate and its key, and the authority's certificate beside them, unless they exist.
    pub(super) fn issue(
        &self,
        place: &Path,
        name: &str,
        party: &CertificateSubject<'_>,
    ) -> Result<(), KeysError> {
        files::write(&place.join("ca.pem"), self.pem.as_bytes())?;
        let path = |kind: &str| place.join(format!("{name}.{kind}"));
        if path("pem").exists() && path("key").exists() {
            return Ok(());
        }
        let (whose, params) = match party {
            CertificateSubject::Server(hosts) => ("the broker", server(hosts)),
            CertificateSubject::Client(name) => (*name, client(name)),
        };
        let mut params = params.map_err(failed(whose))?;
        lasting(&mut params, self.from, self.until);
        params.use_authority_key_identifier_extension = true;
        let pair = KeyPair::generate().map_err(failed(whose))?;
        let made = params.signed_by(&pair, &self.issuer).map_err(failed(whose))?;
        files::write(&path("key"), Zeroizing::new(pair.serialize_pem()).as_bytes())?;
        files::write(&path("pem"), made.pem().as_bytes())
    }
}

fn failed(name: &str) -> impl FnOnce(rcgen::Error) -> KeysError {
    let name = name.to_owned();
    move |source| KeysError::Certificate { name, source }
}

/// The parameters of the authority, by which a later call recognises it: its name, and what it may sign.
fn authority() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = named("brunt cluster");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn server(hosts: &[String]) -> Result<CertificateParams, rcgen::Error> {
    let mut names = hosts.to_vec();
    // People test the broker on its own machine.
    for local in ["localhost", "127.0.0.1", "::1"] {
        if !names.iter().any(|name| name == local) {
            names.push(local.to_owned());
        }
    }
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = named("brunt broker");
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok(params)
}

fn client(name: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name = named(name);
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    Ok(params)
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

/// Sets the first and last day of validity, each from its midnight in UTC.
fn lasting(params: &mut CertificateParams, from: Date, until: Date) {
    let [begin, end] = [from, until].map(|day| {
        let (month, of_month) = (day.month().unsigned_abs(), day.day().unsigned_abs());
        date_time_ymd(i32::from(day.year()), month, of_month)
    });
    (params.not_before, params.not_after) = (begin, end);
}
