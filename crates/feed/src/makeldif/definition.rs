//! The lines of a template file: constants, branches and templates.

use super::Sources;
use super::backslash::escaped;
use super::resources::{ResourceError, Resources};
use super::tag::{Context, TagError};
use super::value::{Line, Part, Value};
use crate::stream::Stream;

/// A fault and its line.
pub(super) type LineError = (usize, DefinitionError);

/// A branch or a template.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    /// The DN of a branch, or the name of a template.
    pub(super) name: String,
    pub(super) line: usize,
    /// The lines whose values form the RDN; none for a branch, whose name is its DN.
    pub(super) rdn: Vec<usize>,
    pub(super) subordinates: Vec<Subordinate>,
    pub(super) lines: Vec<Line>,
    /// The lines in the order in which an entry lists them: those of one attribute are together.
    pub(super) order: Vec<usize>,
}

/// A number of entries of a template below each entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subordinate {
    pub(super) template: usize,
    /// The number; the maximum if the file gives none.
    pub(super) count: u64,
    pub(super) line: usize,
}

/// A parsed file.
pub(super) struct Parsed {
    pub(super) definitions: Vec<Definition>,
    pub(super) branches: Vec<usize>,
    pub(super) warnings: Vec<String>,
}

/// What is wrong with a line of a template file, and what would be correct.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// A continuation of nothing.
    #[error("a line that begins with a space continues none; remove the space")]
    Continuation,
    /// A file from which no entry comes.
    #[error("the file has no branch; begin with one, as in `branch: dc=example,dc=com`")]
    NoBranch,
    /// A constant without a value.
    #[error("the constant `{0}` has no value; write `define name=value`")]
    NoValue(String),
    /// A class of Java.
    #[error("`include` names a Java class, which cannot be loaded here; remove it")]
    Include,
    /// A line before the first branch or template.
    #[error("`{0}` belongs to no branch or template; begin one above it")]
    Outside(String),
    /// An attribute without a value.
    #[error("`{0}` has no colon; write `attribute: value`")]
    NoColon(String),
    /// A branch that inherits.
    #[error("a branch cannot extend a template")]
    BranchExtends,
    /// A branch that names the attribute of its RDN.
    #[error("a branch has its DN and no rdnAttr; remove it")]
    BranchRdn,
    /// A form of LDIF that templates do not have.
    #[error(
        "`{name}:{mark}` is LDIF for encoded values and files, which templates do not have; write `{name}: value`"
    )]
    Ldif {
        /// The attribute.
        name: String,
        /// What follows the colon.
        mark: String,
    },
    /// A definition within another.
    #[error("a branch or template begins within another; put an empty line before it")]
    Within,
    /// A definition without a name.
    #[error("it has no name; write `branch: DN` or `template: name`")]
    NoName,
    /// A name that is taken.
    #[error("`{name}` is defined on line {line} already; rename one of them")]
    Twice {
        /// The name.
        name: String,
        /// Where it was defined before.
        line: usize,
    },
    /// A template that is defined later, or nowhere.
    #[error("the template `{0}` is not defined above; move it up")]
    NotAbove(String),
    /// Not the name of a template and a number.
    #[error("`{0}` is not `template:number`, the number an integer")]
    Subordinate(String),
    /// Not the name of an attribute.
    #[error("`{0}` is not an attribute name")]
    AttributeName(String),
    /// A template that is defined nowhere.
    #[error("there is no template `{0}`; define it")]
    NoTemplate(String),
    /// A template whose entries have no RDN.
    #[error("the template `{0}` lacks a line `rdnAttr: attribute`")]
    NoRdn(String),
    /// A template whose entries lack the attribute of their RDN.
    #[error("the template `{template}` gives no `{name}`, its rdnAttr; add it")]
    MissingRdn {
        /// The template.
        template: String,
        /// The attribute.
        name: String,
    },
    /// An RDN that some entries would lack.
    #[error("`{0}` is the rdnAttr and must be on every entry, without conditions")]
    ConditionalRdn(String),
    /// An RDN that is made from itself.
    #[error("`{0}` is the rdnAttr and cannot be made from the DN that holds it")]
    CircularRdn(String),
    /// Not a DN.
    #[error("`{0}` is not a DN; write it as in `ou=People,dc=example,dc=com`")]
    Dn(String),
    /// A value.
    #[error(transparent)]
    Value(#[from] TagError),
    /// A data file.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// A template whose number of entries has no end, before others.
    #[error("a template before this one has no number, so this one never comes; give it a number")]
    Never,
    /// Templates below templates, too many or without an end.
    #[error("templates lie more than {0} deep below each other here; is one below itself?")]
    Deep(usize),
}

/// Parses and compiles `text`.
pub(super) fn parse(
    text: &str,
    sources: &Sources,
    resources: &mut Resources,
) -> Result<Parsed, LineError> {
    let mut reader = Reader { constants: sources.constants.clone(), ..Reader::default() };
    for (line, content) in joined(text)? {
        reader.line(line, &content)?;
    }
    let mut parsed =
        Parsed { definitions: Vec::new(), branches: Vec::new(), warnings: reader.warnings };
    if !reader.blocks.iter().any(|block| block.branch) {
        return Err((1, DefinitionError::NoBranch));
    }
    for index in 0..reader.blocks.len() {
        let stream = Stream::new(sources.seed, index as u64);
        if reader.blocks[index].branch {
            parsed.branches.push(index);
        }
        let definition = compile(&reader.blocks, index, stream, resources, &mut parsed.warnings)?;
        parsed.definitions.push(definition);
    }
    Ok(parsed)
}

/// The lines of the file, each joined with its continuation lines, without comments.
fn joined(text: &str) -> Result<Vec<(usize, String)>, LineError> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('#') {
            continue;
        }
        match (line.strip_prefix(' '), lines.last_mut()) {
            (Some(_), _) if line.trim().is_empty() => lines.push((index + 1, String::new())),
            (Some(more), Some((_, last))) if !last.is_empty() => last.push_str(more),
            (Some(_), _) => {
                return Err((index + 1, DefinitionError::Continuation));
            }
            (None, _) => lines.push((index + 1, line.trim_end().to_owned())),
        }
    }
    Ok(lines)
}

/// A branch or template as written in the file.
#[derive(Clone, Default)]
struct Block {
    branch: bool,
    name: String,
    line: usize,
    rdn: Option<(usize, Vec<String>)>,
    subordinates: Vec<(usize, String, u64)>,
    attributes: Vec<(usize, String, String)>,
}

#[derive(Default)]
struct Reader {
    constants: Vec<(String, String)>,
    blocks: Vec<Block>,
    open: bool,
    warnings: Vec<String>,
}

impl Reader {
    fn line(&mut self, line: usize, content: &str) -> Result<(), LineError> {
        let wrong = |problem: DefinitionError| (line, problem);
        if content.is_empty() {
            self.open = false;
            return Ok(());
        }
        let content = &self.substituted(line, content);
        if let Some(definition) = keyword(content, "define", ' ') {
            let (name, value) = definition
                .split_once('=')
                .filter(|(name, _)| !name.trim().is_empty())
                .ok_or_else(|| wrong(DefinitionError::NoValue(definition.to_owned())))?;
            // A constant from the command line takes precedence: the first one found counts.
            self.constants.push((name.trim().to_owned(), value.trim().to_owned()));
            return Ok(());
        }
        if keyword(content, "include", ' ').is_some() {
            return Err(wrong(DefinitionError::Include));
        }
        for (word, branch) in [("branch", true), ("template", false)] {
            if let Some(name) = keyword(content, word, ':') {
                return self.begin(line, name, branch).map_err(wrong);
            }
        }
        let Some(block) = self.blocks.last_mut().filter(|_| self.open) else {
            return Err(wrong(DefinitionError::Outside(content.clone())));
        };
        let (name, value) = content
            .split_once(':')
            .ok_or_else(|| wrong(DefinitionError::NoColon(content.clone())))?;
        match name.to_ascii_lowercase().as_str() {
            "extends" if block.branch => Err(wrong(DefinitionError::BranchExtends)),
            "extends" => self.extend(value.trim()).map_err(wrong),
            "rdnattr" if block.branch => Err(wrong(DefinitionError::BranchRdn)),
            "rdnattr" => {
                block.rdn =
                    Some((line, value.split('+').map(|name| name.trim().to_owned()).collect()));
                Ok(())
            }
            "subordinatetemplate" => {
                let (name, count) = subordinate(value).map_err(wrong)?;
                block.subordinates.push((line, name, count));
                Ok(())
            }
            _ if value.starts_with([':', '<']) => Err(wrong(DefinitionError::Ldif {
                name: name.to_owned(),
                mark: value[..1].to_owned(),
            })),
            _ => {
                let value = value.trim_start();
                if value.is_empty() {
                    self.warnings
                        .push(format!("line {line}: the attribute `{name}` has an empty value"));
                }
                block.attributes.push((line, name.trim().to_owned(), value.to_owned()));
                Ok(())
            }
        }
    }

    fn begin(&mut self, line: usize, name: &str, branch: bool) -> Result<(), DefinitionError> {
        if self.open {
            return Err(DefinitionError::Within);
        }
        if name.is_empty() {
            return Err(DefinitionError::NoName);
        }
        let same = |block: &&Block| block.branch == branch && block.name.eq_ignore_ascii_case(name);
        if let Some(earlier) = self.blocks.iter().find(same) {
            return Err(DefinitionError::Twice { name: name.to_owned(), line: earlier.line });
        }
        self.open = true;
        self.blocks.push(Block { branch, name: name.to_owned(), line, ..Block::default() });
        Ok(())
    }

    /// Inherits the contents of the template `name`.
    fn extend(&mut self, name: &str) -> Result<(), DefinitionError> {
        let Some((block, earlier)) = self.blocks.split_last_mut() else { return Ok(()) };
        let parent = earlier
            .iter()
            .find(|other| !other.branch && other.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| DefinitionError::NotAbove(name.to_owned()))?;
        block.attributes.splice(0..0, parent.attributes.iter().cloned());
        block.subordinates.splice(0..0, parent.subordinates.iter().cloned());
        if block.rdn.is_none() {
            block.rdn.clone_from(&parent.rdn);
        }
        Ok(())
    }

    /// `content`, with constants in brackets replaced by their values.
    fn substituted(&mut self, line: usize, content: &str) -> String {
        let mut out = String::with_capacity(content.len());
        let mut rest = content;
        while let Some(at) = rest.find('[') {
            let name = rest[at + 1..].split_once(']').map(|(name, _)| name);
            let name = name.filter(|_| !escaped(rest.as_bytes(), at));
            let known = name.and_then(|name| {
                self.constants.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
            });
            out.push_str(&rest[..at]);
            let (text, length) = match (known, name) {
                (Some((_, value)), Some(name)) => (value.as_str(), name.len() + 2),
                (None, Some(name))
                    if name
                        .chars()
                        .all(|char| char.is_ascii_alphanumeric() || "-_".contains(char)) =>
                {
                    self.warnings.push(format!(
                        "line {line}: `[{name}]` is not a constant and is kept as it is"
                    ));
                    ("[", 1)
                }
                _ => ("[", 1),
            };
            out.push_str(text);
            rest = &rest[at + length..];
        }
        out + rest
    }
}

/// The text after `word` and `separator` in `content`, ignoring case.
fn keyword<'a>(content: &'a str, word: &str, separator: char) -> Option<&'a str> {
    let (first, rest) = content.split_once(separator)?;
    first.eq_ignore_ascii_case(word).then(|| rest.trim())
}

fn subordinate(value: &str) -> Result<(String, u64), DefinitionError> {
    let (name, count) =
        value.split_once(':').map_or((value, None), |(name, count)| (name, Some(count)));
    let count = match count.map(|count| count.trim().parse()) {
        None => u64::MAX,
        Some(Ok(count)) => count,
        Some(Err(_)) => {
            return Err(DefinitionError::Subordinate(value.trim().to_owned()));
        }
    };
    Ok((name.trim().to_owned(), count))
}

fn compile(
    blocks: &[Block],
    index: usize,
    stream: Stream,
    resources: &mut Resources,
    warnings: &mut Vec<String>,
) -> Result<Definition, LineError> {
    let block = &blocks[index];
    let mut lines: Vec<Line> = Vec::new();
    for (line, name, text) in &block.attributes {
        if !name.starts_with(|char: char| char.is_ascii_alphanumeric()) {
            return Err((*line, DefinitionError::AttributeName(name.clone())));
        }
        let mut context = Context {
            above: &lines,
            resources,
            stream: stream.fork(lines.len() as u64),
            branch: block.branch,
        };
        let value = context.compile(text).map_err(|problem| (*line, problem.into()))?;
        lines.push(Line { name: name.clone(), value });
    }
    let mut subordinates = Vec::new();
    for (line, name, count) in &block.subordinates {
        let template =
            blocks.iter().position(|other| !other.branch && other.name.eq_ignore_ascii_case(name));
        let template =
            template.ok_or_else(|| (*line, DefinitionError::NoTemplate(name.clone())))?;
        subordinates.push(Subordinate { template, count: *count, line: *line });
    }
    let rdn = if block.branch {
        complete(&block.name, &mut lines).map_err(|problem| (block.line, problem))?;
        Vec::new()
    } else {
        let used = blocks.iter().flat_map(|other| &other.subordinates);
        if !used.clone().any(|(_, name, _)| name.eq_ignore_ascii_case(&block.name)) {
            warnings
                .push(format!("line {}: nothing uses the template `{}`", block.line, block.name));
        }
        rdn(block, &lines)?
    };
    let order = grouped(&lines);
    Ok(Definition { name: block.name.clone(), line: block.line, rdn, subordinates, lines, order })
}

/// The lines that form the RDN of a template's entries.
fn rdn(block: &Block, lines: &[Line]) -> Result<Vec<usize>, LineError> {
    let Some((line, names)) = &block.rdn else {
        return Err((block.line, DefinitionError::NoRdn(block.name.clone())));
    };
    let mut rdn = Vec::new();
    for name in names {
        let found = lines.iter().position(|candidate| candidate.name.eq_ignore_ascii_case(name));
        let found = found.ok_or_else(|| {
            let (template, name) = (block.name.clone(), name.clone());
            (*line, DefinitionError::MissingRdn { template, name })
        })?;
        let value = &lines[found].value;
        if !value.conditions.is_empty() {
            return Err((*line, DefinitionError::ConditionalRdn(name.clone())));
        }
        if value.needs_dn {
            return Err((*line, DefinitionError::CircularRdn(name.clone())));
        }
        rdn.push(found);
    }
    Ok(rdn)
}

/// Adds to a branch the attributes that its RDN requires and its lines do not have.
fn complete(dn: &str, lines: &mut Vec<Line>) -> Result<(), DefinitionError> {
    let wrong = || DefinitionError::Dn(dn.to_owned());
    let bytes = dn.as_bytes();
    let end = (0..bytes.len())
        .find(|&at| bytes[at] == b',' && !escaped(bytes, at))
        .unwrap_or(bytes.len());
    let mut object_class = "extensibleObject";
    let mut start = 0;
    while start < end {
        let close =
            (start..end).find(|&at| bytes[at] == b'+' && !escaped(bytes, at)).unwrap_or(end);
        let (name, value) = dn[start..close].split_once('=').ok_or_else(wrong)?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || value.is_empty() {
            return Err(wrong());
        }
        if start == 0 {
            object_class = match name.to_ascii_lowercase().as_str() {
                "dc" => "domain",
                "ou" => "organizationalUnit",
                "o" => "organization",
                "c" => "country",
                "l" | "st" => "locality",
                _ => object_class,
            };
        }
        add(name, &unescaped(value).ok_or_else(wrong)?, lines);
        start = close + 1;
    }
    if end == 0 {
        return Err(wrong());
    }
    if !lines.iter().any(|line| line.name.eq_ignore_ascii_case("objectClass")) {
        lines.push(constant("objectClass", "top"));
        lines.push(constant("objectClass", object_class));
    }
    Ok(())
}

/// Adds an attribute unless it exists.
fn add(name: &str, value: &str, lines: &mut Vec<Line>) {
    if !lines.iter().any(|line| line.name.eq_ignore_ascii_case(name)) {
        lines.push(constant(name, value));
    }
}

fn constant(name: &str, value: &str) -> Line {
    let value = Value { parts: vec![Part::Text(value.to_owned())], ..Value::default() };
    Line { name: name.to_owned(), value }
}

/// A value with the escapes of RFC 4514 removed.
fn unescaped(value: &str) -> Option<String> {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        let pair = value.get(at + 1..at + 3).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        out.push(pair.or_else(|| bytes.get(at + 1).copied())?);
        at += if pair.is_some() { 3 } else { 2 };
    }
    String::from_utf8(out).ok()
}

/// The indexes of `lines`, with those of one attribute next to each other.
fn grouped(lines: &[Line]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let first = |index: usize| {
        lines
            .iter()
            .position(|line| line.name.eq_ignore_ascii_case(&lines[index].name))
            .unwrap_or(index)
    };
    order.sort_by_key(|&index| first(index));
    order
}
