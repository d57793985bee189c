//! [`ServerTime`]: how many cores the target used, if it is a process of this machine.
//!
//! `local` finds the process by its socket: one that listens at the port that this process is connected to, according
//! to the kernel's table of sockets (`proc_net_tcp` in Linux), and that one of the process's descriptors refers to
//! (`/proc/PID/fd`). A target in another network namespace, or whose descriptors this user may not read, is not found,
//! and no figure is given for it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use brunt_exchange::{Clock as _, Moment, Monotonic};

use super::{Seen, ServerFigures};

/// The state of a listening socket, in the kernel's table.
const LISTEN: &str = "0A";
/// The state of an established connection.
const ESTABLISHED: &str = "01";

/// The processor time of the target.
pub(super) struct ServerTime {
    pid: Option<u32>,
    clock: Monotonic,
    /// The first and the last reading of the current step.
    first: Option<(Moment, f64)>,
    last: Option<(Moment, f64)>,
}

impl ServerTime {
    /// For the process that listens where the load is sent.
    pub(super) fn of_listener() -> Self {
        Self { pid: None, clock: Monotonic::new(), first: None, last: None }
    }

    /// For this process.
    pub(super) fn of_process(pid: u32) -> Self {
        Self { pid: Some(pid), ..Self::of_listener() }
    }
}

impl ServerFigures for ServerTime {
    fn poll(&mut self) {
        if self.pid.is_none() {
            self.pid = served_by();
        }
        let Some(seconds) = self.pid.and_then(busy) else { return };
        let now = (self.clock.now(), seconds);
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    fn seen(&mut self) -> Seen {
        let between = self.first.take().zip(self.last.take());
        let cores = between.and_then(|((from, before), (to, after))| {
            let lasted = (to - from).as_secs_f64();
            (lasted > 0.0).then(|| (after - before) / lasted)
        });
        Seen { cores, counted: None }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.pid.map(|pid| ("server process", pid.to_string())).into_iter().collect()
    }

    fn missing(&self) -> Option<String> {
        self.pid.is_none().then(|| {
            "no process on this machine that this user can see listens on the target's address"
                .to_owned()
        })
    }
}

/// Processor time of a process, in seconds.
fn busy(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, which may contain any character, ends at the last parenthesis.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some((ticks(11)? + ticks(12)?) as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// A line of the kernel's table of TCP sockets.
struct Line {
    local_port: u16,
    remote_port: u16,
    state: String,
    inode: u64,
}

impl Line {
    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let port = |at: usize| u16::from_str_radix(fields.get(at)?.rsplit_once(':')?.1, 16).ok();
        Some(Self {
            local_port: port(1)?,
            remote_port: port(2)?,
            state: (*fields.get(3)?).to_owned(),
            inode: fields.get(9)?.parse().ok()?,
        })
    }
}

/// The process of this machine that listens at the address to which this process is connected.
fn served_by() -> Option<u32> {
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map(fs::read_to_string);
    let lines: Vec<Line> = tables
        .iter()
        .flatten()
        .flat_map(|table| table.lines().skip(1))
        .filter_map(Line::parse)
        .collect();
    let ours = sockets("self");
    let connection =
        lines.iter().find(|line| line.state == ESTABLISHED && ours.contains(&line.inode))?;
    let listens = |line: &&Line| line.state == LISTEN && line.local_port == connection.remote_port;
    let inodes: Vec<u64> = lines.iter().filter(listens).map(|line| line.inode).collect();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| sockets(&pid.to_string()).iter().any(|inode| inodes.contains(inode)))
}

/// The numbers of the sockets that a process has open.
fn sockets(process: &str) -> Vec<u64> {
    let Ok(directory) = fs::read_dir(format!("/proc/{process}/fd")) else { return Vec::new() };
    let sockets = directory.flatten().filter_map(|entry| {
        let to = fs::read_link(entry.path()).ok()?;
        let socket = to.to_str()?.starts_with("socket:[");
        socket.then(|| fs::metadata(entry.path()).ok().map(|found| found.ino())).flatten()
    });
    sockets.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn server_process_is_found_by_its_socket() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        // Other tests of this process have connections as well; all their servers are in this process.
        assert_eq!(served_by(), Some(std::process::id()));
        drop(connection);
    }

    #[test]
    fn server_processor_time_of_this_process_is_read() {
        let mut own = ServerTime::of_process(std::process::id());
        assert_eq!(own.seen(), Seen::default());
        own.poll();
        let begun = busy(std::process::id()).unwrap();
        while busy(std::process::id()).unwrap() < begun + 0.05 {
            std::hint::black_box((0..100_000_u64).sum::<u64>());
        }
        own.poll();
        assert!(own.seen().cores.is_some_and(|cores| cores > 0.0), "it did nothing else");
        assert_eq!((own.seen(), busy(u32::MAX)), (Seen::default(), None));
    }
}
