//! The transport and the messages of the Debug Adapter Protocol, for a debug adapter. Does no I/O: the caller
//! moves the bytes.
//!
//! Bytes from the client go into a [`Decoder`], which yields JSON values. [`Incoming::parse`] tells requests
//! from responses, and [`Command::parse`] gives a request its typed arguments. What the adapter says is a
//! [`Response`], an [`Event`] or a [`Request`], and [`encode`] frames it.
//!
//! Unknown fields in received messages are ignored. An optional field is an [`Option`]. If it is `None`, sent
//! messages lack it. It is `None` if a received message lacks it or has `null`.
//!
//! ```
//! use dap::{Command, Decoder, Incoming, Response, encode};
//!
//! let mut decoder = Decoder::new();
//! decoder.push(b"Content-Length: 46\r\n\r\n{\"seq\":1,\"type\":\"request\",\"command\":\"threads\"}\n");
//! let value = decoder.next_value()?.ok_or("incomplete")?;
//! let Incoming::Request(request) = Incoming::parse(value)? else { return Err("a response".into()) };
//! assert_eq!(Command::parse(&request)?, Command::Threads);
//!
//! let thread = dap::types::Thread { id: 1, name: "main".to_owned() };
//! let body = dap::types::ThreadsBody { threads: vec![thread] };
//! let bytes = encode(&Response::success(1, &request, &body)?)?;
//! assert!(bytes.starts_with(b"Content-Length: "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod located;
mod message;
mod requests;
mod transport;
pub mod types;

pub use message::{ErrorBody, ErrorMessage, Event, Incoming, MessageError, Request, Response};
pub use requests::{ArgumentError, Command};
pub use transport::{Decoder, FrameError, MAX_BODY, MAX_HEADER, encode};
