//! What a plan may be like that is kept here.

/// The most characters of a name.
pub(super) const NAME_MAX: usize = 80;
/// The most bytes of a plan, which is a form's.
pub(super) const TEXT_MAX: usize = 100 << 10;
