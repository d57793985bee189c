//! A report as a sequence of blocks, shown on a terminal or as one HTML file: [`Page`].
//!
//! A report is made once and rendered twice, so that the file a colleague opens says what the
//! terminal said. Whoever makes a page knows what is compared; nothing here does. Every text of a
//! page may come from somebody else's server: the renderings see to it that it stays text.

mod html;
mod origin;
mod table;
mod text;

pub use table::{Column, Row, Side, Table, Tone};

use crate::Screen;
use crate::chart::Chart;

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// What it says, from the top.
    pub blocks: Vec<Block>,
}

/// A piece of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// The title of what follows.
    Heading(String),
    /// Prose.
    Paragraph(String),
    /// What speaks against the figures, or could be mistaken.
    Warning(String),
    /// Sentences of equal rank.
    List(Vec<String>),
    /// Figures in rows.
    Table(Table),
    /// Figures as a picture.
    Chart(Chart),
    /// Names and what they stand for.
    Facts(Vec<(String, String)>),
    /// Text for programs, as it is: only pages have it, folded, since a terminal has `--format`.
    Raw {
        /// What it is.
        title: String,
        /// The text.
        text: String,
    },
}

impl Page {
    /// A page that says nothing yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), blocks: Vec::new() }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds prose.
    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Adds what speaks against the figures.
    pub fn warning(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Warning(text.into()));
    }

    /// Adds sentences of equal rank, if there are any.
    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Adds a table, if it has rows.
    pub fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.blocks.push(Block::Table(table));
        }
    }

    /// Adds a chart, if there is something to be seen.
    pub fn chart(&mut self, chart: Chart) {
        if !chart.is_empty() {
            self.blocks.push(Block::Chart(chart));
        }
    }

    /// Adds facts, if there are any.
    pub fn facts(&mut self, facts: Vec<(String, String)>) {
        if !facts.is_empty() {
            self.blocks.push(Block::Facts(facts));
        }
    }

    /// Adds text for programs.
    pub fn raw(&mut self, title: impl Into<String>, text: impl Into<String>) {
        self.blocks.push(Block::Raw { title: title.into(), text: text.into() });
    }

    /// The page for a terminal.
    pub fn text(&self, screen: Screen) -> String {
        text::render(self, screen)
    }

    /// The page as one HTML file that needs nothing else.
    pub fn html(&self) -> String {
        html::render(self)
    }
}
