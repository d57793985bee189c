//! What one party needs to connect to the broker, read from the directory that `brunt cluster keys` made for it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use async_nats::ConnectOptions;
use serde::Deserialize;
use zeroize::Zeroizing;

use super::{files, is_name};

/// The seed of the login.
pub(super) const SEED: &str = "login.seed";
/// The name and the broker.
pub(super) const FILE: &str = "login.toml";

/// What one party needs to connect.
pub struct Login {
    /// Its name.
    pub name: String,
    /// The broker, such as `tls://nats.lab:4222`.
    pub nats: String,
    seed: Zeroizing<String>,
    directory: PathBuf,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    nats: String,
}

/// Why a directory of keys cannot be used. It reads after "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use the keys in {directory}: {why}")]
pub struct LoginError {
    directory: String,
    why: String,
}

impl Login {
    /// Reads a directory: `login.toml`, `login.seed`, `ca.pem`, `client.pem` and `client.key`.
    pub fn read(directory: &Path) -> Result<Self, LoginError> {
        let error = |why: String| LoginError { directory: directory.display().to_string(), why };
        let text = files::read(&directory.join(FILE)).map_err(|it| error(it.to_string()))?;
        let written: Written =
            toml::from_str(&text).map_err(|it| error(format!("{FILE}: {}", it.message())))?;
        if !is_name(&written.name) {
            return Err(error(format!("{FILE} has a name that is no name of an agent")));
        }
        for secret in [SEED, "client.key"] {
            let path = directory.join(secret);
            let mode = fs::metadata(&path).map_err(|it| error(format!("{secret}: {it}")))?.mode();
            if mode & 0o027 != 0 {
                let why = "every user of this machine can read or write it: chmod 600";
                return Err(error(format!("{secret}: {why} {}", path.display())));
            }
        }
        let seed =
            Zeroizing::new(files::read(&directory.join(SEED)).map_err(|it| error(it.to_string()))?);
        let seed = Zeroizing::new(seed.trim().to_owned());
        if !nkeys::KeyPair::from_seed(&seed)
            .is_ok_and(|it| it.key_pair_type() == nkeys::KeyPairType::User)
        {
            return Err(error(format!("{SEED} holds no seed of a login, which begins with SU")));
        }
        Ok(Self { name: written.name, nats: written.nats, seed, directory: directory.to_owned() })
    }

    /// How to connect: mutual TLS, the login, and the inbox that only this party may read.
    pub fn options(&self) -> ConnectOptions {
        let path = |name: &str| self.directory.join(name);
        ConnectOptions::new()
            .nkey(self.seed.to_string())
            .custom_inbox_prefix(inbox(&self.name))
            .require_tls(true)
            .add_root_certificates(path("ca.pem"))
            .add_client_certificate(path("client.pem"), path("client.key"))
    }
}

/// The prefix of the inboxes of a party.
pub fn inbox(name: &str) -> String {
    format!("_I.{name}")
}

/// The text of `login.toml`.
pub(super) fn written(name: &str, host: &str, port: u16) -> String {
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    format!(
        "# Who this is, and where the broker is.\nname = \"{name}\"\nnats = \"tls://{host}:{port}\"\n"
    )
}
