//! A report as a sequence of blocks, shown on a terminal or as one HTML file: [`Page`].
//!
//! A report is made once and rendered twice, so that the file a colleague opens has the same content as the terminal.
//! The code that makes a page knows what is compared; nothing here does. Every text of a page may come from a foreign
//! server: the renderings ensure that it stays text.

mod html;
mod list;
mod origin;
mod result;
mod script;
mod table;
mod text;
mod tree;

pub(crate) use origin::machine;
pub use result::{
    FailedExchange, Goal, NextStep, Number, RunResult, with_words_below, without_samples,
};
pub use table::{Column, Row, Side, Table, Tone};
pub use tree::{Sparkline, Tree};

use crate::Screen;
use crate::chart::Chart;
use crate::view::View;
use brunt_exchange::without_directions;

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// When and by which program it was made, in a line; empty where that is shown elsewhere.
    pub about: String,
    /// Its content, from the top.
    pub blocks: Vec<Block>,
    /// The data of its drawings.
    pub view: Option<View>,
    /// How many of its figures are in doubt, and how many there are, if it judges them itself.
    pub doubtful: Option<(usize, usize)>,
}

/// A piece of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// The title of what follows.
    Heading(String),
    /// A part above the first heading, by the name that links use; it may have a title, which is in no contents.
    Part(&'static str, Option<String>),
    /// The result, in a sentence for a reader who reads nothing else.
    Lead(String),
    /// The outcome of a run.
    Result(RunResult),
    /// Whether its figures can be trusted, beside its outcome.
    Trust(Verdict),
    /// The figures that matter most.
    Numbers(Vec<Number>),
    /// Objectives.
    Goals(Vec<Goal>),
    /// What a reader could do next.
    Next(Vec<NextStep>),
    /// A request that failed.
    Failed(FailedExchange),
    /// Blocks side by side, where there is room.
    Columns(Vec<Self>),
    /// Whether the figures can be trusted.
    Verdict(Verdict),
    /// Prose.
    Paragraph(String),
    /// What a reader must know about the figures, in small letters.
    Note(String),
    /// What speaks against the figures, or could be misunderstood.
    Warning(String),
    /// Sentences of equal rank.
    List(Vec<String>),
    /// Figures in rows.
    Table(Table),
    /// Figures in rows, each with its parts below it.
    Tree(Tree),
    /// Figures as a picture.
    Chart(Chart),
    /// A chart of the page's view, drawn by a script. Terminals have other views of a run.
    Drawing(Drawing),
    /// The control with which a reader chooses the operation of the drawings.
    Choice,
    /// A command line, as a shell reads it.
    Command(Vec<String>),
    /// Names and what they stand for.
    Facts(Vec<(String, String)>),
    /// Content that few readers look for: closed on a page until it is opened, and after everything else on a terminal.
    Folded {
        /// Its title.
        title: String,
        /// Its content; headings are not allowed there.
        blocks: Vec<Self>,
    },
    /// Text for programs, unchanged: only pages have it, folded, since a terminal has `--format`.
    Raw {
        /// Its title.
        title: String,
        /// The text.
        text: String,
    },
}

/// Whether the figures can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// How bad it is: nothing speaks against them, something does, they cannot be trusted.
    pub tone: Tone,
    /// In a word.
    pub word: String,
    /// What that means.
    pub meaning: String,
    /// Why, and further remarks.
    pub reasons: Vec<String>,
}

/// A chart of the page's view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Which of the view's plots.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The unit of its values.
    pub unit: String,
    /// How to read it.
    pub note: String,
    /// The same as a picture, as SVG: for paper, and where scripts are off.
    pub still: String,
}

/// The style of every page, for a server that hands it out as a file.
pub fn style() -> String {
    html::style()
}

/// The script of a page with charts, for the same use. It draws the view that is in the page.
pub fn script() -> String {
    script::script(true, "")
}

/// A script of ours as pages load it: its lines without comments. A comment has lines of its own and begins with `//`
/// or `/**`.
pub fn code(script: &str) -> String {
    script::code(script).collect()
}

/// The style in every picture, exactly as in its element: policies of servers name its hash.
pub const fn picture_style() -> &'static str {
    crate::chart::STYLE
}

impl Page {
    /// A page without content.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Begins a part above the first heading.
    pub fn part(&mut self, id: &'static str, title: Option<&str>) {
        self.blocks.push(Block::Part(id, title.map(str::to_owned)));
    }

    /// The result, in a sentence for a reader who reads nothing else; empty if the page has none.
    pub fn sentence(&self) -> String {
        let sentence = self.blocks.iter().find_map(|block| match block {
            Block::Lead(words) => Some(words.clone()),
            Block::Result(result) => Some(result.sentence()),
            _ => None,
        });
        sentence.unwrap_or_default()
    }

    /// Adds a block.
    pub fn push(&mut self, block: Block) {
        self.blocks.push(block);
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

    /// Adds a chart, if it shows anything.
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

    /// Adds content that few readers look for, if there is any.
    pub fn folded(&mut self, title: impl Into<String>, blocks: Vec<Block>) {
        if !blocks.is_empty() {
            self.blocks.push(Block::Folded { title: title.into(), blocks });
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

    /// The page as HTML for a server that sends it rows while a run is in progress. The page may connect to that server
    /// only, and runs `script` after its own: `brunt` there is the object that [`view`](crate::view) describes.
    pub fn live_html(&self, script: &str) -> String {
        html::live(self, script)
    }

    /// The content under each heading, by the id of its section; the content above the first has the id `top`. A live
    /// page replaces its sections by these (`brunt.sections`).
    pub fn sections(&self) -> Vec<(String, String)> {
        let sections = html::sections(self).into_iter();
        sections.map(|section| (section.id, without_directions(section.html))).collect()
    }
}
