//! The `kdc` option: a private Kerberos configuration that names one realm and its KDC.
//!
//! The library reads its configuration from files named by `KRB5_CONFIG`, and GSSAPI offers no other way to set it. The
//! function must be called before the first thread starts.

use super::library;
use std::io;
use std::path::Path;

/// Writes a `krb5.conf` for `realm` and `kdc` into `directory` and points this process at it.
///
/// `kdc` is `host` or `host:port`. Fails once the process has more than one thread, as the environment
/// can then no longer be changed safely.
pub fn use_kdc(realm: &str, kdc: &str, directory: &Path) -> io::Result<()> {
    let path = directory.join("krb5.conf");
    std::fs::write(&path, text(realm, kdc)?)?;
    library::set_configuration(&path)
}

fn text(realm: &str, kdc: &str) -> io::Result<String> {
    if [realm, kdc]
        .iter()
        .any(|name| name.is_empty() || name.contains(|letter: char| !letter.is_ascii_graphic()))
    {
        let message = format!("realm {realm:?} and kdc {kdc:?} must be names without spaces");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(format!(
        "[libdefaults]\n\tdefault_realm = {realm}\n\tdns_lookup_kdc = false\n\tdns_lookup_realm = false\n\
         \trdns = false\n[realms]\n\t{realm} = {{\n\t\tkdc = {kdc}\n\t}}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kdc_option_writes_realm_and_kdc() {
        let text = text("EXAMPLE.COM", "kdc.example.com:750").unwrap();
        assert!(text.contains("default_realm = EXAMPLE.COM\n"));
        assert!(text.contains("\tEXAMPLE.COM = {\n\t\tkdc = kdc.example.com:750\n\t}\n"));
    }

    #[test]
    fn kdc_option_refuses_injection() {
        assert!(text("A\n[x]", "k").is_err());
        assert!(text("A", "").is_err());
    }
}
