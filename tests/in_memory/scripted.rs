//! [`Scripted`]: a web server that handles request number N as its script says, and logs what it did.
//!
//! The number is the last part of the path, as in `/n/17`. `tests/program/recomputed/fate.py` says what a script is,
//! and reads it by itself.

use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use brunt_engine::virtual_time::VirtualTime;
use brunt_exchange::{Clock as _, Moment};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use crate::machine::{Machine, Server};

/// Where [`answering`] answers.
pub(crate) const URL: &str = "http://10.0.0.1:80/n/1";

/// A machine of a web server that answers everything after a millisecond, in this way.
pub(crate) fn answering(status: &str) -> (Machine, Arc<Scripted>) {
    let mut machine = Machine::new(7);
    let script = json!({"rules": [{"do": status, "delay_ms": 1}]});
    let target = Scripted::new(&script, machine.time());
    machine.serve("10.0.0.1:80", target.clone());
    (machine, target)
}

/// A web server with a script.
pub(crate) struct Scripted {
    script: Value,
    time: VirtualTime,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    lines: String,
    first: Option<Moment>,
}

/// What is done with a request.
struct Fate {
    act: String,
    delay: Duration,
}

impl Scripted {
    pub(crate) fn new(script: &Value, time: VirtualTime) -> Arc<Self> {
        Arc::new(Self { script: script.clone(), time, log: Mutex::default() })
    }

    /// A line for each request: its number, when it was received, the delay in microseconds, what was done, and when it
    /// was answered (0 if never), in nanoseconds.
    pub(crate) fn log(&self) -> String {
        self.log.lock().expect("nobody panics").lines.clone()
    }

    /// How many requests it got.
    pub(crate) fn requested(&self) -> u64 {
        self.log().lines().count() as u64
    }

    fn note(&self, number: u64, received: Moment, fate: &Fate, answered: u64) {
        let (received, delay) = (received.as_nanos(), fate.delay.as_micros());
        let lines = &mut self.log.lock().expect("nobody panics").lines;
        let _ = writeln!(lines, "{number} {received} {delay} {} {answered}", fate.act);
    }

    fn fate(&self, number: u64) -> Fate {
        let rules = self.script["rules"].as_array().map_or(&[][..], Vec::as_slice);
        let matches = |rule: &&Value| {
            let of = |name: &str, default| rule[name].as_u64().unwrap_or(default);
            let within = (of("first", 0)..=of("last", number)).contains(&number);
            within && number % of("every", 1) == of("at", 0)
        };
        let rule = rules.iter().find(matches);
        let act = rule.map_or("200", |rule| rule["do"].as_str().expect("what to do"));
        let delay = rule.and_then(|rule| rule["delay_ms"].as_u64());
        let delay = Duration::from_millis(delay.unwrap_or_else(|| self.shared_out(number)));
        let is_answered = matches!(act, "200" | "503");
        Fate { act: act.to_owned(), delay: if is_answered { delay } else { Duration::ZERO } }
    }

    /// The milliseconds that `shares` gives to a number.
    fn shared_out(&self, number: u64) -> u64 {
        let mut place = number * 37 % 100;
        for share in self.script["shares"].as_array().into_iter().flatten() {
            let [share, millis] = [0, 1].map(|at| share[at].as_u64().expect("a number"));
            if place < share {
                return millis;
            }
            place -= share;
        }
        0
    }

    /// When a request that is due to be answered at a moment is answered, given the stall.
    fn held_until(&self, moment: Moment, first: Moment) -> Moment {
        let of = |name: &str| self.script["stall"][name].as_u64().map(Duration::from_millis);
        let Some((after, lasts)) = of("after_ms").zip(of("lasts_ms")) else { return moment };
        let (begins, ends) = (first + after, first + after + lasts);
        if (begins..ends).contains(&moment) { ends } else { moment }
    }

    /// Serves one request. Returns whether another one may follow on the connection.
    async fn exchange(&self, connection: &mut DuplexStream) -> bool {
        let Some(head) = head_of(connection).await else { return false };
        let received = self.time.now();
        let first = *self.log.lock().expect("nobody panics").first.get_or_insert(received);
        let path = head.split(' ').nth(1).expect("a path");
        let number = path.rsplit('/').next().and_then(|it| it.parse().ok()).expect("a number");
        let fate = self.fate(number);
        let status = match &*fate.act {
            "silent" => {
                self.note(number, received, &fate, 0);
                let _ = connection.read(&mut [0]).await;
                return false;
            }
            "close" => {
                self.note(number, received, &fate, self.time.now().as_nanos());
                return false;
            }
            "200" => "200 OK",
            _ => "503 Service Unavailable",
        };
        self.time.until(self.held_until(received + fate.delay, first)).await;
        self.note(number, received, &fate, self.time.now().as_nanos());
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nok");
        connection.write_all(answer.as_bytes()).await.is_ok()
    }
}

/// The head of the next request, if there is one.
async fn head_of(connection: &mut DuplexStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if connection.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    String::from_utf8(head).ok()
}

impl Server for Scripted {
    fn serve(self: Arc<Self>, mut connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>> {
        Box::pin(async move { while self.exchange(&mut connection).await {} })
    }
}
