//! [`Names`]: the wildcards that a request may contain, and the meaning of each of them there.
//!
//! If two names begin at the same position, the longer one counts, so `$FILE-AB` is never read as `$FILE-A` and a
//! letter. LoadGen replaces each of its names only in some places; in compatible mode this does the same.

use super::attributes::Attributes;
use super::file_position::FilePosition;
use super::task::Request;
use super::wildcard::Nature;
use crate::report::Compatibility;

/// A part of a request that can contain wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// The beginning of URLs.
    Location,
    /// `url-endpoint`.
    Endpoint,
    /// `url-payload`.
    Payload,
    /// The value of the field of this name.
    Field(&'a str),
    /// A payload that is a string.
    Text,
    /// A payload that is JSON.
    Json,
}

/// What a wildcard means.
#[derive(Clone, Debug)]
pub(super) enum WildcardMeaning {
    /// As declared, or as built into LoadGen.
    Nature(Nature),
    /// `ADMINUSERID`.
    AdminUser,
    /// `ADMINUSERPASSWORD`.
    AdminPassword,
    /// A line of the `randomfile`.
    RandomFile,
}

/// A wildcard in scope.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// Its spelling.
    pub word: String,
    /// What it means.
    pub sense: WildcardMeaning,
    /// Whether its value is percent-encoded in URLs.
    encodes: bool,
    /// Where it is declared, if it is.
    pub spot: Option<FilePosition>,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece<'n, 't> {
    /// Literal text.
    Literal(&'t str),
    /// A wildcard.
    Name(&'n Name),
}

/// The wildcards in scope, the longest first.
#[derive(Clone, Debug)]
pub(super) struct Names(Vec<Name>);

/// The header whose bare `tokenId` is a wildcard.
const TOKEN_HEADER: &str = "iplanetdirectorypro";
const TOKEN_ATTRIBUTE: &str = "tokenId";

impl Names {
    /// The wildcards of a request.
    pub(super) fn new(request: &Request) -> Self {
        let attributes = &request.attributes;
        let mut all: Vec<Name> = attributes
            .wildcards
            .iter()
            .map(|declared| Name {
                word: declared.name.clone(),
                sense: WildcardMeaning::Nature(declared.nature.clone()),
                encodes: declared.encodes,
                spot: Some(declared.spot.clone()),
            })
            .collect();
        for (word, sense) in built_in(attributes) {
            if !all.iter().any(|known| known.word == word) {
                all.push(Name { word, sense, encodes: false, spot: None });
            }
        }
        all.sort_by_key(|name| std::cmp::Reverse(name.word.len()));
        Self(all)
    }

    /// Their spellings.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| name.word.as_str())
    }

    /// The pieces of a text in this part of a request.
    pub(super) fn pieces<'n, 't>(
        &'n self,
        text: &'t str,
        part: Part<'_>,
        manner: Compatibility,
    ) -> Vec<Piece<'n, 't>> {
        let mut pieces = Vec::new();
        let (mut from, mut at) = (0, 0);
        while let Some(rest) = text.get(at..) {
            let Some(first) = rest.chars().next() else { break };
            let found = self.0.iter().find(|name| {
                rest.starts_with(&name.word)
                    && name.stands(part)
                    && (manner == Compatibility::Repaired || name.stood(part))
            });
            let Some(name) = found else {
                at += first.len_utf8();
                continue;
            };
            pieces.push(Piece::Literal(&text[from..at]));
            pieces.push(Piece::Name(name));
            at += name.word.len();
            from = at;
        }
        pieces.push(Piece::Literal(&text[from..]));
        pieces
    }
}

impl Name {
    /// Whether its value is percent-encoded there.
    pub(super) fn encoded(&self, part: Part<'_>) -> bool {
        self.encodes && matches!(part, Part::Location | Part::Endpoint | Part::Payload)
    }

    /// Whether it is a wildcard there: all are everywhere, except for the bare word of one header.
    fn stands(&self, part: Part<'_>) -> bool {
        match part {
            _ if self.word != TOKEN_ATTRIBUTE => true,
            Part::Field(field) => field.to_ascii_lowercase().contains(TOKEN_HEADER),
            _ => false,
        }
    }

    /// Whether LoadGen replaces it there. Declared wildcards, which LoadGen does not know, count as replaced.
    pub(super) fn stood(&self, part: Part<'_>) -> bool {
        if self.spot.is_some() {
            return true;
        }
        match self.word.as_str() {
            "$RANDOMVALUE" => matches!(part, Part::Payload | Part::Field(_) | Part::Json),
            "$THREADID" | "$INCREMENT" => matches!(part, Part::Payload | Part::Json),
            "$TOKENID" => part == Part::Payload,
            TOKEN_ATTRIBUTE => {
                matches!(part, Part::Field(field) if field.contains("iplanetDirectoryPro"))
            }
            "$AAD-ACCESS-TOKEN" | "$ADMINUSERID" | "$ADMINUSERPASSWORD" => {
                matches!(part, Part::Field(_))
            }
            _ => true,
        }
    }
}

/// The wildcards that need no declaration.
fn built_in(attributes: &Attributes) -> Vec<(String, WildcardMeaning)> {
    let kept = |attribute: &str| WildcardMeaning::Nature(Nature::Retained(attribute.to_owned()));
    let mut all = vec![
        ("$RANDOMVALUE", WildcardMeaning::Nature(Nature::Random { least: 0, most: None })),
        ("$INCREMENT", WildcardMeaning::Nature(Nature::Increment)),
        ("$THREADID", WildcardMeaning::Nature(Nature::Thread)),
        ("$TOKENID", kept(TOKEN_ATTRIBUTE)),
        (TOKEN_ATTRIBUTE, kept(TOKEN_ATTRIBUTE)),
        ("$AAD-ACCESS-TOKEN", kept("access_token")),
        ("$ADMINUSERID", WildcardMeaning::AdminUser),
        ("$ADMINUSERPASSWORD", WildcardMeaning::AdminPassword),
    ];
    if attributes.random_file.is_some() {
        all.push(("$RANDOMFILE", WildcardMeaning::RandomFile));
    }
    let mut all: Vec<(String, WildcardMeaning)> =
        all.into_iter().map(|(word, sense)| (word.to_owned(), sense)).collect();
    for attribute in &attributes.persist {
        // A pointer is named after its last part.
        let last = attribute.rsplit('/').next().unwrap_or(attribute);
        all.push((format!("${last}"), kept(attribute)));
    }
    all
}
