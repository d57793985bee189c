//! [`UploadFiles`]: the files that steps send, each read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brunt_feed::Text;
use brunt_flow_driver::{Content, FileChoice, NamedFiles, PartContent, Upload, UploadPart};

use super::environment::CompileEnvironment;
use super::json;
use super::names::Names;
use super::one::one;
use crate::key_error::KeyError;
use crate::model::{Http, Part, PartTable, Parts};
use crate::path::KeyPath;
use crate::values::{Pairs, Size};

/// The most bytes of all files together, unless the plan has another limit.
pub const UPLOADS: Size = Size(256 << 20);
/// The most files: no command opens more.
const FILES_MAX: usize = 10_000;

/// The files that were read so far.
pub(super) struct UploadFiles<'a> {
    environment: &'a CompileEnvironment<'a>,
    limit: Size,
    /// How many bytes they have.
    held: u64,
    read: BTreeMap<PathBuf, Arc<[u8]>>,
}

/// A file of a step.
pub(super) enum UploadFile {
    /// The same for every request.
    Same(Arc<[u8]>),
    /// Its name varies.
    Varying(FileChoice),
}

impl<'a> UploadFiles<'a> {
    pub(super) fn new(http: &Http, environment: &'a CompileEnvironment<'a>) -> Self {
        let limit = http.limits.as_ref().and_then(|limits| limits.uploads).unwrap_or(UPLOADS);
        Self { environment, limit, held: 0, read: BTreeMap::new() }
    }

    /// The machine that they are on.
    pub(super) fn environment(&self) -> &'a CompileEnvironment<'a> {
        self.environment
    }

    /// The files that a text can name.
    pub(super) fn named(
        &mut self,
        at: &KeyPath,
        text: &str,
        names: &mut Names,
    ) -> Result<UploadFile, KeyError> {
        let name = names.plain(at, text)?;
        if let Some(path) = name.constant() {
            let path = String::from_utf8_lossy(path).into_owned();
            return self.one(at, Path::new(&path)).map(UploadFile::Same);
        }
        let all = names.possible(&name, FILES_MAX);
        let all = all.map_err(|error| KeyError::new(at, error.to_string()))?;
        let mut files = NamedFiles::new();
        for one in all {
            let path = String::from_utf8_lossy(&one).into_owned();
            if path.is_empty() {
                let what = "names a file by a variable that is empty in some cases: fill in the name everywhere";
                return Err(KeyError::new(at, what));
            }
            files.insert(one, self.one(at, Path::new(&path))?);
        }
        Ok(UploadFile::Varying(FileChoice { name, files: Arc::new(files) }))
    }

    /// The file at this path.
    pub(super) fn one(&mut self, at: &KeyPath, path: &Path) -> Result<Arc<[u8]>, KeyError> {
        if let Some(known) = self.read.get(path) {
            return Ok(Arc::clone(known));
        }
        let content: Arc<[u8]> = self.environment.read(at, path)?.into();
        self.held += content.len() as u64;
        if self.held > self.limit.0 {
            let what = format!(
                "names the file {}, with which the files to send have {} bytes together, more than http.limits.uploads \
                 allows ({} bytes): raise it, or send fewer or smaller files",
                path.display(),
                self.held,
                self.limit.0
            );
            return Err(KeyError::new(at, what));
        }
        if self.read.len() == FILES_MAX {
            let what = format!("is one file too many: a plan sends at most {FILES_MAX} files");
            return Err(KeyError::new(at, what));
        }
        self.read.insert(path.to_owned(), Arc::clone(&content));
        Ok(content)
    }

    /// The body that a step's `multipart` describes.
    pub(super) fn upload(
        &mut self,
        at: &KeyPath,
        given: &Pairs<Parts>,
        content_type: Text,
        names: &mut Names,
    ) -> Result<Content, KeyError> {
        let mut parts = Vec::new();
        for (name, several) in given.iter() {
            let at = at.key(name);
            if several.0.is_empty() {
                let what = "is an empty array: leave it out, or give it a part";
                return Err(KeyError::new(&at, what));
            }
            for (index, part) in several.0.iter().enumerate() {
                let at = if several.0.len() > 1 { at.index(index) } else { at.clone() };
                parts.push(self.part(&at, name, part, names)?);
            }
        }
        Ok(Content::Upload(Box::new(Upload::new(content_type, parts))))
    }

    fn part(
        &mut self,
        at: &KeyPath,
        name: &str,
        part: &Part,
        names: &mut Names,
    ) -> Result<UploadPart, KeyError> {
        let name = names.plain(at, name)?;
        let table = match part {
            Part::Text(text) => {
                let content = PartContent::Text(names.plain(at, &text.to_string())?);
                return Ok(UploadPart { name, file: None, content_type: None, content });
            }
            Part::Table(table) => table,
        };
        let (content, usual, own) = self.content(at, table, names)?;
        let content_type = table.type_.as_deref().or(usual);
        let content_type = content_type.map(|text| header(&at.key("type"), text, names));
        let file = table.name.as_deref().map(|text| names.plain(&at.key("name"), text));
        let file = file.transpose()?.or(own);
        Ok(UploadPart { name, file, content_type: content_type.transpose()?, content })
    }

    /// The content of a part, its usual type, and the name of the file if that is always the same.
    fn content(
        &mut self,
        at: &KeyPath,
        table: &PartTable,
        names: &mut Names,
    ) -> Result<(PartContent, Option<&'static str>, Option<Text>), KeyError> {
        let keys = [
            ("file", table.file.is_some()),
            ("text", table.text.is_some()),
            ("json", table.json.is_some()),
        ];
        let key = one(at, &keys, "the content of the part")?;
        let at = at.key(key);
        Ok(match table {
            PartTable { file: Some(path), .. } => {
                let usual = Some("application/octet-stream");
                match self.named(&at, path, names)? {
                    UploadFile::Varying(choice) => (PartContent::Varying(choice), usual, None),
                    UploadFile::Same(bytes) => {
                        let path = names.plain(&at, path)?;
                        let path = path.constant().unwrap_or_default();
                        let base = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
                        (PartContent::File(bytes), usual, Some(Text::literal(base)))
                    }
                }
            }
            PartTable { json: Some(node), .. } => {
                let text = json::text(&at, node, names)?;
                (PartContent::Text(text), Some("application/json"), None)
            }
            _ => {
                let text = table.text.as_deref().unwrap_or_default();
                (PartContent::Text(names.plain(&at, text)?), None, None)
            }
        })
    }
}

/// A content type within a body.
fn header(at: &KeyPath, text: &str, names: &mut Names) -> Result<Text, KeyError> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        let what = "contains a control character, which is not allowed in a content type";
        return Err(KeyError::new(at, what));
    }
    names.plain(at, text)
}
