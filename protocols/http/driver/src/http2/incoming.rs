//! What a server sends, frame by frame. What is against the rules ends its stream, or the connection with the error
//! code that is returned (RFC 9113 section 5.4).

use super::connection::{CONNECTION_WINDOW, PartialHead, STREAM_WINDOW, State, WINDOW_MAX};
use super::ending::Ending;
use super::streams::{Phase, Stream};
use crate::failure::{Failure, FailureStage, Http2Failure};
use brunt_http_wire::http2::{self as wire, ErrorCode, Frame, Kind, Setting};

/// The most interim answers before a final one.
const INTERIM_MAX: u8 = 16;
/// How many times as long as the limit for its fields a head may be, and in how many frames.
const BLOCK_TIMES: usize = 4;
const FRAMES_MAX: usize = 256;

type Received = Result<(), ErrorCode>;

impl State {
    /// Processes bytes, which may end within a frame.
    pub(super) fn receive(&mut self, bytes: &[u8]) -> Received {
        if self.unread.is_empty() {
            let used = self.frames(bytes)?;
            self.unread.extend_from_slice(bytes.get(used..).unwrap_or_default());
            return Ok(());
        }
        let mut unread = std::mem::take(&mut self.unread);
        unread.extend_from_slice(bytes);
        let used = self.frames(&unread)?;
        unread.drain(..used);
        self.unread = unread;
        Ok(())
    }

    /// Processes all complete frames, and returns their length.
    fn frames(&mut self, bytes: &[u8]) -> Result<usize, ErrorCode> {
        let mut used = 0;
        while let Some(frame) =
            Frame::read(bytes.get(used..).unwrap_or_default(), wire::FRAME_SIZE)?
        {
            used += frame.length();
            self.frame(&frame)?;
        }
        Ok(used)
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Received {
        let head = frame.head;
        if !self.peer.known && head.kind != Kind::Settings {
            return Err(ErrorCode::PROTOCOL_ERROR);
        }
        if let Some(partial) = &self.partial
            && (head.kind != Kind::Continuation || head.stream != partial.stream)
        {
            return Err(ErrorCode::PROTOCOL_ERROR);
        }
        match head.kind {
            Kind::Data => self.data(frame),
            Kind::Headers => self.headers(frame),
            Kind::Continuation => self.continuation(frame),
            Kind::Reset => self.reset(frame),
            Kind::Settings => self.settings(frame),
            Kind::Ping => self.ping(frame),
            Kind::GoAway => self.go_away(frame),
            Kind::WindowUpdate => self.window_update(frame),
            // It was refused by a setting.
            Kind::PushPromise => Err(ErrorCode::PROTOCOL_ERROR),
            Kind::Priority | Kind::Other => Ok(()),
        }
    }

    /// The number of a stream that was begun, if not necessarily a moment ago.
    fn begun(&self, frame: &Frame<'_>) -> Result<u32, ErrorCode> {
        let number = frame.head.stream;
        let begun = number % 2 == 1 && number < self.next;
        if begun { Ok(number) } else { Err(ErrorCode::PROTOCOL_ERROR) }
    }

    fn data(&mut self, frame: &Frame<'_>) -> Received {
        let number = self.begun(frame)?;
        // Padding counts as well.
        let length = frame.payload.len() as u32;
        self.received += length;
        if self.received > CONNECTION_WINDOW {
            return Err(ErrorCode::FLOW_CONTROL_ERROR);
        }
        if self.received > CONNECTION_WINDOW / 2 {
            wire::window_update(&mut self.output, 0, std::mem::take(&mut self.received));
        }
        let data = wire::unpadded(frame)?;
        let ends = frame.head.has(wire::END_STREAM);
        // A stream that is no longer needed was reset.
        let Some(stream) = self.streams.find(number) else { return Ok(()) };
        match stream.phase {
            Phase::Waiting => return Err(ErrorCode::PROTOCOL_ERROR),
            Phase::Ended => return Err(ErrorCode::STREAM_CLOSED),
            Phase::Failed(_) => return Ok(()),
            Phase::Body => {}
        }
        stream.received += length;
        if stream.received > STREAM_WINDOW {
            return Err(ErrorCode::FLOW_CONTROL_ERROR);
        }
        stream.answer.receive(data, stream.wanted, &self.limits);
        let (received, most) = (stream.answer.received, self.limits.body);
        if received > most {
            self.fail(number, Failure::BodyTooLong(most), ErrorCode::CANCEL);
        } else if stream.length.is_some_and(|length| received > length) {
            self.malformed(number);
        } else if ends {
            self.ended(number);
        } else if stream.received > STREAM_WINDOW / 2 {
            let room = std::mem::take(&mut stream.received);
            wire::window_update(&mut self.output, number, room);
        }
        Ok(())
    }

    fn headers(&mut self, frame: &Frame<'_>) -> Received {
        let number = self.begun(frame)?;
        let block = wire::unpadded(frame)?;
        let ends = frame.head.has(wire::END_STREAM);
        if frame.head.has(wire::END_HEADERS) {
            return self.head(number, ends, block);
        }
        let block = block.to_vec();
        self.partial = Some(PartialHead { stream: number, ends, block, frames: 1 });
        Ok(())
    }

    fn continuation(&mut self, frame: &Frame<'_>) -> Received {
        let Some(partial) = &mut self.partial else { return Err(ErrorCode::PROTOCOL_ERROR) };
        partial.block.extend_from_slice(frame.payload);
        partial.frames += 1;
        let longest = self.limits.head.saturating_mul(BLOCK_TIMES);
        if partial.block.len() > longest || partial.frames > FRAMES_MAX {
            return Err(ErrorCode::ENHANCE_YOUR_CALM);
        }
        if !frame.head.has(wire::END_HEADERS) {
            return Ok(());
        }
        let Some(PartialHead { stream, ends, block, .. }) = self.partial.take() else {
            return Ok(());
        };
        self.head(stream, ends, &block)
    }

    /// Processes a head or a trailer. It is decoded even if its stream is no longer needed, as later heads may refer to
    /// its fields.
    fn head(&mut self, number: u32, ends: bool, block: &[u8]) -> Received {
        let most = self.limits.head;
        let head = self.heads.read(block, most).map_err(|_| ErrorCode::COMPRESSION_ERROR)?;
        let Some(stream) = self.streams.find(number) else { return Ok(()) };
        match stream.phase {
            Phase::Waiting => {}
            Phase::Ended => return Err(ErrorCode::STREAM_CLOSED),
            Phase::Failed(_) => return Ok(()),
            // A trailer, whose fields are not used.
            Phase::Body if ends => {
                self.ended(number);
                return Ok(());
            }
            Phase::Body => {
                self.malformed(number);
                return Ok(());
            }
        }
        if head.size > most {
            self.fail(number, Failure::HeadTooLong(most), ErrorCode::CANCEL);
            return Ok(());
        }
        let interim = (100..200).contains(&head.status);
        stream.interims += u8::from(interim);
        // 101 is not for HTTP/2 (RFC 9113 section 8.6).
        let allowed = head.status != 101 && !ends && stream.interims <= INTERIM_MAX;
        if head.malformed || head.status == 0 || interim && !allowed {
            self.malformed(number);
            return Ok(());
        }
        if interim {
            return Ok(());
        }
        stream.answer.status = head.status;
        if stream.wanted.fields_of(head.status) {
            head.keep(&mut stream.answer);
        }
        // These have the length of a body that they do not have (RFC 9110 section 8.6).
        stream.length = head.length.filter(|_| !stream.headless && head.status != 304);
        stream.phase = Phase::Body;
        self.answered = true;
        if ends {
            self.ended(number);
        } else {
            stream.wake();
        }
        Ok(())
    }

    /// The last byte of an answer has arrived.
    fn ended(&mut self, number: u32) {
        let Some(stream) = self.streams.find(number) else { return };
        if stream.length.is_some_and(|length| length != stream.answer.received) {
            self.malformed(number);
            return;
        }
        stream.phase = Phase::Ended;
        stream.wake();
    }

    fn malformed(&mut self, number: u32) {
        self.fail(number, Http2Failure::Head.into(), ErrorCode::PROTOCOL_ERROR);
    }

    /// Gives an answer up, and resets its stream.
    fn fail(&mut self, number: u32, failure: Failure, code: ErrorCode) {
        if let Some(stream) = self.streams.find(number).filter(|stream| stream.is_pending()) {
            stream.phase = Phase::Failed(failure);
            stream.wake();
            wire::reset(&mut self.output, number, code);
        }
    }

    fn reset(&mut self, frame: &Frame<'_>) -> Received {
        let number = self.begun(frame)?;
        let code = ErrorCode(frame.number(4)?);
        let found = self.streams.find(number).filter(|stream| stream.is_pending());
        if let Some(stream) = found {
            stream.phase = Phase::Failed(Http2Failure::Reset(code).into());
            stream.wake();
        }
        Ok(())
    }

    fn settings(&mut self, frame: &Frame<'_>) -> Received {
        if frame.head.stream != 0 {
            return Err(ErrorCode::PROTOCOL_ERROR);
        }
        if frame.head.has(wire::ACK) {
            let empty = frame.payload.is_empty();
            return if empty { Ok(()) } else { Err(ErrorCode::FRAME_SIZE_ERROR) };
        }
        for setting in frame.settings()? {
            self.set(setting)?;
        }
        self.peer.known = true;
        wire::frame(&mut self.output, Kind::Settings, wire::ACK, 0, 0);
        self.unblock();
        self.wake_waiting();
        Ok(())
    }

    fn set(&mut self, setting: Setting) -> Received {
        match setting {
            Setting::HeaderTableSize(size) => {
                self.peer.shrunk |= size < self.peer.table;
                self.peer.table = size;
            }
            Setting::EnablePush(0) | Setting::MaxHeaderListSize(_) | Setting::Other => {}
            Setting::EnablePush(_) => return Err(ErrorCode::PROTOCOL_ERROR),
            Setting::MaxConcurrentStreams(most) => self.peer.streams_max = most as usize,
            Setting::InitialWindowSize(size) => {
                let size = i64::from(size);
                let change = size - self.peer.window;
                self.peer.window = size;
                let mut streams = self.streams.iter_mut();
                if size > WINDOW_MAX || !streams.all(|(_, stream)| stream.widen(change)) {
                    return Err(ErrorCode::FLOW_CONTROL_ERROR);
                }
            }
            Setting::MaxFrameSize(size) => {
                let size = size as usize;
                if !(wire::FRAME_SIZE..1 << 24).contains(&size) {
                    return Err(ErrorCode::PROTOCOL_ERROR);
                }
                self.peer.frame_max = size;
            }
        }
        Ok(())
    }

    fn ping(&mut self, frame: &Frame<'_>) -> Received {
        if frame.head.stream != 0 {
            return Err(ErrorCode::PROTOCOL_ERROR);
        }
        if frame.payload.len() != 8 {
            return Err(ErrorCode::FRAME_SIZE_ERROR);
        }
        if !frame.head.has(wire::ACK) {
            wire::ping(&mut self.output, wire::ACK, frame.payload);
        }
        Ok(())
    }

    fn go_away(&mut self, frame: &Frame<'_>) -> Received {
        if frame.head.stream != 0 {
            return Err(ErrorCode::PROTOCOL_ERROR);
        }
        let (last, code, text) = frame.go_away()?;
        let ending = Ending::from_go_away(code, text);
        for (number, stream) in self.streams.iter_mut() {
            if number > last && stream.is_pending() {
                stream.phase = Phase::Failed(ending.failure(FailureStage::Waiting));
                stream.wake();
            }
        }
        self.ending.get_or_insert(ending);
        self.wake_waiting();
        self.leaving = true;
        Ok(())
    }

    fn window_update(&mut self, frame: &Frame<'_>) -> Received {
        let increment = i64::from(frame.increment()?);
        if frame.head.stream == 0 {
            self.window += increment;
            if increment == 0 {
                return Err(ErrorCode::PROTOCOL_ERROR);
            }
            if self.window > WINDOW_MAX {
                return Err(ErrorCode::FLOW_CONTROL_ERROR);
            }
            self.unblock();
            return Ok(());
        }
        let number = self.begun(frame)?;
        let Some(stream) = self.streams.find(number) else { return Ok(()) };
        let code = match increment {
            0 => ErrorCode::PROTOCOL_ERROR,
            _ if !stream.widen(increment) => ErrorCode::FLOW_CONTROL_ERROR,
            _ => {
                if std::mem::take(&mut stream.blocked) {
                    stream.wake();
                }
                return Ok(());
            }
        };
        self.fail(number, Http2Failure::Violation(code).into(), code);
        Ok(())
    }
}

impl Stream {
    /// Enlarges the window in which the server receives, or shrinks it. Returns whether it may be as large.
    fn widen(&mut self, change: i64) -> bool {
        self.window += change;
        self.window <= WINDOW_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::super::connection::Connection;
    use super::*;
    use crate::limits::Limits;
    use crate::response::{Response, Wanted};

    fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = (payload.len() as u32).to_be_bytes();
        [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    }

    /// A connection on which the streams 1, 3, 5 and so on were begun and the settings have arrived.
    fn begun(streams: u32, limits: Limits) -> std::rc::Rc<Connection> {
        let connection = Connection::new(&limits);
        {
            let mut state = connection.state();
            state.receive(&frame(4, 0, 0, &[])).unwrap();
            for number in (1..).step_by(2).take(streams as usize) {
                let wanted = Wanted { fields: true, body: true, ..Wanted::default() };
                let window = state.peer.window;
                let stream = Stream::new(Response::default(), wanted, false, window);
                state.streams.insert(number, stream);
                state.next = number + 2;
            }
        }
        connection
    }

    /// What becomes of stream 1 and of the connection by these frames.
    fn outcome(frames: &[Vec<u8>]) -> (String, Result<(), ErrorCode>) {
        let connection = begun(2, Limits::default());
        let mut state = connection.state();
        let received = state.receive(&frames.concat());
        let phase = match &state.streams.find(1).unwrap().phase {
            Phase::Failed(failure) => failure.to_string(),
            phase => format!("{phase:?}"),
        };
        (phase, received)
    }

    #[test]
    fn http2_rules_end_the_stream_or_the_connection() {
        let ok = || frame(1, 4, 1, &[0x88]);
        let length = |digit: u8| frame(1, 4, 1, &[0x88, 0x0f, 0x0d, 1, digit]);
        let (stream, connection) = (
            |frames: &[Vec<u8>], word: &str| {
                let (phase, received) = outcome(frames);
                assert!(
                    phase.contains(word) && received.is_ok(),
                    "{phase} {received:?} {frames:x?}"
                );
            },
            |frames: &[Vec<u8>], code: ErrorCode| {
                assert_eq!(outcome(frames).1, Err(code), "{frames:x?}");
            },
        );
        stream(&[ok(), frame(0, 1, 1, b"ab")], "Ended");
        stream(&[length(b'2'), frame(0, 1, 1, b"ab")], "Ended");
        stream(&[length(b'3'), frame(0, 1, 1, b"ab")], "Content-Length");
        stream(&[length(b'1'), frame(0, 0, 1, b"ab")], "Content-Length");
        stream(&[frame(1, 4, 1, &[0x08, 3, b'1', b'0', b'3']), ok()], "Body");
        stream(&[frame(1, 4, 1, &[0x08, 3, b'1', b'0', b'1'])], "breaks a rule");
        stream(&[frame(1, 5, 1, &[0x08, 3, b'1', b'0', b'3'])], "breaks a rule");
        stream(&[ok(), frame(0, 0, 1, b"ab"), frame(1, 5, 1, &[0x00, 1, b'x', 1, b'y'])], "Ended");
        stream(&[ok(), ok()], "breaks a rule");
        stream(&[frame(1, 0, 1, &[]), frame(9, 4, 1, &[0x88])], "Body");
        stream(&[frame(8, 0, 1, &[0; 4])], "PROTOCOL_ERROR");
        stream(&[frame(8, 0, 1, &[0x7f, 255, 255, 255])], "FLOW_CONTROL_ERROR");
        stream(&[frame(3, 0, 1, &[0, 0, 0, 7])], "REFUSED_STREAM");
        // Priorities and extensions are ignored.
        stream(&[frame(2, 0, 1, &[0; 5]), frame(77, 255, 99, b"?")], "Waiting");
        connection(&[frame(0, 0, 1, b"x")], ErrorCode::PROTOCOL_ERROR);
        connection(&[ok(), frame(0, 1, 1, b""), frame(0, 1, 1, b"")], ErrorCode::STREAM_CLOSED);
        connection(&[frame(1, 4, 2, &[0x88])], ErrorCode::PROTOCOL_ERROR);
        connection(&[frame(1, 4, 5, &[0x88])], ErrorCode::PROTOCOL_ERROR);
        connection(&[frame(1, 0, 1, &[]), ok()], ErrorCode::PROTOCOL_ERROR);
        connection(&[frame(9, 4, 1, &[0x88])], ErrorCode::PROTOCOL_ERROR);
        connection(&[frame(5, 4, 1, &[0, 0, 0, 2, 0x82])], ErrorCode::PROTOCOL_ERROR);
        connection(&[frame(1, 4, 1, &[0xff])], ErrorCode::COMPRESSION_ERROR);
        connection(&[frame(3, 0, 1, &[0; 3])], ErrorCode::FRAME_SIZE_ERROR);
        connection(&[frame(4, 0, 0, &[0; 5])], ErrorCode::FRAME_SIZE_ERROR);
        connection(&[frame(4, 0, 0, &[0, 2, 0, 0, 0, 1])], ErrorCode::PROTOCOL_ERROR);
        connection(&[frame(4, 0, 0, &[0, 4, 255, 0, 0, 0])], ErrorCode::FLOW_CONTROL_ERROR);
        connection(&[frame(4, 0, 0, &[0, 5, 0, 0, 0, 9])], ErrorCode::PROTOCOL_ERROR);
        connection(&[frame(6, 0, 0, &[0; 7])], ErrorCode::FRAME_SIZE_ERROR);
        connection(&[frame(7, 0, 0, &[0; 7])], ErrorCode::FRAME_SIZE_ERROR);
        connection(&[frame(8, 0, 0, &[0; 4])], ErrorCode::PROTOCOL_ERROR);
    }

    #[test]
    fn body_beyond_the_window_ends_the_connection() {
        let connection = begun(1, Limits::default());
        let mut state = connection.state();
        state.receive(&frame(1, 4, 1, &[0x88])).unwrap();
        // Half of the window is replaced in time, so that a server that keeps to it never stops.
        let updates = |state: &mut State| {
            let output = std::mem::take(&mut state.output);
            output.windows(9).filter(|head| head[..4] == [0, 0, 4, 8]).count()
        };
        updates(&mut state);
        let most = wire::FRAME_SIZE;
        let enough = (STREAM_WINDOW as usize / 2).div_ceil(most);
        for number in 0..enough {
            state.receive(&frame(0, 0, 1, &vec![0; most])).unwrap();
            assert_eq!(updates(&mut state), 0, "{number}");
        }
        state.receive(&frame(0, 0, 1, &vec![0; most])).unwrap();
        assert_eq!(updates(&mut state), 1);
        state.received = CONNECTION_WINDOW;
        let received = state.receive(&frame(0, 0, 1, b"x"));
        assert_eq!(received, Err(ErrorCode::FLOW_CONTROL_ERROR));
    }

    #[test]
    fn head_without_end_is_bounded() {
        for payload in [&[][..], &[0x88; 16_000]] {
            let connection = begun(1, Limits::default());
            let mut state = connection.state();
            state.receive(&frame(1, 0, 1, payload)).unwrap();
            let more = frame(9, 0, 1, payload);
            let ended = (0..=FRAMES_MAX).find_map(|_| state.receive(&more).err());
            assert_eq!(ended, Some(ErrorCode::ENHANCE_YOUR_CALM));
        }
    }

    #[test]
    fn a_server_that_shrinks_the_table_is_answered_by_the_next_head() {
        let connection = begun(0, Limits::default());
        let mut state = connection.state();
        state.receive(&frame(4, 0, 0, &[0, 1, 0, 0, 16, 0])).unwrap();
        assert!(!state.peer.shrunk, "4,096 is the size at first");
        state.receive(&frame(4, 0, 0, &[0, 1, 0, 0, 0, 0])).unwrap();
        assert!(state.peer.shrunk);
    }

    #[test]
    fn arbitrary_frames_never_panic() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        for _ in 0..3_000 {
            let connection = begun(3, Limits { body: 4_000, head: 500, ..Limits::default() });
            let mut state = connection.state();
            for _ in 0..20 {
                let payload: Vec<u8> = match next(4) {
                    0 => vec![0x88],
                    1 => (0..next(12)).map(|_| next(256) as u8).collect(),
                    2 => vec![0; next(3_000) as usize],
                    _ => (0..4 + 4 * next(2)).map(|_| next(3) as u8).collect(),
                };
                let flags = [0, 1, 4, 5, 4, 5, 12, 36][next(8) as usize];
                let bytes = frame(next(11) as u8, flags, next(8) as u32, &payload);
                let (one, two) = bytes.split_at(next(bytes.len() as u64 + 1) as usize);
                if state.receive(one).and_then(|()| state.receive(two)).is_err() {
                    break;
                }
            }
        }
    }
}
