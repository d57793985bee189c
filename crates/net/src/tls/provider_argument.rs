//! [`TokenModule`]: the PKCS#11 library and slot that Java's provider options select.
//!
//! `--providerArg` names a configuration file of the `SunPKCS11` provider, or contains the configuration itself after
//! `--`, as that provider accepts it; the path of a library is accepted as well. Only the settings that locate the
//! token are used: the mechanisms that a Java provider offers and the attributes of keys that it would make do not
//! matter to a client that signs. It must not load anything.

use std::path::{Path, PathBuf};

/// The largest configuration that is read.
const CONFIGURATION_MAX: u64 = 64 << 10;

/// A PKCS#11 library and a slot in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenModule {
    /// The shared object.
    pub library: PathBuf,
    /// The slot of the token.
    pub slot: SlotChoice,
}

/// How the slot of a library is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotChoice {
    /// The first with an initialised token.
    First,
    /// The slot with this number (`slot`).
    Id(u64),
    /// The slot at this position in the library's list (`slotListIndex`).
    Index(usize),
}

/// Why provider options cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProviderArgumentError {
    /// No option names the library.
    #[error(
        "find the PKCS#11 library: give --providerArg with a SunPKCS11 configuration file or the path of the library"
    )]
    Missing,
    /// The configuration file cannot be read.
    #[error("read the PKCS#11 configuration {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// A line that `SunPKCS11` would not accept.
    #[error(
        "understand the PKCS#11 configuration: '{line}' is not 'name = value' with a value that fits"
    )]
    Line {
        /// The line.
        line: String,
    },
    /// The configuration names no library.
    #[error("find the PKCS#11 library: the configuration has no 'library = PATH'")]
    NoLibrary,
    /// Both `slot` and `slotListIndex`.
    #[error("choose a slot: the configuration has both 'slot' and 'slotListIndex'")]
    TwoSlots,
    /// Another class than that of the PKCS#11 provider.
    #[error(
        "load the provider class '{0}': Java classes cannot be loaded here; \
         sun.security.pkcs11.SunPKCS11 is served by the library itself"
    )]
    Class(String),
    /// A name that is not that of the provider.
    #[error("find the provider '{given}': the configuration makes '{made}'")]
    Name {
        /// The name given.
        given: String,
        /// The name that the configuration defines.
        made: String,
    },
}

impl TokenModule {
    /// What `--providerArg`, `--providerClass` and `--providerName` mean together.
    pub fn from_java(
        argument: Option<&str>,
        class: Option<&str>,
        name: Option<&str>,
    ) -> Result<Self, ProviderArgumentError> {
        if let Some(class) = class.filter(|class| *class != "sun.security.pkcs11.SunPKCS11") {
            return Err(ProviderArgumentError::Class(class.to_owned()));
        }
        let argument = argument.ok_or(ProviderArgumentError::Missing)?;
        let (module, made) = match argument.strip_prefix("--") {
            Some(inline) => parse(&inline.replace("\\n", "\n"))?,
            None if is_library(Path::new(argument)) => {
                (Self { library: PathBuf::from(argument), slot: SlotChoice::First }, None)
            }
            None => parse(&read(Path::new(argument))?)?,
        };
        match (name, made) {
            (Some(given), Some(made))
                if given != format!("SunPKCS11-{made}") && given != "SunPKCS11" =>
            {
                Err(ProviderArgumentError::Name {
                    given: given.to_owned(),
                    made: format!("SunPKCS11-{made}"),
                })
            }
            _ => Ok(module),
        }
    }
}

/// Whether the file is a shared object: it starts like an ELF file, or cannot be read and is named like one.
fn is_library(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 4];
    match std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)) {
        Ok(()) => &start == b"\x7fELF",
        Err(_) => path.extension().is_some_and(|end| end == "so"),
    }
}

fn read(path: &Path) -> Result<String, ProviderArgumentError> {
    use std::io::Read;
    let unread = |error| ProviderArgumentError::Read { path: path.to_owned(), error };
    let mut text = String::new();
    std::fs::File::open(path)
        .map_err(unread)?
        .take(CONFIGURATION_MAX)
        .read_to_string(&mut text)
        .map_err(unread)?;
    Ok(text)
}

/// The module and the provider's name of a configuration.
fn parse(text: &str) -> Result<(TokenModule, Option<String>), ProviderArgumentError> {
    let (mut library, mut name, mut slot) = (None, None, SlotChoice::First);
    let mut braces = 0_usize;
    for line in
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let within = braces > 0;
        braces = (braces + line.matches('{').count()).saturating_sub(line.matches('}').count());
        if within {
            continue;
        }
        let wrong = || ProviderArgumentError::Line { line: line.to_owned() };
        let Some((key, value)) = line.split_once('=') else {
            if line.starts_with("attributes") {
                continue;
            }
            return Err(wrong());
        };
        let value = value.trim().trim_matches('"');
        let chosen = match key.trim() {
            "library" => {
                library = Some(PathBuf::from(value));
                continue;
            }
            "name" => {
                name = Some(value.to_owned());
                continue;
            }
            "slot" => SlotChoice::Id(parse_number(value).ok_or_else(wrong)?),
            "slotListIndex" => SlotChoice::Index(value.parse().map_err(|_| wrong())?),
            _ => continue,
        };
        if slot != SlotChoice::First {
            return Err(ProviderArgumentError::TwoSlots);
        }
        slot = chosen;
    }
    let library = library.ok_or(ProviderArgumentError::NoLibrary)?;
    Ok((TokenModule { library, slot }, name))
}

/// A number, decimal or hexadecimal after 0x.
fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(argument: &str) -> Result<TokenModule, ProviderArgumentError> {
        TokenModule::from_java(Some(argument), None, None)
    }

    #[test]
    fn provider_configuration_names_the_token() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pkcs11.cfg");
        let text = "# token\nname = Soft\nlibrary = /usr/lib/libtoken.so\nslot=0x1f\n\
            attributes(*,CKO_PRIVATE_KEY,*) = {\n  CKA_SIGN = true\n}\ndisabledMechanisms = { CKM_MD5 }\n";
        std::fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap();
        let module =
            TokenModule { library: "/usr/lib/libtoken.so".into(), slot: SlotChoice::Id(31) };
        assert_eq!(from(path).unwrap(), module);
        let named = |name| {
            TokenModule::from_java(Some(path), Some("sun.security.pkcs11.SunPKCS11"), Some(name))
        };
        assert_eq!(named("SunPKCS11-Soft").unwrap(), module);
        let error = named("SunPKCS11-Hard").unwrap_err().to_string();
        assert!(
            error.contains("'SunPKCS11-Hard'") && error.contains("'SunPKCS11-Soft'"),
            "{error}"
        );
    }

    #[test]
    fn provider_argument_may_be_a_library_or_inline() {
        let module = from("/nowhere/libtoken.so").unwrap();
        assert_eq!(
            module,
            TokenModule { library: "/nowhere/libtoken.so".into(), slot: SlotChoice::First }
        );
        let module = from("--name=x\\nlibrary=/l.so\\nslotListIndex=2").unwrap();
        assert_eq!(module, TokenModule { library: "/l.so".into(), slot: SlotChoice::Index(2) });
    }

    #[test]
    fn provider_argument_errors_are_refused() {
        assert!(matches!(
            TokenModule::from_java(None, None, None),
            Err(ProviderArgumentError::Missing)
        ));
        assert!(matches!(
            TokenModule::from_java(Some("/l.so"), Some("org.example.P"), None),
            Err(ProviderArgumentError::Class(_))
        ));
        assert!(matches!(from("--name=x"), Err(ProviderArgumentError::NoLibrary)));
        assert!(matches!(from("--library"), Err(ProviderArgumentError::Line { .. })));
        assert!(matches!(
            from("--library=/l.so\\nslot=one"),
            Err(ProviderArgumentError::Line { .. })
        ));
        assert!(matches!(
            from("--library=/l.so\\nslot=1\\nslotListIndex=1"),
            Err(ProviderArgumentError::TwoSlots)
        ));
        assert!(matches!(from("/nowhere/token.cfg"), Err(ProviderArgumentError::Read { .. })));
    }
}
