//! [`Secrecy`]: which part of an argument's value is a secret, and so not shown in a record.

/// Which part of an argument's value is secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrecy {
    /// All of it.
    Whole,
    /// All of it, unless it is a time: `-d` of `brunt http` is either.
    UnlessTime,
    /// The value of a header whose name says that it is a secret.
    Header,
    /// The password and the secret parameters of a URL.
    Url,
    /// The value that a key of a plan is set to, if the key or the value is that of a secret.
    Setting,
}
