//! [`History`]: what browsers are told of a run, in order, and [`Cursor`], how much of it one of them was told.
//!
//! Every message is made once and shared, so that a tab costs its place in it and what its socket holds. A tab that is
//! slow, was away or came late goes on from its own cursor, and gets the rows that it lacks together: nothing waits in
//! a queue of its own, so there is none to overflow, and no run waits for it. What is kept is bounded: a view replaces
//! all rows before it, and whoever runs this shows a new one before the rows become too many.

use std::collections::BTreeMap;

use bytes::Bytes;

/// The most bytes of rows that are told at a time, so that a tab which does not read holds no more than this.
const ROWS_AT_A_TIME: usize = 64 << 10;

/// What tabs are told of a run.
#[derive(Debug, Default)]
pub struct History {
    /// How many views there have been.
    epoch: u64,
    /// The view that counts.
    view: Option<Bytes>,
    /// The rows that were added to it, in JSON.
    rows: Vec<Bytes>,
    /// What of each kind only the newest counts of, and how often there was a new one.
    newest: BTreeMap<&'static str, (u64, Bytes)>,
    over: bool,
}

/// How much of a history a tab was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    epoch: u64,
    /// How many messages of this epoch: the view, then rows.
    next: usize,
    newest: BTreeMap<&'static str, u64>,
    over: bool,
}

impl Cursor {
    /// Where a tab goes on that names the last message it got: a new one, or one that was away, from the beginning.
    pub fn after(id: Option<&str>) -> Self {
        let read = id.and_then(|id| id.split_once('.'));
        let read = read.and_then(|(epoch, next)| Some((epoch.parse().ok()?, next.parse().ok()?)));
        read.map_or_else(Self::default, |(epoch, next)| Self { epoch, next, ..Self::default() })
    }

    /// Whether the tab was told that the run is over.
    pub const fn is_over(&self) -> bool {
        self.over
    }
}

impl History {
    /// Replaces what was told by this view, in JSON of one line.
    pub fn show(&mut self, view: &str) {
        self.epoch += 1;
        self.rows.clear();
        self.view = Some(message("view", Some((self.epoch, 1)), view));
    }

    /// Adds a row to the view, in JSON of one line.
    pub fn append(&mut self, row: &str) {
        debug_assert!(self.view.is_some(), "rows belong to a view");
        self.rows.push(Bytes::copy_from_slice(row.as_bytes()));
    }

    /// Replaces what was told of this kind, in JSON of one line.
    pub fn tell(&mut self, kind: &'static str, data: &str) {
        let told = self.newest.entry(kind).or_default();
        *told = (told.0 + 1, message(kind, None, data));
    }

    /// Nothing follows.
    pub fn end(&mut self) {
        self.over = true;
    }

    /// Whether nothing follows.
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// The next message for a tab, if there is one that it was not told.
    pub fn next(&self, cursor: &mut Cursor) -> Option<Bytes> {
        let messages = self.rows.len() + usize::from(self.view.is_some());
        if cursor.epoch != self.epoch || cursor.next > messages {
            (cursor.epoch, cursor.next) = (self.epoch, 0);
        }
        if let Some(view) = self.view.as_ref().filter(|_| cursor.next == 0) {
            cursor.next = 1;
            return Some(view.clone());
        }
        if cursor.next < messages {
            return Some(self.rows_after(cursor));
        }
        for (kind, (version, message)) in &self.newest {
            let told = cursor.newest.entry(kind).or_default();
            if told != version {
                *told = *version;
                return Some(message.clone());
            }
        }
        (self.over && !cursor.over).then(|| {
            cursor.over = true;
            message("end", None, "")
        })
    }

    /// As many of the rows that a tab lacks as are told at a time, as one array.
    fn rows_after(&self, cursor: &mut Cursor) -> Bytes {
        let mut data = String::from("[");
        for row in &self.rows[cursor.next - 1..] {
            if data.len() + row.len() > ROWS_AT_A_TIME && data.len() > 1 {
                break;
            }
            if data.len() > 1 {
                data.push(',');
            }
            data.push_str(&String::from_utf8_lossy(row));
            cursor.next += 1;
        }
        data.push(']');
        message("rows", Some((self.epoch, cursor.next)), &data)
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
        assert_eq!(told(&history, &mut early), "v1 [r1]");
        history.append("r2");
        history.tell("sections", "s1");
        history.tell("sections", "s2");
        assert_eq!(told(&history, &mut early), "[r2] s2");
        assert_eq!(told(&history, &mut late), "v1 [r1,r2] s2");
        assert_eq!(told(&history, &mut early), "");
        history.show("v2");
        history.append("r3");
        assert_eq!(told(&history, &mut early), "v2 [r3]");
        history.end();
        assert_eq!((told(&history, &mut early), early.is_over()), (String::new(), true));
        assert_eq!(told(&history, &mut late), "v2 [r3] ");
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
        assert_eq!(told(&history, &mut Cursor::after(id.as_deref())), "[r2,r3]");
        // What it was told is no longer what counts, or never was: it is told all of what does.
        history.show("v2");
        for id in ["1.2", "2.9", "9.1", "", "x", "1", "18446744073709551615.18446744073709551615"] {
            assert_eq!(told(&history, &mut Cursor::after(Some(id))), "v2", "{id}");
        }
    }

    #[test]
    fn what_a_tab_gets_at_a_time_is_bounded_and_no_row_is_lost() {
        let mut history = History::default();
        history.show("{}");
        let row = |number: usize| format!("\"{number:0>999}\"");
        (0..1_200).for_each(|number| history.append(&row(number)));
        let mut cursor = Cursor::default();
        let messages: Vec<Bytes> = std::iter::from_fn(|| history.next(&mut cursor)).collect();
        assert!(messages.len() < 30 && messages.iter().all(|it| it.len() < 2 * ROWS_AT_A_TIME));
        let rows: Vec<String> = messages[1..]
            .iter()
            .flat_map(|message| {
                let text = std::str::from_utf8(message).unwrap();
                let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
                serde_json::from_str::<Vec<String>>(data).unwrap()
            })
            .collect();
        assert_eq!(rows.len(), 1_200);
        assert!(rows.iter().enumerate().all(|(number, it)| *it == row(number).trim_matches('"')));
    }

    #[test]
    fn of_each_kind_only_the_newest_is_told() {
        let mut history = History::default();
        history.tell("state", "a");
        history.tell("verdict", "b");
        history.tell("state", "c");
        let mut cursor = Cursor::default();
        assert_eq!(told(&history, &mut cursor), "c b");
        history.tell("state", "d");
        assert_eq!(told(&history, &mut cursor), "d");
    }
}
