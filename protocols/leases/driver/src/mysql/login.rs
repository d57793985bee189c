//! The messages before a MySQL connection can be used: the server's [`Greeting`], and the client's answer to it.

use super::packet::{Malformed, Reader};
use super::password::{caching_sha2, native};

/// The capabilities of this client, as bits of the protocol.
const LONG_PASSWORD: u32 = 0x1;
/// With this flag, a renewal that changes no value still counts the row that it found.
const FOUND_ROWS: u32 = 0x2;
const LONG_FLAG: u32 = 0x4;
const CONNECT_WITH_DB: u32 = 0x8;
const PROTOCOL_41: u32 = 0x200;
const TLS: u32 = 0x800;
const TRANSACTIONS: u32 = 0x2000;
const SECURE_CONNECTION: u32 = 0x8000;
const MULTI_RESULTS: u32 = 0x2_0000;
const PS_MULTI_RESULTS: u32 = 0x4_0000;
const PLUGIN_AUTH: u32 = 0x8_0000;
/// `utf8mb4_general_ci`, which every server has.
const CHARACTERS: u8 = 45;
/// The longest packet either side sends.
const PACKET_MAX: u32 = 1 << 24;
/// How long the challenge of a login is.
const NONCE: usize = 20;

/// A method to prove a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Native,
    CachingSha2,
}

impl Method {
    pub(super) fn new(name: &[u8]) -> Option<Self> {
        match name {
            b"mysql_native_password" => Some(Self::Native),
            b"caching_sha2_password" => Some(Self::CachingSha2),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Native => "mysql_native_password",
            Self::CachingSha2 => "caching_sha2_password",
        }
    }

    /// The password, hidden by the server's challenge.
    pub(super) fn proof(self, password: &[u8], nonce: &[u8]) -> Vec<u8> {
        match self {
            _ if password.is_empty() => Vec::new(),
            Self::Native => native(nonce, password),
            Self::CachingSha2 => caching_sha2(nonce, password),
        }
    }
}

/// The first packet of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    capabilities: u32,
    pub(super) nonce: Vec<u8>,
    pub(super) method: Method,
}

impl Greeting {
    #[cfg(test)]
    pub(super) fn with(method: Method, nonce: &[u8]) -> Self {
        Self { capabilities: PROTOCOL_41 | TLS, nonce: nonce.to_vec(), method }
    }

    pub(super) fn read(packet: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(packet);
        if reader.u8()? != 10 {
            return Err(Malformed("it is no greeting of a MySQL server"));
        }
        reader.until_zero();
        reader.u32()?;
        let mut nonce = reader.bytes(8)?.to_vec();
        reader.u8()?;
        let mut capabilities = u32::from(reader.u16()?);
        let mut method = Method::Native;
        if !reader.0.is_empty() {
            reader.bytes(1 + 2)?;
            capabilities |= u32::from(reader.u16()?) << 16;
            let length = usize::from(reader.u8()?);
            reader.bytes(10)?;
            nonce.extend_from_slice(
                reader.bytes(length.saturating_sub(8).max(13).min(reader.0.len()))?,
            );
            method = Method::new(reader.until_zero()).unwrap_or(method);
        }
        if capabilities & PROTOCOL_41 == 0 {
            return Err(Malformed("its server is older than MySQL 4.1"));
        }
        nonce.resize(NONCE, 0);
        Ok(Self { capabilities, nonce, method })
    }

    /// Whether the server can secure the connection.
    pub(super) fn offers_tls(&self) -> bool {
        self.capabilities & TLS != 0
    }

    /// The packet that requests TLS, which is also the beginning of the client's answer.
    pub(super) fn opening(&self, secured: bool, database: bool) -> Vec<u8> {
        let wanted = LONG_PASSWORD
            | FOUND_ROWS
            | LONG_FLAG
            | PROTOCOL_41
            | TRANSACTIONS
            | SECURE_CONNECTION
            | MULTI_RESULTS
            | PS_MULTI_RESULTS
            | PLUGIN_AUTH
            | if database { CONNECT_WITH_DB } else { 0 };
        let capabilities =
            wanted & (self.capabilities | LONG_PASSWORD) | if secured { TLS } else { 0 };
        let mut out = capabilities.to_le_bytes().to_vec();
        out.extend_from_slice(&PACKET_MAX.to_le_bytes());
        out.push(CHARACTERS);
        out.extend_from_slice(&[0; 23]);
        out
    }

    /// The client's answer: the user, the proof, and the database.
    pub(super) fn answer(
        &self,
        secured: bool,
        user: &str,
        password: &[u8],
        database: Option<&str>,
    ) -> Vec<u8> {
        let mut out = self.opening(secured, database.is_some());
        let proof = self.method.proof(password, &self.nonce);
        out.extend_from_slice(user.as_bytes());
        // No proof is longer than 32 octets.
        out.extend_from_slice(&[0, proof.len() as u8]);
        out.extend_from_slice(&proof);
        if let Some(database) = database {
            out.extend_from_slice(database.as_bytes());
            out.push(0);
        }
        if self.capabilities & PLUGIN_AUTH != 0 {
            out.extend_from_slice(self.method.name().as_bytes());
            out.push(0);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greeting_cut_short_is_refused() {
        let mut packet =
            b"\x0a11.8.6-MariaDB\0\x01\0\0\0abcdefgh\0\xff\xff\x2d\x02\0\xff\x81\x15".to_vec();
        packet.extend_from_slice(&[0; 10]);
        packet.extend_from_slice(b"ijklmnopqrst\0mysql_native_password\0");
        let greeting = Greeting::read(&packet).unwrap();
        assert_eq!(greeting.nonce, b"abcdefghijklmnopqrst");
        assert_eq!(greeting.method, Method::Native);
        assert!(greeting.offers_tls());
        for cut in 0..30 {
            assert!(Greeting::read(&packet[..cut]).is_err(), "{cut}");
        }
        packet[0] = 9;
        assert!(Greeting::read(&packet).is_err());
    }
}
