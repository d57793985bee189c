//! The back ends of a matrix as they are written on a command line: `ldap+index+nscd`.
//!
//! A back end is a source of users, the settings of a directory, and the cache of its answers, each part after a plus
//! sign, in this order:
//!
//! ```text
//! SOURCE[:VARIANT][+index[=ATTRIBUTE:KIND,...]][+uid][+sssd][+nscd|+unscd]
//! ```
//!
//! The written form is also the label in tables, so two spellings of the same back end are kept apart: a user who
//! writes both wants both. This module does not check whether this machine has what a back end needs.

use crate::sandbox::{Backend, Cache, Index, Nscd, Reader, Server, Source, Variant};

/// A back end that takes part, and its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LabelledBackend {
    /// As the user wrote it.
    pub label: String,
    /// The back end.
    pub backend: Backend,
}

/// Why a word is not a back end.
#[derive(Debug, thiserror::Error)]
pub(super) enum BackendError {
    #[error("it is empty")]
    Empty,
    #[error("there is no source '{0}': it is one of {known}", known = SOURCES.join(", "))]
    Source(String),
    #[error("files have no variants: variants are for directories")]
    VariantOfFiles,
    #[error("there is no variant '{name}': there are {}; describe one with --variant '{name}=...'", known.join(", "))]
    Variant { name: String, known: Vec<String> },
    #[error("there is no '+{0}': there are +index, +uid, +sssd, +nscd, +unscd")]
    Part(String),
    #[error("'+{0}' is in the wrong place or given twice: the order is +index+uid+sssd+nscd")]
    Order(String),
    #[error("'+{0}' takes no value")]
    Value(String),
    #[error("it has two caches on the same socket: leave one out")]
    TwoCaches,
    #[error("files have no '+{0}': it is for directories")]
    PartOfFiles(String),
    #[error("'{0}' is not an index: write an attribute and its kinds, such as uidNumber:eq")]
    Index(String),
}

/// Why a list of back ends cannot take part.
#[derive(Debug, thiserror::Error)]
pub(super) enum BackendsError {
    #[error("back end '{0}' is given twice: leave one out")]
    Twice(String),
    #[error("back end '{text}': {source}")]
    Backend { text: String, source: BackendError },
    #[error("no back end is given: name one, such as files or ldap+index")]
    None,
}

/// The possible sources of users.
const SOURCES: [&str; 4] = ["files", "ldap", "389ds", "sssd"];

/// Reads lists of back ends, each separated by commas.
pub(super) fn contenders(
    lists: &[String],
    variants: &[Variant],
    nscd: &Nscd,
) -> Result<Vec<LabelledBackend>, BackendsError> {
    let mut contenders: Vec<LabelledBackend> = Vec::new();
    for text in lists.iter().flat_map(|list| pieces(list)) {
        if contenders.iter().any(|contender| contender.label == text) {
            return Err(BackendsError::Twice(text));
        }
        match backend(&text, variants, nscd) {
            Ok(backend) => contenders.push(LabelledBackend { label: text, backend }),
            Err(source) => return Err(BackendsError::Backend { text, source }),
        }
    }
    if contenders.is_empty() {
        return Err(BackendsError::None);
    }
    Ok(contenders)
}

/// Splits a list at its commas, but not at those within a list of indices.
fn pieces(list: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for piece in list.split(',').map(str::trim) {
        let source = piece.split([':', '+']).next().unwrap_or_default();
        match pieces.last_mut() {
            Some(before) if before.contains("+index=") && !SOURCES.contains(&source) => {
                before.push(',');
                before.push_str(piece);
            }
            _ => pieces.push(piece.to_owned()),
        }
    }
    pieces
}

fn backend(text: &str, variants: &[Variant], nscd: &Nscd) -> Result<Backend, BackendError> {
    let mut parts = text.split('+');
    let (source, variant) = match parts.next().unwrap_or_default().split_once(':') {
        Some((source, variant)) => (source, Some(variant)),
        None => (text.split('+').next().unwrap_or_default(), None),
    };
    let directory = match source {
        "files" => None,
        "ldap" => {
            Some(Directory::new(Server::Slapd, tuned(variant, variants, Variant::unindexed)?))
        }
        "389ds" => Some(Directory::new(
            Server::DirectoryServer389,
            tuned(variant, variants, Variant::unindexed)?,
        )),
        "sssd" => {
            let mut directory =
                Directory::new(Server::Slapd, tuned(variant, variants, Variant::stock)?);
            directory.reader = Reader::Sssd;
            Some(directory)
        }
        "" => return Err(BackendError::Empty),
        other => return Err(BackendError::Source(other.to_owned())),
    };
    if directory.is_none() && variant.is_some() {
        return Err(BackendError::VariantOfFiles);
    }
    Assembled { directory, cache: None }.with(parts, nscd)
}

/// The variant of this name; `otherwise` where none was named.
fn tuned(
    name: Option<&str>,
    variants: &[Variant],
    otherwise: fn() -> Variant,
) -> Result<Variant, BackendError> {
    let Some(name) = name else { return Ok(otherwise()) };
    let own = variants.iter().find(|variant| variant.name == name).cloned();
    own.or_else(|| built_in().into_iter().find(|variant| variant.name == name)).ok_or_else(|| {
        let known = variants.iter().cloned().chain(built_in()).map(|variant| variant.name);
        BackendError::Variant { name: name.to_owned(), known: known.collect() }
    })
}

/// Variants with a predefined meaning.
pub(super) fn built_in() -> [Variant; 2] {
    [Variant::unindexed(), Variant::stock()]
}

struct Directory {
    server: Server,
    variant: Variant,
    reader: Reader,
}

impl Directory {
    fn new(server: Server, variant: Variant) -> Self {
        Self { server, variant, reader: Reader::Nslcd }
    }
}

/// A back end whose parts are being collected.
struct Assembled {
    directory: Option<Directory>,
    cache: Option<Cache>,
}

impl Assembled {
    fn with<'a>(
        mut self,
        parts: impl Iterator<Item = &'a str>,
        nscd: &Nscd,
    ) -> Result<Backend, BackendError> {
        let mut last = 0;
        for part in parts {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (part, None),
            };
            let rank = ["index", "uid", "sssd", "nscd", "unscd"].iter().position(|n| *n == name);
            let rank = rank.ok_or_else(|| BackendError::Part(name.to_owned()))? + 1;
            if rank <= last {
                return Err(BackendError::Order(name.to_owned()));
            }
            if value.is_some() && name != "index" {
                return Err(BackendError::Value(name.to_owned()));
            }
            self.add(name, value, nscd)?;
            last = rank;
        }
        let source = self.directory.map_or(Source::Files, |directory| {
            let Directory { server, variant, reader } = directory;
            Source::Ldap { server, variant, reader }
        });
        Ok(Backend { source, cache: self.cache, switch: None })
    }

    fn add(&mut self, name: &str, value: Option<&str>, nscd: &Nscd) -> Result<(), BackendError> {
        if name == "nscd" {
            self.cache = Some(Cache::Nscd(nscd.clone()));
            return Ok(());
        }
        if name == "unscd" {
            if self.cache.is_some() {
                return Err(BackendError::TwoCaches);
            }
            self.cache = Some(Cache::Unscd(nscd.clone()));
            return Ok(());
        }
        let Some(directory) = &mut self.directory else {
            return Err(BackendError::PartOfFiles(name.to_owned()));
        };
        let variant = &mut directory.variant;
        match (name, value) {
            ("sssd", _) => directory.reader = Reader::Sssd,
            ("index", Some(list)) => variant.indices.extend(indices(list)?),
            ("index", None) => variant.indices.extend(Variant::indexed().indices),
            _ => variant
                .indices
                .extend([Index::equality(&["uid", "cn"]), Index::equality(&["memberUid"])]),
        }
        variant.name = format!("{}+{name}", variant.name);
        Ok(())
    }
}

/// Indices as in `uidNumber:eq,uid:eq:pres`.
fn indices(list: &str) -> Result<Vec<Index>, BackendError> {
    let index = |text: &str| {
        let mut words = text.split(':').map(str::trim);
        let attribute = words.next().filter(|word| is_attribute(word));
        let kinds: Vec<String> = words.map(str::to_owned).collect();
        let known = !kinds.is_empty() && kinds.iter().all(|kind| is_kind(kind));
        let attribute = attribute.filter(|_| known);
        let attribute = attribute.ok_or_else(|| BackendError::Index(text.to_owned()))?;
        Ok(Index { attributes: vec![attribute.to_owned()], kinds })
    };
    list.split(',').map(index).collect()
}

/// Whether a word can be the name of an attribute.
pub(super) fn is_attribute(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == ';')
}

/// Whether slapd knows this kind of index.
pub(super) fn is_kind(word: &str) -> bool {
    ["eq", "pres", "sub", "approx", "subinitial", "subany", "subfinal"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Vec<LabelledBackend> {
        contenders(&[list.to_owned()], &[], &Nscd::default()).unwrap()
    }

    fn wrong(list: &str) -> String {
        contenders(&[list.to_owned()], &[], &Nscd::default()).unwrap_err().to_string()
    }

    fn ldap(variant: Variant, reader: Reader) -> Source {
        Source::Ldap { server: Server::Slapd, variant, reader }
    }

    fn indices_of(contender: &LabelledBackend) -> Vec<String> {
        let Source::Ldap { variant, .. } = &contender.backend.source else { return Vec::new() };
        let text =
            |index: &Index| format!("{} {}", index.attributes.join(","), index.kinds.join(","));
        variant.indices.iter().map(text).collect()
    }

    #[test]
    fn backends_of_the_article_are_parsed() {
        let four = read("files,ldap,ldap+index,ldap+index+nscd");
        let labels: Vec<&str> = four.iter().map(|contender| contender.label.as_str()).collect();
        assert_eq!(labels, ["files", "ldap", "ldap+index", "ldap+index+nscd"]);
        assert_eq!(four[0].backend, Backend { source: Source::Files, cache: None, switch: None });
        assert_eq!(four[1].backend.source, ldap(Variant::unindexed(), Reader::Nslcd));
        assert_eq!(indices_of(&four[2]), ["objectClass eq", "uidNumber eq", "gidNumber eq"]);
        assert_eq!(four[2].backend.cache, None);
        assert_eq!(indices_of(&four[3]), indices_of(&four[2]));
        assert_eq!(four[3].backend.cache, Some(Cache::Nscd(Nscd::default())));
    }

    #[test]
    fn backend_index_list_may_contain_commas() {
        let two = read("ldap+index=uidNumber:eq,uid:eq:pres+nscd,files+unscd");
        assert_eq!(two.len(), 2, "{two:?}");
        assert_eq!(indices_of(&two[0]), ["uidNumber eq", "uid eq,pres"]);
        assert!(matches!(two[0].backend.cache, Some(Cache::Nscd(_))));
        assert!(matches!(two[1].backend.cache, Some(Cache::Unscd(_))));
        assert_eq!(two[1].backend.source, Source::Files);
    }

    #[test]
    fn backend_uid_adds_the_missing_name_indices() {
        let [plain] = &read("ldap+index+uid")[..] else { panic!() };
        assert_eq!(indices_of(plain)[3..], ["uid,cn eq", "memberUid eq"]);
        assert_eq!(indices_of(&read("ldap+uid")[0]), ["uid,cn eq", "memberUid eq"]);
    }

    #[test]
    fn backend_sssd_reads_stock_or_given_variant() {
        let two = read("sssd,ldap+index+sssd+nscd");
        assert_eq!(two[0].backend.source, ldap(Variant::stock(), Reader::Sssd));
        assert!(matches!(two[1].backend.source, Source::Ldap { reader: Reader::Sssd, .. }));
        assert_eq!(indices_of(&two[1]).len(), 3);
    }

    #[test]
    fn backend_variants_are_found_by_name() {
        let fast = Variant { name: "fast".to_owned(), threads: Some(8), ..Variant::unindexed() };
        let list = ["ldap:fast,ldap:stock,389ds:fast".to_owned()];
        let three = contenders(&list, std::slice::from_ref(&fast), &Nscd::default()).unwrap();
        assert_eq!(three[0].backend.source, ldap(fast, Reader::Nslcd));
        assert_eq!(three[1].backend.source, ldap(Variant::stock(), Reader::Nslcd));
        assert!(matches!(
            three[2].backend.source,
            Source::Ldap { server: Server::DirectoryServer389, .. }
        ));
    }

    #[test]
    fn backend_errors_name_the_choices() {
        let cases = [
            ("nis", "it is one of files, ldap, 389ds, sssd"),
            ("", "it is empty"),
            ("ldap+cache", "there are +index, +uid, +sssd, +nscd, +unscd"),
            ("ldap+nscd+index", "the order is +index+uid+sssd+nscd"),
            ("ldap+nscd+nscd", "or given twice"),
            ("ldap+nscd+unscd", "two caches"),
            ("files+index", "it is for directories"),
            ("files:fast", "variants are for directories"),
            ("ldap:fast", "describe one with --variant 'fast=...'"),
            ("ldap+index=uid", "such as uidNumber:eq"),
            ("ldap+index=uid:fast", "such as uidNumber:eq"),
            ("ldap+index=u d:eq", "such as uidNumber:eq"),
            ("ldap+nscd=5", "takes no value"),
            ("ldap,ldap", "is given twice"),
        ];
        for (text, remedy) in cases {
            let reported = wrong(text);
            assert!(reported.contains(remedy), "{text}: {reported}");
        }
    }
}
