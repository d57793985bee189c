//! Replies as sent by the daemon of glibc 2.36 on a little-endian machine, in its own namespace with a directory of one
//! user and two groups, and invented replies.

use proptest::prelude::*;

use super::*;

/// Words sent by a daemon, given as text.
fn bytes(text: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

const USER: &str = "02000000 01000000 03000000 02000000 274e0000 37750000 06000000 09000000 08000000 753700 2a00 \
    536576656e00 2f686f6d652f753700 2f62696e2f736800";
const NO_USER: &str =
    "02000000 00000000 00000000 00000000 ffffffff ffffffff 00000000 00000000 00000000";
const GROUP: &str = "02000000 01000000 03000000 02000000 37750000 02000000 03000000 03000000 673700 2a00 753700 753800";
const MEMBERSHIPS: &str = "02000000 01000000 02000000 37750000 38750000 00";
const OFF: &str = "02000000 ffffffff 00000000 00000000 ffffffff ffffffff 00000000 ffffffff";

#[cfg(target_endian = "little")]
#[test]
fn captured_replies_are_parsed() {
    let user = bytes(USER);
    let seven = User {
        name: b"u7",
        password: b"*",
        uid: 20_007,
        gid: 30_007,
        gecos: b"Seven",
        directory: b"/home/u7",
        shell: b"/bin/sh",
    };
    assert_eq!(scan(Request::UserByName, &user), Ok(Progress::Done(Reply::User(seven))));
    let group = bytes(GROUP);
    let of_two = Group { name: b"g7", password: b"*", gid: 30_007, members: 2 };
    assert_eq!(scan(Request::GroupById, &group), Ok(Progress::Done(Reply::Group(of_two))));
    let memberships = bytes(MEMBERSHIPS);
    match scan(Request::Memberships, &memberships).unwrap() {
        Progress::Done(Reply::Memberships(gids)) => {
            assert_eq!(gids.iter().collect::<Vec<_>>(), [30_007, 30_008]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(scan(Request::UserById, &bytes(NO_USER)), Ok(Progress::Done(Reply::Absent)));
    assert_eq!(scan(Request::UserById, &bytes(OFF)), Ok(Progress::Done(Reply::Off)));
}

#[cfg(target_endian = "little")]
#[test]
fn partial_reply_states_the_bytes_needed() {
    for (request, text, whole) in [
        (Request::UserByName, USER, 64),
        (Request::GroupByName, GROUP, 43),
        // The reader does not wait for the byte after the numbers.
        (Request::Memberships, MEMBERSHIPS, 20),
    ] {
        let all = bytes(text);
        for end in 0..whole {
            match scan(request, &all[..end]) {
                Ok(Progress::More(needed)) => {
                    assert!(needed > end && needed <= whole, "{end}: {needed}");
                }
                other => panic!("{request:?} of {end} bytes: {other:?}"),
            }
        }
        assert!(matches!(scan(request, &all[..whole]), Ok(Progress::Done(_))), "{request:?}");
    }
}

#[cfg(target_endian = "little")]
#[test]
fn requests_equal_the_captured_ones() {
    let mut sent = Vec::new();
    assert!(Request::UserByName.write(b"u7", &mut sent));
    assert_eq!(sent, bytes("02000000 00000000 03000000 753700"));
    sent.clear();
    assert!(Request::GroupById.write_id(30_007, &mut sent));
    assert_eq!(sent, bytes("02000000 03000000 06000000 333030303700"));
    sent.clear();
    assert!(Request::Memberships.write(b"u7", &mut sent));
    assert_eq!(sent, bytes("02000000 0f000000 03000000 753700"));
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

#[test]
fn reply_errors_name_their_place() {
    let user = Request::UserByName;
    for (request, numbers, why) in [
        (user, vec![3, 1], Malformed::Version { found: 3 }),
        (user, vec![2, 7], Malformed::Verdict { offset: 4, found: 7 }),
        (user, vec![2, 1, 0, 1, 0, 0, 1, 1, 1], Malformed::Length { offset: 8, found: 0 }),
        (
            user,
            vec![2, 1, 1, 1, 0, 0, 1, 1, u32::MAX],
            Malformed::Length { offset: 32, found: u32::MAX },
        ),
        (
            user,
            vec![2, 1, 1, 1, 0, 0, 1, 65_537, 1],
            Malformed::Length { offset: 28, found: 65_537 },
        ),
        (
            Request::GroupById,
            vec![2, 1, 1, 1, 0, 65_537],
            Malformed::Count { offset: 20, found: 65_537 },
        ),
        (
            Request::GroupById,
            vec![2, 1, 1, 1, 0, 2, 1, 0],
            Malformed::Length { offset: 28, found: 0 },
        ),
        (
            Request::Memberships,
            vec![2, 1, u32::MAX],
            Malformed::Count { offset: 8, found: u32::MAX },
        ),
    ] {
        assert_eq!(scan(request, &words(&numbers)), Err(why), "{numbers:?}");
    }
    let mut open = words(&[2, 1, 2, 1, 0, 0, 1, 1, 1]);
    open.extend_from_slice(b"ab\0\0\0\0");
    assert_eq!(scan(user, &open), Err(Malformed::Unterminated { offset: 37 }));
    let mut numbers = vec![2, 1, 1, 1, 0, 1000];
    numbers.extend([65_536; 1000]);
    assert_eq!(
        scan(Request::GroupByName, &words(&numbers)),
        Err(Malformed::TooLong { length: 24 + 4000 + 2 + 65_536_000 })
    );
}

proptest! {
    #[test]
    fn users_round_trip(
        texts in prop::array::uniform5(prop::collection::vec(1_u8.., 0..40)),
        uid: u32,
        gid: u32,
        behind in prop::collection::vec(any::<u8>(), 0..9),
    ) {
        let [name, password, gecos, directory, shell] = &texts;
        let length = |text: &Vec<u8>| text.len() as u32 + 1;
        let mut reply = words(&[2, 1, length(name), length(password), uid, gid]);
        reply.extend(words(&[length(gecos), length(directory), length(shell)]));
        for text in &texts {
            reply.extend_from_slice(text);
            reply.push(0);
        }
        let whole = reply.len();
        reply.extend(behind);
        let expected = User { name, password, uid, gid, gecos, directory, shell };
        prop_assert_eq!(scan(Request::UserById, &reply), Ok(Progress::Done(Reply::User(expected))));
        prop_assert_eq!(scan(Request::UserById, &reply[..whole - 1]), Ok(Progress::More(whole)));
    }

    #[test]
    fn groups_round_trip(
        name in prop::collection::vec(1_u8.., 0..40),
        members in prop::collection::vec(prop::collection::vec(1_u8.., 0..20), 0..50),
        gid: u32,
    ) {
        let mut reply = words(&[2, 1, name.len() as u32 + 1, 2, gid, members.len() as u32]);
        reply.extend(members.iter().flat_map(|member| words(&[member.len() as u32 + 1])));
        reply.extend_from_slice(&name);
        reply.extend_from_slice(b"\0x\0");
        for member in &members {
            reply.extend_from_slice(member);
            reply.push(0);
        }
        let expected = Group { name: &name, password: b"x", gid, members: members.len() as u32 };
        prop_assert_eq!(scan(Request::GroupById, &reply), Ok(Progress::Done(Reply::Group(expected))));
        prop_assert_eq!(scan(Request::GroupById, &reply[..reply.len() - 1]), Ok(Progress::More(reply.len())));
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0..5_usize) {
        let request = [
            Request::UserByName,
            Request::UserById,
            Request::GroupByName,
            Request::GroupById,
            Request::Memberships,
        ][kind];
        if let Ok(Progress::More(needed)) = scan(request, &bytes) {
            prop_assert!(needed > bytes.len() && needed <= REPLY_MAX);
        }
    }
}
