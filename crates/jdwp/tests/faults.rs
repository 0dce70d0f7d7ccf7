//! Tests a connection whose peer misbehaves: the peer follows a script.

// A test fails by panicking; the lints' exemption does not reach helper functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::future::Future;
use std::time::Duration;

use jdwp::commands::{thread_reference, virtual_machine};
use jdwp::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};

const GREETING: &[u8] = b"JDWP-Handshake";
type Handshake = Result<(Connection, Events), Error>;

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(20), test).await.expect("a call hangs");
    });
}

/// The virtual machine's end of the connection.
struct Peer {
    read: ReadHalf<DuplexStream>,
    write: WriteHalf<DuplexStream>,
}

/// A command received by the peer.
#[derive(Debug, PartialEq)]
struct Received {
    id: u32,
    set: u8,
    command: u8,
    body: Vec<u8>,
}

fn packet(id: u32, flags: u8, code: [u8; 2], body: &[u8]) -> Vec<u8> {
    let mut packet = u32::try_from(body.len() + 11).unwrap().to_be_bytes().to_vec();
    packet.extend(id.to_be_bytes());
    packet.push(flags);
    packet.extend(code);
    packet.extend(body);
    packet
}

fn reply(id: u32, body: &[u8]) -> Vec<u8> {
    packet(id, 0x80, [0, 0], body)
}

fn text(text: &str) -> Vec<u8> {
    [&u32::try_from(text.len()).unwrap().to_be_bytes(), text.as_bytes()].concat()
}

/// A composite event that contains one start of thread `thread`.
fn thread_start(thread: u64) -> Vec<u8> {
    let mut body = vec![0, 0, 0, 0, 1, 6, 0, 0, 0, 9];
    body.extend(thread.to_be_bytes());
    packet(1000, 0, [64, 100], &body)
}

fn vm_death() -> Vec<u8> {
    packet(1001, 0, [64, 100], &[0, 0, 0, 0, 1, 99, 0, 0, 0, 0])
}

impl Peer {
    async fn send(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.unwrap();
    }

    async fn receive(&mut self) -> Received {
        let mut header = [0; 11];
        self.read.read_exact(&mut header).await.unwrap();
        let length = u32::from_be_bytes(header[..4].try_into().unwrap());
        let mut body = vec![0; length as usize - 11];
        self.read.read_exact(&mut body).await.unwrap();
        let id = u32::from_be_bytes(header[4..8].try_into().unwrap());
        Received { id, set: header[9], command: header[10], body }
    }

    async fn greet(&mut self) {
        let mut greeting = [0; 14];
        self.read.read_exact(&mut greeting).await.unwrap();
        assert_eq!(greeting, GREETING);
        self.send(GREETING).await;
    }
}

fn pair() -> (Peer, DuplexStream) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    (Peer { read, write }, ours)
}

async fn handshake(ours: DuplexStream, options: Options) -> Handshake {
    let (read, write) = tokio::io::split(ours);
    Connection::handshake_with(read, write, options).await
}

async fn connected_with(options: Options) -> (Peer, Connection, Events) {
    let (mut peer, ours) = pair();
    let machine = async {
        peer.greet().await;
        let asked = peer.receive().await;
        assert_eq!((asked.set, asked.command), (1, 7));
        peer.send(&reply(asked.id, &[0, 0, 0, 8].repeat(5))).await;
    };
    let (connected, ()) = tokio::join!(handshake(ours, options), machine);
    let (connection, events) = connected.unwrap();
    (peer, connection, events)
}

async fn connected() -> (Peer, Connection, Events) {
    connected_with(Options::default()).await
}

fn name(connection: &Connection, thread: u64) -> Pending<String> {
    connection.send(thread_reference::Name { thread: ThreadId::new(thread) })
}

#[test]
fn a_peer_that_is_not_an_agent_is_an_error() {
    run(async {
        let (mut peer, ours) = pair();
        peer.send(b"HTTP/1.1 400 Bad Request").await;
        let outcome = handshake(ours, Options::default()).await;
        assert!(matches!(outcome, Err(Error::Handshake(HandshakeError::NotJdwp))), "{outcome:?}");

        let (peer, ours) = pair();
        drop(peer);
        let outcome = handshake(ours, Options::default()).await;
        assert!(
            matches!(outcome, Err(Error::Io(_) | Error::Handshake(HandshakeError::Closed))),
            "{outcome:?}"
        );
    });
}

#[test]
fn a_silent_peer_times_out() {
    run(async {
        let (_peer, ours) = pair();
        let limit = Duration::from_millis(20);
        let options = Options { handshake_timeout: Some(limit), ..Options::default() };
        let outcome = handshake(ours, options).await;
        assert!(matches!(outcome, Err(Error::Handshake(HandshakeError::TimedOut(after))) if after == limit));
    });
}

#[test]
fn id_sizes_are_negotiated_and_odd_ones_refused() {
    run(async {
        for (bytes, expected) in [(2, Some(IdSize::Two)), (4, Some(IdSize::Four)), (3, None), (-1, None)] {
            let (mut peer, ours) = pair();
            let machine = async {
                peer.greet().await;
                let asked = peer.receive().await;
                // An event that arrives before the id sizes are known is decoded later.
                let mut early = vec![0, 0, 0, 0, 1, 90, 0, 0, 0, 0];
                early.extend(&7u64.to_be_bytes()[8 - usize::try_from(bytes).unwrap_or(1)..]);
                peer.send(&packet(1, 0, [64, 100], &early)).await;
                peer.send(&reply(asked.id, &i32::to_be_bytes(bytes).repeat(5))).await;
            };
            let (outcome, ()) = tokio::join!(handshake(ours, Options::default()), machine);
            match expected {
                Some(size) => {
                    let (connection, mut events) = outcome.unwrap();
                    assert_eq!(connection.id_sizes(), IdSizes::all(size));
                    let start = Event::VmStart { request: RequestId(0), thread: ThreadId::new(7) };
                    assert_eq!(events.next().await.unwrap().unwrap().events, [start]);
                    let sent = name(&connection, 0x0102);
                    let body = tokio::join!(peer.receive(), async { drop(sent) }).0.body;
                    assert_eq!((body.len(), &body[body.len() - 2..]), (size.bytes(), &[1, 2][..]));
                }
                None => {
                    let refused = matches!(
                        outcome,
                        Err(Error::Handshake(HandshakeError::IdSize { what: "field", bytes: odd })) if odd == bytes
                    );
                    assert!(refused, "{outcome:?}");
                }
            }
        }
    });
}

#[test]
fn calls_are_pipelined_and_replies_may_come_in_any_order() {
    run(async {
        let (mut peer, connection, _events) = connected().await;
        let calls: Vec<_> = (1..=3).map(|thread| name(&connection, thread)).collect();
        let machine = async {
            let mut asked = Vec::new();
            for thread in 1u64..=3 {
                let received = peer.receive().await;
                assert_eq!(received.body, thread.to_be_bytes(), "sent in the order of the calls");
                asked.push(received.id);
            }
            for (id, name) in asked.iter().zip(["one", "two", "three"]).rev() {
                peer.send(&reply(*id, &text(name))).await;
            }
        };
        let names = async {
            let mut names = Vec::new();
            for call in calls {
                names.push(call.await.unwrap());
            }
            names
        };
        let (names, ()) = tokio::join!(names, machine);
        assert_eq!(names, ["one", "two", "three"]);
    });
}

#[test]
fn a_dropped_call_is_sent_and_its_reply_ignored() {
    run(async {
        let (mut peer, connection, _events) = connected().await;
        drop(name(&connection, 1));
        let first = peer.receive().await;
        let second = name(&connection, 2);
        let machine = async {
            peer.send(&reply(first.id, &text("nobody"))).await;
            let id = peer.receive().await.id;
            peer.send(&reply(id, &text("two"))).await;
        };
        assert_eq!(tokio::join!(second, machine).0.unwrap(), "two");
    });
}

#[test]
fn an_error_code_and_an_unreadable_reply_fail_one_call_only() {
    run(async {
        let (mut peer, connection, _events) = connected().await;
        let calls = [name(&connection, 1), name(&connection, 2), name(&connection, 3), name(&connection, 4)];
        let machine = async {
            let id = peer.receive().await.id;
            peer.send(&packet(id, 0x80, [0, 20], &[])).await;
            let id = peer.receive().await.id;
            peer.send(&reply(id, &[0x7F, 0xFF, 0xFF, 0xFF, b'x'])).await;
            let id = peer.receive().await.id;
            peer.send(&packet(id, 0x80, [0, 112], &[])).await;
            let id = peer.receive().await.id;
            peer.send(&reply(id, &[&text("four")[..], &[0]].concat())).await;
        };
        let [first, second, third, fourth] = calls;
        let (first, second, third, fourth, ()) = tokio::join!(first, second, third, fourth, machine);
        let first = first.unwrap_err();
        assert_eq!(first.code(), Some(ErrorCode::INVALID_OBJECT));
        assert_eq!(
            first.to_string(),
            "ThreadReference.Name was refused by the virtual machine: INVALID_OBJECT (20)"
        );
        let early = DecodeError::UnexpectedEnd { needed: 0x7FFF_FFFF, left: 1 };
        assert!(matches!(second, Err(Error::Reply { source, .. }) if source == early));
        assert!(matches!(third, Err(Error::VmDead)));
        assert!(matches!(fourth, Err(Error::Reply { source: DecodeError::LeftOver(1), .. })));
        assert!(!connection.is_closed());
    });
}

/// Sends `bytes` instead of a reply and closes. Returns the results of the pending call and of the events.
async fn ended_by(bytes: &[u8]) -> (Error, Result<Option<EventSet>, Error>) {
    let (mut peer, connection, mut events) = connected().await;
    let call = name(&connection, 1);
    let machine = async {
        peer.receive().await;
        peer.send(bytes).await;
        peer.write.shutdown().await.unwrap();
        drop(peer);
    };
    let (outcome, ()) = tokio::join!(call, machine);
    let late = name(&connection, 2).await.unwrap_err();
    let error = outcome.unwrap_err();
    assert_eq!(late.to_string(), error.to_string(), "later calls end alike");
    (error, events.next().await)
}

#[test]
fn a_clean_end_differs_from_an_end_inside_a_packet() {
    run(async {
        let (error, events) = ended_by(&[]).await;
        assert!(matches!(error, Error::Closed(ClosedBy::Vm)), "{error}");
        assert!(matches!(events, Ok(None)), "{events:?}");
        let (error, events) = ended_by(&[0, 0, 0, 20, 1]).await;
        assert!(matches!(error, Error::Truncated { have: 5 }), "{error}");
        assert!(matches!(events, Err(Error::Truncated { have: 5 })), "{events:?}");
    });
}

#[test]
fn the_death_of_the_virtual_machine_is_reported() {
    run(async {
        let (error, events) = ended_by(&vm_death()).await;
        assert!(matches!(error, Error::VmDead), "{error}");
        assert_eq!(events.unwrap().unwrap().events, [Event::VmDeath { request: RequestId(0) }]);
    });
}

#[test]
fn malformed_packets_end_every_call() {
    run(async {
        let cases: [(Vec<u8>, MalformedPacket); 8] = [
            (vec![0, 0, 0, 3], MalformedPacket::TooShort(3)),
            (
                vec![0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 9, 0, 64, 100],
                MalformedPacket::TooLong { length: u32::MAX, limit: 64 << 20 },
            ),
            (packet(9, 0x40, [0, 0], &[]), MalformedPacket::Flags(0x40)),
            (reply(77, &[]), MalformedPacket::UnknownReply(77)),
            (packet(9, 0, [3, 1], &[]), MalformedPacket::UnknownCommand { set: 3, command: 1 }),
            (
                packet(9, 0, [64, 100], &[0, 0, 0, 0, 1, 77]),
                DecodeError::UnknownConstant { what: "EventKind", value: 77 }.into(),
            ),
            (packet(9, 0, [64, 100], &[0, 0xFF, 0xFF, 0xFF, 0xFF]), DecodeError::NegativeCount(-1).into()),
            (packet(9, 0, [64, 100], &[0, 0, 0, 0, 0, 0]), DecodeError::LeftOver(1).into()),
        ];
        for (bytes, expected) in cases {
            let (error, events) = ended_by(&bytes).await;
            assert!(
                matches!(&error, Error::Malformed(what) if *what == expected),
                "{error:?}, not {expected:?}"
            );
            assert!(matches!(&events, Err(Error::Malformed(what)) if *what == expected), "{events:?}");
        }
    });
}

#[test]
fn closing_ends_calls_and_events_and_the_peer_sees_it() {
    run(async {
        let (mut peer, connection, mut events) = connected().await;
        let call = name(&connection, 1);
        connection.close();
        assert!(matches!(call.await, Err(Error::Closed(ClosedBy::Debugger))));
        assert!(matches!(events.next().await, Ok(None)));
        peer.receive().await;
        drop((connection, events));
        assert_eq!(peer.read.read(&mut [0; 8]).await.unwrap(), 0);
    });
}

#[test]
fn the_last_handle_closes_the_connection() {
    run(async {
        let (mut peer, connection, events) = connected().await;
        let other = connection.clone();
        drop((connection, events));
        drop(name(&other, 1));
        peer.receive().await;
        drop(other);
        assert_eq!(peer.read.read(&mut [0; 8]).await.unwrap(), 0);
    });
}

#[test]
fn events_come_in_order_between_replies() {
    run(async {
        let (mut peer, connection, mut events) = connected().await;
        let call = name(&connection, 1);
        let machine = async {
            let id = peer.receive().await.id;
            peer.send(&[thread_start(1), thread_start(2), reply(id, &text("one")), thread_start(3)].concat())
                .await;
        };
        assert_eq!(tokio::join!(call, machine).0.unwrap(), "one");
        for expected in 1..=3 {
            let set = events.next().await.unwrap().unwrap();
            assert_eq!(set.events[0].thread(), Some(ThreadId::new(expected)));
        }
        assert_eq!(events.try_next(), None);
        // A cancelled wait loses no event.
        assert!(tokio::time::timeout(Duration::from_millis(5), events.next()).await.is_err());
        peer.send(&thread_start(4)).await;
        assert_eq!(events.next().await.unwrap().unwrap().events[0].thread(), Some(ThreadId::new(4)));
    });
}

#[test]
fn a_full_queue_stops_the_reading_and_loses_nothing() {
    run(async {
        const COUNT: u64 = 20_000;
        let options = Options { event_limit: 4096, ..Options::default() };
        let (peer, connection, mut events) = connected_with(options).await;
        let (mut answers, mut write) = (peer.read, peer.write);
        let sender = tokio::spawn(async move {
            for thread in 1..=COUNT {
                write.write_all(&thread_start(thread)).await.unwrap();
            }
            write
        });
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!sender.is_finished(), "the peer has to wait while nobody takes events");
        for expected in 1..=COUNT {
            let set = events.next().await.unwrap().unwrap();
            assert_eq!(set.events[0].thread(), Some(ThreadId::new(expected)));
        }
        let mut write = sender.await.unwrap();
        // The queue fills again, yet a call is answered.
        let call = name(&connection, 1);
        let machine = async {
            for thread in 1..=500 {
                write.write_all(&thread_start(thread)).await.unwrap();
            }
            let mut header = [0; 19];
            answers.read_exact(&mut header).await.unwrap();
            let id = u32::from_be_bytes(header[4..8].try_into().unwrap());
            write.write_all(&reply(id, &text("late"))).await.unwrap();
        };
        assert_eq!(tokio::join!(call, machine).0.unwrap(), "late");
        for _ in 0..500 {
            assert!(events.next().await.unwrap().is_some());
        }
    });
}

#[test]
fn the_hard_limit_ends_the_connection_with_an_error() {
    run(async {
        let options = Options { event_limit: 1024, event_hard_limit: 100_000, ..Options::default() };
        let (peer, connection, mut events) = connected_with(options).await;
        let call = name(&connection, 1);
        let mut write = peer.write;
        let sender = tokio::spawn(async move {
            let mut sent = 0u64;
            while write.write_all(&thread_start(sent + 1)).await.is_ok() {
                sent += 1;
            }
        });
        let error = call.await.unwrap_err();
        assert!(matches!(error, Error::EventOverflow { limit: 100_000, .. }), "{error}");
        // The events that had arrived can be read in order; then comes the error.
        let mut expected = 0;
        let end = loop {
            match events.next().await {
                Ok(Some(set)) => {
                    expected += 1;
                    assert_eq!(set.events[0].thread(), Some(ThreadId::new(expected)));
                }
                other => break other,
            }
        };
        assert!(expected > 100 && matches!(end, Err(Error::EventOverflow { .. })), "{expected} {end:?}");
        drop((connection, events, peer.read));
        sender.await.unwrap();
    });
}

#[test]
fn a_command_that_cannot_be_encoded_is_not_sent() {
    run(async {
        let options = Options { max_packet: 100, ..Options::default() };
        let (mut peer, connection, _events) = connected_with(options).await;
        let long = connection.send(virtual_machine::CreateString { utf: "x".repeat(100).into() });
        let error = long.await.unwrap_err();
        assert!(matches!(error, Error::Encode { source: EncodeError::TooLong(115), .. }), "{error}");
        assert!(!error.is_fatal());
        drop(name(&connection, 5));
        assert_eq!(peer.receive().await.body, 5u64.to_be_bytes());
    });
}

#[test]
fn shutting_down_the_runtime_ends_pending_calls() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_peer, connection, _events) = runtime.block_on(connected());
    drop(runtime);
    run(async move {
        assert!(matches!(name(&connection, 1).await, Err(Error::Closed(ClosedBy::Debugger))));
    });
}
