//! Runs for pictures: carried out in virtual time against a web server in memory, so that they look alike on every
//! machine, and are valid on one that is busy.

use std::path::Path;
use std::time::{Duration, SystemTime};

use brunt_app::{Environment, RunClock, World};
use brunt_engine::virtual_time::VirtualTime;
use brunt_exchange::Clock as _;
use brunt_net::memory::Memory;
use brunt_record::Record;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

/// Where the server is.
const HOST: &str = "10.1.0.7:8080";

/// A run of a minute.
pub(crate) struct VirtualRun<'a> {
    /// What is asked for.
    pub(crate) path: &'a str,
    /// How many requests a second.
    pub(crate) rate: &'a str,
    /// What most answers take, in microseconds.
    pub(crate) micros: u64,
    /// When it is said to have begun, in RFC 3339.
    pub(crate) started: &'a str,
}

impl VirtualRun<'_> {
    /// Carries it out, and keeps its record.
    pub(crate) fn record(&self, to: &Path) {
        let time = VirtualTime::new(7);
        let mut world = World::kept(Environment::default());
        world.clock = RunClock::standing(SystemTime::UNIX_EPOCH);
        world.time = Some(time.clone().into());
        let micros = self.micros;
        world.servers = Some(Memory::new(move |to, connection| {
            let is_ours = to.to_string() == HOST;
            is_ours
                .then(|| tokio::task::spawn_local(serve(connection, time.clone(), micros)))
                .is_some()
        }));
        let (record, url) = (to.display().to_string(), format!("http://{HOST}{}", self.path));
        let options = [
            "-q",
            self.rate,
            "-c",
            "20",
            "-z",
            "60s",
            "--slo",
            "p99<60ms",
            "--workers",
            "1",
            "--no-pin",
        ];
        let words =
            [&["brunt", "http"], &options[..], &["--quiet", "--record", &record, &url]].concat();
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let exit = brunt_app::run(&words, &world).code();
        assert!([0, 99].contains(&exit), "{exit}: {}", world.console.errors());
        let mut record = Record::read(to).expect("a record");
        self.started.clone_into(&mut record.started);
        record.run = Some(format!("{} {}", self.path, self.started));
        "bench1".clone_into(&mut record.environment.host);
        record.write(to).expect("the record is ours");
    }
}

/// Answers what comes on a connection, most of it after this time, and a few much later.
async fn serve(mut connection: DuplexStream, time: VirtualTime, micros: u64) {
    let mut number = micros;
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if !matches!(connection.read_buf(&mut head).await, Ok(1..)) {
                return;
            }
        }
        number =
            number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (number >> 40) as f64 / f64::from(1 << 24);
        let factor = 0.7 + 0.5 * share + 2.2 * share.powi(12);
        time.until(time.now() + Duration::from_micros((micros as f64 * factor) as u64)).await;
        let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
        if connection.write_all(answer).await.is_err() {
            return;
        }
    }
}
