//! What a process prints: drained always, so that it never blocks; kept only at its end; forwarded when asked.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How much of the end of the output is kept, in bytes.
const KEPT_BYTES: usize = 256 << 10;
/// A line that is longer is cut into lines of this length, in bytes.
const MAX_LINE_BYTES: usize = 16 << 10;

/// Which of the two a line was printed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Takes each line as it is printed, with its prefix.
#[derive(Clone)]
pub struct Forward {
    prefix: String,
    sink: Arc<Sink>,
    muted: Arc<AtomicBool>,
}

type Sink = dyn Fn(Stream, &str) + Send + Sync;

impl Forward {
    /// Lines reach `sink` as `PREFIXline`, without their end: `run 1 | hello`.
    pub fn new(prefix: impl Into<String>, sink: impl Fn(Stream, &str) + Send + Sync + 'static) -> Forward {
        Forward { prefix: prefix.into(), sink: Arc::new(sink), muted: Arc::default() }
    }

    /// Forwards nothing from here on, to nobody it is shared with.
    pub fn mute(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Forward {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forward").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

/// The end of what a process printed, both streams in the order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    lines: VecDeque<(Stream, String)>,
    bytes: usize,
    /// Lines that were printed and are no longer kept.
    pub dropped: u64,
}

impl Tail {
    /// The kept lines.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = (Stream, &str)> {
        self.lines.iter().map(|(stream, line)| (*stream, line.as_str()))
    }

    /// The last lines as text, each indented by two blanks; empty when nothing was printed.
    pub fn last(&self, count: usize) -> String {
        let lines = self.lines.iter().skip(self.lines.len().saturating_sub(count));
        lines.map(|(_, line)| format!("  {line}")).collect::<Vec<_>>().join("\n")
    }

    fn push(&mut self, stream: Stream, line: String) {
        self.bytes += line.len() + 1;
        self.lines.push_back((stream, line));
        while self.bytes > KEPT_BYTES {
            let Some((_, gone)) = self.lines.pop_front() else { break };
            self.bytes -= gone.len() + 1;
            self.dropped += 1;
        }
    }
}

/// Shared by the two tasks that drain a process.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    tail: Arc<Mutex<Tail>>,
    forward: Option<Forward>,
    awaited: Option<Arc<Awaited>>,
}

/// A line that somebody waits for.
#[derive(Debug)]
struct Awaited {
    pattern: regex::Regex,
    seen: AtomicBool,
}

impl Output {
    pub fn new(forward: Option<Forward>) -> Output {
        Output { tail: Arc::default(), forward, awaited: None }
    }

    /// The same, which notices a line in which the pattern is found.
    pub fn awaiting(self, pattern: regex::Regex) -> Output {
        Output { awaited: Some(Arc::new(Awaited { pattern, seen: AtomicBool::new(false) })), ..self }
    }

    /// Whether the awaited line was printed; never without one.
    pub fn is_ready(&self) -> bool {
        self.awaited.as_ref().is_some_and(|awaited| awaited.seen.load(Ordering::Relaxed))
    }

    pub fn tail(&self) -> Tail {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn line(&self, stream: Stream, bytes: &[u8]) {
        let line = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes)).into_owned();
        // The VM says so about the option that we added; it is not the program's output.
        if stream == Stream::Err && line.starts_with("Picked up JAVA_TOOL_OPTIONS:") && line.contains("jdwp")
        {
            return;
        }
        if let Some(awaited) = &self.awaited
            && awaited.pattern.is_match(&line)
        {
            awaited.seen.store(true, Ordering::Relaxed);
        }
        if let Some(forward) = self.forward.as_ref().filter(|f| !f.muted.load(Ordering::Relaxed)) {
            (forward.sink)(stream, &format!("{}{line}", forward.prefix));
        }
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).push(stream, line);
    }

    /// Reads to the end of the stream. An error ends it as well: the process is gone, or its pipe is.
    pub async fn drain(self, stream: Stream, mut pipe: impl AsyncRead + Unpin) {
        let mut line: Vec<u8> = Vec::new();
        let mut buffer = vec![0; MAX_LINE_BYTES];
        while let Ok(n @ 1..) = pipe.read(&mut buffer).await {
            let mut rest = buffer.get(..n).unwrap_or_default();
            while let Some(end) = rest.iter().position(|b| *b == b'\n') {
                let (head, tail) = rest.split_at(end);
                line.extend_from_slice(head);
                self.line(stream, &line);
                line.clear();
                rest = tail.get(1..).unwrap_or_default();
            }
            line.extend_from_slice(rest);
            if line.len() >= MAX_LINE_BYTES {
                self.line(stream, &line);
                line.clear();
            }
        }
        if !line.is_empty() {
            self.line(stream, &line);
        }
    }
}
