//! Limits for the plans of a site.

/// The most characters of a name.
pub(super) const NAME_MAX: usize = 80;
/// The most bytes of a plan, which is sent in a form.
pub(super) const TEXT_MAX: usize = 100 << 10;
