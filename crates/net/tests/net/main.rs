//! TLS connections over loopback, against a server of the test, with every kind of store.
//!
//! Stores are made at run time with the tools that users make them with (`keytool`, `openssl`, `softhsm2-util`,
//! `pkcs11-tool`). If one is missing, its tests print this and pass, unless `CI=true`.

#![expect(clippy::unwrap_used, reason = "a test server or tool that fails should fail its test")]

mod authority;
mod idle;
mod keystores;
mod server;
mod tls;
mod token;
mod tools;
