//! Certificates for one test: an authority, a server, clients, and certificates that a client must refuse.
//!
//! Made by the openssl program (P-256, so that it takes a tenth of a second), in the formats a user
//! may have. Java's own stores cost a JVM each and are made only when asked for.

use crate::people::PASSWORD;
use crate::prepared::{copy, prepared};
use crate::tool::{make_directory, run, write};
use std::path::{Path, PathBuf};

/// The options of a program in Java that ends before a better compiler or collector would help.
const FAST: [&str; 2] = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"];

/// The directory of one authority's certificates and keys. The password of every store is `password`.
#[derive(Clone, Debug)]
pub struct Pki {
    directory: PathBuf,
}

impl Pki {
    /// Makes an authority in `directory`, a server certificate for `localhost` and 127.0.0.1
    /// (`server`), one for another host (`wrong-host`), one that is out of date (`expired`), and a
    /// client certificate whose subject, `CN=user.5,O=testbed`, the servers map to that user (`client`).
    pub fn make(directory: &Path) -> Self {
        make_directory(directory);
        let pki = Self { directory: directory.to_owned() };
        let key = pki.path("ca.key");
        pki.key("ca");
        write(&pki.path("ca.cnf"), "[req]\ndistinguished_name=dn\n[dn]\n");
        let ca = pki.path("ca.pem");
        run(
            "openssl",
            [
                "req",
                "-x509",
                "-new",
                "-days",
                "3650",
                "-sha256",
                "-subj",
                "/O=testbed/CN=testbed authority",
                "-addext",
                "basicConstraints=critical,CA:TRUE",
                "-addext",
                "keyUsage=critical,keyCertSign,cRLSign",
                "-config",
                text(&pki.path("ca.cnf")),
                "-key",
                text(&key),
                "-out",
                text(&ca),
            ],
        );
        let here =
            "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nextendedKeyUsage=serverAuth\n";
        pki.certificate("server", "/O=testbed/CN=localhost", here, "3650");
        pki.certificate("expired", "/O=testbed/CN=localhost", here, "0");
        let elsewhere = "subjectAltName=DNS:elsewhere.example.com\nextendedKeyUsage=serverAuth\n";
        pki.certificate("wrong-host", "/O=testbed/CN=elsewhere.example.com", elsewhere, "3650");
        pki.client("client", 5);
        pki
    }

    /// The same for a server of its own, copied into `directory` from certificates that were made once on this machine:
    /// making them takes longer than starting the server.
    pub(crate) fn copy(directory: &Path) -> Self {
        let made = prepared("certificates", include_str!("pki.rs"), |place| {
            Self::make(&place.join("pki"));
        });
        copy(&made.join("pki"), directory);
        Self::open(directory)
    }

    /// Uses certificates that were made before.
    pub(crate) fn open(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// Makes a certificate by which the servers know user `number`, named `name`.
    pub fn client(&self, name: &str, number: usize) {
        let subject = format!("/O=testbed/CN=user.{number}");
        self.certificate(name, &subject, "extendedKeyUsage=clientAuth\n", "3650");
    }

    /// The authority's certificate, which a client must trust.
    pub fn ca(&self) -> PathBuf {
        self.path("ca.pem")
    }

    /// The certificate of this name as PEM.
    pub fn pem(&self, name: &str) -> PathBuf {
        self.path(&format!("{name}.pem"))
    }

    /// The private key of the certificate of this name as PKCS#8 PEM.
    pub fn private_key(&self, name: &str) -> PathBuf {
        self.path(&format!("{name}.key"))
    }

    /// The certificate of this name, its key and the authority in a PKCS#12 store; the alias is the name.
    pub fn pkcs12(&self, name: &str) -> PathBuf {
        let store = self.path(&format!("{name}.p12"));
        if !store.exists() {
            run(
                "openssl",
                [
                    "pkcs12",
                    "-export",
                    "-in",
                    text(&self.pem(name)),
                    "-inkey",
                    text(&self.private_key(name)),
                    "-certfile",
                    text(&self.ca()),
                    "-name",
                    name,
                    "-passout",
                    &format!("pass:{PASSWORD}"),
                    "-out",
                    text(&store),
                ],
            );
        }
        store
    }

    /// The same store in one of Java's formats, `JKS` or `JCEKS`, made by keytool.
    pub fn java_key_store(&self, name: &str, format: &str) -> PathBuf {
        let store = self.path(&format!("{name}.{}", format.to_lowercase()));
        if !store.exists() {
            run(
                "keytool",
                [
                    FAST[0],
                    FAST[1],
                    "-importkeystore",
                    "-noprompt",
                    "-srckeystore",
                    text(&self.pkcs12(name)),
                    "-srcstoretype",
                    "PKCS12",
                    "-srcstorepass",
                    PASSWORD,
                    "-srcalias",
                    name,
                    "-destkeystore",
                    text(&store),
                    "-deststoretype",
                    format,
                    "-deststorepass",
                    PASSWORD,
                    "-destkeypass",
                    PASSWORD,
                ],
            );
        }
        store
    }

    /// A store that contains only the authority, in Java's format `JKS`, `JCEKS` or `PKCS12`, made by keytool.
    pub fn trust_store(&self, format: &str) -> PathBuf {
        let store = self.path(&format!("trust.{}", format.to_lowercase()));
        if !store.exists() {
            run(
                "keytool",
                [
                    FAST[0],
                    FAST[1],
                    "-importcert",
                    "-noprompt",
                    "-alias",
                    "ca",
                    "-file",
                    text(&self.ca()),
                    "-keystore",
                    text(&store),
                    "-storetype",
                    format,
                    "-storepass",
                    PASSWORD,
                ],
            );
        }
        store
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn key(&self, name: &str) {
        let key = self.private_key(name);
        run(
            "openssl",
            [
                "genpkey",
                "-algorithm",
                "EC",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-out",
                text(&key),
            ],
        );
    }

    fn certificate(&self, name: &str, subject: &str, extensions: &str, days: &str) {
        self.key(name);
        let (request, extension_file) = (self.path("request.csr"), self.path("extensions.cnf"));
        let (key, pem) = (self.private_key(name), self.pem(name));
        write(&extension_file, extensions);
        let config = self.path("ca.cnf");
        run(
            "openssl",
            [
                "req",
                "-new",
                "-subj",
                subject,
                "-config",
                text(&config),
                "-key",
                text(&key),
                "-out",
                text(&request),
            ],
        );
        run(
            "openssl",
            [
                "x509",
                "-req",
                "-sha256",
                "-days",
                days,
                "-in",
                text(&request),
                "-extfile",
                text(&extension_file),
                "-CA",
                text(&self.ca()),
                "-CAkey",
                text(&self.path("ca.key")),
                "-CAcreateserial",
                "-out",
                text(&pem),
            ],
        );
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are text")
}
