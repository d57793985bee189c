//! [`Help`]: the help of a tool with a grammar of its own, from its table of options.
//!
//! The order of a page is the same for all: usage, description, examples, options group by group, notes, exit codes.
//! How an option is spelled there is the tool's [`Layout`], which its pages in `docs/` use as well.

use std::fmt::Write as _;

use super::page::Page;
use super::row::{Kind, Row, dashed};

/// How a tool shows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `-c, --connections {number}`. Further names of an option have a line of their own below its help.
    Braces {
        /// What may follow the name of a secret.
        secret: &'static str,
        /// Whether the further names are shown.
        names_others: bool,
    },
    /// `-R number, --clients number`: every name, with the value.
    EachName,
}

impl Layout {
    /// The spelling of an option.
    pub fn signature(self, row: &Row) -> String {
        match self {
            Self::Braces { secret, .. } => {
                let letter = row.short.map(|short| format!("-{short}, ")).unwrap_or_default();
                let suffix = if row.kind == Kind::Secret { secret } else { "" };
                let value = format!("{{{}}}", row.value);
                format!("{letter}{}{suffix}{}", dashed(row.name), after(row, &value))
            }
            Self::EachName => {
                let names = row.names().map(|name| dashed(name) + &after(row, row.value));
                names.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// The lines below the help of an option.
    pub fn notes(self, row: &Row) -> Vec<(&'static str, String)> {
        let mut notes = Vec::new();
        if !row.default.is_empty() {
            notes.push(("Default", row.default.to_owned()));
        }
        if matches!(self, Self::Braces { names_others: true, .. }) && !row.also.is_empty() {
            let names: Vec<String> = row.also.iter().map(|name| dashed(name)).collect();
            notes.push(("Also", names.join(", ")));
        }
        notes
    }

    /// An option as a page of `docs/` shows it.
    pub fn markdown(self, row: &Row) -> String {
        let mut out = format!("`{}`\n\n", self.signature(row).replace(", -", "` | `-"));
        for line in row.help.lines() {
            let _ = writeln!(out, "> {}\n>", line.replace('<', "\\<").replace('*', "\\*"));
        }
        for (word, text) in self.notes(row) {
            let _ = writeln!(out, "> {word}: `{text}`\n>");
        }
        out.push('\n');
        out
    }
}

/// What follows a name.
fn after(row: &Row, value: &str) -> String {
    match row.kind {
        Kind::Switch => String::new(),
        Kind::Attached => format!("[={value}]"),
        _ => format!(" {value}"),
    }
}

/// The help of a tool.
#[derive(Debug)]
pub struct Help<'a> {
    /// How options are shown.
    pub layout: Layout,
    /// The words of a command line.
    pub usage: String,
    /// What the tool does, paragraph by paragraph.
    pub description: &'a [&'a str],
    /// Command lines to copy, each with what it does.
    pub examples: &'a [(&'a str, &'a str)],
    /// The headings, in their order.
    pub groups: &'a [&'a str],
    /// The options.
    pub rows: &'a [Row],
    /// What follows the options.
    pub sections: Vec<Section<'a>>,
    /// The exit codes.
    pub exits: Vec<(String, &'static str)>,
}

/// Paragraphs under a heading.
#[derive(Debug)]
pub struct Section<'a> {
    /// The heading.
    pub title: &'a str,
    /// How far lines after the first of a paragraph are indented.
    pub indent: usize,
    /// The paragraphs.
    pub paragraphs: Vec<String>,
}

impl<'a> Section<'a> {
    /// A list.
    pub fn list(title: &'a str, items: &[&str]) -> Self {
        let paragraphs = items.iter().map(|item| format!("- {item}")).collect();
        Self { title, indent: 2, paragraphs }
    }
}

impl Help<'_> {
    /// The page for a terminal.
    pub fn page(&self) -> String {
        let mut page = Page::default();
        page.text(&format!("Usage:  {}", self.usage), 0, 8);
        for paragraph in self.description {
            page.blank();
            page.text(paragraph, 0, 0);
        }
        if !self.examples.is_empty() {
            page.examples(self.examples);
        }
        for group in self.groups {
            page.heading(group);
            for row in self.rows.iter().filter(|row| row.group == *group) {
                page.text(&self.layout.signature(row), 0, 4);
                page.text(row.help, 4, 4);
                for (word, text) in self.layout.notes(row) {
                    page.text(&format!("{word}: {text}"), 4, 4);
                }
            }
        }
        for Section { title, indent, paragraphs } in &self.sections {
            page.heading(title);
            for paragraph in paragraphs {
                page.text(paragraph, 0, *indent);
            }
        }
        page.heading("Exit codes");
        for (code, meaning) in &self.exits {
            page.text(&format!("{code:<6}{meaning}"), 0, 6);
        }
        page.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: Row = Row::new("Who", "password", "text", Kind::Secret, "It is hidden.")
        .short('w')
        .also(&["pin", "k"])
        .default("none");

    #[test]
    fn layout_decides_the_spelling_of_an_option() {
        let all = Layout::Braces { secret: "[:env]", names_others: true };
        let few = Layout::Braces { secret: "", names_others: false };
        assert_eq!(all.signature(&SECRET), "-w, --password[:env] {text}");
        assert_eq!(few.signature(&SECRET), "-w, --password {text}");
        assert_eq!(Layout::EachName.signature(&SECRET), "--password text, --pin text, -k text");
        let web = Row::new("Who", "web", "addr", Kind::Attached, "A page.");
        assert_eq!(all.signature(&web), "--web[={addr}]");
        assert_eq!(Layout::EachName.signature(&web), "--web[=addr]");
        assert_eq!(all.notes(&SECRET)[1], ("Also", "--pin, -k".to_owned()));
        assert_eq!(few.notes(&SECRET).len(), 1);
        let shown = "`-w` | `--password {text}`\n\n> It is hidden.\n>\n> Default: `none`\n>\n\n";
        assert_eq!(few.markdown(&SECRET), shown);
    }
}
