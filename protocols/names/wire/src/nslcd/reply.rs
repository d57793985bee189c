//! Replies: [`Replies`], the entries of one reply in order.
//!
//! No length precedes an entry, so the walk remembers how far into an entry it has come and examines no byte twice
//! until the whole entry has arrived, however small the pieces in which it arrives.

use super::{Request, VERSION};
use crate::account::{Group, MEMBERS_MAX, Malformed, REPLY_MAX, TEXT_MAX, User, word};

/// An entry follows: `NSLCD_RESULT_BEGIN`.
const BEGIN: u32 = 1;
/// No entry follows: `NSLCD_RESULT_END`.
const END: u32 = 2;
/// The size of version and action.
const HEADER: usize = 8;

/// An entry of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A user.
    User(User<'a>),
    /// A group.
    Group(Group<'a>),
}

/// The result of a step through a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The reply must have at least this many bytes in total before the walk can continue.
    More(usize),
    /// The next entry.
    Entry(Entry<'a>),
    /// There are no more entries.
    End,
}

/// A walk through one reply.
#[derive(Clone, Debug)]
pub struct Replies {
    request: Request,
    /// How many bytes have been processed.
    at: usize,
    /// Where the fields of the current entry begin; `None` between entries.
    entry: Option<usize>,
    /// How many of its fields were skipped.
    fields: usize,
    /// How many members its group claims to have.
    members: usize,
}

impl Replies {
    /// Creates the walk through the reply to this request, before any of it has arrived.
    pub const fn new(request: Request) -> Self {
        Self { request, at: 0, entry: None, fields: 0, members: 0 }
    }

    /// The next step. `bytes` is everything received since the request was sent, including the entries already
    /// returned.
    pub fn step<'a>(&mut self, bytes: &'a [u8]) -> Result<Step<'a>, Malformed> {
        if self.at == 0 {
            let (Some(version), Some(action)) = (number(bytes, 0), number(bytes, 4)) else {
                return Ok(Step::More(HEADER));
            };
            if version != VERSION {
                return Err(Malformed::Version { found: version });
            }
            if action != self.request as u32 {
                return Err(Malformed::Action { found: action });
            }
            self.at = HEADER;
        }
        let start = match self.entry {
            Some(start) => start,
            None => match number(bytes, self.at) {
                None => return self.more(4),
                Some(BEGIN) => self.begin(),
                Some(END) => return Ok(Step::End),
                Some(found) => return Err(Malformed::Verdict { offset: self.at, found }),
            },
        };
        while self.fields < self.layout() {
            if let Some(length) = self.pass(bytes)? {
                return self.more(length);
            }
        }
        self.entry = None;
        let fields = Fields { bytes, at: start };
        Ok(Step::Entry(if self.is_user() { user(fields) } else { group(fields, self.members) }))
    }

    fn begin(&mut self) -> usize {
        self.at += 4;
        self.entry = Some(self.at);
        (self.fields, self.members) = (0, 0);
        self.at
    }

    fn more<'a>(&self, length: usize) -> Result<Step<'a>, Malformed> {
        let length = self.at + length;
        if length > REPLY_MAX {
            return Err(Malformed::TooLong { length });
        }
        Ok(Step::More(length))
    }

    const fn is_user(&self) -> bool {
        matches!(self.request, Request::UserByName | Request::UserById)
    }

    /// How many fields the entry has, including the members of a group.
    const fn layout(&self) -> usize {
        if self.is_user() { 7 } else { 4 + self.members }
    }

    /// Skips a field; if it has not arrived completely, returns how many bytes of it are needed.
    fn pass(&mut self, bytes: &[u8]) -> Result<Option<usize>, Malformed> {
        let offset = self.at;
        let Some(found) = number(bytes, offset) else { return Ok(Some(4)) };
        let is_number =
            if self.is_user() { matches!(self.fields, 2 | 3) } else { self.fields == 2 };
        let mut length = 4;
        if !self.is_user() && self.fields == 3 {
            self.members = found as usize;
            if self.members > MEMBERS_MAX {
                return Err(Malformed::Count { offset, found });
            }
        } else if !is_number {
            if found as usize > TEXT_MAX {
                return Err(Malformed::Length { offset, found });
            }
            length += found as usize;
        }
        if bytes.len() < offset + length {
            return Ok(Some(length));
        }
        self.at += length;
        self.fields += 1;
        Ok(None)
    }
}

fn user(mut fields: Fields<'_>) -> Entry<'_> {
    Entry::User(User {
        name: fields.text(),
        password: fields.text(),
        uid: fields.number(),
        gid: fields.number(),
        gecos: fields.text(),
        directory: fields.text(),
        shell: fields.text(),
    })
}

fn group(mut fields: Fields<'_>, members: usize) -> Entry<'_> {
    let (name, password, gid) = (fields.text(), fields.text(), fields.number());
    Entry::Group(Group { name, password, gid, members: members as u32 })
}

fn number(bytes: &[u8], offset: usize) -> Option<u32> {
    word(bytes, offset).map(u32::from_be_bytes)
}

/// The fields of an entry that has arrived completely.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn number(&mut self) -> u32 {
        let number = number(self.bytes, self.at).unwrap_or_default();
        self.at += 4;
        number
    }

    fn text(&mut self) -> &'a [u8] {
        let length = self.number() as usize;
        let text = self.bytes.get(self.at..self.at + length).unwrap_or_default();
        self.at += length;
        text
    }
}

#[cfg(test)]
mod tests;
