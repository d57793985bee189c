//! The output that the letters of `-x` request.
//!
//! The original tool prints it in this order around the final text: before it why the run ended
//! (`e`); after it the internals (`i`), the stamps (`t`), the server's id (`s`), the templates
//! (`T`) and the leases (`l`). It prints "Interrupted" at every end; here that is printed only for
//! interrupted runs.

use std::fmt::Write;
use std::net::IpAddr;
use std::time::Duration;

/// How many octets stand on a line of a packet.
const OCTETS: usize = 16;

/// Why a run ended (`-x e`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitReason {
    /// The period of `-p` is over.
    Period,
    /// As many were sent as `-n` allows.
    Requests,
    /// As many were dropped as `-D` allows.
    Drops,
    /// As large a share was dropped as `-D` allows.
    DropShare,
    /// The run was interrupted.
    Interrupted,
}

impl ExitReason {
    /// The line, with its end.
    pub(crate) const fn line(self) -> &'static str {
        match self {
            Self::Period => "reached test-period.\n",
            Self::Requests => "Reached max requests limit.\n",
            Self::Drops => "Reached maximum drops number.\n",
            Self::DropShare => "Reached maximum percentage of drops.\n",
            Self::Interrupted => "Interrupted\n",
        }
    }
}

/// Internal counters (`-x i`), a line each.
pub(crate) fn internals(counters: &[(&str, u64)]) -> String {
    let mut text = String::new();
    for (name, count) in counters {
        let _ = writeln!(text, "{name}: {count}");
    }
    text
}

/// The id of the server that answered first (`-x s`): the address of a DHCPv4 server, the DUID of a
/// DHCPv6 server.
pub(crate) fn server_id(id: &[u8]) -> String {
    format!("Server id: {}\n", hex(id, ""))
}

/// When a message was sent and when its answer was received, since the beginning of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trip {
    /// When the message was sent.
    pub sent: Duration,
    /// When its answer was received.
    pub received: Duration,
}

/// All stamps of a stage (`-x t`).
pub(crate) fn trips(title: &str, trips: &[Trip]) -> String {
    let mut text = format!("***Timestamps for packets: {title}***\n");
    if trips.is_empty() {
        text.push_str("Unavailable! No packets received.\n");
    }
    for Trip { sent, received } in trips {
        let _ = writeln!(text, "sent / received: {} / {}", clock(*sent), clock(*received));
    }
    text.push('\n');
    text
}

/// Where a message is filled in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offsets {
    /// The transaction id.
    pub xid: usize,
    /// The last octet of the field that distinguishes clients.
    pub random: usize,
    /// The id of the server, in messages that have one.
    pub server_id: Option<usize>,
    /// The time since the client began, in messages that have one.
    pub time: Option<usize>,
    /// The requested address, in messages that have one.
    pub ip: Option<usize>,
}

/// The first message of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where it is filled in.
    pub offsets: Offsets,
}

/// The first message of a stage and where it is filled in (`-x T`). The numbers before the lines
/// count hexadecimal digits, as in the original tool.
pub(crate) fn template(letter: &Letter<'_>) -> String {
    let Offsets { xid, random, server_id, time, ip } = letter.offsets;
    let mut text = format!("xid-offset={xid}\nrandom-offset={random}\n");
    for (name, offset) in [("srvid", server_id), ("time", time), ("ip", ip)] {
        if let Some(offset) = offset {
            let _ = writeln!(text, "{name}-offset={offset}");
        }
    }
    text.push_str("contents: \n");
    for (number, line) in letter.bytes.chunks(OCTETS).enumerate() {
        let _ = writeln!(text, "{:04x}   {}", number * 2 * OCTETS, hex(line, ""));
    }
    text.push('\n');
    text
}

/// A lease that a server gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    /// The client identifier or the DUID.
    pub client: Vec<u8>,
    /// The address, if one was given.
    pub address: Option<IpAddr>,
    /// The delegated prefix, if one was given.
    pub prefix: Option<IpAddr>,
}

/// The leases of a stage as CSV (`-x l`), under the heading that the original tool misspells.
pub(crate) fn leases(title: &str, v6: bool, leases: &[Lease]) -> String {
    let mut text = format!("***Leases for {title}***\nclient_id,adrress,prefix\n");
    let shown = |address: Option<IpAddr>| address.map_or_else(String::new, |it| it.to_string());
    for Lease { client, address, prefix } in leases {
        let client = hex(client, if v6 { ":" } else { "" });
        let _ = writeln!(text, "{client},{},{}", shown(*address), shown(*prefix));
    }
    text.push_str("\n\n");
    text
}

fn hex(bytes: &[u8], between: &str) -> String {
    let octets: Vec<String> = bytes.iter().map(|octet| format!("{octet:02x}")).collect();
    octets.join(between)
}

/// `hhmmss.ffffff`, without the fraction where there is none.
fn clock(time: Duration) -> String {
    let (seconds, micros) = (time.as_secs(), time.subsec_micros());
    let fraction = if micros == 0 { String::new() } else { format!(".{micros:06}") };
    format!("{:02}{:02}{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As printed by `perfdhcp -6 -l rptc0 -r 20 -R 5 -n 4 -x tT`.
    #[test]
    fn diagnostics_print_the_first_message_of_a_stage() {
        let bytes: Vec<u8> = [
            "010000000001000e000100013293dd85",
            "000c010203040003000c000000010000",
            "0e100000151800060004001700180008",
            "00020000",
        ]
        .concat()
        .as_bytes()
        .chunks(2)
        .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap())
        .collect();
        let offsets = Offsets { xid: 1, random: 21, ..Offsets::default() };
        assert_eq!(
            template(&Letter { bytes: &bytes, offsets }),
            "xid-offset=1\nrandom-offset=21\ncontents: \n\
             0000   010000000001000e000100013293dd85\n\
             0020   000c010203040003000c000000010000\n\
             0040   0e100000151800060004001700180008\n\
             0060   00020000\n\n"
        );
        let offsets = Offsets { server_id: Some(22), time: Some(84), ip: Some(40), ..offsets };
        assert_eq!(
            template(&Letter { bytes: &[], offsets }),
            "xid-offset=1\nrandom-offset=21\nsrvid-offset=22\ntime-offset=84\nip-offset=40\n\
             contents: \n\n"
        );
    }

    /// As printed with `-x l` by runs for DHCPv4 and, with `-e address-and-prefix`,
    /// `-e prefix-only` and of releases, for DHCPv6.
    #[test]
    fn diagnostics_list_leases_like_the_original() {
        let four = Lease {
            client: vec![1, 0, 0x0c, 1, 2, 3, 4],
            address: Some("10.77.1.0".parse().unwrap()),
            prefix: None,
        };
        assert_eq!(
            leases("DISCOVER-OFFER", false, &[four]),
            "***Leases for DISCOVER-OFFER***\nclient_id,adrress,prefix\n\
             01000c01020304,10.77.1.0,\n\n\n"
        );
        let client = vec![0, 1, 0, 1, 0x32, 0x93, 0xdd, 0x50, 0, 0x0c, 1, 2, 3, 4];
        let address = Some("2001:db8:77:1::f".parse().unwrap());
        let prefix = Some("2001:db8:7700:5::".parse().unwrap());
        let six = [
            Lease { client: client.clone(), address, prefix },
            Lease { client: client.clone(), address: None, prefix },
            Lease { client, address: None, prefix: None },
        ];
        assert_eq!(
            leases("RENEW-REPLY", true, &six),
            "***Leases for RENEW-REPLY***\nclient_id,adrress,prefix\n\
             00:01:00:01:32:93:dd:50:00:0c:01:02:03:04,2001:db8:77:1::f,2001:db8:7700:5::\n\
             00:01:00:01:32:93:dd:50:00:0c:01:02:03:04,,2001:db8:7700:5::\n\
             00:01:00:01:32:93:dd:50:00:0c:01:02:03:04,,\n\n\n"
        );
    }

    /// As printed by `perfdhcp -4 -r 20 -p 1 -x tl 10.77.0.9`, where no server answers.
    #[test]
    fn diagnostics_without_timestamps_print_unavailable() {
        assert_eq!(
            trips("REQUEST-ACK", &[]),
            "***Timestamps for packets: REQUEST-ACK***\nUnavailable! No packets received.\n\n"
        );
    }

    #[test]
    fn diagnostics_print_counters_on_separate_lines() {
        let text = internals(&[("Short waits for packets", 3), ("Late sent packets", 0)]);
        assert_eq!(text, "Short waits for packets: 3\nLate sent packets: 0\n");
    }
}
