//! [`History`]: what tabs are told of a run, in order, and [`Cursor`], how much of it one of them was told.
//!
//! Every message is made once and shared, so that a tab costs its place in it and what its socket holds. A tab that is
//! slow, was away or came late goes on from its own cursor, and the run never waits for it. What is kept is bounded: a
//! view replaces all rows before it, and whoever runs this shows a new one before the rows become too many.

use bytes::Bytes;

/// What tabs are told of a run.
#[derive(Debug, Default)]
pub(super) struct History {
    /// How many views there have been.
    epoch: u64,
    /// The view that counts, and the rows that were added to it.
    messages: Vec<Bytes>,
    /// Words and tables, of which only the newest count, and how often there were new ones.
    sections: (u64, Bytes),
    over: bool,
}

/// How much of a history a tab was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    epoch: u64,
    next: usize,
    sections: u64,
    over: bool,
}

impl Cursor {
    /// Where a tab goes on that names the last message it got: a new one, or one that was away, from the beginning.
    pub(super) fn after(id: Option<&str>) -> Self {
        let read = id.and_then(|id| id.split_once('.'));
        let read = read.and_then(|(epoch, next)| Some((epoch.parse().ok()?, next.parse().ok()?)));
        read.map_or_else(Self::default, |(epoch, next)| Self { epoch, next, ..Self::default() })
    }

    /// Whether the tab was told that the run is over.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }
}

impl History {
    /// Replaces what was told by this view, in JSON of one line.
    pub(super) fn show(&mut self, view: &str) {
        self.epoch += 1;
        self.messages.clear();
        self.push("view", view);
    }

    /// Adds a row to the view, in JSON of one line.
    pub(super) fn append(&mut self, row: &str) {
        self.push("row", row);
    }

    /// Replaces words and tables, in JSON of one line.
    pub(super) fn tell(&mut self, sections: &str) {
        self.sections = (self.sections.0 + 1, message("sections", None, sections));
    }

    /// Nothing follows.
    pub(super) fn end(&mut self) {
        self.over = true;
    }

    /// Whether nothing follows.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    /// The next message for a tab, if there is one that it was not told.
    pub(super) fn next(&self, cursor: &mut Cursor) -> Option<Bytes> {
        if cursor.epoch != self.epoch || cursor.next > self.messages.len() {
            (cursor.epoch, cursor.next) = (self.epoch, 0);
        }
        if let Some(message) = self.messages.get(cursor.next) {
            cursor.next += 1;
            return Some(message.clone());
        }
        if cursor.sections != self.sections.0 {
            cursor.sections = self.sections.0;
            return Some(self.sections.1.clone());
        }
        (self.over && !cursor.over).then(|| {
            cursor.over = true;
            message("end", None, "")
        })
    }

    fn push(&mut self, name: &str, data: &str) {
        let id = (self.epoch, self.messages.len() + 1);
        self.messages.push(message(name, Some(id), data));
    }
}

/// A server-sent event. Lines would end it, and JSON as it is written here has none.
fn message(name: &str, id: Option<(u64, usize)>, data: &str) -> Bytes {
    debug_assert!(!data.contains(['\n', '\r']), "data of one line");
    let id = id.map_or_else(String::new, |(epoch, next)| format!("id: {epoch}.{next}\n"));
    Bytes::from(format!("event: {name}\n{id}data: {data}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(history: &History, cursor: &mut Cursor) -> String {
        let messages = std::iter::from_fn(|| history.next(cursor));
        let data = messages.map(|message| {
            let text = String::from_utf8(message.to_vec()).unwrap();
            let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
            data.to_owned()
        });
        data.collect::<Vec<_>>().join(" ")
    }

    fn id_of(history: &History, cursor: &mut Cursor) -> Option<String> {
        let messages = std::iter::from_fn(|| history.next(cursor));
        let id = |message: Bytes| {
            let text = String::from_utf8(message.to_vec()).unwrap();
            text.lines().find_map(|line| Some(line.strip_prefix("id: ")?.to_owned()))
        };
        messages.filter_map(id).last()
    }

    #[test]
    fn whoever_comes_late_is_told_everything_and_nothing_twice() {
        let mut history = History::default();
        let (mut early, mut late) = (Cursor::after(None), Cursor::after(None));
        assert_eq!(told(&history, &mut early), "");
        history.show("v1");
        history.append("r1");
        assert_eq!(told(&history, &mut early), "v1 r1");
        history.append("r2");
        history.tell("s1");
        history.tell("s2");
        assert_eq!(told(&history, &mut early), "r2 s2");
        assert_eq!(told(&history, &mut late), "v1 r1 r2 s2");
        assert_eq!(told(&history, &mut early), "");
        history.show("v2");
        history.append("r3");
        assert_eq!(told(&history, &mut early), "v2 r3");
        history.end();
        assert_eq!((told(&history, &mut early), early.is_over()), (String::new(), true));
        assert_eq!(told(&history, &mut late), "v2 r3 ");
    }

    #[test]
    fn a_tab_that_was_away_goes_on_where_it_was() {
        let mut history = History::default();
        history.show("v1");
        history.append("r1");
        let id = id_of(&history, &mut Cursor::default());
        assert_eq!(id.as_deref(), Some("1.2"));
        history.append("r2");
        history.append("r3");
        assert_eq!(told(&history, &mut Cursor::after(id.as_deref())), "r2 r3");
        // What it was told is no longer what counts, or never was: it is told all of what does.
        history.show("v2");
        for id in ["1.2", "2.9", "9.1", "", "x", "1", "18446744073709551615.18446744073709551615"] {
            assert_eq!(told(&history, &mut Cursor::after(Some(id))), "v2", "{id}");
        }
    }
}
