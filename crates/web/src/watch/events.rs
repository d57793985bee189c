//! The response to a browser that watches a run: server-sent events until the run is over.

use std::convert::Infallible;

use axum::body::Body;
use futures_util::stream::unfold;

use super::Watcher;

/// The messages of a watcher, as a body that ends after the last one.
pub fn body(watcher: Watcher) -> Body {
    let events = unfold(watcher, async |mut watcher: Watcher| {
        let event = watcher.next().await?;
        Some((Ok::<_, Infallible>(event), watcher))
    });
    Body::from_stream(events)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::watch::{Audience, History, WATCHERS_MAX, Watch};
    use http_body_util::BodyExt as _;

    fn body_text(body: Body) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let bytes = runtime.block_on(body.collect()).unwrap().to_bytes();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn events_continue_after_the_last_id_until_the_end() {
        let watch = Arc::new(Watch::new(Audience::default()));
        watch.change(|history| {
            history.show("{}");
            history.append("1");
            history.append("2");
            history.end();
        });
        let watcher = watch.open(Some("1.2")).unwrap();
        let expected = "event: rows\nid: 1.3\ndata: [2]\n\nevent: end\ndata: \n\n";
        assert_eq!(body_text(body(watcher)), expected);
        assert!(!watch.is_watched());
    }

    #[test]
    fn events_beyond_the_watcher_limit_are_refused() {
        let watch = Arc::new(Watch::new(Audience::default()));
        watch.change(History::end);
        let all: Vec<_> = (0..WATCHERS_MAX).map(|_| watch.open(None).unwrap()).collect();
        assert!(watch.open(None).is_none());
        drop(all);
        assert!(watch.open(None).is_some());
    }
}
