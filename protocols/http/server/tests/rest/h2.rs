//! HTTP/2 with prior knowledge, tested with the client of another crate.

use brunt_http_server::Running;
use h2::client::SendRequest;
use hyper::body::Bytes;
use serde_json::Value;

use super::{scripted, server};

type Exchange = Result<(http::Response<()>, Vec<u8>), h2::Error>;

/// The result of a connection on which all of these requests are sent at once.
fn perform(server: &Running, requests: &[(&str, &str, &'static str)]) -> Vec<Exchange> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        let (sender, connection) = h2::client::handshake(stream).await.unwrap();
        tokio::task::spawn_local(async move {
            let _ = connection.await;
        });
        let exchanges: Vec<_> = requests
            .iter()
            .map(|(method, path, body)| {
                let request = http::Request::builder()
                    .method(*method)
                    .uri(format!("http://test:1{path}"))
                    .header("x-test", "yes")
                    .body(())
                    .unwrap();
                tokio::task::spawn_local(exchange(sender.clone(), request, body))
            })
            .collect();
        let mut done = Vec::new();
        for exchange in exchanges {
            done.push(exchange.await.unwrap());
        }
        done
    })
}

async fn exchange(
    sender: SendRequest<Bytes>,
    request: http::Request<()>,
    body: &'static str,
) -> Exchange {
    let mut sender = sender.ready().await?;
    let (response, mut stream) = sender.send_request(request, body.is_empty())?;
    if !body.is_empty() {
        stream.send_data(Bytes::from_static(body.as_bytes()), true)?;
    }
    let (head, mut incoming) = response.await?.into_parts();
    let mut received = Vec::new();
    while let Some(data) = incoming.data().await {
        let data = data?;
        incoming.flow_control().release_capacity(data.len())?;
        received.extend(data);
    }
    Ok((http::Response::from_parts(head, ()), received))
}

#[test]
fn h2_requests_are_answered_concurrently() {
    let server = server();
    let done = perform(
        &server,
        &[
            ("GET", "/sleep?ms=150", ""),
            ("POST", "/echo?a=b", "hello"),
            ("GET", "/status/404", ""),
            ("GET", "/bytes/3000000", ""),
            ("HEAD", "/bytes/70", ""),
            ("GET", "/status/204", ""),
        ],
    );
    let done: Vec<_> = done.into_iter().map(Result::unwrap).collect();
    let statuses: Vec<_> = done.iter().map(|(head, _)| head.status().as_u16()).collect();
    assert_eq!(statuses, [200, 200, 404, 200, 200, 204]);
    let echo: Value = serde_json::from_slice(&done[1].1).unwrap();
    assert_eq!((&echo["version"], &echo["body"]), (&"HTTP/2.0".into(), &"hello".into()));
    assert_eq!(
        (&echo["target"], &echo["headers"]["host"]),
        (&"/echo?a=b".into(), &"test:1".into())
    );
    assert_eq!((done[3].1.len(), done[4].1.len()), (3_000_000, 0));
    assert_eq!(done[4].0.headers()["content-length"], "70");
    let stats = server.shutdown();
    assert_eq!((stats.requests, stats.connections_accepted), ([0, 6], 1));
    assert_eq!(stats.answers_of("GET", "/status/{status}", 404), 1);
}

#[test]
fn h2_faults_apply_where_possible() {
    let server = scripted(
        "[[rule]]\npath = '/bytes/1'\naction = 'half'\n\
         [[rule]]\npath = '/bytes/2'\naction = { status = 503 }\n\
         [[rule]]\npath = '/bytes/300'\naction = { chunked = 7 }\n\
         [[rule]]\npath = '/bytes/40'\naction = { drip = '1ms' }\n\
         [[rule]]\npath = '/bytes/5'\naction = { body = { bytes = 200000 } }",
    );
    let paths = ["/bytes/1", "/bytes/2", "/bytes/300", "/bytes/40", "/bytes/5"];
    let done = perform(&server, &paths.map(|path| ("GET", path, "")));
    assert!(done[0].as_ref().is_err_and(h2::Error::is_reset), "{:?}", done[0]);
    let of = |n: usize| done[n].as_ref().unwrap();
    assert_eq!(of(1).0.status(), 503);
    assert_eq!((of(2).1.len(), of(2).0.headers().get("content-length")), (300, None));
    assert_eq!((of(3).1.len(), of(4).1.len()), (40, 200_000));
    // An action without meaning in HTTP/2 ends the connection, and all requests in progress with it.
    let server = scripted("[[rule]]\npath = '/bytes/1'\naction = { garbage = 5 }");
    let done = perform(&server, &[("GET", "/bytes/1", ""), ("GET", "/sleep?ms=5000", "")]);
    assert!(done.iter().all(|exchange| exchange.as_ref().is_err_and(h2::Error::is_io)), "{done:?}");
}
