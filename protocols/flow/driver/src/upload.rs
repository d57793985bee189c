//! [`Upload`]: the parts of a form that may contain files; and [`FileChoice`]: a file whose name varies.
//!
//! Files are read before the run, each once, however many steps, users and rows name it.

use brunt_feed::{Text, Unfilled, Values};
use brunt_flow_page::{FormParts, PartHead};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bodies of files, by the names that texts give them.
pub type NamedFiles = BTreeMap<Vec<u8>, Arc<[u8]>>;

/// A body of several parts (RFC 7578).
#[derive(Debug)]
pub struct Upload {
    /// The content type, to which the line between the parts is added.
    pub content_type: Text,
    /// The parts, in order.
    pub parts: Vec<UploadPart>,
    /// The content type and the body, if they are the same for every request.
    pub constant: Option<(Vec<u8>, Arc<[u8]>)>,
}

/// One part.
#[derive(Debug)]
pub struct UploadPart {
    /// The name of the field.
    pub name: Text,
    /// The name of the file, if it is sent as one.
    pub file: Option<Text>,
    /// The content type.
    pub content_type: Option<Text>,
    /// The content.
    pub content: PartContent,
}

/// The content of a part.
#[derive(Debug)]
pub enum PartContent {
    /// Text that may contain variables.
    Text(Text),
    /// The content of the same file for every request.
    File(Arc<[u8]>),
    /// The content of a file whose name varies.
    Varying(FileChoice),
}

/// A file whose name is a text with variables.
#[derive(Debug)]
pub struct FileChoice {
    /// The name.
    pub name: Text,
    /// All files that it can name.
    pub files: Arc<NamedFiles>,
}

impl FileChoice {
    /// The content of the file, by its current name.
    pub fn content(&self, values: &Values) -> Result<Option<&Arc<[u8]>>, Unfilled> {
        let mut name = Vec::new();
        self.name.render(values, &mut name)?;
        Ok(self.files.get(&name))
    }

    /// The last component of its current name.
    pub fn base_name(&self, values: &Values) -> Result<String, Unfilled> {
        let mut name = Vec::new();
        self.name.render(values, &mut name)?;
        let name = String::from_utf8_lossy(&name);
        Ok(name.rsplit('/').next().unwrap_or_default().to_owned())
    }

    /// How many files it can name, and how many bytes the longest has.
    pub fn extent(&self) -> (usize, usize) {
        let longest = self.files.values().map(|content| content.len()).max();
        (self.files.len(), longest.unwrap_or_default())
    }
}

impl Upload {
    /// A body of these parts, which is written once if none of them varies.
    pub fn new(content_type: Text, parts: Vec<UploadPart>) -> Self {
        let mut upload = Self { content_type, parts, constant: None };
        if upload.texts().all(|text| text.constant().is_some()) {
            let mut body = Vec::new();
            let values = Values::new(0);
            let whole = upload.write(&values, &mut body, |part, out| part.content(&values, out));
            upload.constant = whole.ok().map(|content_type| (content_type, body.into()));
        }
        upload
    }

    /// The texts of all parts.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        std::iter::once(&self.content_type).chain(self.parts.iter().flat_map(UploadPart::texts))
    }

    /// Writes the body, with `content` for the content of each part, and returns its content type.
    pub fn write(
        &self,
        values: &Values,
        out: &mut Vec<u8>,
        content: impl Fn(&UploadPart, &mut Vec<u8>) -> Result<(), Unfilled>,
    ) -> Result<Vec<u8>, Unfilled> {
        let line = FormParts::write(out, |parts| {
            self.parts.iter().try_for_each(|part| part.write(parts, values, &content))
        })?;
        let mut content_type = Vec::new();
        self.content_type.render(values, &mut content_type)?;
        content_type.extend_from_slice(b"; boundary=");
        content_type.extend_from_slice(line.as_bytes());
        Ok(content_type)
    }
}

impl UploadPart {
    /// Its texts.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let content = match &self.content {
            PartContent::Text(text) => Some(text),
            PartContent::Varying(choice) => Some(&choice.name),
            PartContent::File(_) => None,
        };
        std::iter::once(&self.name).chain(&self.file).chain(&self.content_type).chain(content)
    }

    fn write(
        &self,
        parts: &mut FormParts<'_>,
        values: &Values,
        content: impl Fn(&Self, &mut Vec<u8>) -> Result<(), Unfilled>,
    ) -> Result<(), Unfilled> {
        let filled = |text: &Text| {
            let mut out = Vec::new();
            text.render(values, &mut out).map(|()| out)
        };
        let name = filled(&self.name)?;
        let file = match (&self.file, &self.content) {
            (None, PartContent::Varying(choice)) => Some(choice.base_name(values)?.into_bytes()),
            (file, _) => file.as_ref().map(filled).transpose()?,
        };
        let content_type = self.content_type.as_ref().map(filled).transpose()?;
        let head =
            PartHead { name: &name, file: file.as_deref(), content_type: content_type.as_deref() };
        parts.part(head, |out| content(self, out))
    }

    /// Appends the content as it is sent.
    pub fn content(&self, values: &Values, out: &mut Vec<u8>) -> Result<(), Unfilled> {
        match &self.content {
            PartContent::Text(text) => text.render(values, out),
            PartContent::File(bytes) => {
                out.extend_from_slice(bytes);
                Ok(())
            }
            PartContent::Varying(choice) => {
                // All names that the text can have were read.
                choice.content(values)?.into_iter().for_each(|bytes| out.extend_from_slice(bytes));
                Ok(())
            }
        }
    }
}
