//! Content encodings: decodes the body of an answer, up to the size that is wanted.
//!
//! A body is read completely before it is decoded, and only if it is wanted. The decoded size of each layer is limited,
//! so that a kilobyte that decodes to a gigabyte costs no more than any other answer. The decoders are pure Rust. It
//! must not depend on the source of the body.

use std::io::{self, Read};

/// The codings that can be decoded, as the value of `Accept-Encoding`.
pub const ACCEPT: &str = "gzip, deflate, br, zstd";

/// The largest number of nested codings.
const LAYERS_MAX: usize = 4;
/// The largest window of zstd over HTTP (RFC 9659).
const ZSTD_WINDOW_MAX: u64 = 8 << 20;
/// The largest number of consecutive zstd frames, each of which needs its own tables.
const ZSTD_FRAMES_MAX: usize = 1000;
/// How many bytes are decoded at a time.
const STEP: usize = 16 << 10;

/// A content coding (RFC 9110 section 8.4.1, RFC 7932, RFC 8878).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Why a body cannot be decoded.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EncodingError {
    /// A coding that was not offered.
    #[error("unpack the body: its content coding '{0}' is none of {ACCEPT}")]
    Unknown(String),
    /// Too many nested codings.
    #[error("unpack the body: it has more than {LAYERS_MAX} content codings")]
    Layers,
    /// Too many frames: decoding costs more than the size of the body suggests.
    #[error("unpack the body: it is cut into more than {ZSTD_FRAMES_MAX} frames of zstd")]
    Frames,
    /// Bytes that are not valid in this coding.
    #[error("unpack the body: it is not the {coding} that its head says: {why}")]
    Corrupt {
        /// The coding.
        coding: &'static str,
        /// The decoder's error.
        why: String,
    },
}

/// The result of decoding a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpacked {
    /// The body has no coding and is used unchanged.
    AsIs,
    /// All of it was decoded.
    Whole,
    /// A part was decoded: as much as is kept, or as much as the received part gives.
    Part,
}

/// Decodes `body`, whose head has these values of `Content-Encoding`, into `out`, up to `limit` bytes. `whole` is
/// whether the body is complete.
pub fn decode<'a>(
    values: impl Iterator<Item = &'a [u8]>,
    body: &[u8],
    whole: bool,
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<Unpacked, EncodingError> {
    let (layers, count) = layers(values)?;
    // The coding that was applied last is decoded first.
    let mut codings = layers[..count].iter().rev();
    let Some(outermost) = codings.next() else { return Ok(Unpacked::AsIs) };
    // An answer to HEAD names the coding of the body that it omits, and a 204 may name one as well.
    if body.is_empty() {
        return Ok(Unpacked::AsIs);
    }
    let mut is_whole = unpack(*outermost, body, whole, limit, out)?;
    for coding in codings {
        let packed = std::mem::take(out);
        is_whole = unpack(*coding, &packed, is_whole, limit, out)?;
    }
    Ok(if is_whole { Unpacked::Whole } else { Unpacked::Part })
}

/// The codings of a body in the order in which they were applied, without `identity`.
fn layers<'a>(
    values: impl Iterator<Item = &'a [u8]>,
) -> Result<([Coding; LAYERS_MAX], usize), EncodingError> {
    let mut layers = [Coding::Identity; LAYERS_MAX];
    let mut count = 0;
    for name in values.flat_map(|value| value.split(|byte| *byte == b',')) {
        let name = name.trim_ascii();
        if name.is_empty() {
            continue;
        }
        let unknown = || EncodingError::Unknown(String::from_utf8_lossy(name).into_owned());
        let coding = Coding::named(name).ok_or_else(unknown)?;
        if coding != Coding::Identity {
            *layers.get_mut(count).ok_or(EncodingError::Layers)? = coding;
            count += 1;
        }
    }
    Ok((layers, count))
}

impl Coding {
    fn named(name: &[u8]) -> Option<Self> {
        const NAMES: [(&str, Coding); 7] = [
            ("gzip", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("deflate", Coding::Deflate),
            ("br", Coding::Brotli),
            ("zstd", Coding::Zstd),
            ("identity", Coding::Identity),
            ("none", Coding::Identity),
        ];
        let known = NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
        known.map(|(_, coding)| *coding)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// Decodes one layer. Returns whether `out` is all of it.
fn unpack(
    coding: Coding,
    body: &[u8],
    whole: bool,
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<bool, EncodingError> {
    out.clear();
    let unpacked = match coding {
        Coding::Identity => fill(body, limit, out),
        Coding::Gzip => fill(flate2::bufread::MultiGzDecoder::new(body), limit, out),
        Coding::Deflate if is_zlib(body) => {
            fill(flate2::bufread::ZlibDecoder::new(body), limit, out)
        }
        Coding::Deflate => fill(flate2::bufread::DeflateDecoder::new(body), limit, out),
        Coding::Brotli => unbrotli(body, limit, out),
        Coding::Zstd => unzstd(body, limit, out),
    };
    match unpacked {
        Ok(is_whole) => Ok(is_whole && whole),
        // Only the end is missing because the body was cut off; what was decoded before it is valid.
        Err(_) if !whole => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::QuotaExceeded => Err(EncodingError::Frames),
        Err(error) => Err(EncodingError::Corrupt { coding: coding.name(), why: error.to_string() }),
    }
}

/// Reads up to `limit` bytes in all. Returns whether this was the end.
fn fill(mut from: impl Read, limit: usize, out: &mut Vec<u8>) -> io::Result<bool> {
    loop {
        let start = out.len();
        // One byte beyond the limit shows whether there is more.
        let room = (limit + 1 - start).min(STEP);
        out.resize(start + room, 0);
        let read = from.read(&mut out[start..]);
        out.truncate(start + *read.as_ref().unwrap_or(&0));
        if read? == 0 {
            return Ok(true);
        }
        if out.len() > limit {
            out.truncate(limit);
            return Ok(false);
        }
    }
}

/// Whether the body begins with the header of RFC 1950. Some servers omit it and send plain RFC 1951.
fn is_zlib(body: &[u8]) -> bool {
    let Some([first, second]) = body.first_chunk() else { return false };
    first & 0x0f == 8 && u16::from_be_bytes([*first, *second]).is_multiple_of(31)
}

fn unbrotli(body: &[u8], limit: usize, out: &mut Vec<u8>) -> io::Result<bool> {
    // Windows above 16 MiB are not allowed by RFC 7932, and the decoder would allocate memory for them.
    if body.first().is_some_and(|first| first & 0x7f == 0x11) {
        return Err(io::Error::other("its window is larger than 16 MiB"));
    }
    fill(brotli_decompressor::Decompressor::new(body, STEP), limit, out)
}

fn unzstd(mut body: &[u8], limit: usize, out: &mut Vec<u8>) -> io::Result<bool> {
    use ruzstd::decoding::StreamingDecoder;
    use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
    for frame in 0.. {
        if body.is_empty() {
            break;
        }
        if frame == ZSTD_FRAMES_MAX {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        match StreamingDecoder::new_with_max_window_size(&mut body, ZSTD_WINDOW_MAX) {
            Ok(frame) => {
                if !fill(frame, limit, out)? {
                    return Ok(false);
                }
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => body = body.get(length as usize..).unwrap_or_default(),
            Err(error) => return Err(io::Error::other(error.to_string())),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use std::io::Write;

    const TEXT: &[u8] = b"what a server says twice, a server says twice";

    fn unpacked(
        field: &str,
        body: &[u8],
        limit: usize,
    ) -> Result<(Unpacked, Vec<u8>), EncodingError> {
        let mut out = b"of before".to_vec();
        let made = decode(std::iter::once(field.as_bytes()), body, true, limit, &mut out)?;
        Ok((made, out))
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn zlib(text: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }

    /// A stream of RFC 7932 that contains the text uncompressed: a window of 16 bits, one uncompressed meta-block, the
    /// end.
    fn brotli(text: &[u8]) -> Vec<u8> {
        // WBITS 0; ISLAST 0; MNIBBLES 00; MLEN - 1 in 16 bits; ISUNCOMPRESSED 1; then from the next byte on.
        let bits: u32 = (text.len() as u32 - 1) << 4 | 1 << 20;
        let mut stream = bits.to_le_bytes()[..3].to_vec();
        stream.extend_from_slice(text);
        stream.push(0b11);
        stream
    }

    #[test]
    fn decoding_supports_every_coding() {
        let raw = {
            let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), Compression::best());
            packer.write_all(TEXT).unwrap();
            packer.finish().unwrap()
        };
        for (field, body) in [
            ("gzip", gzip(TEXT)),
            ("X-GZip", gzip(TEXT)),
            ("deflate", zlib(TEXT)),
            ("deflate", raw),
            ("br", brotli(TEXT)),
            ("zstd", zstd(TEXT)),
            (" identity, gzip ,", gzip(TEXT)),
            ("gzip", [gzip(&TEXT[..5]), gzip(&TEXT[5..])].concat()),
            ("zstd", [zstd(&TEXT[..5]), zstd(&TEXT[5..])].concat()),
            // A frame of zstd that must be skipped (RFC 8878 section 3.1.2).
            ("zstd", [&b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd(TEXT)].concat()),
        ] {
            let (made, out) = unpacked(field, &body, 1 << 20).unwrap();
            assert_eq!((made, out.as_slice()), (Unpacked::Whole, TEXT), "{field}");
        }
    }

    #[test]
    fn decoding_removes_layers_in_order() {
        let body = zstd(&gzip(&brotli(TEXT)));
        let (made, out) = unpacked("br, gzip, zstd", &body, 1 << 20).unwrap();
        assert_eq!((made, out.as_slice()), (Unpacked::Whole, TEXT));
        let mut out = Vec::new();
        let values = [&b"br"[..], b"gzip, zstd"];
        decode(values.into_iter(), &body, true, 1 << 20, &mut out).unwrap();
        assert_eq!(out, TEXT);
        let five = unpacked("gzip, gzip, gzip, gzip, gzip", &body, 1 << 20);
        assert_eq!(five.unwrap_err(), EncodingError::Layers);
    }

    #[test]
    fn decoding_leaves_plain_and_empty_bodies() {
        for (field, body) in [("", TEXT), ("identity", TEXT), ("gzip", b"")] {
            assert_eq!(unpacked(field, body, 9).unwrap().0, Unpacked::AsIs, "{field}");
        }
    }

    #[test]
    fn decoding_is_limited_in_size() {
        let zeros = vec![0; 64 << 20];
        for (field, body) in
            [("gzip", gzip(&zeros)), ("deflate", zlib(&zeros)), ("zstd", zstd(&zeros))]
        {
            let (made, out) = unpacked(field, &body, 100_000).unwrap();
            assert_eq!((made, out.len()), (Unpacked::Part, 100_000), "{field}");
            assert!(out.capacity() < 1 << 20, "{field}: {}", out.capacity());
            let twice = unpacked(&format!("{field}, gzip"), &gzip(&body), 1000).unwrap();
            assert_eq!(twice.0, Unpacked::Part, "{field}");
        }
        let exact = unpacked("gzip", &gzip(TEXT), TEXT.len()).unwrap();
        assert_eq!(exact, (Unpacked::Whole, TEXT.to_vec()));
        let short = unpacked("br", &brotli(TEXT), TEXT.len() - 1).unwrap();
        assert_eq!(short, (Unpacked::Part, TEXT[..TEXT.len() - 1].to_vec()));
    }

    #[test]
    fn decoding_limits_zstd_frames() {
        let frames = |count: usize| zstd(b"a").repeat(count);
        let (made, out) = unpacked("zstd", &frames(ZSTD_FRAMES_MAX), 1 << 20).unwrap();
        assert_eq!((made, out.len()), (Unpacked::Whole, ZSTD_FRAMES_MAX));
        let many = unpacked("zstd", &frames(60_000), 1 << 20).unwrap_err();
        assert_eq!(many, EncodingError::Frames);
    }

    #[test]
    fn decoding_of_a_truncated_body_gives_its_beginning() {
        let text: Vec<u8> = (0..200_000_u32).flat_map(|n| n.to_string().into_bytes()).collect();
        for (field, body) in
            [("gzip", gzip(&text)), ("deflate", zlib(&text)), ("zstd", zstd(&text))]
        {
            let half = &body[..body.len() / 2];
            let mut out = Vec::new();
            let values = std::iter::once(field.as_bytes());
            let made = decode(values.clone(), half, false, 1 << 21, &mut out).unwrap();
            assert_eq!(made, Unpacked::Part, "{field}");
            assert!(!out.is_empty() && text.starts_with(&out), "{field}: {}", out.len());
            let error = decode(values, half, true, 1 << 21, &mut out).unwrap_err();
            assert!(matches!(error, EncodingError::Corrupt { .. }), "{field}: {error}");
        }
    }

    #[test]
    fn decoding_of_a_damaged_body_is_refused_or_limited() {
        let text: Vec<u8> = (0..3000_u32).flat_map(|n| (n % 97).to_string().into_bytes()).collect();
        let bodies = [("gzip", gzip(&text)), ("deflate", zlib(&text)), ("zstd", zstd(&text))];
        let mut out = Vec::new();
        for (field, body) in bodies.iter().chain(&[("br", brotli(TEXT))]) {
            for round in 0..400_u64 {
                let mut damaged = body.clone();
                for hit in 0..=round % 4 {
                    let draw = brunt_net::chance::mix(round * 8 + hit);
                    let at = (draw >> 8) as usize % damaged.len();
                    damaged[at] = draw as u8;
                }
                let whole = round % 2 == 0;
                let values = std::iter::once(field.as_bytes());
                let made = decode(values, &damaged, whole, 20_000, &mut out);
                assert!(out.len() <= 20_000, "{field} {round}");
                assert!(whole || made != Ok(Unpacked::Whole), "{field} {round}");
            }
        }
    }

    #[test]
    fn decoding_errors_are_named() {
        let words = |field: &str, body: &[u8]| unpacked(field, body, 99).unwrap_err().to_string();
        assert!(words("snappy", TEXT).contains("'snappy' is none of gzip"));
        for field in ["gzip", "deflate", "br", "zstd"] {
            assert!(words(field, TEXT).contains(&format!("not the {field}")), "{field}");
        }
        assert!(words("br", &[0x11, 30, 0, 0]).contains("16 MiB"));
        // A frame of zstd with a window of 1 GiB: magic, no checksum nor size, exponent 20.
        let wide = words("zstd", b"\x28\xb5\x2f\xfd\x00\xa0\x01\0\0");
        assert!(wide.contains("too big"), "{wide}");
    }
}
