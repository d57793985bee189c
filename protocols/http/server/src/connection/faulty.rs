//! Applies the faults of a script to an answer.

use std::io;
use std::time::Duration;

use brunt_embedded::script;

use super::encode::{self, Form, Length};
use super::{Connection, Next};
use crate::reply::{FILLING, Reply, reason};
use crate::script::Action;

/// The most of a long body that is sent from memory.
const WHOLE_BYTES: u64 = 1 << 20;

impl Connection {
    /// Answers as the script says, after everything before the answer was written.
    pub(super) async fn misbehave(
        &mut self,
        action: Action,
        random: u64,
        reply: &mut Reply,
        form: Form,
    ) -> io::Result<Next> {
        if let Some(filler) = reply.filler.take() {
            let bytes = filler.bytes.min(WHOLE_BYTES) as usize;
            reply.body.extend(FILLING.iter().cycle().take(bytes));
        }
        match action {
            Action::Silence => {
                // Further bytes are ignored.
                while self.read().await? > 0 {
                    self.reader.forget();
                }
                return Ok(Next::Abort);
            }
            Action::Drop => return Ok(Next::Abort),
            Action::Reset => {
                self.stream.reset_on_drop();
                return Ok(Next::Abort);
            }
            Action::Garbage(bytes) => self.out = script::garbage(random, bytes, b'H'),
            Action::EndlessHeaders => return self.never_end_fields(reply).await,
            Action::Body(filler) => {
                self.pour(reply, filler, form).await?;
                return Ok(if form.keep { Next::Continue } else { Next::Close });
            }
            Action::WrongLength(more) => return Ok(self.announce_wrongly(reply, more, form)),
            Action::Drip(each) => return self.drip(reply, each.0, form).await,
            Action::Chunked(bytes) => self.cut_up(reply, bytes, form),
            Action::UntilClose => {
                encode::head(&mut self.out, reply, Length::None, Form { keep: false, ..form });
                if !form.head_only {
                    self.out.extend_from_slice(&reply.body);
                }
                return Ok(Next::Close);
            }
            Action::Interim(status) => {
                let line =
                    format!("HTTP/1.1 {status} {}\r\nX-Interim: yes\r\n\r\n", reason(status));
                self.out.extend_from_slice(line.as_bytes());
                encode::whole(&mut self.out, reply, form);
            }
            Action::HangUp | Action::Half | Action::Truncate(_) => {
                encode::whole(&mut self.out, reply, form);
                match action {
                    Action::Half => self.out.truncate(self.out.len() / 2),
                    Action::Truncate(bytes) => self.out.truncate(bytes),
                    _ => {}
                }
            }
            // These have been applied already.
            Action::Delay(_) | Action::Status(_) => return self.write(reply, form).await,
        }
        self.flush().await?;
        let stays = matches!(action, Action::Chunked(_) | Action::Interim(_));
        Ok(match (stays, form.keep) {
            (true, true) => Next::Continue,
            (true, false) => Next::Close,
            (false, _) => Next::Abort,
        })
    }

    async fn never_end_fields(&mut self, reply: &Reply) -> io::Result<Next> {
        let line = format!("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
        self.out.extend_from_slice(line.as_bytes());
        // A client that has enough closes the connection, and writing ends with an error.
        for number in 0_u64.. {
            let field = format!("X-Endless-{number}: {}\r\n", "endless ".repeat(10));
            self.out.extend_from_slice(field.as_bytes());
            if self.out.len() > 8192 {
                self.flush().await?;
            }
        }
        Ok(Next::Abort)
    }

    fn announce_wrongly(&mut self, reply: &Reply, more: i64, form: Form) -> Next {
        let announced = (reply.body.len() as u64).saturating_add_signed(more);
        encode::head(&mut self.out, reply, Length::Exact(announced), form);
        if !form.head_only {
            self.out.extend_from_slice(&reply.body);
        }
        // If fewer bytes are sent than announced, the connection closes; if more are sent, they look like the next
        // answer.
        if more < 0 && form.keep { Next::Continue } else { Next::Close }
    }

    async fn drip(&mut self, reply: &Reply, each: Duration, form: Form) -> io::Result<Next> {
        let mut whole = Vec::new();
        encode::whole(&mut whole, reply, form);
        let worker = std::rc::Rc::clone(&self.worker);
        let mut sleep = worker.timer.sleep();
        let mut at = worker.clock.now();
        for byte in whole {
            at += each;
            sleep.until(at).await;
            self.out.push(byte);
            self.flush().await?;
        }
        Ok(if form.keep { Next::Continue } else { Next::Close })
    }

    fn cut_up(&mut self, reply: &Reply, bytes: usize, form: Form) {
        if form.old || !reply.has_body() {
            return encode::whole(&mut self.out, reply, form);
        }
        encode::head(&mut self.out, reply, Length::Chunked, form);
        if form.head_only {
            return;
        }
        for piece in reply.body.chunks(bytes) {
            encode::chunk(&mut self.out, piece);
        }
        encode::chunk(&mut self.out, b"");
    }
}
