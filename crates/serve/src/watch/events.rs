//! What a browser gets that watches a run: server-sent events, for as long as there are any.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use futures_util::stream::unfold;
use http::header::{self, HeaderName};
use http::{Response, StatusCode};

use super::{Watch, Watcher};

/// Answers whoever asks for the events of a run after the one of this id; with status 503 if too many do.
pub fn respond(watch: &Arc<Watch>, last_event_id: Option<&str>) -> Response<Body> {
    let Some(watcher) = watch.open(last_event_id) else {
        let mut refused = Response::new(Body::from("Too many browsers watch runs. Close some.\n"));
        *refused.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return refused;
    };
    let events = unfold(watcher, async |mut watcher: Watcher| {
        let event = watcher.next().await?;
        Some((Ok::<_, Infallible>(event), watcher))
    });
    let mut response = Response::new(Body::from_stream(events));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // A proxy that keeps events back until it has many would show a run minutes late.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::{Audience, History, WATCHERS_MAX};
    use http_body_util::BodyExt as _;

    fn body(response: Response<Body>) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let bytes = runtime.block_on(response.into_body().collect()).unwrap().to_bytes();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn a_browser_gets_what_follows_the_event_that_it_names_and_then_the_end() {
        let watch = Arc::new(Watch::new(Audience::default()));
        watch.change(|history| {
            history.show("{}");
            history.append("1");
            history.append("2");
            history.end();
        });
        let response = respond(&watch, Some("1.2"));
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        let expected = "event: rows\nid: 1.3\ndata: [2]\n\nevent: end\ndata: \n\n";
        assert_eq!(body(response), expected);
        assert!(!watch.is_watched());
    }

    #[test]
    fn one_too_many_is_told_so() {
        let watch = Arc::new(Watch::new(Audience::default()));
        watch.change(History::end);
        let all: Vec<_> = (0..WATCHERS_MAX).map(|_| respond(&watch, None)).collect();
        assert_eq!(respond(&watch, None).status(), StatusCode::SERVICE_UNAVAILABLE);
        drop(all);
        assert_eq!(respond(&watch, None).status(), StatusCode::OK);
    }
}
