//! Requests of HTTP/1.1: whatever the predicates let pass is read by a server as it was meant.

use brunt_http_wire::{
    field, finish, illegal_in_target, is_field_name, is_field_value, is_method, length,
    request_line,
};

/// Names and values of header fields.
pub type Fields<'a> = Vec<(&'a [u8], &'a [u8])>;

/// Panics if the decoder treats this input otherwise.
pub fn check(input: (&[u8], &[u8], Fields<'_>, u64)) {
    let (method, target, fields, size) = input;
    let legal = is_method(method)
        && !target.is_empty()
        && illegal_in_target(target).is_none()
        && fields.len() <= 30
        && fields.iter().all(|(name, value)| is_field_name(name) && is_field_value(value));
    if !legal {
        return;
    }
    let mut out = Vec::new();
    request_line(&mut out, method, b"", target);
    for (name, value) in &fields {
        field(&mut out, name, value);
    }
    length(&mut out, size);
    finish(&mut out);
    let mut room = [httparse::EMPTY_HEADER; 32];
    let mut request = httparse::Request::new(&mut room);
    let read = request.parse(&out).expect("a request");
    assert_eq!(read, httparse::Status::Complete(out.len()), "one request and no more");
    assert_eq!(request.method.map(str::as_bytes), Some(method));
    assert_eq!(request.path.map(str::as_bytes), Some(target));
    assert_eq!(request.headers.len(), fields.len() + 1);
    for (read, (name, value)) in request.headers.iter().zip(&fields) {
        assert_eq!(read.name.as_bytes(), *name);
        assert_eq!(read.value.trim_ascii(), value.trim_ascii());
    }
    assert_eq!(request.headers[fields.len()].value, size.to_string().as_bytes());
}
