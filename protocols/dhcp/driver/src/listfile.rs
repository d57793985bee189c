//! Files that list addresses, one on each line: MACs of clients, addresses of relay agents.

use super::population::Mac;
use brunt_feed::{Files, file};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file is not a list of addresses.
#[derive(Debug, Error)]
pub enum ListFileError {
    /// It cannot be read.
    #[error("read the list {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error that the system returned.
        source: std::io::Error,
    },
    /// A line is not of the kind that the list contains.
    #[error("read the list {}: line {line}: {text:?} is no {wanted}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The text found.
        text: String,
        /// What was expected.
        wanted: &'static str,
    },
    /// A line contains an address of the wrong family.
    #[error(
        "read the list {}: line {line}: {found} is no IPv{family} address; relays of an IPv{family} run need one",
        path.display()
    )]
    Family {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The address found.
        found: IpAddr,
        /// The family it should be of.
        family: u8,
    },
    /// It contains no addresses.
    #[error("read the list {}: there is no {wanted} in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What was expected.
        wanted: &'static str,
    },
}

/// Reads the MACs in a file.
pub fn macs(path: &Path, files: &Files) -> Result<Vec<Mac>, ListFileError> {
    let wanted = "MAC address of six octets";
    list((path, files), wanted, |line, text| {
        mac(text).ok_or_else(|| wrong(path, line, text, wanted))
    })
}

/// Reads the IPv4 addresses of relay agents in a file.
pub fn relays_v4(path: &Path, files: &Files) -> Result<Vec<Ipv4Addr>, ListFileError> {
    list((path, files), "IPv4 address", |line, text| match text.parse() {
        Ok(IpAddr::V4(address)) => Ok(address),
        Ok(found) => Err(ListFileError::Family { path: path.to_owned(), line, found, family: 4 }),
        Err(_) => Err(wrong(path, line, text, "IPv4 address")),
    })
}

/// Reads the IPv6 addresses of relay agents in a file.
pub fn relays_v6(path: &Path, files: &Files) -> Result<Vec<Ipv6Addr>, ListFileError> {
    list((path, files), "IPv6 address", |line, text| match text.parse() {
        Ok(IpAddr::V6(address)) => Ok(address),
        Ok(found) => Err(ListFileError::Family { path: path.to_owned(), line, found, family: 6 }),
        Err(_) => Err(wrong(path, line, text, "IPv6 address")),
    })
}

/// Reads a MAC: six octets of one or two hexadecimal digits, separated by `:`, `::` or `-`.
pub fn mac(text: &str) -> Option<Mac> {
    let mut mac = [0; 6];
    let mut octets = text.split([':', '-']).filter(|octet| !octet.is_empty());
    for octet in &mut mac {
        let digits = octets.next()?;
        if digits.len() > 2 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        *octet = u8::from_str_radix(digits, 16).ok()?;
    }
    octets.next().is_none().then_some(mac)
}

fn wrong(path: &Path, line: usize, text: &str, wanted: &'static str) -> ListFileError {
    ListFileError::Line { path: path.to_owned(), line, text: text.to_owned(), wanted }
}

/// Parses the lines of a file, and skips empty ones.
fn list<T>(
    (path, files): (&Path, &Files),
    wanted: &'static str,
    read: impl Fn(usize, &str) -> Result<T, ListFileError>,
) -> Result<Vec<T>, ListFileError> {
    let bytes = files
        .read_lines(path, file::DATA_MAX)
        .map_err(|source| ListFileError::Read { path: path.to_owned(), source })?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, text)| !text.is_empty());
    let found: Vec<T> = lines.map(|(line, text)| read(line, text)).collect::<Result<_, _>>()?;
    if found.is_empty() {
        return Err(ListFileError::Empty { path: path.to_owned(), wanted });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn mac_is_parsed_in_many_notations() {
        let expected = Some([0x00, 0x0c, 0x01, 0x02, 0x03, 0xfe]);
        for text in
            ["00:0c:01:02:03:fe", "0:C:1:2:3:FE", "00::0c::01::02::03::fe", "00-0C-01-02-03-FE"]
        {
            assert_eq!(mac(text), expected, "{text}");
        }
        for text in [
            "",
            "00:0c:01:02:03",
            "00:0c:01:02:03:04:05",
            "00:0c:01:02:03:+4",
            "000:c:1:2:3:4",
            "g:0:0:0:0:0",
        ] {
            assert_eq!(mac(text), None, "{text}");
        }
    }

    #[test]
    fn list_file_skips_empty_lines() {
        let list = file("10.0.0.1\r\n\n  10.0.1.1 \n");
        let expected = vec![Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 1, 1)];
        assert_eq!(relays_v4(list.path(), &Files::default()).unwrap(), expected);
        assert_eq!(
            macs(file("1:2:3:4:5:6").path(), &Files::default()).unwrap(),
            vec![[1, 2, 3, 4, 5, 6]]
        );
        assert_eq!(relays_v6(file("2001:db8::1\n").path(), &Files::default()).unwrap().len(), 1);
    }

    #[test]
    fn list_file_errors_name_the_line() {
        let reported = relays_v4(file("10.0.0.1\n2001:db8::1\n").path(), &Files::default())
            .unwrap_err()
            .to_string();
        assert!(
            reported.contains("line 2: 2001:db8::1 is no IPv4 address; relays of an IPv4 run"),
            "{reported}"
        );
        let reported =
            relays_v6(file("\n10.0.0.300").path(), &Files::default()).unwrap_err().to_string();
        assert!(reported.contains("line 2: \"10.0.0.300\" is no IPv6 address"), "{reported}");
        let reported = macs(file("\n\n").path(), &Files::default()).unwrap_err().to_string();
        assert!(reported.contains("there is no MAC address"), "{reported}");
        assert!(macs(Path::new("/nowhere/macs"), &Files::default()).is_err());
    }
}
