//! A question to a name service, its answer, and the expected answer.

use std::ffi::CStr;

/// The kind of lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// A user by number: `getpwuid`.
    Uid,
    /// A group by number: `getgrgid`.
    Gid,
    /// A user by name: `getpwnam`.
    User,
    /// A group by name: `getgrnam`.
    Group,
    /// The groups of a user by name: `initgroups`.
    Memberships,
}

impl By {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Uid, Self::Gid, Self::User, Self::Group, Self::Memberships];

    /// The name used in options, operations and reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Uid => "uid",
            Self::Gid => "gid",
            Self::User => "user",
            Self::Group => "group",
            Self::Memberships => "groups",
        }
    }

    /// Whether the key is a number.
    pub const fn is_by_id(self) -> bool {
        matches!(self, Self::Uid | Self::Gid)
    }

    /// Whether it looks up a group, and not a user.
    pub const fn is_of_group(self) -> bool {
        matches!(self, Self::Gid | Self::Group)
    }
}

/// One question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// The kind of lookup.
    pub by: By,
    /// The number: the key, or the expected number. For memberships, a group that should be among them.
    pub id: Option<u32>,
    /// The name: the key, or the expected name. Empty if it is not known.
    pub name: &'a CStr,
    /// The expected answer.
    pub expected: Expected,
}

/// The expected kind of answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The user or group exists.
    Found,
    /// The user or group does not exist.
    Absent,
    /// Either: the groups of the user are not known beforehand.
    Either,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// There is no such entry.
    Absent,
    /// A user or a group.
    Account {
        /// The number.
        id: u32,
        /// The name.
        name: &'a [u8],
    },
    /// Numbers of groups; never empty.
    Groups(&'a [u32]),
}

/// The result of comparing an answer with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It is right, and an entry was found.
    Found,
    /// It is right, and no entry was found.
    Absent,
    /// An entry was expected and not found.
    Unresolved,
    /// An entry was found and not expected.
    Unexpected,
    /// It is for another user or group.
    Wrong,
}

impl Question<'_> {
    /// Compares an answer with the expected one.
    pub(super) fn judge(&self, answer: Answer<'_>) -> Judgement {
        match (answer, self.expected) {
            (Answer::Absent, Expected::Found) => Judgement::Unresolved,
            (Answer::Absent, _) => Judgement::Absent,
            (_, Expected::Absent) => Judgement::Unexpected,
            (Answer::Account { id, name }, _) => {
                let same_id = self.id.is_none_or(|known| known == id);
                let known = self.name.to_bytes();
                let same_name = known.is_empty() || known == name;
                if same_id && same_name { Judgement::Found } else { Judgement::Wrong }
            }
            (Answer::Groups(gids), _) => {
                let has = self.id.is_none_or(|known| gids.contains(&known));
                if has { Judgement::Found } else { Judgement::Wrong }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_is_right_only_for_the_question() {
        let question = |by, id, name, expected| Question { by, id, name, expected };
        let seven = Answer::Account { id: 7, name: b"u7" };
        let cases = [
            (question(By::Uid, Some(7), c"", Expected::Found), seven, Judgement::Found),
            (question(By::Uid, Some(7), c"u7", Expected::Found), seven, Judgement::Found),
            (question(By::Uid, Some(7), c"u8", Expected::Found), seven, Judgement::Wrong),
            (question(By::User, Some(8), c"u7", Expected::Found), seven, Judgement::Wrong),
            (question(By::User, None, c"u7", Expected::Found), seven, Judgement::Found),
            (
                question(By::User, None, c"u7", Expected::Found),
                Answer::Absent,
                Judgement::Unresolved,
            ),
            (question(By::User, None, c"u7", Expected::Absent), Answer::Absent, Judgement::Absent),
            (question(By::User, None, c"u7", Expected::Absent), seven, Judgement::Unexpected),
            (
                question(By::Memberships, Some(3), c"u7", Expected::Found),
                Answer::Groups(&[2, 3]),
                Judgement::Found,
            ),
            (
                question(By::Memberships, Some(3), c"u7", Expected::Found),
                Answer::Groups(&[2]),
                Judgement::Wrong,
            ),
            (
                question(By::Memberships, None, c"u7", Expected::Either),
                Answer::Absent,
                Judgement::Absent,
            ),
            (
                question(By::Memberships, None, c"u7", Expected::Absent),
                Answer::Groups(&[2]),
                Judgement::Unexpected,
            ),
        ];
        for (question, answer, judgement) in cases {
            assert_eq!(question.judge(answer), judgement, "{question:?} {answer:?}");
        }
    }
}
