//! A prepared [`Statement`] of SQLite that is kept: values are bound in place, without a copy.
//!
//! The only module of the lease stores that calls a C library directly. `rusqlite` opens connections, sets pragmas and
//! makes tables; but its statements borrow their connection, so that a store can keep them only in a cache that is
//! searched with each operation, and it copies every value that is bound. Compared with a search of two microseconds
//! both are measurable, and would be attributed to the store. Soundness depends on few conditions: a statement shares
//! the ownership of its connection, a [`Binding`] borrows the values until it is dropped and every parameter is bound
//! before the first step.

#![expect(
    unsafe_code,
    reason = "a C library's statements, kept beside the connection that they belong to"
)]

use super::fault;
use crate::BackendError;
use crate::sql::Bind;
use rusqlite::ffi;
use std::ffi::{CStr, c_int};
use std::hint::black_box;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::rc::Rc;

/// How long a statement is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    /// As long as the store exists.
    Always,
    /// For one operation.
    Once,
}

/// A statement that was parsed.
pub(super) struct Statement {
    raw: NonNull<ffi::sqlite3_stmt>,
    parameters: c_int,
    columns: Vec<Kind>,
    // Declared last: the statement is finalized before the connection can be closed.
    connection: Rc<rusqlite::Connection>,
}

/// The kind of a column, learned from its first row: a column contains one kind of value, or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Octets,
    Text,
}

impl Statement {
    /// Parses `text`, to which a zero octet is added temporarily: SQLite copies text that does not end in one.
    pub(super) fn prepare(
        connection: &Rc<rusqlite::Connection>,
        text: &mut String,
        kept: Reuse,
    ) -> Result<Self, BackendError> {
        text.push('\0');
        let flags = if kept == Reuse::Always { ffi::SQLITE_PREPARE_PERSISTENT } else { 0 };
        let length = c_int::try_from(text.len()).unwrap_or(c_int::MAX);
        let mut raw = ptr::null_mut();
        // SAFETY: the connection is open, since it is owned here; `text` has the given length, and `raw` is written
        // before this returns. The tail is not requested.
        let code = unsafe {
            ffi::sqlite3_prepare_v3(
                connection.handle(),
                text.as_ptr().cast(),
                length,
                flags,
                &raw mut raw,
                ptr::null_mut(),
            )
        };
        text.pop();
        let raw = match NonNull::new(raw) {
            Some(raw) if code == ffi::SQLITE_OK => raw,
            _ => return Err(backend_error(connection, code)),
        };
        // SAFETY: the statement was made above and is not finalized.
        let parameters = unsafe { ffi::sqlite3_bind_parameter_count(raw.as_ptr()) };
        Ok(Self { raw, parameters, columns: Vec::new(), connection: Rc::clone(connection) })
    }

    /// Starts to bind the parameters. The values must outlive the binding, through which the statement reads them.
    #[inline]
    pub(super) fn bind<'v>(&mut self) -> Binding<'_, 'v> {
        Binding { statement: self, bound: 0, code: ffi::SQLITE_OK, values: PhantomData }
    }

    /// Fetches every column of the row that the last step reached.
    #[inline]
    fn fetch(&mut self) {
        let raw = self.raw.as_ptr();
        if self.columns.is_empty() {
            // SAFETY: the statement is not finalized, and is at a row.
            let count = unsafe { ffi::sqlite3_column_count(raw) };
            // SAFETY: as above; the numbers are those of columns.
            let kind = |column| unsafe { ffi::sqlite3_column_type(raw, column) };
            self.columns.extend((0..count).map(|column| match kind(column) {
                ffi::SQLITE_INTEGER => Kind::Number,
                ffi::SQLITE_BLOB => Kind::Octets,
                _ => Kind::Text,
            }));
        }
        for (column, kind) in (0..).zip(&self.columns) {
            // SAFETY: the statement is not finalized and is at a row, and `column` is one of its columns. The pointers
            // are not dereferenced.
            unsafe {
                match kind {
                    Kind::Number => _ = black_box(ffi::sqlite3_column_int64(raw, column)),
                    Kind::Octets => {
                        black_box(ffi::sqlite3_column_blob(raw, column));
                        black_box(ffi::sqlite3_column_bytes(raw, column));
                    }
                    Kind::Text => {
                        black_box(ffi::sqlite3_column_text(raw, column));
                        black_box(ffi::sqlite3_column_bytes(raw, column));
                    }
                }
            }
        }
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: made by `prepare`, finalized nowhere else, and the connection is still owned. Its result is the
        // failure of the last step, which was already reported.
        unsafe { ffi::sqlite3_finalize(self.raw.as_ptr()) };
    }
}

/// A statement whose parameters are being bound; when dropped it is reset, and no longer reads the values.
pub(super) struct Binding<'s, 'v> {
    statement: &'s mut Statement,
    bound: c_int,
    code: c_int,
    values: PhantomData<&'v [u8]>,
}

impl Binding<'_, '_> {
    /// Runs a statement that returns no rows; returns how many rows it changed.
    #[inline]
    pub(super) fn run(mut self) -> Result<u64, BackendError> {
        while self.step()? {}
        // SAFETY: the connection is open, since the statement owns it too.
        let changes = unsafe { ffi::sqlite3_changes(self.statement.connection.handle()) };
        Ok(u64::try_from(changes).unwrap_or(0))
    }

    /// Runs a statement and fetches all columns of all rows; returns how many rows there were.
    #[inline]
    pub(super) fn fetch_all(mut self) -> Result<u64, BackendError> {
        let mut rows = 0;
        while self.step()? {
            self.statement.fetch();
            rows += 1;
        }
        Ok(rows)
    }

    /// Steps to the next row and passes its first column to `take`, until there is none.
    pub(super) fn each(mut self, mut take: impl FnMut(Column<'_>)) -> Result<(), BackendError> {
        while self.step()? {
            take(Column { raw: self.statement.raw, row: PhantomData });
        }
        Ok(())
    }

    /// Whether there is another row.
    #[inline]
    fn step(&mut self) -> Result<bool, BackendError> {
        if self.code != ffi::SQLITE_OK || self.bound != self.statement.parameters {
            let misuse = if self.code == ffi::SQLITE_OK { ffi::SQLITE_MISUSE } else { self.code };
            return Err(backend_error(&self.statement.connection, misuse));
        }
        // SAFETY: the statement is not finalized. Every parameter was bound through this binding, whose values outlive
        // it.
        match unsafe { ffi::sqlite3_step(self.statement.raw.as_ptr()) } {
            ffi::SQLITE_ROW => Ok(true),
            ffi::SQLITE_DONE => Ok(false),
            code => Err(backend_error(&self.statement.connection, code)),
        }
    }

    fn note(&mut self, code: c_int) {
        if code != ffi::SQLITE_OK {
            self.code = code;
        }
    }
}

impl<'v> Bind<'v> for Binding<'_, 'v> {
    fn number(&mut self, value: i64) {
        self.bound += 1;
        // SAFETY: the statement is not finalized; a parameter that does not exist is refused.
        let code =
            unsafe { ffi::sqlite3_bind_int64(self.statement.raw.as_ptr(), self.bound, value) };
        self.note(code);
    }

    fn octets(&mut self, value: &'v [u8]) {
        self.bound += 1;
        // SAFETY: as above. The octets are not copied: they are borrowed for 'v, and after this binding, which 'v
        // outlives, the statement is reset and not stepped before the parameter is bound again.
        let code = unsafe {
            ffi::sqlite3_bind_blob64(
                self.statement.raw.as_ptr(),
                self.bound,
                value.as_ptr().cast(),
                value.len() as u64,
                ffi::SQLITE_STATIC(),
            )
        };
        self.note(code);
    }

    fn text(&mut self, value: &'v str) {
        self.bound += 1;
        // SAFETY: as for octets; a `str` is UTF-8.
        let code = unsafe {
            ffi::sqlite3_bind_text64(
                self.statement.raw.as_ptr(),
                self.bound,
                value.as_ptr().cast(),
                value.len() as u64,
                ffi::SQLITE_STATIC(),
                ffi::SQLITE_UTF8 as u8,
            )
        };
        self.note(code);
    }

    fn truth(&mut self, value: bool) {
        self.number(i64::from(value));
    }
}

impl Drop for Binding<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the statement is not finalized. Its result is the failure of the last step, which was already
        // reported.
        unsafe { ffi::sqlite3_reset(self.statement.raw.as_ptr()) };
    }
}

/// The first column of a row.
pub(super) struct Column<'r> {
    raw: NonNull<ffi::sqlite3_stmt>,
    row: PhantomData<&'r ()>,
}

impl Column<'_> {
    /// As a number.
    pub(super) fn number(&self) -> i64 {
        // SAFETY: the statement stays at this row as long as the column is borrowed from it.
        unsafe { ffi::sqlite3_column_int64(self.raw.as_ptr(), 0) }
    }

    /// As octets; those of text are its UTF-8.
    pub(super) fn octets(&self) -> Vec<u8> {
        // SAFETY: as above. The pointer is valid for this number of octets until the next step or call for this column,
        // and is null if there are none.
        unsafe {
            let start = ffi::sqlite3_column_blob(self.raw.as_ptr(), 0).cast::<u8>();
            let length = ffi::sqlite3_column_bytes(self.raw.as_ptr(), 0);
            match usize::try_from(length) {
                Ok(length) if !start.is_null() => {
                    std::slice::from_raw_parts(start, length).to_vec()
                }
                _ => Vec::new(),
            }
        }
    }
}

/// Makes a connection report extended result codes.
pub(super) fn extend_codes(connection: &rusqlite::Connection) {
    // SAFETY: the connection is open.
    unsafe { ffi::sqlite3_extended_result_codes(connection.handle(), 1) };
}

/// A connection's last failure.
#[cold]
fn backend_error(connection: &rusqlite::Connection, code: c_int) -> BackendError {
    // SAFETY: the connection is open, and the text is valid until the next call on it.
    let text = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(connection.handle())) };
    fault::backend_error(code, &text.to_string_lossy())
}
