//! What is asked of a name service, what it answers, and what the answer should be.

use std::ffi::CStr;

/// By what is looked up.
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
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Uid, Self::Gid, Self::User, Self::Group, Self::Memberships];

    /// The word of options, operations and reports.
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

    /// Whether it is about groups as such, and not about a user.
    pub const fn is_of_group(self) -> bool {
        matches!(self, Self::Gid | Self::Group)
    }
}

/// One question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// By what.
    pub by: By,
    /// The number: the key, or what the answer should say. Of memberships, a group that should be among them.
    pub id: Option<u32>,
    /// The name: the key, or what the answer should say. Empty where it is not known.
    pub name: &'a CStr,
    /// What the answer should be.
    pub expected: Expected,
}

/// What an answer should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// That there is such a user or group.
    Found,
    /// That there is none.
    Absent,
    /// Either: the groups of the user are not known beforehand.
    Either,
}

/// What was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// Nothing.
    Absent,
    /// A user or a group.
    Account {
        /// The number.
        id: u32,
        /// The name.
        name: &'a [u8],
    },
    /// Numbers of groups; never none.
    Groups(&'a [u32]),
}

/// How an answer compares to what was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It is right, and there is something.
    Found,
    /// It is right, and there is nothing.
    Absent,
    /// There should be something.
    Unresolved,
    /// There should be nothing.
    Unexpected,
    /// It is about another user or group.
    Wrong,
}

impl Question<'_> {
    /// Compares an answer.
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
    fn an_answer_is_right_only_about_whom_was_asked() {
        let asks = |by, id, name, expected| Question { by, id, name, expected };
        let seven = Answer::Account { id: 7, name: b"u7" };
        let cases = [
            (asks(By::Uid, Some(7), c"", Expected::Found), seven, Judgement::Found),
            (asks(By::Uid, Some(7), c"u7", Expected::Found), seven, Judgement::Found),
            (asks(By::Uid, Some(7), c"u8", Expected::Found), seven, Judgement::Wrong),
            (asks(By::User, Some(8), c"u7", Expected::Found), seven, Judgement::Wrong),
            (asks(By::User, None, c"u7", Expected::Found), seven, Judgement::Found),
            (asks(By::User, None, c"u7", Expected::Found), Answer::Absent, Judgement::Unresolved),
            (asks(By::User, None, c"u7", Expected::Absent), Answer::Absent, Judgement::Absent),
            (asks(By::User, None, c"u7", Expected::Absent), seven, Judgement::Unexpected),
            (
                asks(By::Memberships, Some(3), c"u7", Expected::Found),
                Answer::Groups(&[2, 3]),
                Judgement::Found,
            ),
            (
                asks(By::Memberships, Some(3), c"u7", Expected::Found),
                Answer::Groups(&[2]),
                Judgement::Wrong,
            ),
            (
                asks(By::Memberships, None, c"u7", Expected::Either),
                Answer::Absent,
                Judgement::Absent,
            ),
            (
                asks(By::Memberships, None, c"u7", Expected::Absent),
                Answer::Groups(&[2]),
                Judgement::Unexpected,
            ),
        ];
        for (question, answer, judgement) in cases {
            assert_eq!(question.judge(answer), judgement, "{question:?} {answer:?}");
        }
    }
}
