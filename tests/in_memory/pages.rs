//! [`pages`]: a web server whose answers are written down.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufStream, DuplexStream};

use crate::machine::{Server, own};

/// An answer: what follows `HTTP/1.1 `, up to the length of the body, and the body.
pub(crate) type Page = (&'static str, String);

/// The answers by their paths.
struct Pages(BTreeMap<&'static str, Page>);

/// Serves these pages on the machine of this test. Returns what their URLs begin with.
pub(crate) fn pages<const N: usize>(pages: [(&'static str, Page); N]) -> String {
    own(|machine| {
        let address = machine.serve_locally(Arc::new(Pages(pages.into())));
        format!("http://{address}")
    })
}

impl Pages {
    /// Answers a request. Returns whether another one may follow.
    async fn exchange(&self, connection: &mut BufStream<DuplexStream>) -> bool {
        let (mut path, mut line) = (None, String::new());
        while line.trim_end() != "" || path.is_none() {
            line.clear();
            if !connection.read_line(&mut line).await.is_ok_and(|length| length > 0) {
                return false;
            }
            path = path.or_else(|| line.split(' ').nth(1).map(str::to_owned));
        }
        let (head, body) = &self.0[path.unwrap_or_default().as_str()];
        let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len());
        let written = connection.write_all((head + body).as_bytes()).await;
        written.is_ok() && connection.flush().await.is_ok()
    }
}

impl Server for Pages {
    fn serve(self: Arc<Self>, connection: DuplexStream) -> Pin<Box<dyn Future<Output = ()>>> {
        let mut connection = BufStream::new(connection);
        Box::pin(async move { while self.exchange(&mut connection).await {} })
    }
}
