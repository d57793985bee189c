//! Settings of daemons as they are written on a command line: lists of words, separated by semicolons.
//!
//! A variant of slapd is a point on an axis of the matrix, so it is described in the terms of slapd.conf and parsed
//! into the cell's settings: a word that slapd does not know is refused here and not by a daemon half an hour later. A
//! setting without a word of its own can be passed on unchanged with `conf`.

use super::labelled_backend::{built_in, is_attribute, is_kind};
use crate::sandbox::{Index, Nscd, Variant};

/// Why a text is not a list of settings.
#[derive(Debug, thiserror::Error)]
pub(super) enum SettingError {
    #[error("'checkpoint' takes kilobytes and minutes, as in checkpoint 1024 5")]
    Checkpoint,
    #[error(
        "'{0}' is not a setting: use index, maxsize, threads, nosync, checkpoint, idlexp, cachesize, sizelimit, or \
         conf for a line of slapd.conf"
    )]
    Directory(String),
    #[error("'index {0}' is not an index: write attributes and kinds, as in index uid,cn eq")]
    Index(String),
    #[error(
        "'{0}' is not a setting of nscd: use suggested-size, positive-ttl, negative-ttl (both in seconds), shared or \
         persistent (both yes or no)"
    )]
    Nscd(String),
    #[error("'suggested-size' must be at least 1")]
    SuggestedSize,
    #[error("'{word}' takes a whole number, not '{text}'")]
    Number { word: String, text: String },
    #[error("'{word}' takes yes or no, not '{text}'")]
    YesNo { word: String, text: String },
    #[error("'{0}' is not a size: write one such as 512m or 2g")]
    Size(String),
}

/// Why a text is not a variant.
#[derive(Debug, thiserror::Error)]
pub(super) enum VariantError {
    #[error("variant '{0}' has no name: write NAME=SETTINGS")]
    NoName(String),
    #[error("variant '{0}': a name is made of letters, digits, '-', '_' and '.'")]
    Name(String),
    #[error("variant '{0}' is built in: choose another name")]
    BuiltIn(String),
    #[error("variant '{name}': {source}")]
    Setting { name: String, source: SettingError },
}

/// Reads `NAME=index uidNumber,gidNumber eq; maxsize 2g; threads 8; nosync`.
pub(super) fn variant(text: &str) -> Result<Variant, VariantError> {
    let (name, settings) =
        text.split_once('=').ok_or_else(|| VariantError::NoName(text.to_owned()))?;
    let name = name.trim();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        return Err(VariantError::Name(name.to_owned()));
    }
    if built_in().iter().any(|variant| variant.name == name) {
        return Err(VariantError::BuiltIn(name.to_owned()));
    }
    let mut variant = Variant { name: name.to_owned(), ..Variant::unindexed() };
    for setting in list(settings) {
        directory(&mut variant, setting)
            .map_err(|source| VariantError::Setting { name: name.to_owned(), source })?;
    }
    Ok(variant)
}

fn directory(variant: &mut Variant, setting: &str) -> Result<(), SettingError> {
    let (word, rest) = setting.split_once(char::is_whitespace).unwrap_or((setting, ""));
    let rest = rest.trim();
    match word {
        "index" => variant.indices.push(index(rest)?),
        "maxsize" => variant.max_size = Some(bytes(rest)?),
        "threads" => variant.threads = Some(number(word, rest)?),
        "nosync" if rest.is_empty() => variant.no_sync = true,
        "checkpoint" => {
            let (kilobytes, minutes) =
                rest.split_once(char::is_whitespace).ok_or(SettingError::Checkpoint)?;
            variant.checkpoint = Some((number(word, kilobytes)?, number(word, minutes.trim())?));
        }
        "idlexp" => variant.idl_exponent = Some(number(word, rest)?),
        "cachesize" => variant.cache_size = Some(number(word, rest)?),
        "sizelimit" => variant.size_limit = Some(number(word, rest)?),
        "conf" if !rest.is_empty() => variant.lines.push(rest.to_owned()),
        _ => return Err(SettingError::Directory(setting.to_owned())),
    }
    Ok(())
}

/// An index as slapd.conf has it: `uidNumber,gidNumber eq,pres`.
fn index(text: &str) -> Result<Index, SettingError> {
    let words = |text: &str| text.split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>();
    let read = text
        .rsplit_once(char::is_whitespace)
        .map(|(attributes, kinds)| Index { attributes: words(attributes), kinds: words(kinds) });
    read.filter(|index| index.attributes.iter().all(|word| is_attribute(word)))
        .filter(|index| index.kinds.iter().all(|kind| is_kind(kind)))
        .ok_or_else(|| SettingError::Index(text.to_owned()))
}

/// Reads `suggested-size 211; positive-ttl 60; shared no`.
pub(super) fn nscd(text: &str) -> Result<Nscd, SettingError> {
    let mut nscd = Nscd::default();
    for setting in list(text) {
        let (word, rest) = setting.split_once(char::is_whitespace).unwrap_or((setting, ""));
        let rest = rest.trim();
        match word {
            "suggested-size" => nscd.suggested_size = number(word, rest)?,
            "positive-ttl" => nscd.positive_ttl_s = Some(number(word, rest)?),
            "negative-ttl" => nscd.negative_ttl_s = Some(number(word, rest)?),
            "shared" => nscd.shared = yes(word, rest)?,
            "persistent" => nscd.persistent = yes(word, rest)?,
            _ => return Err(SettingError::Nscd(setting.to_owned())),
        }
    }
    if nscd.suggested_size == 0 {
        return Err(SettingError::SuggestedSize);
    }
    Ok(nscd)
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|setting| !setting.is_empty())
}

fn number<N: std::str::FromStr>(word: &str, text: &str) -> Result<N, SettingError> {
    let wrong = || SettingError::Number { word: word.to_owned(), text: text.to_owned() };
    text.parse().map_err(|_| wrong())
}

fn yes(word: &str, text: &str) -> Result<bool, SettingError> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(SettingError::YesNo { word: word.to_owned(), text: text.to_owned() }),
    }
}

/// A size as in `2g`, `512m` or `1073741824`.
fn bytes(text: &str) -> Result<u64, SettingError> {
    let lower = text.to_ascii_lowercase();
    let shift = match lower.chars().last() {
        Some('k') => 10,
        Some('m') => 20,
        Some('g') => 30,
        Some('t') => 40,
        _ => 0,
    };
    let digits = if shift == 0 { lower.as_str() } else { &lower[..lower.len() - 1] };
    let read = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    read.filter(|bytes| *bytes > 0).ok_or_else(|| SettingError::Size(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variant_settings_are_parsed() {
        let text = "fast=index uidNumber,gidNumber,uid eq; maxsize 2g; threads 8; nosync; checkpoint 1024 5; \
                    idlexp 18; sizelimit 500; conf dbnosync; ";
        let variant = variant(text).unwrap();
        let expected = Variant {
            name: "fast".to_owned(),
            indices: vec![Index::equality(&["uidNumber", "gidNumber", "uid"])],
            max_size: Some(2_147_483_648),
            threads: Some(8),
            no_sync: true,
            checkpoint: Some((1024, 5)),
            idl_exponent: Some(18),
            size_limit: Some(500),
            lines: vec!["dbnosync".to_owned()],
            ..Variant::unindexed()
        };
        assert_eq!(variant, expected);
        assert_eq!(super::variant("plain=").unwrap().indices, []);
    }

    #[test]
    fn variant_setting_errors_are_explained() {
        let cases = [
            ("fast", "write NAME=SETTINGS"),
            ("=nosync", "a name is made of"),
            ("a+b=nosync", "a name is made of"),
            ("stock=nosync", "is built in"),
            ("x=index uid", "as in index uid,cn eq"),
            ("x=index uid fast", "as in index uid,cn eq"),
            ("x=maxsize 2x", "such as 512m or 2g"),
            ("x=maxsize 99999999999t", "such as 512m or 2g"),
            ("x=threads many", "takes a whole number, not 'many'"),
            ("x=nosync yes", "is not a setting"),
            ("x=turbo", "use index, maxsize"),
            ("x=checkpoint 5", "as in checkpoint 1024 5"),
            ("x=conf", "is not a setting"),
        ];
        for (text, remedy) in cases {
            let reported = variant(text).unwrap_err().to_string();
            assert!(reported.contains(remedy), "{text}: {reported}");
        }
    }

    #[test]
    fn nscd_settings_are_parsed() {
        let tuned =
            nscd("suggested-size 211; positive-ttl 3; negative-ttl 1; shared no; persistent yes")
                .unwrap();
        let expected = Nscd {
            suggested_size: 211,
            positive_ttl_s: Some(3),
            negative_ttl_s: Some(1),
            shared: false,
            persistent: true,
        };
        assert_eq!(tuned, expected);
        assert_eq!(nscd("").unwrap(), Nscd::default());
        for wrong in ["suggested-size 0", "shared 1", "ttl 5", "positive-ttl 3s"] {
            assert!(nscd(wrong).is_err(), "{wrong}");
        }
    }
}
