//! [`Hostile`]: a web server whose answers are all errors, with text that would affect a terminal or a page.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// What each of its answers has as a body: a title for the terminal, an empty screen, colours by two sequences, markup,
/// a direction that turns around, and a line of its own.
const BODY: &str = "\u{1b}]0;evil\u{7}\u{1b}[2J\u{1b}[31;7mEVIL\u{9b}7m</script>\
                    <img src=x onerror=document.title='evil'>\u{202e}\nResult: evil\n";
/// What stands in a header of each.
const HEADER: &str = "</script><img src=x onerror=document.title='evil'>";

/// A web server that means harm. It ends with the test program.
#[derive(Debug)]
pub struct Hostile {
    address: String,
}

impl Hostile {
    /// Starts it on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                thread::spawn(move || answer(stream));
            }
        });
        Self { address }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// What in a text is not as it was sent, but would act: empty where all of it is inert.
    pub fn acting(text: &str) -> Vec<&'static str> {
        let sequences = ["\u{1b}]0;evil", "\u{1b}[31;7m", "\u{9b}7m", "\u{202e}"];
        sequences.into_iter().filter(|sequence| text.contains(sequence)).collect()
    }
}

/// Answers every request of a connection with an error.
fn answer(stream: TcpStream) {
    let Ok(mut out) = stream.try_clone() else { return };
    let head = format!(
        "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/html\r\nWWW-Authenticate: {HEADER}\r\n\
         Content-Length: {}\r\n\r\n",
        BODY.len()
    );
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        // The empty line ends a request without a body.
        if line.is_empty() && out.write_all(format!("{head}{BODY}").as_bytes()).is_err() {
            return;
        }
    }
}
