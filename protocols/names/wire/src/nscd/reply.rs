//! Replies: [`scan`] decodes one from the bytes received so far.
//!
//! All lengths precede the texts, so a reader knows the total length after the header, or for a group after the lengths
//! of its members, and never examines a byte more than three times.

use super::{Request, VERSION};
use crate::account::{Group, MEMBERS_MAX, Malformed, Progress, REPLY_MAX, TEXT_MAX, User, word};

/// The contents of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// The daemon does not cache this kind of entry; another source must be asked.
    Off,
    /// There is no such user or group, or no group of that user.
    Absent,
    /// A user.
    User(User<'a>),
    /// A group.
    Group(Group<'a>),
    /// Groups of a user.
    Memberships(Gids<'a>),
}

/// Group ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gids<'a>(&'a [u8]);

impl Gids<'_> {
    /// Iterates over them.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.as_chunks().0.iter().map(|number| u32::from_ne_bytes(*number))
    }
}

/// Decodes the reply to `request` from `bytes`, which is everything received since the request was sent.
pub fn scan(request: Request, bytes: &[u8]) -> Result<Progress<Reply<'_>>, Malformed> {
    let (Some(version), Some(found)) = (number(bytes, 0), number(bytes, 4)) else {
        return Ok(Progress::More(8));
    };
    if version != VERSION {
        return Err(Malformed::Version { found: version });
    }
    match found {
        0 => return Ok(Progress::Done(Reply::Absent)),
        1 => {}
        u32::MAX => return Ok(Progress::Done(Reply::Off)),
        found => return Err(Malformed::Verdict { offset: 4, found }),
    }
    match request {
        Request::UserByName | Request::UserById => user(bytes),
        Request::GroupByName | Request::GroupById => group(bytes),
        Request::Memberships => memberships(bytes),
    }
}

/// `pw_response_header` of glibc: after version and result, the lengths of name and password, the user and group ids,
/// and the lengths of the other texts.
fn user(bytes: &[u8]) -> Result<Progress<Reply<'_>>, Malformed> {
    const HEADER: usize = 36;
    let Some(header) = bytes.get(..HEADER) else { return Ok(Progress::More(HEADER)) };
    let mut texts = Texts { bytes, at: HEADER };
    let mut lengths = [0; 5];
    for (length, offset) in lengths.iter_mut().zip([8, 12, 24, 28, 32]) {
        *length = text_length(header, offset)?;
    }
    let whole = HEADER + lengths.iter().sum::<usize>();
    if bytes.len() < whole {
        return Ok(Progress::More(whole));
    }
    let [name, password, gecos, directory, shell] = lengths;
    Ok(Progress::Done(Reply::User(User {
        name: texts.take(name)?,
        password: texts.take(password)?,
        uid: number(header, 16).unwrap_or_default(),
        gid: number(header, 20).unwrap_or_default(),
        gecos: texts.take(gecos)?,
        directory: texts.take(directory)?,
        shell: texts.take(shell)?,
    })))
}

/// `gr_response_header` of glibc: the lengths of name and password, the group id, the number of members, then the
/// lengths of their names and all texts.
fn group(bytes: &[u8]) -> Result<Progress<Reply<'_>>, Malformed> {
    const HEADER: usize = 24;
    let Some(header) = bytes.get(..HEADER) else { return Ok(Progress::More(HEADER)) };
    let (name, password) = (text_length(header, 8)?, text_length(header, 12)?);
    let members = count(header, 20)?;
    let texts_at = HEADER + 4 * members;
    if bytes.len() < texts_at {
        return Ok(Progress::More(texts_at));
    }
    let mut whole = texts_at + name + password;
    for member in 0..members {
        whole += text_length(bytes, HEADER + 4 * member)?;
    }
    if whole > REPLY_MAX {
        return Err(Malformed::TooLong { length: whole });
    }
    if bytes.len() < whole {
        return Ok(Progress::More(whole));
    }
    let mut texts = Texts { bytes, at: texts_at };
    Ok(Progress::Done(Reply::Group(Group {
        name: texts.take(name)?,
        password: texts.take(password)?,
        gid: number(header, 16).unwrap_or_default(),
        members: members as u32,
    })))
}

/// `initgr_response_header` of glibc: the number of groups, then their ids. The daemon sends more after them, which its
/// own client does not read either.
fn memberships(bytes: &[u8]) -> Result<Progress<Reply<'_>>, Malformed> {
    const HEADER: usize = 12;
    let Some(header) = bytes.get(..HEADER) else { return Ok(Progress::More(HEADER)) };
    let whole = HEADER + 4 * count(header, 8)?;
    Ok(match bytes.get(HEADER..whole) {
        Some(gids) => Progress::Done(Reply::Memberships(Gids(gids))),
        None => Progress::More(whole),
    })
}

fn number(bytes: &[u8], offset: usize) -> Option<u32> {
    word(bytes, offset).map(u32::from_ne_bytes)
}

/// The length of a text, which includes at least its zero byte.
fn text_length(bytes: &[u8], offset: usize) -> Result<usize, Malformed> {
    let found = number(bytes, offset).unwrap_or_default();
    match found as usize {
        length @ 1..=TEXT_MAX => Ok(length),
        _ => Err(Malformed::Length { offset, found }),
    }
}

fn count(bytes: &[u8], offset: usize) -> Result<usize, Malformed> {
    let found = number(bytes, offset).unwrap_or_default();
    match found as usize {
        count @ 0..=MEMBERS_MAX => Ok(count),
        _ => Err(Malformed::Count { offset, found }),
    }
}

/// Texts in sequence, without gaps.
struct Texts<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Texts<'a> {
    /// The text with this length, without its zero byte.
    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at + length;
        let text = self.bytes.get(self.at..end).unwrap_or_default();
        self.at = end;
        match text.split_last() {
            Some((0, text)) => Ok(text),
            _ => Err(Malformed::Unterminated { offset: end.saturating_sub(1) }),
        }
    }
}

#[cfg(test)]
mod tests;
