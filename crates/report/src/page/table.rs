//! Figures in rows: a [`Table`], whose columns define the alignment of their cells.

/// Figures in rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the table shows.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
    /// What a reader must know about the figures, below them.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// The title.
    pub title: String,
    /// The alignment of the cells.
    pub side: Side,
}

/// The alignment of the cells of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Figures, so that their units are aligned.
    #[default]
    Right,
    /// Names.
    Left,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// What kind of figures these are.
    pub tone: Tone,
    /// The cells. The first one names the row.
    pub cells: Vec<String>,
}

/// What kind of figures a row holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Measured.
    #[default]
    Plain,
    /// Added for comparison: published by others, or a ratio.
    Beside,
    /// Measured, and not to be trusted.
    Doubtful,
}

impl Table {
    /// A table with no columns yet.
    pub fn new(caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), ..Self::default() }
    }

    /// Adds columns of names.
    #[must_use]
    pub fn names<T: Into<String>>(mut self, titles: impl IntoIterator<Item = T>) -> Self {
        let column = |title: T| Column { title: title.into(), side: Side::Left };
        self.columns.extend(titles.into_iter().map(column));
        self
    }

    /// Adds columns of figures.
    #[must_use]
    pub fn figures<T: Into<String>>(mut self, titles: impl IntoIterator<Item = T>) -> Self {
        let column = |title: T| Column { title: title.into(), side: Side::Right };
        self.columns.extend(titles.into_iter().map(column));
        self
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, tone: Tone, cells: impl IntoIterator<Item = T>) {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        debug_assert_eq!(
            cells.len(),
            self.columns.len(),
            "{} in {}",
            cells.join("|"),
            self.caption
        );
        self.rows.push(Row { tone, cells });
    }

    /// Adds a note.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }
}
