//! The filter that the kernel applies before it copies a frame to us: incoming datagrams for one UDP port, and ARP.
//!
//! A promiscuous socket receives everything on the link; without a filter, other hosts' traffic would fill our buffer
//! and be counted as our loss. The filter is a program of the classic BPF machine (Linux,
//! `Documentation/networking/filter.rst`). It is coarse on purpose: frames that pass are checked carefully.

use libc::{
    BPF_ABS, BPF_B, BPF_H, BPF_IND, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_LDX, BPF_MSH,
    BPF_RET, BPF_W,
};
use socket2::SockFilter;

/// The offset at which the kernel gives the direction of a frame (`SKF_AD_OFF + SKF_AD_PKTTYPE`).
const DIRECTION: u32 = (libc::SKF_AD_OFF + libc::SKF_AD_PKTTYPE).cast_unsigned();
const OUTGOING: u32 = libc::PACKET_OUTGOING as u32;

const TYPE_AT: u32 = 12;
const FRAGMENT_AT: u32 = 20;
const PROTOCOL_AT: u32 = 23;
const IP_AT: u32 = 14;
/// The offset from the end of the Ethernet header plus the length of the IP header.
const PORT_AT: u32 = 16;

const ARP: u32 = 0x0806;
const IPV4: u32 = 0x0800;
const UDP: u32 = 17;
const OFFSET: u32 = 0x1fff;

/// Frames that pass are copied completely.
const ALL: u32 = 0x4_0000;

/// The program that passes incoming datagrams for this UDP port, and ARP.
pub(super) fn program(port: u16) -> [SockFilter; 14] {
    let load = |size, mode, at| SockFilter::new((BPF_LD | size | mode) as u16, 0, 0, at);
    // How many instructions are skipped if the comparison is true, and if it is false.
    let jump =
        |test, with, yes, no| SockFilter::new((BPF_JMP | test | BPF_K) as u16, yes, no, with);
    let give = |bytes| SockFilter::new((BPF_RET | BPF_K) as u16, 0, 0, bytes);
    [
        load(BPF_W, BPF_ABS, DIRECTION),
        jump(BPF_JEQ, OUTGOING, 11, 0),
        load(BPF_H, BPF_ABS, TYPE_AT),
        jump(BPF_JEQ, ARP, 8, 0),
        jump(BPF_JEQ, IPV4, 0, 8),
        load(BPF_B, BPF_ABS, PROTOCOL_AT),
        jump(BPF_JEQ, UDP, 0, 6),
        load(BPF_H, BPF_ABS, FRAGMENT_AT),
        jump(BPF_JSET, OFFSET, 4, 0),
        SockFilter::new((BPF_LDX | BPF_B | BPF_MSH) as u16, 0, 0, IP_AT),
        load(BPF_H, BPF_IND, PORT_AT),
        jump(BPF_JEQ, u32::from(port), 0, 1),
        give(ALL),
        give(0),
    ]
}
