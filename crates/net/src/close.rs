//! [`Close`]: how a connection ends.

/// How a connection ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Close {
    /// With FIN. The side that closes first keeps the port in `TIME_WAIT` for a minute.
    #[default]
    Fin,
    /// With RST (`SO_LINGER` 0). No port is kept, but data in transit is lost, and no real client does this.
    Reset,
}
