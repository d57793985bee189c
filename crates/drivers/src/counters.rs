//! [`counters!`]: what happens beside the exchanges of a protocol, counted for the whole process.
//!
//! Plain atomic counters, as nearly all of it is rare, and no thread waits for another.

/// Defines a `Tally` of counters with these names, and `Counts`, which it comes to at one moment.
macro_rules! counters {
    ($($(#[doc = $what:literal])* $name:ident,)*) => {
        /// Counts what no exchange's outcome shows.
        #[derive(Debug, Default)]
        pub struct Tally {
            $(pub(super) $name: ::std::sync::atomic::AtomicU64,)*
        }

        /// The counts at one moment.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[doc = $what])* pub $name: u64,)*
        }

        impl Tally {
            /// The counts so far.
            pub fn counts(&self) -> Counts {
                Counts { $($name: self.$name.load(::std::sync::atomic::Ordering::Relaxed),)* }
            }

            pub(super) fn one(counter: &::std::sync::atomic::AtomicU64) {
                counter.fetch_add(1, ::std::sync::atomic::Ordering::Relaxed);
            }
        }

        impl Counts {
            /// What was counted after `before`.
            #[must_use]
            pub const fn since(&self, before: &Self) -> Self {
                Self { $($name: self.$name - before.$name,)* }
            }
        }
    };
}
pub(crate) use counters;
