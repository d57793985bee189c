//! Command lines from scripts for the original tool: they are accepted, and mean the same.

use super::*;

/// Lines that the original tool accepts, switch by switch, in all its spellings.
const TAKEN: &[&str] = &[
    "all",
    "-6 all",
    "-6 servers",
    "-1 -B -l ethx all",
    "-6 -l ethx -c -i all",
    "-6 -l etx -e address-only all",
    "-4 -l etx -e address-only all",
    "-6 -l etx -e prefix-only all",
    "-4 -r 10 -l ethx all",
    "-4 -n 150 -l ethx all",
    "-6 -f 5 -r 10 -l ethx all",
    "-6 -r 8 -F 3 -f 5 -l ethx all",
    "-4 -r 10 -f 10 -l ethx all",
    "-6 -t 5 -l ethx all",
    "-R 0 -l ethx all",
    "-b DUID=0101010101010101010110111F14 -b MAC=10::20::30::40::50::60 -l 127.0.0.1 all",
    "-b DuiD=0101010101010101010110111F14 -b Mac=10::20::30::40::50::60 -l 127.0.0.1 all",
    "-b duid=0101010101010101010110111F14 -l 127.0.0.1 all",
    "-b ETHER=10::20::30::40::50::60 -l 127.0.0.1 all",
    "-l ethx -d 2 -d 4.7 all",
    "-l ethx -T file1.x -T file2.x -E 4 all",
    "-E5 -4 -I 2 -S3 -O 30 -X7 -l ethx -X3 -T file1.x -T file2.x all",
    "-l ethx -L 2000 all",
    "-l ethx -N 0 all",
    "-1 -P 3 -l ethx all",
    "-6 -P 2 -s 0 -l ethx all",
    "-T file1.x -s 12 -w start -T file2.x -4 -l ethx all",
    "-B -w start -i -l ethx all",
    "-l ethx -i -x asTe all",
    "-a 10 -l 192.168.0.1 all",
    "-D 15% -D25% -l ethx -r 10 all",
    "-D 25 -l ethx -D 15 -r 10 all",
    "-n 5 -r 10 -n 500 -l ethx all",
    "-p 120 -l ethx -r 100 all",
    "-4 -l ethx -J relays.txt all",
    "-6 -A 1 -J relays.txt -l ethx all",
    "-6 -l ethx -A 1 --or 32,00000E10 all",
    "-l ethx -g single -u -C ; -W 1000 --scenario avalanche -R 5 all",
];

#[test]
fn command_lines_of_the_original_are_accepted() {
    for line in TAKEN {
        let read = parse(&words(line), &TestSurroundings { lab: true });
        assert!(matches!(read, Ok(Parsed::Run(_))), "{line}: {read:?}");
    }
}

#[test]
fn base_prefix_is_case_insensitive() {
    let duid = "0101010101010101010110111F14";
    let written = args(&format!("-6 -b DUID={duid} -b MAC=10::20::30::40::50::60 ::1")).clients;
    let plain = args(&format!("-6 -b duid={duid} -b ether=10:20:30:40:50:60 ::1")).clients;
    assert_eq!(written, plain);
    assert_eq!(written.mac, [0x10, 0x20, 0x30, 0x40, 0x50, 0x60]);
    assert_eq!(written.duid.map(|duid| duid.len()), Some(14));
}

#[test]
fn base_duid_without_effect_in_dhcpv4_is_noted() {
    let args = args("-b duid=0101010101010101010110111F14 10.0.0.1");
    assert_eq!(args.notes, ["-b duid= has no effect: DHCPv4 identifies clients by MAC address"]);
}
