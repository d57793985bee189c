//! A warm exchange over HTTP/1.1 or HTTP/2 allocates nothing, and an idle user needs little memory, as counted by the
//! allocator itself.
//!
//! This test has its own binary, because the allocator belongs to the whole process. The server is a thread that
//! answers with prepared bytes, and only the allocations of the measuring thread are counted.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

use brunt_exchange::{Monotonic, Outcome, Session as _, Ticket, Watch};
use brunt_feed::Text;
use brunt_flow_driver::{
    AfterFailure, CompiledFlow, ExchangeStep, Flow, FlowCounters, HttpExchange, Payload, Scenario,
    Step, Trace, User as Visitor, WorkerContext,
};
use brunt_http_driver::{
    Body, Client, Group, Network, Request, Response, Settings, Version, Wanted,
};
use brunt_testbed::{CountingAllocator, allocations};
use std::io::{Read, Write};
use std::sync::Arc;
use tokio::task::LocalSet;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const WHOLE: &[u8] =
    b"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 12\r\nETag: \"a-b\"\r\n\r\nHello world\n";
const CHUNKED: &[u8] =
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n7\r\n world\n\r\n0\r\n\r\n";

/// Answers every request with the same bytes.
fn serve(answer: &'static [u8]) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/some/path", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            std::thread::spawn(move || {
                let mut room = [0; 4096];
                while stream.read(&mut room).is_ok_and(|count| count > 0)
                    && stream.write_all(answer).is_ok()
                {}
            });
        }
    });
    url
}

/// A header field block of status 200 with one more field: references to the static table, and literals without
/// indexing.
const FIELDS: &[u8] = b"\x88\x0f\x27\x04\"ab\"";
const GREETING: &[u8] = b"Hello world\n";

/// Answers every request over HTTP/2 with the same fields and the same body.
fn serve_http2() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/some/path", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            // A client that is gone ends its thread.
            std::thread::spawn(move || answer_http2(stream));
        }
    });
    url
}

fn answer_http2(mut stream: std::net::TcpStream) -> std::io::Result<()> {
    const DATA: u8 = 0;
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    const WINDOW_UPDATE: u8 = 8;
    const END_STREAM: u8 = 1;
    const END_HEADERS: u8 = 4;

    stream.set_nodelay(true)?;
    // The preface.
    stream.read_exact(&mut [0; 24])?;
    stream.write_all(&frame(SETTINGS, 0, 0, &[]))?;
    let mut head = [0; 9];
    loop {
        stream.read_exact(&mut head)?;
        let [a, b, c, kind, flags, number @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload)?;
        if kind == DATA && !payload.is_empty() {
            let read = (payload.len() as u32).to_be_bytes();
            stream.write_all(&frame(WINDOW_UPDATE, 0, 0, &read))?;
        }
        if [DATA, HEADERS].contains(&kind) && flags & END_STREAM != 0 {
            let number = u32::from_be_bytes(number);
            let fields = frame(HEADERS, END_HEADERS, number, FIELDS);
            let body = frame(DATA, END_STREAM, number, GREETING);
            stream.write_all(&[fields, body].concat())?;
        }
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (payload.len() as u32).to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A user and what it needs to send requests.
struct User {
    client: Client,
    request: Request,
    response: Response,
}

impl User {
    fn new(network: &Arc<Network>, number: u32) -> Self {
        let client = Client::new(network, &Group::new(network), number);
        Self { client, request: Request::default(), response: Response::default() }
    }

    /// One exchange that begins with the URL, as a step with variables does.
    async fn ask(&mut self, url: &str, body: Option<&Body>, wanted: Wanted) {
        let clock = Monotonic::new();
        let mut watch = Watch::new(&clock, None);
        let (origin, path) = self.client.aim(url.as_bytes(), &mut watch).await.unwrap();
        self.client.ready(&origin, &mut watch).await.unwrap();
        self.request.begin(if body.is_some() { "POST" } else { "GET" });
        self.request.set_target(&url.as_bytes()[path..]);
        self.request.add("Accept", b"*/*");
        match body {
            Some(Body::Rendered(bytes)) => self.request.body_mut().extend_from_slice(bytes),
            Some(other) => self.request.set_body(other.clone()),
            None => {}
        }
        let requested = self.client.exchange(
            &origin,
            &mut self.request,
            wanted,
            &mut self.response,
            &mut watch,
        );
        requested.await.unwrap();
        assert_eq!((self.response.status(), self.response.received()), (200, 12));
    }
}

#[tokio::test]
async fn exchanges_allocate_nothing_when_warm() {
    for answer in [WHOLE, CHUNKED] {
        exchanges_allocate_nothing(&serve(answer), &Settings::default()).await;
    }
}

#[tokio::test]
async fn exchanges_over_http2_allocate_nothing_when_warm() {
    let settings = Settings { version: Version::Http2PriorKnowledge, ..Settings::default() };
    let url = serve_http2();
    LocalSet::new().run_until(exchanges_allocate_nothing(&url, &settings)).await;
}

async fn exchanges_allocate_nothing(url: &str, settings: &Settings) {
    let bodies =
        [None, Some(Body::Rendered(vec![b'x'; 300])), Some(Body::Shared(Arc::from([b'y'; 300])))];
    for body in &bodies {
        for wanted in [Wanted::default(), Wanted { fields: true, body: true, ..Wanted::default() }]
        {
            let network =
                Arc::new(Network::new(settings.clone(), &brunt_net::Network::private()).unwrap());
            let mut user = User::new(&network, 0);
            let mut before = 0;
            for number in 0..1300 {
                if number == 300 {
                    before = allocations::by_thread();
                }
                user.ask(url, body.as_ref(), wanted).await;
            }
            assert!(before > 0, "connecting allocates, or nothing is counted at all");
            assert_eq!(allocations::by_thread() - before, 0, "{body:?} {wanted:?}");
        }
    }
}

/// The number of allocations in a thousand exchanges of a flow of one request, when warm.
async fn allocated_by_steps(url: &str, trace: Option<Trace>) -> u64 {
    let url = Text::literal(url);
    let http = HttpExchange { method: "GET".to_owned(), url, ..HttpExchange::default() };
    let step = ExchangeStep::new(0, Payload::Http(Box::new(http)));
    let scenario = Scenario {
        name: "visit".to_owned(),
        steps: vec![Step::Exchange(Box::new(step))],
        after_failure: AfterFailure::Skip,
    };
    let (scenarios, operations) = (vec![scenario], vec!["get".to_owned()]);
    let flow = Flow { scenarios, operations, users: 1, trace, ..Flow::default() };
    let network =
        Arc::new(Network::new(Settings::default(), &brunt_net::Network::private()).unwrap());
    let compiled = Arc::new(CompiledFlow::new(flow, network).unwrap());
    let counters = Arc::new(FlowCounters::new(compiled.tallies().clone()));
    let context = std::rc::Rc::new(WorkerContext::new(&compiled, &counters, 1));
    let (mut visitor, clock) = (Visitor::new(&context, 0), Monotonic::new());
    let mut before = 0;
    for number in 0..1300 {
        if number == 300 {
            before = allocations::by_thread();
        }
        let mut watch = Watch::new(&clock, None);
        visitor.ready(&mut watch).await;
        let outcome = visitor.exchange(&Ticket::default(), &mut watch).await;
        assert_eq!(outcome, Outcome::Ok(200));
        visitor.wants(watch.now());
    }
    allocations::by_thread() - before
}

#[tokio::test]
async fn trace_alone_makes_a_step_allocate() {
    let url = serve(WHOLE);
    assert_eq!(allocated_by_steps(&url, None).await, 0);
    // A trace that has all the failures it needs costs nothing more.
    let full = Trace::failed(0, |_| unreachable!("there is no room"));
    assert_eq!(allocated_by_steps(&url, Some(full)).await, 0);
    let waits = Trace::failed(1, |_| unreachable!("no step fails"));
    assert!(allocated_by_steps(&url, Some(waits)).await > 0);
}

/// Only heap memory is counted. Including its task in the engine and what a plan keeps for a user, a user may take 10
/// KiB.
#[tokio::test]
async fn idle_user_needs_little_memory() {
    const USERS: u32 = 200;
    let url = serve(WHOLE);
    let network =
        Arc::new(Network::new(Settings::default(), &brunt_net::Network::private()).unwrap());
    let group = Group::new(&network);
    let mut clients = Vec::with_capacity(USERS as usize);
    let clock = Monotonic::new();
    let origin = network.origin(&url).unwrap();
    let without = allocations::bytes_held();
    let (mut request, mut response) = (Request::default(), Response::default());
    for number in 0..USERS {
        let mut client = Client::new(&network, &group, number);
        let mut watch = Watch::new(&clock, None);
        client.ready(&origin, &mut watch).await.unwrap();
        request.begin("GET");
        request.set_target(b"/");
        let wanted = Wanted { fields: true, body: true, ..Wanted::default() };
        let requested = client.exchange(&origin, &mut request, wanted, &mut response, &mut watch);
        requested.await.unwrap();
        clients.push(client);
    }
    let each = (allocations::bytes_held() - without) / i64::from(USERS);
    println!("{each} bytes a user on the heap, {} of a client", size_of::<Client>());
    assert!((64..2048).contains(&each), "{each} bytes a user");
}
