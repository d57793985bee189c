//! The texts of the configuration files of a sandbox's daemons, one file each. They are functions of the settings and
//! of the place, write nothing, and are tested as texts.

pub(super) mod directory389;
pub(super) mod nscd;
pub(super) mod nslcd;
pub(super) mod slapd;
pub(super) mod sssd;
