//! HTTP/2 as bytes (RFC 9113 and RFC 7541): frames, the fields of heads, and error codes.
//!
//! What is sent is written as simply as the standards allow: the fields of a request refer to the static table and to
//! nothing that was sent before, so that their bytes depend only on the request and can be kept. What is received is
//! decoded completely, as every server chooses its own encoding.

mod error_code;
mod field_block;
mod fields;
mod frame;
mod huffman;
mod static_table;

pub use error_code::ErrorCode;
pub use field_block::{FieldDecoder, FieldError, TABLE_SIZE, TABLE_SIZE_MAX};
pub use fields::{RequestLine, field, length, request_line};
pub use frame::{
    ACK, END_HEADERS, END_STREAM, FRAME_HEAD, FRAME_SIZE, Frame, FrameHead, Kind, PREFACE, Setting,
    WINDOW, frame, go_away, ping, reset, settings, unpadded, window_update,
};
