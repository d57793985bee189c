//! [`ValueError`]: why a word is not a value of its option. Each message states how the value is written.

use brunt_run::options::value_error;

/// Why a word is not a value of its option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ValueError {
    #[error(transparent)]
    Common(#[from] value_error::ValueError),
    #[error("write whole seconds from 1s to 10m")]
    WholeSeconds,
    #[error("write it as 0/4")]
    Part,
    #[error("write a share from 0.5% to 50%, such as 5%")]
    Precision,
    #[error("write 1 to 64 letters, digits, - and _")]
    Name,
    #[error("write a share from -90% to 10000%, such as 30%")]
    Growth,
    #[error("write a share from 0% to 95%, such as 40%")]
    Headroom,
}
