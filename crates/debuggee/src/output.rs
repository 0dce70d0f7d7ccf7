//! Reads what a process prints: always drains the pipes, so that the process never blocks, keeps the end, and
//! forwards lines on request.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Size of the kept end of the output, in bytes.
const KEPT_BYTES: usize = 256 << 10;
/// An unterminated line of this many bytes is cut.
pub const MAX_LINE_BYTES: usize = 16 << 10;
/// Maximum number of bytes per read.
const READ_BYTES: usize = 128 << 10;
/// How a line of a printed stack trace begins.
const FRAME: &[u8] = b"\tat ";
/// How the VM's message about `JAVA_TOOL_OPTIONS` begins.
const PICKED_UP: &[u8] = b"Picked up JAVA_TOOL_OPTIONS:";

/// The stream on which a line was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Forwards printed lines, each with a prefix.
#[derive(Clone)]
pub struct Forward {
    prefix: String,
    sink: Arc<Sink>,
    muted: Arc<AtomicBool>,
}

type Sink = dyn Fn(Stream, &str) + Send + Sync;

impl Forward {
    /// `sink` gets whole lines, one or more at a time. Each begins with the prefix and ends with a line feed:
    /// `run 1 | hello`.
    pub fn new(prefix: impl Into<String>, sink: impl Fn(Stream, &str) + Send + Sync + 'static) -> Forward {
        Forward { prefix: prefix.into(), sink: Arc::new(sink), muted: Arc::default() }
    }

    /// Stops forwarding, for all clones.
    pub fn mute(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }

    /// Passes lines to the sink; `buffer` is reused between calls.
    fn pass(&self, stream: Stream, lines: &[u8], buffer: &mut Vec<u8>) {
        if self.muted.load(Ordering::Relaxed) {
            return;
        }
        let prefixed = if self.prefix.is_empty() {
            lines
        } else {
            buffer.clear();
            for line in each_line(lines) {
                buffer.extend_from_slice(self.prefix.as_bytes());
                buffer.extend_from_slice(line);
            }
            buffer
        };
        // Valid UTF-8 is checked but not copied.
        (self.sink)(stream, &String::from_utf8_lossy(prefixed));
    }
}

impl std::fmt::Debug for Forward {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forward").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

/// The lines, each with its line feed.
fn each_line(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut from = 0;
    memchr::memchr_iter(b'\n', lines).filter_map(move |end| {
        let line = lines.get(from..=end);
        from = end + 1;
        line
    })
}

/// A line without its line feed and a preceding carriage return.
fn content(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// All that was printed on a stream, as a digest. The frames of stack traces are left out: the numbers of
/// their lines change with any edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintedDigest {
    /// Number of bytes.
    pub bytes: u64,
    /// CRC-32 of the bytes.
    pub crc: u32,
}

impl PrintedDigest {
    /// Adds whole lines, or a part of one.
    fn add(&mut self, lines: &[u8]) {
        if memchr::memmem::find(lines, FRAME).is_none() {
            return self.add_bytes(lines);
        }
        let lines = lines.split_inclusive(|byte| *byte == b'\n');
        lines.filter(|line| !line.starts_with(FRAME)).for_each(|line| self.add_bytes(line));
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        let mut hasher = crc32fast::Hasher::new_with_initial(self.crc);
        hasher.update(bytes);
        self.crc = hasher.finalize();
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }
}

/// The end of a process's output, both streams in the order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    lines: VecDeque<(Stream, String)>,
    /// Number of lines that are no longer kept.
    pub dropped: u64,
    /// Number of bytes of all that was printed.
    pub printed: u64,
    /// All that was printed on standard output and on standard error.
    pub digests: Box<[PrintedDigest; 2]>,
}

impl Tail {
    /// The end of an error message: the last lines, if there are any.
    pub(super) fn in_error(&self) -> String {
        let text = self.last(20);
        if text.is_empty() {
            "; it printed nothing".to_owned()
        } else {
            format!("\nIts last output:\n{text}")
        }
    }

    /// The kept lines.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = (Stream, &str)> {
        self.lines.iter().map(|(stream, line)| (*stream, line.as_str()))
    }

    /// The last lines, each indented by two spaces; empty if nothing was printed.
    pub fn last(&self, count: usize) -> String {
        let lines = self.lines.iter().skip(self.lines.len().saturating_sub(count));
        lines.map(|(_, line)| format!("  {line}")).collect::<Vec<_>>().join("\n")
    }
}

/// The last bytes printed, always whole lines. They are split into lines only on demand.
#[derive(Debug, Default)]
struct OutputBuffer {
    bytes: VecDeque<u8>,
    /// The stream and length of each piece of `bytes`; no piece is empty.
    pieces: VecDeque<(Stream, usize)>,
    dropped: u64,
    printed: u64,
    digests: [PrintedDigest; 2],
}

impl OutputBuffer {
    /// Adds lines to the digest of a stream.
    fn digest(&mut self, stream: Stream, lines: &[u8]) {
        let [out, err] = &mut self.digests;
        match stream {
            Stream::Out => out.add(lines),
            Stream::Err => err.add(lines),
        }
    }

    /// Appends whole lines and drops the oldest ones that exceed the limit.
    fn push(&mut self, stream: Stream, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        self.bytes.extend(lines);
        self.printed = self.printed.saturating_add(u64::try_from(lines.len()).unwrap_or(u64::MAX));
        match self.pieces.back_mut() {
            Some((of, length)) if *of == stream => *length += lines.len(),
            _ => self.pieces.push_back((stream, lines.len())),
        }
        let surplus = self.bytes.len().saturating_sub(KEPT_BYTES);
        if surplus > 0 {
            self.drop_first(surplus);
        }
    }

    /// Drops at least `count` bytes, up to the end of a line.
    fn drop_first(&mut self, count: usize) {
        let rest = self.bytes.iter().skip(count - 1).position(|byte| *byte == b'\n');
        let mut count = rest.map_or(self.bytes.len(), |rest| count + rest);
        let (front, back) = self.bytes.as_slices();
        let first = front.get(..count.min(front.len())).unwrap_or_default();
        let second = back.get(..count - first.len()).unwrap_or_default();
        let lines = [first, second].map(|bytes| memchr::memchr_iter(b'\n', bytes).count());
        self.dropped += u64::try_from(lines.iter().sum::<usize>()).unwrap_or(0);
        self.bytes.drain(..count);
        while let Some((_, length)) = self.pieces.front_mut() {
            if *length > count {
                *length -= count;
                break;
            }
            count -= *length;
            self.pieces.pop_front();
        }
    }

    fn tail(&self) -> Tail {
        let (front, back) = self.bytes.as_slices();
        let bytes = [front, back].concat();
        let mut lines = VecDeque::new();
        let mut rest = bytes.as_slice();
        for (stream, length) in &self.pieces {
            let Some((piece, behind)) = rest.split_at_checked(*length) else { break };
            rest = behind;
            let text = |line| String::from_utf8_lossy(content(line)).into_owned();
            lines.extend(each_line(piece).map(|line| (*stream, text(line))));
        }
        Tail { lines, dropped: self.dropped, printed: self.printed, digests: Box::new(self.digests) }
    }
}

/// The output of a process, shared by the tasks that drain its two streams.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    kept: Arc<Mutex<OutputBuffer>>,
    forward: Option<Forward>,
    awaited: Option<Arc<ReadyPattern>>,
}

/// The line that makes the program ready.
#[derive(Debug)]
struct ReadyPattern {
    pattern: regex::Regex,
    seen: AtomicBool,
}

impl ReadyPattern {
    /// Searches lines for the pattern, until it is found.
    fn look(&self, lines: &[u8]) {
        if self.seen.load(Ordering::Relaxed) {
            return;
        }
        let is_it = |line| self.pattern.is_match(&String::from_utf8_lossy(content(line)));
        if each_line(lines).any(is_it) {
            self.seen.store(true, Ordering::Relaxed);
        }
    }
}

impl Output {
    pub fn new(forward: Option<Forward>) -> Output {
        Output { kept: Arc::default(), forward, awaited: None }
    }

    /// Also watches for a line that matches the pattern.
    pub fn awaiting(self, pattern: regex::Regex) -> Output {
        Output { awaited: Some(Arc::new(ReadyPattern { pattern, seen: AtomicBool::new(false) })), ..self }
    }

    /// Whether the awaited line was printed; false without a pattern.
    pub fn is_ready(&self) -> bool {
        self.awaited.as_ref().is_some_and(|awaited| awaited.seen.load(Ordering::Relaxed))
    }

    pub fn tail(&self) -> Tail {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).tail()
    }

    /// Handles whole lines of a stream. `is_cut`: the last line feed was not printed.
    fn lines(&self, stream: Stream, lines: &[u8], is_cut: bool, buffer: &mut Vec<u8>) {
        // The VM prints this message about the option that `qp` added; the program did not.
        if stream == Stream::Err && memchr::memmem::find(lines, PICKED_UP).is_some() {
            let is_ours =
                |line: &[u8]| line.starts_with(PICKED_UP) && memchr::memmem::find(line, b"jdwp").is_some();
            let others: Vec<&[u8]> = each_line(lines).filter(|line| !is_ours(line)).collect();
            return self.of_program(stream, &others.concat(), is_cut, buffer);
        }
        self.of_program(stream, lines, is_cut, buffer);
    }

    /// Handles whole lines that the program itself printed.
    fn of_program(&self, stream: Stream, lines: &[u8], is_cut: bool, buffer: &mut Vec<u8>) {
        if lines.is_empty() {
            return;
        }
        if let Some(awaited) = &self.awaited {
            awaited.look(lines);
        }
        if let Some(forward) = &self.forward {
            forward.pass(stream, lines, buffer);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let printed = if is_cut { lines.strip_suffix(b"\n").unwrap_or(lines) } else { lines };
        kept.digest(stream, printed);
        kept.push(stream, lines);
    }

    /// Reads to the end of the stream. An error also ends it: the process or its pipe is gone.
    pub async fn drain(self, stream: Stream, mut pipe: impl AsyncRead + Unpin) {
        // The buffer holds an unterminated line, followed by room to read.
        let mut bytes = vec![0; MAX_LINE_BYTES + READ_BYTES];
        let mut begun = 0;
        let mut buffer = Vec::new();
        while let Ok(n @ 1..) = pipe.read(bytes.get_mut(begun..).unwrap_or_default()).await {
            let end = begun + n;
            let new = bytes.get(begun..end).unwrap_or_default();
            if let Some(last) = memchr::memrchr(b'\n', new) {
                let behind = begun + last + 1;
                self.lines(stream, bytes.get(..behind).unwrap_or_default(), false, &mut buffer);
                bytes.copy_within(behind..end, 0);
                begun = end - behind;
            } else {
                begun = end;
            }
            if begun >= MAX_LINE_BYTES {
                let cut = whole_characters(bytes.get(..begun).unwrap_or_default());
                self.cut(stream, &bytes, 0..cut, &mut buffer);
                bytes.copy_within(cut..begun, 0);
                begun -= cut;
            }
        }
        if begun > 0 {
            self.cut(stream, &bytes, 0..begun, &mut buffer);
        }
    }

    /// Treats bytes without a line feed as a line.
    fn cut(&self, stream: Stream, bytes: &[u8], line: Range<usize>, buffer: &mut Vec<u8>) {
        let line = [bytes.get(line).unwrap_or_default(), b"\n"].concat();
        self.lines(stream, &line, true, buffer);
    }
}

/// Length without an incomplete UTF-8 character at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All forwarded text, and the tail.
    async fn drained(output: &[u8], prefix: &str, stream: Stream) -> (String, Tail) {
        let seen = Arc::new(Mutex::new(String::new()));
        let all = seen.clone();
        let forward = Forward::new(prefix, move |_, lines| all.lock().unwrap().push_str(lines));
        let out = Output::new(Some(forward));
        out.clone().drain(stream, output).await;
        let seen = seen.lock().unwrap().clone();
        (seen, out.tail())
    }

    fn texts(tail: &Tail) -> Vec<&str> {
        tail.lines().map(|(_, line)| line).collect()
    }

    #[tokio::test]
    async fn lines_are_forwarded_with_their_prefix_and_kept_without() {
        let (seen, tail) = drained(b"one\r\n\n\xfftwo\nthree", "run 1 | ", Stream::Out).await;
        assert_eq!(seen, "run 1 | one\r\nrun 1 | \nrun 1 | \u{fffd}two\nrun 1 | three\n");
        assert_eq!(texts(&tail), ["one", "", "\u{fffd}two", "three"]);
        let (seen, _) = drained(b"one\ntwo", "", Stream::Out).await;
        assert_eq!(seen, "one\ntwo\n");
    }

    #[tokio::test]
    async fn the_vms_message_about_our_option_is_omitted() {
        let ours = "Picked up JAVA_TOOL_OPTIONS: -agentlib:jdwp=x";
        let output = format!("a\n{ours}\nPicked up JAVA_TOOL_OPTIONS: -Xmx1g\n{ours} and more\nb\n");
        let (seen, tail) = drained(output.as_bytes(), "", Stream::Err).await;
        assert_eq!(seen, "a\nPicked up JAVA_TOOL_OPTIONS: -Xmx1g\nb\n");
        assert_eq!(tail.lines().len(), 3);
        // On standard output, the program itself printed the message.
        assert_eq!(drained(output.as_bytes(), "", Stream::Out).await.0, output);
    }

    #[tokio::test]
    async fn a_long_line_is_cut_between_characters() {
        let long = "aä€".repeat(100_000);
        let (seen, tail) = drained(format!("{long}\nend").as_bytes(), "", Stream::Out).await;
        assert!(!seen.contains('\u{fffd}') && seen.replace('\n', "") == format!("{long}end"));
        assert!(texts(&tail).iter().all(|line| line.len() <= MAX_LINE_BYTES + READ_BYTES));
        // An incomplete character does not block the output.
        let (seen, _) = drained(&[b"x".repeat(20_000), vec![0xe2, 0x82]].concat(), "", Stream::Out).await;
        assert!(seen.starts_with("xx") && seen.ends_with("\u{fffd}\n"));
    }

    #[tokio::test]
    async fn the_digest_is_of_what_was_printed_however_it_was_read() {
        let digest = async |output: &[u8]| *drained(output, "", Stream::Out).await.1.digests;
        let long = "aä€".repeat(100_000);
        let [out, err] = digest(format!("one\n{long}").as_bytes()).await;
        let mut whole = PrintedDigest::default();
        whole.add_bytes(format!("one\n{long}").as_bytes());
        assert_eq!((out, err), (whole, PrintedDigest::default()));
        assert_ne!(digest(b"one\n").await, digest(b"one").await);
        let frame = digest(b"Error\n\tat A.b(A.java:3)\nend\n").await;
        assert_eq!(frame, digest(b"Error\n\tat A.b(A.java:4)\nend\n").await);
    }

    #[test]
    fn the_newest_lines_are_kept_and_dropped_ones_counted() {
        let mut kept = OutputBuffer::default();
        let mut printed: Vec<(Stream, String)> = Vec::new();
        for n in 0..9_000_usize {
            let stream = if n % 7 < 3 { Stream::Out } else { Stream::Err };
            let lines: String = (0..n % 5).map(|m| format!("{n} {m} {}\n", "x".repeat(n % 211))).collect();
            kept.push(stream, lines.as_bytes());
            printed.extend(lines.lines().map(|line| (stream, line.to_owned())));
            if n % 1000 != 999 {
                continue;
            }
            let tail = kept.tail();
            let bytes: usize = tail.lines().map(|(_, line)| line.len() + 1).sum();
            let dropped = usize::try_from(tail.dropped).unwrap();
            assert_eq!(bytes, kept.bytes.len());
            assert!(bytes <= KEPT_BYTES && (dropped == 0 || bytes > KEPT_BYTES - 300), "{bytes}");
            let newest: Vec<_> = printed.iter().skip(dropped).map(|(s, line)| (*s, line.as_str())).collect();
            assert_eq!(tail.lines().collect::<Vec<_>>(), newest);
        }
        assert!(kept.dropped > 1000);
    }
}
