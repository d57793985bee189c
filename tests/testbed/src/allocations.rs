//! An allocator that counts, for tests of how much is allocated.
//!
//! An allocator belongs to the whole process, so a test program that uses this one contains no other tests:
//!
//! ```
//! use brunt_testbed::{CountingAllocator, allocations};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! let before = allocations::by_thread();
//! drop(Box::new(1));
//! assert_eq!(allocations::by_thread() - before, 1);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator with counters.
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

thread_local! {
    static BY_THREAD: Cell<u64> = const { Cell::new(0) };
    static BYTES_HELD: Cell<i64> = const { Cell::new(0) };
}

static BY_PROCESS: AtomicU64 = AtomicU64::new(0);

/// How often this thread has allocated or reallocated memory.
pub fn by_thread() -> u64 {
    BY_THREAD.get()
}

/// How often all threads together have done so.
pub fn by_process() -> u64 {
    BY_PROCESS.load(Ordering::Relaxed)
}

/// How many bytes this thread has allocated and not freed. Negative if it freed those of other threads.
pub fn bytes_held() -> i64 {
    BYTES_HELD.get()
}

fn count(allocations: u64, bytes: i64) {
    BY_PROCESS.fetch_add(allocations, Ordering::Relaxed);
    // A thread that is ending has no counters any more.
    let _ = BY_THREAD.try_with(|count| count.set(count.get() + allocations));
    let _ = BYTES_HELD.try_with(|held| held.set(held.get() + bytes));
}

const fn signed(size: usize) -> i64 {
    size.cast_signed() as i64
}

#[expect(unsafe_code, reason = "the trait is unsafe; this allocator only counts and forwards")]
// SAFETY: every call is forwarded unchanged to the system's allocator, and counting touches no memory of the caller.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, signed(layout.size()));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -signed(layout.size()));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, signed(size) - signed(layout.size()));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
