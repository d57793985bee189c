//! [`History`]: the messages about a run for browsers, in order, and [`Cursor`], how many of them one browser has
//! received.
//!
//! Every message is made once and shared, so a tab costs only its cursor and its socket buffer. A tab that is slow, was
//! disconnected or came late continues from its own cursor, and gets the missing rows in a few messages: there is no
//! queue for each tab that could overflow, and no run waits for a tab. Memory is bounded: a view replaces all rows
//! before it, and the caller shows a new view before there are too many rows.

use std::collections::BTreeMap;

use bytes::Bytes;

/// The most bytes of rows in one message, so that a tab which does not read occupies no more than this.
const ROWS_AT_A_TIME: usize = 64 << 10;

/// The messages about a run for browser tabs.
#[derive(Debug, Default)]
pub struct History {
    /// The number of views so far.
    epoch: u64,
    /// The current view.
    view: Option<Bytes>,
    /// The rows that were added to it, in JSON.
    rows: Vec<Bytes>,
    /// For each kind of which only the newest message counts: that message, and how many there have been.
    newest: BTreeMap<&'static str, (u64, Bytes)>,
    over: bool,
}

/// How much of a history a tab has received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    epoch: u64,
    /// The number of messages of this epoch that it has received: the view, then rows.
    next: usize,
    newest: BTreeMap<&'static str, u64>,
    /// The only kind of message that it wants beside the end, if it does not want all.
    only: Option<&'static str>,
    over: bool,
}

impl Cursor {
    /// The cursor of a tab that wants the newest message of this kind, and to know when the run is over.
    pub fn only(kind: &'static str) -> Self {
        Self { only: Some(kind), ..Self::default() }
    }

    /// The cursor of a tab that names the last message it received. Without a valid id it starts at the beginning.
    pub fn after(id: Option<&str>) -> Self {
        let read = id.and_then(|id| id.split_once('.'));
        let read = read.and_then(|(epoch, next)| Some((epoch.parse().ok()?, next.parse().ok()?)));
        read.map_or_else(Self::default, |(epoch, next)| Self { epoch, next, ..Self::default() })
    }

    /// Whether the tab wants all messages.
    pub const fn wants_all(&self) -> bool {
        self.only.is_none()
    }

    /// Whether the tab has received the end of the run.
    pub const fn is_over(&self) -> bool {
        self.over
    }
}

impl History {
    /// Replaces the view and its rows by this view, as JSON on one line.
    pub fn show(&mut self, view: &str) {
        self.epoch += 1;
        self.rows.clear();
        self.view = Some(message("view", Some((self.epoch, 1)), view));
    }

    /// Adds a row to the view, as JSON on one line.
    pub fn append(&mut self, row: &str) {
        debug_assert!(self.view.is_some(), "rows belong to a view");
        self.rows.push(Bytes::copy_from_slice(row.as_bytes()));
    }

    /// Replaces the message of this kind, as JSON on one line.
    pub fn report(&mut self, kind: &'static str, data: &str) {
        let newest = self.newest.entry(kind).or_default();
        *newest = (newest.0 + 1, message(kind, None, data));
    }

    /// Marks the history as complete: nothing follows.
    pub fn end(&mut self) {
        self.over = true;
    }

    /// Whether the history is complete.
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// The next message that a tab has not received, if there is one.
    pub fn next(&self, cursor: &mut Cursor) -> Option<Bytes> {
        let messages = self.rows.len() + usize::from(self.view.is_some());
        if cursor.epoch != self.epoch || cursor.next > messages {
            (cursor.epoch, cursor.next) = (self.epoch, 0);
        }
        if cursor.only.is_none()
            && let Some(view) = self.view.as_ref().filter(|_| cursor.next == 0)
        {
            cursor.next = 1;
            return Some(view.clone());
        }
        if cursor.only.is_none() && cursor.next < messages {
            return Some(self.rows_after(cursor));
        }
        let only = cursor.only;
        let wanted = self.newest.iter().filter(|(kind, _)| only.is_none_or(|only| only == **kind));
        for (kind, (version, message)) in wanted {
            let seen = cursor.newest.entry(kind).or_default();
            if seen != version {
                *seen = *version;
                return Some(message.clone());
            }
        }
        (self.over && !cursor.over).then(|| {
            cursor.over = true;
            message("end", None, "")
        })
    }

    /// The rows that a tab is missing, as one array, up to the limit for one message.
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

/// A server-sent event. A line break would end it; the JSON that is written here has none.
fn message(name: &str, id: Option<(u64, usize)>, data: &str) -> Bytes {
    debug_assert!(!data.contains(['\n', '\r']), "data of one line");
    let id = id.map_or_else(String::new, |(epoch, next)| format!("id: {epoch}.{next}\n"));
    Bytes::from(format!("event: {name}\n{id}data: {data}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(history: &History, cursor: &mut Cursor) -> String {
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
    fn history_sends_everything_once_to_late_watchers() {
        let mut history = History::default();
        let (mut early, mut late) = (Cursor::after(None), Cursor::after(None));
        assert_eq!(received(&history, &mut early), "");
        history.show("v1");
        history.append("r1");
        assert_eq!(received(&history, &mut early), "v1 [r1]");
        history.append("r2");
        history.report("sections", "s1");
        history.report("sections", "s2");
        assert_eq!(received(&history, &mut early), "[r2] s2");
        assert_eq!(received(&history, &mut late), "v1 [r1,r2] s2");
        assert_eq!(received(&history, &mut early), "");
        history.show("v2");
        history.append("r3");
        assert_eq!(received(&history, &mut early), "v2 [r3]");
        history.end();
        assert_eq!((received(&history, &mut early), early.is_over()), (String::new(), true));
        assert_eq!(received(&history, &mut late), "v2 [r3] ");
    }

    #[test]
    fn history_continues_for_a_returning_tab() {
        let mut history = History::default();
        history.show("v1");
        history.append("r1");
        let id = id_of(&history, &mut Cursor::default());
        assert_eq!(id.as_deref(), Some("1.2"));
        history.append("r2");
        history.append("r3");
        assert_eq!(received(&history, &mut Cursor::after(id.as_deref())), "[r2,r3]");
        // The position is outdated or was never valid: the tab gets everything that is current.
        history.show("v2");
        for id in ["1.2", "2.9", "9.1", "", "x", "1", "18446744073709551615.18446744073709551615"] {
            assert_eq!(received(&history, &mut Cursor::after(Some(id))), "v2", "{id}");
        }
    }

    #[test]
    fn history_limits_a_batch_without_losing_rows() {
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
    fn history_keeps_the_newest_of_each_kind() {
        let mut history = History::default();
        history.report("state", "a");
        history.report("verdict", "b");
        history.report("state", "c");
        let mut cursor = Cursor::default();
        assert_eq!(received(&history, &mut cursor), "c b");
        history.report("state", "d");
        assert_eq!(received(&history, &mut cursor), "d");
    }

    #[test]
    fn history_of_one_kind_sends_no_other() {
        let mut history = History::default();
        let mut cursor = Cursor::only("state");
        history.show("v1");
        history.append("r1");
        history.report("sections", "s");
        history.report("state", "a");
        assert_eq!(received(&history, &mut cursor), "a");
        history.append("r2");
        assert_eq!(received(&history, &mut cursor), "");
        history.end();
        assert_eq!((received(&history, &mut cursor), cursor.is_over()), (String::new(), true));
    }
}
