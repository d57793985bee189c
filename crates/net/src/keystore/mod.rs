//! [`Store`]: a file with certificates, and possibly keys, in any common format.
//!
//! The format is detected from the bytes and not from the option that named the file: since Java 9 a "JKS" file is
//! often PKCS#12 (JEP 229), and Java opens both under either name. Files are not trusted: every length is checked
//! against the bytes present, and every work factor is limited. It must not depend on how the certificates are used.

mod jceks;
mod jks;
mod old_pem;
mod pem;
mod pkcs12;
mod reader;

use crate::certificate::Certificate;
use crate::secret::Secret;
use brunt_feed::files::{Files, Kind};
use pkcs8::der::asn1::AnyRef;
use pkcs8::der::{Reader as _, SliceReader, Tag, Tagged as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The largest file that is read. The largest bundles of authorities are under 1 MiB.
const FILE_MAX: u64 = 16 << 20;
/// The most files that a directory of certificates may contain.
const FILES_MAX: usize = 10_000;
/// The most rounds of a key derivation. Java itself refuses more than 5,000,000.
const ROUNDS_MAX: u32 = 5_000_000;

/// A key store or trust store, by file name.
#[derive(Clone, Debug)]
pub struct Store {
    /// A file, or a directory of PEM or DER certificates.
    pub path: PathBuf,
    /// The password of the store and of the keys in it.
    pub password: Option<Secret>,
}

/// The content of a store.
#[derive(Debug, Default)]
pub struct Contents {
    path: PathBuf,
    keys: Vec<KeyEntry>,
    trusted: Vec<CertificateDer<'static>>,
}

/// A certificate chain and its key.
#[derive(Debug)]
pub struct Identity {
    /// The name of the entry.
    pub alias: String,
    /// The certificates, the key's own first.
    pub chain: Vec<CertificateDer<'static>>,
    /// The private key.
    pub key: PrivateKeyDer<'static>,
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be read.
    #[error("read the store {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The file or directory is too large for a store.
    #[error(
        "read the store {path}: it is larger than 16 MiB, or a directory of more than {FILES_MAX} files"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// None of the formats.
    #[error(
        "open {path}: it is no JKS, JCEKS, PKCS#12, PEM or DER file (it starts with {start}); \
         was another file meant?"
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// Its first bytes in hexadecimal.
        start: String,
    },
    /// The password is wrong.
    #[error("open the {format} store {path}: the password is wrong, or the file was tampered with")]
    Password {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: &'static str,
    },
    /// A password is needed, and none was given.
    #[error("open the {format} store {path}: it needs a password and none is given")]
    PasswordMissing {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: &'static str,
    },
    /// The format was recognised, but the content is damaged.
    #[error("understand the {format} store {path}: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// The store has keys, but none with this name.
    #[error("find the key '{alias}' in {path}: the keys there are {known:?}")]
    NoSuchAlias {
        /// The file.
        path: PathBuf,
        /// The requested name.
        alias: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The store has no key at all.
    #[error(
        "find a private key in {path}: it holds {certificates} certificate(s) and no key; was the trust store meant?"
    )]
    NoKey {
        /// The file.
        path: PathBuf,
        /// How many certificates it has.
        certificates: usize,
    },
    /// A key without its certificate.
    #[error("use the key '{alias}' in {path}: the store has no certificate for it")]
    NoChain {
        /// The file.
        path: PathBuf,
        /// The key.
        alias: String,
    },
    /// The store opened, but the key did not.
    #[error("unlock the key '{alias}' in {path}: {what}")]
    Key {
        /// The file.
        path: PathBuf,
        /// The key.
        alias: String,
        /// What is wrong.
        what: KeyError,
    },
    /// A trust store without a certificate.
    #[error("find a certificate to trust in {path}: there is none")]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
}

/// Why a key cannot be unlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The password of the store is not that of the key.
    #[error(
        "the password is not that of the key; give the key the password of its store (keytool -keypasswd)"
    )]
    Password,
    /// The key is encrypted, and there is no password.
    #[error("it is encrypted and no password is given")]
    PasswordMissing,
    /// An encryption that is not supported for the format.
    #[error("its encryption is not supported; convert the store to PKCS#12")]
    Unsupported,
    /// A work factor that is too large.
    #[error("its key derivation asks for more than {ROUNDS_MAX} rounds")]
    Rounds,
    /// The bytes are damaged.
    #[error("it is damaged")]
    Damaged,
}

/// A key in the store, still encrypted if the format encrypts keys one by one.
#[derive(Debug)]
struct KeyEntry {
    alias: String,
    chain: Vec<CertificateDer<'static>>,
    key: Locked,
}

/// The key of an entry.
enum Locked {
    /// Unlocked with the store, PKCS#8.
    Open(Zeroizing<Vec<u8>>),
    /// Not encrypted, in the form that the PEM file names.
    OpenPem(PrivateKeyDer<'static>),
    /// An `EncryptedPrivateKeyInfo` under one of Java's own algorithms.
    Java(Vec<u8>),
    /// An `EncryptedPrivateKeyInfo` under PKCS#5 or PKCS#12.
    Pkcs5(Vec<u8>),
    /// Encrypted in OpenSSL's old way.
    OldPem(old_pem::OldKey),
}

impl std::fmt::Debug for Locked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Locked(..)")
    }
}

/// An error found by the parser of one format; [`Store::open`] adds the path and the format.
#[derive(Debug)]
enum Wrong {
    Password,
    PasswordMissing,
    Damaged(String),
}

impl Store {
    /// Reads and parses the file. Keys stay encrypted until one is chosen.
    pub fn open(&self, files: &Files) -> Result<Contents, StoreError> {
        let metadata = std::fs::metadata(&self.path).map_err(|error| self.unread(error))?;
        if metadata.is_dir() {
            self.open_directory(files)
        } else {
            self.open_file(&self.path, files)
        }
    }

    fn open_directory(&self, files: &Files) -> Result<Contents, StoreError> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path).map_err(|error| self.unread(error))? {
            let path = entry.map_err(|error| self.unread(error))?.path();
            // OpenSSL's hash links (5ed36f99.0) are in the same directory as the files they point to.
            if path
                .extension()
                .is_some_and(|end| ["pem", "crt", "cer", "der"].iter().any(|known| end == *known))
            {
                names.push(path);
            }
            if names.len() > FILES_MAX {
                return Err(StoreError::TooLarge { path: self.path.clone() });
            }
        }
        names.sort();
        let mut all = Contents { path: self.path.clone(), ..Contents::default() };
        for name in &names {
            let one = self.open_file(name, files)?;
            all.keys.extend(one.keys);
            all.trusted.extend(one.trusted);
        }
        Ok(all)
    }

    fn open_file(&self, path: &Path, files: &Files) -> Result<Contents, StoreError> {
        let bytes = bounded(path, files.open(path))?;
        let password = self.password.as_ref();
        let (format, opened) = match bytes.as_slice() {
            [0xfe, 0xed, 0xfe, 0xed, ..] => ("JKS", jks::open(&bytes, password)),
            [0xce, 0xce, 0xce, 0xce, ..] => ("JCEKS", jks::open(&bytes, password)),
            // PFX starts with its version, a certificate with the sequence that is signed.
            [0x30, ..] if pkcs12::is_pfx(&bytes) => ("PKCS#12", pkcs12::open(&bytes, password)),
            [0x30, ..] if Certificate::is_all_of(&bytes) => {
                ("DER", Ok(pem::one_certificate(&bytes)))
            }
            _ if pem::is_pem(&bytes) => ("PEM", pem::open(&bytes)),
            _ => {
                let start = bytes
                    .iter()
                    .take(8)
                    .map(|byte| format!("{byte:02x}"))
                    .collect::<Vec<_>>()
                    .join(" ");
                let start = if start.is_empty() { "nothing at all".to_owned() } else { start };
                return Err(StoreError::NotAStore { path: path.to_owned(), start });
            }
        };
        let contents = Self::understood(path, format, opened)?;
        if !contents.keys.is_empty() {
            files.remember(path, Kind::Secret);
        }
        Ok(contents)
    }

    fn understood(
        path: &Path,
        format: &'static str,
        opened: Result<Contents, Wrong>,
    ) -> Result<Contents, StoreError> {
        let path = path.to_owned();
        match opened {
            Ok(contents) => Ok(Contents { path, ..contents }),
            Err(Wrong::Password) => Err(StoreError::Password { path, format }),
            Err(Wrong::PasswordMissing) => Err(StoreError::PasswordMissing { path, format }),
            Err(Wrong::Damaged(what)) => Err(StoreError::Damaged { path, format, what }),
        }
    }

    fn unread(&self, error: io::Error) -> StoreError {
        StoreError::Read { path: self.path.clone(), error }
    }

    /// The certificate chain and key named `alias` (the case of letters does not matter, as in Java), or the first.
    pub fn identity(&self, alias: Option<&str>, files: &Files) -> Result<Identity, StoreError> {
        self.open(files)?.identity(alias, self.password.as_ref())
    }

    /// The private key named `alias`, or the first, and its certificate if there is one.
    pub fn private_key(
        &self,
        alias: Option<&str>,
        files: &Files,
    ) -> Result<(PrivateKeyDer<'static>, Option<CertificateDer<'static>>), StoreError> {
        let KeyEntry { alias, chain, key } = self.open(files)?.entry(alias)?;
        match key.unlock(self.password.as_ref()) {
            Ok(key) => Ok((key, chain.into_iter().next())),
            Err(what) => Err(StoreError::Key { path: self.path.clone(), alias, what }),
        }
    }

    /// The certificate chain of this PEM file and the key of another, as web servers keep them.
    pub fn identity_with_key(&self, key: &Path, files: &Files) -> Result<Identity, StoreError> {
        let of = |path: &Path, bytes: &[u8]| Self::understood(path, "PEM", pem::open(bytes));
        let shown = of(&self.path, &bounded(&self.path, files.open(&self.path))?)?;
        let mut contents = of(key, &bounded(key, files.open_secret(key))?)?;
        if let (Some(entry), true) = (contents.keys.first_mut(), shown.keys.is_empty()) {
            entry.chain.splice(..0, shown.trusted);
        } else if !contents.keys.is_empty() {
            let what = "it holds a private key, and another file is given for the key".to_owned();
            return Err(StoreError::Damaged { path: self.path.clone(), format: "PEM", what });
        }
        contents.identity(None, self.password.as_ref())
    }

    /// The certificates to trust, at least one: trusted entries and, as in Java, the certificate of
    /// each key.
    pub fn certificates(&self, files: &Files) -> Result<Vec<CertificateDer<'static>>, StoreError> {
        let contents = self.open(files)?;
        let mut certificates = contents.trusted;
        certificates
            .extend(contents.keys.into_iter().filter_map(|entry| entry.chain.into_iter().next()));
        if certificates.is_empty() {
            return Err(StoreError::NoCertificate { path: contents.path });
        }
        Ok(certificates)
    }
}

impl Contents {
    /// The names of the keys.
    pub fn aliases(&self) -> Vec<String> {
        self.keys.iter().map(|entry| entry.alias.clone()).collect()
    }

    fn identity(
        self,
        alias: Option<&str>,
        password: Option<&Secret>,
    ) -> Result<Identity, StoreError> {
        let path = self.path.clone();
        let KeyEntry { alias, chain, key } = self.entry(alias)?;
        if chain.is_empty() {
            return Err(StoreError::NoChain { path, alias });
        }
        match key.unlock(password) {
            Ok(key) => Ok(Identity { alias, chain, key }),
            Err(what) => Err(StoreError::Key { path, alias, what }),
        }
    }

    /// The key with this name, or the first.
    fn entry(self, alias: Option<&str>) -> Result<KeyEntry, StoreError> {
        let known = self.aliases();
        let path = self.path;
        if self.keys.is_empty() {
            return Err(StoreError::NoKey { path, certificates: self.trusted.len() });
        }
        let wanted = |entry: &KeyEntry| {
            alias.is_none_or(|alias| entry.alias.to_lowercase() == alias.to_lowercase())
        };
        self.keys.into_iter().find(wanted).ok_or_else(|| StoreError::NoSuchAlias {
            path,
            alias: alias.unwrap_or_default().to_owned(),
            known,
        })
    }
}

impl Locked {
    fn unlock(self, password: Option<&Secret>) -> Result<PrivateKeyDer<'static>, KeyError> {
        let pkcs8 = |der: Vec<u8>| PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(der));
        match self {
            Self::OpenPem(key) => Ok(key),
            Self::Open(der) => Ok(pkcs8(der.to_vec())),
            Self::Java(der) => {
                jks::unlock(&der, password.ok_or(KeyError::PasswordMissing)?).map(pkcs8)
            }
            Self::OldPem(key) => key.unlock(password.ok_or(KeyError::PasswordMissing)?),
            Self::Pkcs5(der) => {
                pem::unlock(&der, password.ok_or(KeyError::PasswordMissing)?).map(pkcs8)
            }
        }
    }
}

fn is_whole_sequence(bytes: &[u8]) -> bool {
    SliceReader::new(bytes)
        .and_then(|mut reader| reader.decode::<AnyRef<'_>>())
        .is_ok_and(|any| any.tag() == Tag::Sequence)
}

fn bounded(path: &Path, file: io::Result<File>) -> Result<Zeroizing<Vec<u8>>, StoreError> {
    let unread = |error| StoreError::Read { path: path.to_owned(), error };
    let mut bytes = Zeroizing::new(Vec::new());
    file.map_err(unread)?.take(FILE_MAX + 1).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(StoreError::TooLarge { path: path.to_owned() });
    }
    Ok(bytes)
}
