//! The functions of `libgssapi_krb5.so.2` that a client needs, behind safe types (RFC 2744).
//!
//! The only module of this crate with `unsafe` code. Audit it by three rules: every handle is owned by exactly one
//! value and released in its `drop`; every buffer the library fills is copied and released at once; no pointer outlives
//! the call it is passed to. The MIT library may be called from any thread as long as one handle is used by one thread
//! at a time, which `&mut self` and `Arc` of immutable credentials ensure.
#![expect(
    unsafe_code,
    reason = "calls a C library that is opened at run time; see the rules above"
)]

use std::ffi::c_void;
use std::path::Path;
use std::ptr::{self, null_mut};
use std::sync::{Arc, OnceLock};
use std::{io, slice};

const FILE: &str = "libgssapi_krb5.so.2";
const REMEDY: &str = if cfg!(target_feature = "crt-static") {
    "this build of brunt is static and loads no library: use the .deb, the .rpm or a build for glibc"
} else {
    "install the Kerberos client library (Debian: libgssapi-krb5-2)"
};

/// Why a Kerberos operation failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GssError {
    /// The library is missing or too old.
    #[error("{FILE} cannot be used: {0}; {REMEDY}")]
    Library(String),
    /// A call failed.
    #[error("{call}: {text}")]
    Call {
        /// The function that was called.
        call: &'static str,
        /// The library's error text.
        text: String,
    },
}

/// `gss_buffer_desc`.
#[repr(C)]
struct Buffer {
    length: usize,
    value: *mut c_void,
}

impl Buffer {
    const EMPTY: Self = Self { length: 0, value: null_mut() };

    /// A view of `bytes` for the length of one call. The library does not write to input buffers.
    fn view(bytes: &[u8]) -> Self {
        Self { length: bytes.len(), value: bytes.as_ptr().cast_mut().cast() }
    }
}

/// `gss_OID_desc`.
#[repr(C)]
struct Oid {
    length: u32,
    elements: *const c_void,
}

// SAFETY: an Oid is only ever made from a static, immutable array.
unsafe impl Sync for Oid {}

impl Oid {
    const fn new(bytes: &'static [u8]) -> Self {
        Self { length: bytes.len() as u32, elements: bytes.as_ptr().cast() }
    }
}

/// `gss_OID_set_desc`.
#[repr(C)]
struct OidSet {
    count: usize,
    elements: *const Oid,
}

/// 1.2.840.113554.1.2.2: the Kerberos 5 mechanism.
static KERBEROS: Oid = Oid::new(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02]);
/// 1.2.840.113554.1.2.1.1: a user's name.
static USER_NAME: Oid = Oid::new(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x01, 0x01]);
/// 1.2.840.113554.1.2.1.4: `service@host`.
static HOST_SERVICE: Oid = Oid::new(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x01, 0x04]);

type Handle = *mut c_void;

/// The functions, as RFC 2744 declares them. `OM_uint32` is `u32`.
struct Functions {
    import_name: unsafe extern "C" fn(*mut u32, *const Buffer, *const Oid, *mut Handle) -> u32,
    release_name: unsafe extern "C" fn(*mut u32, *mut Handle) -> u32,
    acquire: unsafe extern "C" fn(
        *mut u32,
        Handle,
        *const Buffer,
        u32,
        *const OidSet,
        i32,
        *mut Handle,
        *mut *mut OidSet,
        *mut u32,
    ) -> u32,
    release_cred: unsafe extern "C" fn(*mut u32, *mut Handle) -> u32,
    inquire_cred: unsafe extern "C" fn(
        *mut u32,
        Handle,
        *mut Handle,
        *mut u32,
        *mut i32,
        *mut *mut OidSet,
    ) -> u32,
    init_context: unsafe extern "C" fn(
        *mut u32,
        Handle,
        *mut Handle,
        Handle,
        *const Oid,
        u32,
        u32,
        *const c_void,
        *const Buffer,
        *mut *const Oid,
        *mut Buffer,
        *mut u32,
        *mut u32,
    ) -> u32,
    delete_context: unsafe extern "C" fn(*mut u32, *mut Handle, *mut Buffer) -> u32,
    wrap: unsafe extern "C" fn(
        *mut u32,
        Handle,
        i32,
        u32,
        *const Buffer,
        *mut i32,
        *mut Buffer,
    ) -> u32,
    unwrap: unsafe extern "C" fn(
        *mut u32,
        Handle,
        *const Buffer,
        *mut Buffer,
        *mut i32,
        *mut u32,
    ) -> u32,
    release_buffer: unsafe extern "C" fn(*mut u32, *mut Buffer) -> u32,
    display_status:
        unsafe extern "C" fn(*mut u32, u32, i32, *const Oid, *mut u32, *mut Buffer) -> u32,
}

/// The opened library. It stays open until the process ends, so its functions are always valid.
pub(super) struct Library {
    functions: Functions,
}

/// RFC 2744 section 3.9.1: the bits that mean that a call failed.
const ERROR_MASK: u32 = 0xffff_0000;
const CONTINUE_NEEDED: u32 = 1;
const USAGE_INITIATE: i32 = 1;
const MUTUAL: u32 = 2;
const INTEGRITY: u32 = 32;
/// The remaining lifetime in seconds that a kept ticket must have.
const FRESH: u32 = 30;

impl Library {
    /// The library, opened on first use.
    pub(super) fn open() -> Result<&'static Self, GssError> {
        static OPENED: OnceLock<Result<Library, GssError>> = OnceLock::new();
        OPENED.get_or_init(Self::load).as_ref().map_err(Clone::clone)
    }

    fn load() -> Result<Self, GssError> {
        let missing = |error: libloading::Error| GssError::Library(error.to_string());
        // SAFETY: the library's initialisers have no preconditions.
        let library = unsafe { libloading::Library::new(FILE) }.map_err(missing)?;
        // It is never closed: the function pointers below must stay valid.
        let library = Box::leak(Box::new(library));
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the type of the field is the function's declaration in RFC 2744 (for
                // gss_acquire_cred_with_password: in gssapi_ext.h).
                *unsafe { library.get($name) }.map_err(missing)?
            };
        }
        Ok(Self {
            functions: Functions {
                import_name: function!(b"gss_import_name\0"),
                release_name: function!(b"gss_release_name\0"),
                acquire: function!(b"gss_acquire_cred_with_password\0"),
                release_cred: function!(b"gss_release_cred\0"),
                inquire_cred: function!(b"gss_inquire_cred\0"),
                init_context: function!(b"gss_init_sec_context\0"),
                delete_context: function!(b"gss_delete_sec_context\0"),
                wrap: function!(b"gss_wrap\0"),
                unwrap: function!(b"gss_unwrap\0"),
                release_buffer: function!(b"gss_release_buffer\0"),
                display_status: function!(b"gss_display_status\0"),
            },
        })
    }

    /// Asks the KDC for a ticket-granting ticket with the password. Waits for the KDC.
    pub(super) fn acquire(
        &'static self,
        principal: &str,
        password: &[u8],
    ) -> Result<Credential, GssError> {
        let name = Name::import(self, principal, &USER_NAME)?;
        let mechanisms = OidSet { count: 1, elements: &raw const KERBEROS };
        let (mut minor, mut handle) = (0, null_mut());
        // SAFETY: all pointers are valid for the call; null means that the actual mechanisms and the lifetime are not
        // requested.
        let major = unsafe {
            (self.functions.acquire)(
                &raw mut minor,
                name.handle,
                &Buffer::view(password),
                0,
                &raw const mechanisms,
                USAGE_INITIATE,
                &raw mut handle,
                null_mut(),
                null_mut(),
            )
        };
        self.check("acquiring a ticket with the password", major, minor)?;
        Ok(Credential { library: self, handle })
    }

    fn check(&self, call: &'static str, major: u32, minor: u32) -> Result<(), GssError> {
        if major & ERROR_MASK == 0 {
            return Ok(());
        }
        // Kind 2 is the mechanism's own message, which is more specific; kind 1 is the general one.
        let text = match self.status(minor, 2) {
            text if minor == 0 || text.is_empty() => self.status(major, 1),
            text => text,
        };
        Err(GssError::Call { call, text })
    }

    fn status(&self, code: u32, kind: i32) -> String {
        let (mut minor, mut more, mut text) = (0, 0, Buffer::EMPTY);
        // SAFETY: all pointers are valid for the call, and the buffer is released by `take`.
        unsafe {
            (self.functions.display_status)(
                &raw mut minor,
                code,
                kind,
                &raw const KERBEROS,
                &raw mut more,
                &raw mut text,
            )
        };
        let mut bytes = Vec::new();
        self.take(&mut text, &mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Copies what the library wrote into `buffer`, and releases the buffer.
    fn take(&self, buffer: &mut Buffer, out: &mut Vec<u8>) {
        if !buffer.value.is_null() && buffer.length > 0 {
            // SAFETY: the library filled `length` bytes at `value`, and they are not released yet.
            out.extend_from_slice(unsafe {
                slice::from_raw_parts(buffer.value.cast(), buffer.length)
            });
        }
        let mut minor = 0;
        // SAFETY: the buffer is the library's own or empty; both may be released once.
        unsafe { (self.functions.release_buffer)(&raw mut minor, ptr::from_mut(buffer)) };
        *buffer = Buffer::EMPTY;
    }
}

/// The name of a principal or a service, in the library's own form.
struct Name {
    library: &'static Library,
    handle: Handle,
}

impl Name {
    fn import(library: &'static Library, text: &str, kind: &'static Oid) -> Result<Self, GssError> {
        let (mut minor, mut handle) = (0, null_mut());
        // SAFETY: all pointers are valid for the call.
        let major = unsafe {
            (library.functions.import_name)(
                &raw mut minor,
                &Buffer::view(text.as_bytes()),
                ptr::from_ref(kind),
                &raw mut handle,
            )
        };
        library.check("reading the name of a principal or service", major, minor)?;
        Ok(Self { library, handle })
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let mut minor = 0;
        // SAFETY: only this value owns the handle, and it is released once.
        unsafe { (self.library.functions.release_name)(&raw mut minor, &raw mut self.handle) };
    }
}

/// A ticket-granting ticket in memory.
pub(super) struct Credential {
    library: &'static Library,
    handle: Handle,
}

// SAFETY: the library locks a credential whenever it uses it (MIT krb5 is thread-safe for credentials
// shared by several contexts), and this type offers no call that changes one.
unsafe impl Send for Credential {}
// SAFETY: as above.
unsafe impl Sync for Credential {}

impl Credential {
    /// Whether the ticket stays valid for more than [`FRESH`] seconds.
    pub(super) fn is_fresh(&self) -> bool {
        let (mut minor, mut seconds) = (0, 0);
        // SAFETY: all pointers are valid for the call; null omits what is not requested.
        let major = unsafe {
            (self.library.functions.inquire_cred)(
                &raw mut minor,
                self.handle,
                null_mut(),
                &raw mut seconds,
                null_mut(),
                null_mut(),
            )
        };
        major & ERROR_MASK == 0 && seconds > FRESH
    }
}

impl Drop for Credential {
    fn drop(&mut self) {
        let mut minor = 0;
        // SAFETY: only this value owns the handle, and it is released once; contexts hold an Arc of this value.
        unsafe { (self.library.functions.release_cred)(&raw mut minor, &raw mut self.handle) };
    }
}

/// A security context that is being established, or is established.
pub(super) struct Context {
    library: &'static Library,
    handle: Handle,
    service: Name,
    credential: Option<Arc<Credential>>,
}

// SAFETY: a context is used only through `&mut self`, so by one thread at a time, which is all that the library
// requires; its name and credential move with it.
unsafe impl Send for Context {}

impl Context {
    /// A context for `service`, which is written `ldap@host`.
    pub(super) fn new(
        library: &'static Library,
        service: &str,
        credential: Option<Arc<Credential>>,
    ) -> Result<Self, GssError> {
        let service = Name::import(library, service, &HOST_SERVICE)?;
        Ok(Self { library, handle: null_mut(), service, credential })
    }

    /// Takes the server's token, empty at first, appends our token, and returns whether the context is established.
    pub(super) fn establish(&mut self, token: &[u8], out: &mut Vec<u8>) -> Result<bool, GssError> {
        let (mut minor, mut reply) = (0, Buffer::EMPTY);
        let credential =
            self.credential.as_ref().map_or(null_mut(), |credential| credential.handle);
        // SAFETY: all pointers are valid for the call; a null credential means the default one, null
        // channel bindings mean none, and the context handle is null or the library's own.
        let major = unsafe {
            (self.library.functions.init_context)(
                &raw mut minor,
                credential,
                &raw mut self.handle,
                self.service.handle,
                &raw const KERBEROS,
                MUTUAL | INTEGRITY,
                0,
                ptr::null(),
                &Buffer::view(token),
                null_mut(),
                &raw mut reply,
                null_mut(),
                null_mut(),
            )
        };
        self.library.take(&mut reply, out);
        self.library.check("establishing a context with the server", major, minor)?;
        Ok(major & CONTINUE_NEEDED == 0)
    }

    /// Unwraps a message that the server wrapped.
    pub(super) fn unwrap(&mut self, wrapped: &[u8]) -> Result<Vec<u8>, GssError> {
        let (mut minor, mut plain) = (0, Buffer::EMPTY);
        // SAFETY: all pointers are valid for the call; null omits what is not requested.
        let major = unsafe {
            (self.library.functions.unwrap)(
                &raw mut minor,
                self.handle,
                &Buffer::view(wrapped),
                &raw mut plain,
                null_mut(),
                null_mut(),
            )
        };
        let mut bytes = Vec::new();
        self.library.take(&mut plain, &mut bytes);
        self.library.check("reading the server's offer", major, minor)?;
        Ok(bytes)
    }

    /// Wraps `plain` without encrypting it.
    pub(super) fn wrap(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), GssError> {
        let (mut minor, mut wrapped) = (0, Buffer::EMPTY);
        // SAFETY: all pointers are valid for the call; null omits what is not requested.
        let major = unsafe {
            (self.library.functions.wrap)(
                &raw mut minor,
                self.handle,
                0,
                0,
                &Buffer::view(plain),
                null_mut(),
                &raw mut wrapped,
            )
        };
        self.library.take(&mut wrapped, out);
        self.library.check("wrapping the answer to the offer", major, minor)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            let mut minor = 0;
            // SAFETY: only this value owns the handle, and it is deleted once; no final token is requested.
            unsafe {
                (self.library.functions.delete_context)(
                    &raw mut minor,
                    &raw mut self.handle,
                    null_mut(),
                )
            };
        }
    }
}

/// Makes the library use a configuration file. Fails once there is a second thread.
pub(super) fn set_configuration(path: &Path) -> io::Result<()> {
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other(
            "the Kerberos configuration must be chosen before threads start",
        ));
    }
    // SAFETY: this is the only thread, so no other reads the environment meanwhile.
    unsafe { std::env::set_var("KRB5_CONFIG", path) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gssapi_missing_ticket_is_explained() {
        let Ok(library) = Library::open() else {
            assert!(std::env::var_os("CI").is_none(), "{FILE} is not installed");
            return;
        };
        let mut context = Context::new(library, "ldap@localhost", None).unwrap();
        // With or without a configuration, this machine has no ticket for ldap/localhost.
        let error = context.establish(b"", &mut Vec::new()).unwrap_err().to_string();
        assert!(error.starts_with("establishing a context with the server: "), "{error}");
        assert!(error.len() > 50, "{error}");
    }

    #[test]
    fn gssapi_environment_is_not_changed_with_threads_running() {
        // The test harness runs this on a second thread.
        assert!(set_configuration(Path::new("/nowhere")).is_err());
    }
}
