//! DHCP unique identifiers, which identify clients and servers (RFC 8415 section 11).

/// The type octets and hardware type octets of identifiers over Ethernet.
const LLT: [u8; 4] = [0, 1, 0, 1];
const LL: [u8; 4] = [0, 3, 0, 1];
const EN: [u8; 2] = [0, 2];
const UUID: [u8; 2] = [0, 4];

/// A DUID of at most [`Duid::LENGTH_MAX`] octets, stored inline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Duid {
    octets: [u8; Self::LENGTH_MAX],
    length: u8,
}

impl Duid {
    /// The maximum number of octets: 128 after the type (RFC 8415 section 11.1).
    pub const LENGTH_MAX: usize = 130;

    /// DUID-LLT over Ethernet: `seconds` is the time since the beginning of 2000, UTC, modulo 2^32.
    pub fn link_layer_time(seconds: u32, mac: [u8; 6]) -> Self {
        Self::from_parts(&[&LLT, &seconds.to_be_bytes(), &mac])
    }

    /// DUID-LL over Ethernet.
    pub fn link_layer(mac: [u8; 6]) -> Self {
        Self::from_parts(&[&LL, &mac])
    }

    /// DUID-EN: an identifier defined by the holder of an enterprise number, at most 124 octets.
    pub fn enterprise(number: u32, identifier: &[u8]) -> Self {
        Self::from_parts(&[&EN, &number.to_be_bytes(), identifier])
    }

    /// DUID-UUID (RFC 6355).
    pub fn uuid(uuid: [u8; 16]) -> Self {
        Self::from_parts(&[&UUID, &uuid])
    }

    /// A DUID of these octets; `None` if there are none or too many.
    pub fn new(octets: &[u8]) -> Option<Self> {
        (!octets.is_empty() && octets.len() <= Self::LENGTH_MAX)
            .then(|| Self::from_parts(&[octets]))
    }

    /// Its octets.
    pub fn octets(&self) -> &[u8] {
        self.octets.get(..usize::from(self.length)).unwrap_or_default()
    }

    /// The same DUID with its last octets replaced by these, or by the last of these that fit.
    #[must_use]
    pub fn ending(self, tail: &[u8]) -> Self {
        let length = usize::from(self.length);
        let tail = tail.get(tail.len().saturating_sub(length)..).unwrap_or_default();
        self.with(length - tail.len(), tail)
    }

    /// The same DUID with the octets from `at` on replaced by these, or by the first of these that
    /// fit.
    #[must_use]
    pub fn with(mut self, at: usize, octets: &[u8]) -> Self {
        let length = usize::from(self.length);
        let places = self.octets.get_mut(at.min(length)..length).unwrap_or_default();
        for (place, octet) in places.iter_mut().zip(octets) {
            *place = *octet;
        }
        self
    }

    /// Joins the parts and cuts off the excess.
    fn from_parts(parts: &[&[u8]]) -> Self {
        let mut octets = [0; Self::LENGTH_MAX];
        let all = parts.iter().copied().flatten();
        let length = octets.iter_mut().zip(all).map(|(place, octet)| *place = *octet).count();
        Self { octets, length: length as u8 }
    }
}
