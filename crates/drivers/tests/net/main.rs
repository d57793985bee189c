//! Connections secured over loopback, against a server made here, with every kind of store.
//!
//! Stores are made at run time by the tools users make them with (`keytool`, `openssl`,
//! `softhsm2-util`, `pkcs11-tool`). Where one is missing its tests say so and pass, unless `CI=true`.

#![expect(clippy::unwrap_used, reason = "a test server or tool that fails should fail its test")]

mod authority;
mod idle;
mod keystores;
mod server;
mod tls;
mod token;
mod tools;
