//! Replies as sent by nslcd 0.9.12, in its own namespace with a directory of one user and two groups, and invented
//! replies.

use proptest::prelude::*;

use super::*;

fn bytes(text: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

const USER: &str = "00000002 00080002 00000001 00000002 7537 00000001 2a 00004e27 00007537 00000005 536576656e \
    00000008 2f686f6d652f7537 00000007 2f62696e2f7368 00000002";
const GROUP: &str = "00000002 00040001 00000001 00000002 6737 00000001 2a 00007537 00000002 00000002 7537 \
    00000002 7538 00000002";
const MEMBERSHIPS: &str = "00000002 00040006 00000001 00000002 6737 00000001 2a 00007537 00000000 \
    00000001 00000002 6837 00000001 2a 00007538 00000000 00000002";
const NOBODY: &str = "00000002 00080001 00000002";

const SEVEN: User<'static> = User {
    name: b"u7",
    password: b"*",
    uid: 20_007,
    gid: 30_007,
    gecos: b"Seven",
    directory: b"/home/u7",
    shell: b"/bin/sh",
};

/// The entries of a reply of which `piece` more bytes arrive whenever the walk cannot continue.
fn walk(request: Request, bytes: &[u8], piece: usize) -> Result<Vec<Entry<'_>>, Malformed> {
    let mut replies = Replies::new(request);
    let (mut entries, mut come) = (Vec::new(), 0);
    loop {
        match replies.step(&bytes[..come])? {
            Step::Entry(entry) => entries.push(entry),
            Step::End => return Ok(entries),
            Step::More(needed) => {
                assert!(needed > come && needed <= bytes.len(), "{needed} of {come}");
                come = (come + piece).min(bytes.len());
            }
        }
    }
}

#[test]
fn captured_replies_are_parsed_in_pieces_of_any_size() {
    let (user, group, both, nobody) =
        (bytes(USER), bytes(GROUP), bytes(MEMBERSHIPS), bytes(NOBODY));
    let of = |name, gid, members| Entry::Group(Group { name, password: b"*", gid, members });
    for piece in 1..=user.len() {
        assert_eq!(walk(Request::UserById, &user, piece), Ok(vec![Entry::User(SEVEN)]));
        assert_eq!(walk(Request::GroupByName, &group, piece), Ok(vec![of(b"g7", 30_007, 2)]));
        let groups = vec![of(b"g7", 30_007, 0), of(b"h7", 30_008, 0)];
        assert_eq!(walk(Request::Memberships, &both, piece), Ok(groups));
        assert_eq!(walk(Request::UserByName, &nobody, piece), Ok(Vec::new()));
    }
}

#[test]
fn requests_equal_the_captured_ones() {
    let mut sent = Vec::new();
    assert!(Request::UserByName.write(b"u7", &mut sent));
    assert_eq!(sent, bytes("00000002 00080001 00000002 7537"));
    sent.clear();
    Request::UserById.write_id(20_007, &mut sent);
    assert_eq!(sent, bytes("00000002 00080002 00004e27"));
    sent.clear();
    assert!(!Request::UserByName.write(&vec![b'a'; TEXT_MAX + 1], &mut sent) && sent.is_empty());
}

#[test]
fn reply_errors_name_their_place() {
    let group = "00000002 00040001 00000001 00000000 00000000 00000000";
    for (text, why) in [
        ("00000003 00040001".to_owned(), Malformed::Version { found: 3 }),
        ("00000002 00040002".to_owned(), Malformed::Action { found: 0x0004_0002 }),
        ("00000002 00040001 00000000".to_owned(), Malformed::Verdict { offset: 8, found: 0 }),
        (
            "00000002 00040001 00000001 ffffffff".to_owned(),
            Malformed::Length { offset: 12, found: u32::MAX },
        ),
        (format!("{group} 00010001"), Malformed::Count { offset: 24, found: 65_537 }),
        (format!("{group} 00000001 00010001"), Malformed::Length { offset: 28, found: 65_537 }),
    ] {
        assert_eq!(walk(Request::GroupByName, &bytes(&text), 1), Err(why), "{text}");
    }
}

#[test]
fn endless_reply_is_abandoned() {
    let mut endless = bytes("00000002 00040006");
    let entry = bytes("00000001 00000001 67 00000000 00000000 00000000");
    while endless.len() <= REPLY_MAX {
        endless.extend_from_slice(&entry);
    }
    let mut replies = Replies::new(Request::Memberships);
    let why = loop {
        match replies.step(&endless) {
            Ok(Step::Entry(_)) => {}
            Ok(step) => panic!("{step:?}"),
            Err(why) => break why,
        }
    };
    assert!(matches!(why, Malformed::TooLong { length } if length > REPLY_MAX));
}

proptest! {
    #[test]
    fn users_round_trip(
        texts in prop::array::uniform5(prop::collection::vec(any::<u8>(), 0..40)),
        uid: u32,
        gid: u32,
        piece in 1..64_usize,
    ) {
        let mut reply = bytes("00000002 00080001 00000001");
        for (place, text) in texts.iter().enumerate() {
            if place == 2 {
                reply.extend(uid.to_be_bytes().iter().chain(&gid.to_be_bytes()));
            }
            reply.extend((text.len() as u32).to_be_bytes());
            reply.extend(text);
        }
        reply.extend(2_u32.to_be_bytes());
        let [name, password, gecos, directory, shell] = &texts;
        let expected = User { name, password, uid, gid, gecos, directory, shell };
        prop_assert_eq!(walk(Request::UserByName, &reply, piece), Ok(vec![Entry::User(expected)]));
    }

    #[test]
    fn random_bytes_never_panic(rest in prop::collection::vec(any::<u8>(), 0..200), group: bool, piece in 1..9_usize) {
        let request = if group { Request::GroupById } else { Request::UserById };
        let mut all: Vec<u8> =
            [2, request as u32, 1].into_iter().flat_map(u32::to_be_bytes).collect();
        all.extend(rest);
        let mut replies = Replies::new(request);
        let mut come = 0;
        while come < all.len() {
            match replies.step(&all[..come]) {
                Ok(Step::More(needed)) => prop_assert!(needed > come && needed <= REPLY_MAX),
                Ok(Step::Entry(_)) => continue,
                Ok(Step::End) | Err(_) => break,
            }
            come = (come + piece).min(all.len());
        }
    }
}
