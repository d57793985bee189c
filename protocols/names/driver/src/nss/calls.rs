//! Safe wrappers of the C library's calls for users and groups.
//!
//! All results are in the buffer that the caller passes. It must not depend on how an answer is used.

#![expect(unsafe_code, reason = "the C library is asked through its own interface")]

use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr;

use super::{BUFFER_MAX, GROUPS_MAX};

/// A number and a name, or an error number. A missing entry is not an error.
type Found<'a> = Result<Option<(u32, &'a [u8])>, i32>;

/// Stands for the user's own group, which every user has. No group has this number, so it is distinguished from those
/// that are found.
const OWN_GROUP: libc::gid_t = u32::MAX - 1;

pub(super) fn user_by_id(uid: u32, buffer: &mut Vec<u8>) -> Found<'_> {
    // SAFETY: `with_room` passes on pointers that are valid for this call.
    user(buffer, |record, text, length, found| unsafe {
        libc::getpwuid_r(uid, record, text, length, found)
    })
}

pub(super) fn user_by_name<'a>(name: &CStr, buffer: &'a mut Vec<u8>) -> Found<'a> {
    // SAFETY: as above, and the name ends in a zero byte.
    user(buffer, |record, text, length, found| unsafe {
        libc::getpwnam_r(name.as_ptr(), record, text, length, found)
    })
}

pub(super) fn group_by_id(gid: u32, buffer: &mut Vec<u8>) -> Found<'_> {
    // SAFETY: `with_room` passes on pointers that are valid for this call.
    group(buffer, |record, text, length, found| unsafe {
        libc::getgrgid_r(gid, record, text, length, found)
    })
}

pub(super) fn group_by_name<'a>(name: &CStr, buffer: &'a mut Vec<u8>) -> Found<'a> {
    // SAFETY: as above, and the name ends in a zero byte.
    group(buffer, |record, text, length, found| unsafe {
        libc::getgrnam_r(name.as_ptr(), record, text, length, found)
    })
}

/// The groups of a user besides the user's own group. `groups` is a buffer, and the result is in it.
pub(super) fn memberships<'a>(name: &CStr, groups: &'a mut Vec<u32>) -> Result<&'a [u32], i32> {
    let count = loop {
        let mut count = c_int::try_from(groups.len()).unwrap_or(c_int::MAX);
        let room = count;
        // SAFETY: the name ends in a zero byte, and `groups` has room for `count` numbers.
        let status = unsafe {
            libc::getgrouplist(name.as_ptr(), OWN_GROUP, groups.as_mut_ptr(), &raw mut count)
        };
        let reported = usize::try_from(count).unwrap_or_default();
        if status >= 0 {
            break reported.min(groups.len());
        }
        if count <= room || groups.len() >= GROUPS_MAX {
            return Err(libc::ENOMEM);
        }
        groups.resize(reported.min(GROUPS_MAX), 0);
    };
    let mut kept = 0;
    for place in 0..count {
        if groups[place] != OWN_GROUP {
            groups[kept] = groups[place];
            kept += 1;
        }
    }
    Ok(&groups[..kept])
}

/// Sets the sources of a database for this process; `None` if the library has no such call.
pub(super) fn configure(database: &CStr, sources: &CStr) -> Option<bool> {
    type Configure = unsafe extern "C" fn(*const c_char, *const c_char) -> c_int;
    // SAFETY: the name ends in a zero byte, and looking a symbol up changes nothing.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__nss_configure_lookup".as_ptr()) };
    if symbol.is_null() {
        return None;
    }
    // SAFETY: glibc declares the function of this name with this signature in nss.h.
    let configure = unsafe { std::mem::transmute::<*mut libc::c_void, Configure>(symbol) };
    // SAFETY: both texts end in a zero byte, and the library keeps copies.
    Some(unsafe { configure(database.as_ptr(), sources.as_ptr()) } == 0)
}

fn user(
    buffer: &mut Vec<u8>,
    call: impl Fn(*mut libc::passwd, *mut c_char, usize, *mut *mut libc::passwd) -> c_int,
) -> Found<'_> {
    let Some(record) = with_room(buffer, call)? else { return Ok(None) };
    // SAFETY: the library filled the record, and its name is in the buffer, which stays borrowed.
    Ok(Some((record.pw_uid, unsafe { text(record.pw_name) })))
}

fn group(
    buffer: &mut Vec<u8>,
    call: impl Fn(*mut libc::group, *mut c_char, usize, *mut *mut libc::group) -> c_int,
) -> Found<'_> {
    let Some(record) = with_room(buffer, call)? else { return Ok(None) };
    // SAFETY: the library filled the record, and its name is in the buffer, which stays borrowed.
    Ok(Some((record.gr_gid, unsafe { text(record.gr_name) })))
}

/// Calls with a record to fill and a buffer for its texts; repeats the call with a larger buffer as often as necessary.
fn with_room<T: Copy>(
    buffer: &mut Vec<u8>,
    call: impl Fn(*mut T, *mut c_char, usize, *mut *mut T) -> c_int,
) -> Result<Option<T>, i32> {
    let mut record = MaybeUninit::<T>::uninit();
    loop {
        let mut found = ptr::null_mut();
        let status =
            call(record.as_mut_ptr(), buffer.as_mut_ptr().cast(), buffer.len(), &raw mut found);
        match status {
            0 if found.is_null() => return Ok(None),
            // SAFETY: with status 0 and a result, the library has filled the record.
            0 => return Ok(Some(unsafe { record.assume_init() })),
            libc::ERANGE if buffer.len() < BUFFER_MAX => {
                buffer.resize((buffer.len() * 2).clamp(64, BUFFER_MAX), 0);
            }
            errno => return Err(errno),
        }
    }
}

/// The text at a pointer that the library returned.
///
/// # Safety
///
/// The pointer is null, or points to a text that ends in a zero byte and lives as long as the result is used.
unsafe fn text<'a>(pointer: *const c_char) -> &'a [u8] {
    if pointer.is_null() {
        return &[];
    }
    // SAFETY: the caller vouches for it.
    unsafe { CStr::from_ptr(pointer) }.to_bytes()
}
