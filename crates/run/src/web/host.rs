//! The name of this machine that remote browsers may use.

/// The name of this machine, if it has one.
pub(super) fn own_name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_str().ok()?.to_owned();
    let plain = |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}
