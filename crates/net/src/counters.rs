//! `counters!`: events outside the exchanges of a protocol, counted for the whole process.
//!
//! They are plain atomic counters: nearly all of these events are rare, and no thread waits for another.

/// Defines a `Tally` of counters with these names, and `Counts`, the values of a `Tally` at one moment.
#[macro_export]
macro_rules! counters {
    ($($(#[doc = $what:literal])* $name:ident,)*) => {
        /// Counts events that the outcome of an exchange does not show.
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
