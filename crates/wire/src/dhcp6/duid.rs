//! DHCP unique identifiers: how clients and servers are told apart (RFC 8415 section 11).

/// The type octets and hardware type octets of identifiers over Ethernet.
const LLT: [u8; 4] = [0, 1, 0, 1];
const LL: [u8; 4] = [0, 3, 0, 1];
const EN: [u8; 2] = [0, 2];
const UUID: [u8; 2] = [0, 4];

/// A DUID of at most [`Duid::LENGTH_MAX`] octets, held in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Duid {
    octets: [u8; Self::LENGTH_MAX],
    length: u8,
}

impl Duid {
    /// The most octets there can be: 128 behind the type (RFC 8415 section 11.1).
    pub const LENGTH_MAX: usize = 130;

    /// DUID-LLT over Ethernet: `seconds` are those since the beginning of 2000, UTC, modulo 2^32.
    pub fn link_layer_time(seconds: u32, mac: [u8; 6]) -> Self {
        Self::of(&[&LLT, &seconds.to_be_bytes(), &mac])
    }

    /// DUID-LL over Ethernet.
    pub fn link_layer(mac: [u8; 6]) -> Self {
        Self::of(&[&LL, &mac])
    }

    /// DUID-EN: what the holder of an enterprise number makes of it, at most 124 octets.
    pub fn enterprise(number: u32, identifier: &[u8]) -> Self {
        Self::of(&[&EN, &number.to_be_bytes(), identifier])
    }

    /// DUID-UUID (RFC 6355).
    pub fn uuid(uuid: [u8; 16]) -> Self {
        Self::of(&[&UUID, &uuid])
    }

    /// These octets, unless they are none or too many.
    pub fn new(octets: &[u8]) -> Option<Self> {
        (!octets.is_empty() && octets.len() <= Self::LENGTH_MAX).then(|| Self::of(&[octets]))
    }

    /// Its octets.
    pub fn octets(&self) -> &[u8] {
        self.octets.get(..usize::from(self.length)).unwrap_or_default()
    }

    /// The same with its last octets replaced by these; as many of their last as fit.
    #[must_use]
    pub fn ending(self, tail: &[u8]) -> Self {
        let length = usize::from(self.length);
        let tail = tail.get(tail.len().saturating_sub(length)..).unwrap_or_default();
        self.with(length - tail.len(), tail)
    }

    /// The same with the octets from `at` replaced by these, as many of their first as fit.
    #[must_use]
    pub fn with(mut self, at: usize, octets: &[u8]) -> Self {
        let length = usize::from(self.length);
        let places = self.octets.get_mut(at.min(length)..length).unwrap_or_default();
        for (place, octet) in places.iter_mut().zip(octets) {
            *place = *octet;
        }
        self
    }

    /// Joins the parts and leaves out what is too much.
    fn of(parts: &[&[u8]]) -> Self {
        let mut octets = [0; Self::LENGTH_MAX];
        let all = parts.iter().copied().flatten();
        let length = octets.iter_mut().zip(all).map(|(place, octet)| *place = *octet).count();
        Self { octets, length: length as u8 }
    }
}
