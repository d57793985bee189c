//! A PKCS#11 token in software, with a client's key and certificate.

use crate::people::PASSWORD;
use crate::pki::Pki;
use crate::tool::{command, finish, make_directory, write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// An initialised token. A process sees it while `SOFTHSM2_CONF` names [`configuration`](Self::configuration).
#[derive(Debug)]
pub struct SoftHsm {
    module: PathBuf,
    directory: TempDir,
}

impl SoftHsm {
    /// The label of the token.
    pub const TOKEN: &'static str = "testbed";
    /// Its PIN.
    pub const PIN: &'static str = PASSWORD;

    /// Makes a token that holds the key and the certificate of `name`, both under that label.
    pub fn token(pki: &Pki, name: &str) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("testbed-hsm-")
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        make_directory(&root.join("tokens"));
        let settings =
            format!("directories.tokendir = {}/tokens\nlog.level = ERROR\n", root.display());
        write(&root.join("softhsm2.conf"), settings);
        let hsm = Self { module: module(), directory };
        let pins = ["--pin", Self::PIN];
        finish(
            hsm.tool("softhsm2-util")
                .args(["--init-token", "--free", "--label", Self::TOKEN, "--so-pin", Self::PIN])
                .args(pins),
        );
        finish(
            hsm.tool("softhsm2-util")
                .args(["--token", Self::TOKEN, "--label", name, "--id", "01"])
                .args(pins)
                .arg("--import")
                .arg(pki.private_key(name)),
        );
        let der = hsm.directory.path().join("certificate.der");
        finish(
            command("openssl")
                .args(["x509", "-outform", "DER", "-in"])
                .arg(pki.pem(name))
                .arg("-out")
                .arg(&der),
        );
        finish(
            hsm.tool("pkcs11-tool")
                .arg("--module")
                .arg(&hsm.module)
                .args([
                    "--login",
                    "--token-label",
                    Self::TOKEN,
                    "--type",
                    "cert",
                    "--id",
                    "01",
                    "--label",
                    name,
                ])
                .args(pins)
                .arg("--write-object")
                .arg(&der),
        );
        hsm
    }

    /// The shared library to load.
    pub fn module(&self) -> &Path {
        &self.module
    }

    /// The value of `SOFTHSM2_CONF`.
    pub fn configuration(&self) -> PathBuf {
        self.directory.path().join("softhsm2.conf")
    }

    /// What the token holds, as pkcs11-tool lists it.
    pub fn objects(&self) -> String {
        let mut list = self.tool("pkcs11-tool");
        let list = list.arg("--module").arg(&self.module).args([
            "--login",
            "--pin",
            Self::PIN,
            "--list-objects",
        ]);
        finish(list.args(["--token-label", Self::TOKEN]))
    }

    fn tool(&self, program: &str) -> std::process::Command {
        let mut tool = command(program);
        tool.env("SOFTHSM2_CONF", self.configuration());
        tool
    }
}

fn module() -> PathBuf {
    let places = [
        "/usr/lib/softhsm/libsofthsm2.so",
        "/usr/lib64/pkcs11/libsofthsm2.so",
        "/usr/local/lib/softhsm/libsofthsm2.so",
    ];
    let found = places.iter().map(PathBuf::from).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("libsofthsm2.so is in none of {places:?}; run tests/setup"))
}
