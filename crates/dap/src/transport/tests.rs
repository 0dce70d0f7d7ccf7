//! Framing: messages in pieces, malformed ones, and random bytes.

use super::*;
use serde_json::json;

/// Takes all that has arrived.
fn drain(decoder: &mut Decoder) -> Vec<Result<Value, FrameError>> {
    let mut taken = Vec::new();
    while let Some(result) = decoder.next_value().transpose() {
        let is_fatal = result.as_ref().is_err_and(FrameError::is_fatal);
        taken.push(result);
        if is_fatal {
            break;
        }
    }
    taken
}

fn decoded(bytes: &[u8]) -> Vec<Result<Value, FrameError>> {
    let mut decoder = Decoder::new();
    decoder.push(bytes);
    drain(&mut decoder)
}

#[test]
fn a_message_is_taken_once_all_of_it_has_arrived() {
    let value = json!({"seq": 1, "text": "é\r\n\r\nContent-Length: 3"});
    let bytes = encode(&value).unwrap();
    for cut in 0..bytes.len() {
        let mut decoder = Decoder::new();
        decoder.push(&bytes[..cut]);
        assert_eq!(decoder.next_value(), Ok(None), "after {cut} bytes");
        assert_eq!(decoder.is_inside(), cut > 0, "after {cut} bytes");
        decoder.push(&bytes[cut..]);
        assert_eq!(decoder.next_value(), Ok(Some(value.clone())));
        assert_eq!(decoder.next_value(), Ok(None));
        assert!(!decoder.is_inside());
    }
}

#[test]
fn messages_may_arrive_together_or_byte_by_byte() {
    let values = [json!({"seq": 1}), json!({"seq": 2}), json!([])];
    let bytes: Vec<u8> = values.iter().flat_map(|value| encode(value).unwrap()).collect();
    let expected: Vec<_> = values.into_iter().map(Ok).collect();
    assert_eq!(decoded(&bytes), expected);
    let mut decoder = Decoder::new();
    let mut taken = Vec::new();
    for byte in bytes {
        decoder.push(&[byte]);
        taken.extend(drain(&mut decoder));
    }
    assert_eq!(taken, expected);
}

#[test]
fn names_of_header_fields_have_no_case_and_others_are_ignored() {
    let bytes = b"Content-Type: a: b\r\ncontent-LENGTH:2 \r\nX:\r\n\r\n{}";
    assert_eq!(decoded(bytes), [Ok(json!({}))]);
}

#[test]
fn a_malformed_header_ends_the_connection() {
    let cases: [(&[u8], FrameError); 8] = [
        (b"hello\r\n\r\n", FrameError::HeaderLine("hello".to_owned())),
        (b"\r\n\r\n", FrameError::HeaderLine(String::new())),
        (b"Content-Type: 3\r\n\r\n", FrameError::NoLength),
        (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", FrameError::NoLength),
        (b"Content-Length: +2\r\n\r\n{}", FrameError::Length("+2".to_owned())),
        (b"Content-Length:\r\n\r\n{}", FrameError::Length(String::new())),
        (
            b"Content-Length: 99999999999999999999\r\n\r\n",
            FrameError::Length("99999999999999999999".to_owned()),
        ),
        (&[b'a'; MAX_HEADER], FrameError::LongHeader),
    ];
    for (bytes, error) in cases {
        let mut decoder = Decoder::new();
        decoder.push(bytes);
        decoder.push(&encode(&json!({})).unwrap());
        for _ in 0..2 {
            assert_eq!(decoder.next_value(), Err(error.clone()));
            assert!(error.is_fatal());
            decoder.push(b"more");
            assert_eq!(decoder.bytes.capacity(), 0);
        }
    }
}

#[test]
fn a_header_may_be_as_long_as_the_limit() {
    let mut bytes = b"Content-Length: 2\r\nX:".to_vec();
    bytes.resize(MAX_HEADER - HEADER_END.len(), b'x');
    bytes.extend(b"\r\n\r\n{}");
    assert_eq!(decoded(&bytes), [Ok(json!({}))]);
    bytes.insert(30, b'x');
    assert_eq!(decoded(&bytes), [Err(FrameError::LongHeader)]);
}

#[test]
fn a_body_over_the_limit_is_skipped_and_reported() {
    let length = MAX_BODY + 5;
    let mut bytes = format!("Content-Length: {length}\r\n\r\n").into_bytes();
    bytes.resize(bytes.len() + length, b' ');
    bytes.extend(encode(&json!({"seq": 2})).unwrap());
    let expected = [Err(FrameError::LongBody(length as u64)), Ok(json!({"seq": 2}))];
    for step in [4096, 100_003, bytes.len()] {
        let mut decoder = Decoder::new();
        let mut taken = Vec::new();
        for piece in bytes.chunks(step) {
            decoder.push(piece);
            taken.extend(drain(&mut decoder));
            assert!(decoder.rest().is_empty() || decoder.unwanted == 0, "nothing of it is kept");
        }
        assert_eq!(taken, expected);
        assert!(!decoder.is_inside());
    }
}

#[test]
fn a_length_within_the_limit_reserves_nothing() {
    let mut decoder = Decoder::new();
    decoder.push(format!("Content-Length: {MAX_BODY}\r\n\r\n").as_bytes());
    assert_eq!(decoder.next_value(), Ok(None));
    assert!(decoder.is_inside());
    assert!(decoder.bytes.capacity() < 100);
}

#[test]
fn memory_of_a_large_message_is_released() {
    let mut decoder = Decoder::new();
    decoder.push(&encode(&"a".repeat(1 << 20)).unwrap());
    assert!(matches!(decoder.next_value(), Ok(Some(_))));
    assert_eq!(decoder.bytes.capacity(), 0);
}

#[test]
fn a_message_after_invalid_json_is_read() {
    let deep = "[".repeat(100_000);
    for body in ["{", "", "\u{0}", "{} {}", &deep] {
        let mut bytes = format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
        bytes.extend(encode(&json!({"seq": 2})).unwrap());
        let taken = decoded(&bytes);
        assert!(matches!(&taken[0], Err(FrameError::Json(_))), "{taken:?}");
        assert_eq!(taken[1..], [Ok(json!({"seq": 2}))]);
    }
}

/// Marsaglia's xorshift with 64 bits of state.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % bound
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.byte()).collect()
    }
}

/// Pushes the bytes in random pieces. Checks that the buffer holds no more than has arrived.
fn feed(random: &mut Random, bytes: &[u8]) -> usize {
    let mut decoder = Decoder::new();
    let mut taken = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(1 + random.below(rest.len()));
        rest = after;
        decoder.push(piece);
        for result in drain(&mut decoder) {
            taken += 1;
            let Ok(value) = result else { continue };
            if let Ok(crate::Incoming::Request(request)) = crate::Incoming::parse(value) {
                let _ = crate::Command::parse(&request);
            }
        }
        assert!(decoder.bytes.capacity() <= 2 * bytes.len().max(8));
        assert!(decoder.rest().len() <= MAX_HEADER + MAX_BODY);
    }
    taken
}

#[test]
fn random_bytes_do_no_harm() {
    let mut random = Random(0x5EED_0001);
    for _ in 0..5_000 {
        let bytes = random.bytes(300);
        feed(&mut random, &bytes);
    }
    // Random bodies behind valid headers reach the reader of JSON.
    for _ in 0..5_000 {
        let body = random.bytes(40);
        let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend(body);
        assert_eq!(feed(&mut random, &bytes), 1);
    }
}

#[test]
fn mutated_messages_do_no_harm() {
    let mut random = Random(0x5EED_0002);
    let requests = [
        json!({"seq": 1, "type": "request", "command": "setBreakpoints",
            "arguments": {"source": {"path": "/A.java"}, "breakpoints": [{"line": 3, "condition": "a"}]}}),
        json!({"seq": 2, "type": "request", "command": "evaluate", "arguments": {"expression": "é"}}),
        json!({"seq": 3, "type": "request", "command": "next", "arguments": {"threadId": 1}}),
    ];
    let original: Vec<u8> = requests.iter().flat_map(|request| encode(request).unwrap()).collect();
    let mut taken = 0;
    for _ in 0..20_000 {
        let mut bytes = original.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.byte(),
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"0123456789{}[]\":,\r\n"[random.below(19)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        taken += feed(&mut random, &bytes);
    }
    assert!(taken > 20_000, "only {taken} messages taken");
}
