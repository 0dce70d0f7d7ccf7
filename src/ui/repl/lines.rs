//! Reads lines in a thread of its own: from a line editor on a terminal, otherwise from standard input. It
//! reads a line only when the prompt asks for one.

use super::completer::Completer;
use replay::explore::Words;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor, ExternalPrinter};
use session::{Progress, Sink};
use std::io::{BufRead, IsTerminal, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// An input at the prompt.
pub enum Input {
    /// A line, or several pasted lines.
    Text(String),
    /// An unreadable line of a script, and the reason. The next line may be readable.
    Unreadable(&'static str),
    /// Ctrl-C.
    Interrupted,
    /// The end of the input: Ctrl-D, or the end of a script.
    End,
}

/// Maximum number of bytes of a line of a script.
const LONGEST: u64 = 16 << 20;
const TOO_LONG: &str = "the line is longer than 16 MB";
const NOT_UTF_8: &str = "the line is not UTF-8";

/// Number of lines in the history, which lasts across sessions.
const HISTORY: usize = 1000;

/// Prints above the line that is being edited.
#[derive(Clone)]
pub struct Printer(Arc<Mutex<Box<dyn ExternalPrinter + Send>>>);

impl Printer {
    fn print(&self, text: &str) {
        let mut printer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Failure is ignored: there is no other place to show the text.
        drop(printer.print(text.to_owned()));
    }
}

/// Progress of a run in the background: shows only the output of the program.
pub struct AboveThePrompt(pub Printer);

impl Progress for AboveThePrompt {
    fn sink(&self) -> Option<Sink> {
        let printer = self.0.clone();
        Some(Arc::new(move |lines| printer.print(lines)))
    }
}

/// The source of lines.
pub struct Lines {
    prompts: std::sync::mpsc::Sender<String>,
    inputs: mpsc::Receiver<Input>,
    printer: Option<Printer>,
    words: Arc<Mutex<Words>>,
    editor: Option<std::thread::JoinHandle<()>>,
    terminal: Terminal,
    /// Whether a requested line has not arrived yet.
    asked: bool,
}

impl Lines {
    /// Opens the line editor if standard input and output are terminals, otherwise standard input.
    pub fn open() -> Lines {
        let (prompts, asked) = std::sync::mpsc::channel::<String>();
        let (sender, inputs) = mpsc::channel(1);
        let words = Arc::new(Mutex::new(Words::default()));
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let mut editor = if is_terminal { editor(words.clone()).ok() } else { None };
        let printer = editor.as_mut().and_then(|e| e.create_external_printer().ok());
        let printer: Option<Box<dyn ExternalPrinter + Send>> = printer.map(|p| Box::new(p) as _);
        let printer = printer.map(|p| Printer(Arc::new(Mutex::new(p))));
        let terminal = Terminal::new(editor.is_some());
        let read = move || match editor {
            Some(editor) => edit(editor, &asked, &sender),
            None => read_lines(&asked, &sender),
        };
        // Without the thread there are no lines, so the session ends at once.
        let editor = std::thread::Builder::new().name("lines".to_owned()).spawn(read).ok();
        Lines { prompts, inputs, printer, words, editor, terminal, asked: false }
    }

    /// Whether a person types the lines.
    pub fn is_terminal(&self) -> bool {
        self.terminal.is_one
    }

    /// The printer that prints above the prompt; `None` without a terminal.
    pub fn printer(&self) -> Option<Printer> {
        self.printer.clone()
    }

    /// Sets the words for completion.
    pub fn complete_from(&self, words: Words) {
        *self.words.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }

    /// Asks for a line. With `echo`, a line of a script is printed behind its prompt.
    pub fn ask(&mut self, prompt: &str, echo: bool) {
        let prompt = if echo || self.is_terminal() { prompt } else { "" };
        // If the reader thread has ended, its last input is `Input::End`.
        self.asked = self.prompts.send(prompt.to_owned()).is_ok();
    }

    /// Waits for the requested line. Cancel-safe.
    pub async fn next(&mut self) -> Input {
        let input = self.inputs.recv().await.unwrap_or(Input::End);
        self.asked = false;
        input
    }

    /// Shows a text while a line is being edited.
    pub fn show_above(&self, text: &str) {
        match &self.printer {
            Some(printer) if self.asked => printer.print(text),
            _ => drop(crate::ui::out::print(text)),
        }
    }

    /// Waits for bytes that a person types for the program, while `is_read` says that it reads them. `None`
    /// is the end of the input. Never resolves without a terminal. Cancel-safe.
    pub async fn typed(&mut self, is_read: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        self.terminal.read(is_read).await
    }

    /// Restores the terminal.
    pub fn close(self) {
        let Lines { prompts, inputs, editor, asked, .. } = self;
        drop((prompts, inputs));
        // A thread that still waits for a line ends with the process.
        if let Some(editor) = editor.filter(|_| !asked) {
            drop(editor.join());
        }
    }
}

type LineEditor = Editor<Completer, FileHistory>;

fn editor(words: Arc<Mutex<Words>>) -> rustyline::Result<LineEditor> {
    let config = Config::builder()
        .max_history_size(HISTORY)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .auto_add_history(true)
        .build();
    let history = FileHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history)?;
    editor.set_helper(Some(Completer::new(words)));
    if let Some(file) = history_file() {
        // There is no history before the first session.
        drop(editor.load_history(&file));
    }
    Ok(editor)
}

/// `querypoint/history` in `XDG_STATE_HOME` or `~/.local/state`.
fn history_file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("querypoint/history"))
}

fn edit(mut editor: LineEditor, asked: &std::sync::mpsc::Receiver<String>, sender: &mpsc::Sender<Input>) {
    while let Ok(prompt) = asked.recv() {
        let input = match editor.readline(&prompt) {
            Ok(text) => Input::Text(text),
            Err(ReadlineError::Interrupted) => Input::Interrupted,
            Err(_) => Input::End,
        };
        if matches!(input, Input::Text(_))
            && let Some(file) = history_file()
            && let Some(folder) = file.parent()
            && std::fs::create_dir_all(folder).is_ok()
        {
            // Write each line at once, because a session can end abruptly. Failure is ignored.
            drop(editor.append_history(&file));
        }
        if sender.blocking_send(input).is_err() {
            return;
        }
    }
}

fn read_lines(asked: &std::sync::mpsc::Receiver<String>, sender: &mpsc::Sender<Input>) {
    let mut stdin = std::io::stdin().lock();
    while let Ok(prompt) = asked.recv() {
        let input = read_line(&mut stdin);
        if let Input::Text(line) = &input
            && !prompt.is_empty()
            && !line.trim().is_empty()
        {
            crate::ui::out::print(&format!("{prompt}{line}\n"));
        }
        let end = matches!(input, Input::End);
        if sender.blocking_send(input).is_err() || end {
            return;
        }
    }
}

/// Reads the next line. Skips the rest of a line that is too long, without holding it in memory.
fn read_line(from: &mut impl BufRead) -> Input {
    let mut line = Vec::new();
    match from.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => return Input::End,
        Ok(_) => {}
    }
    let is_whole = line.pop_if(|last| *last == b'\n').is_some();
    if !is_whole && u64::try_from(line.len()).is_ok_and(|bytes| bytes > LONGEST) {
        // The input may end inside the line. The next read then returns `Input::End`.
        return from.skip_until(b'\n').map_or(Input::End, |_| Input::Unreadable(TOO_LONG));
    }
    line.pop_if(|last| *last == b'\r');
    String::from_utf8(line).map_or(Input::Unreadable(NOT_UTF_8), Input::Text)
}

/// The terminal while nobody edits a line. The program then receives the typed input.
struct Terminal {
    is_one: bool,
}

/// How often to check for typed input.
const LOOK: Duration = Duration::from_millis(50);

impl Terminal {
    fn new(is_one: bool) -> Terminal {
        Terminal { is_one }
    }
}

#[cfg(unix)]
impl Terminal {
    /// Reads only when input is ready. A blocking read would continue after the run, and take the next line
    /// from the prompt.
    async fn read(&mut self, is_read: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        while !self.is_one || !is_read() || !has_input() {
            tokio::time::sleep(LOOK).await;
        }
        let mut buffer = [0; 4096];
        match rustix::io::read(rustix::stdio::stdin(), &mut buffer) {
            Ok(0) | Err(_) => None,
            Ok(n) => Some(buffer.get(..n).unwrap_or_default().to_vec()),
        }
    }
}

/// Whether a read would return at once.
#[cfg(unix)]
fn has_input() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = rustix::stdio::stdin();
    let mut wanted = [PollFd::new(&stdin, PollFlags::IN)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut wanted, Some(&at_once)).is_ok_and(|ready| ready > 0)
}

#[cfg(windows)]
impl Terminal {
    async fn read(&mut self, _: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_read_does_not_hide_the_next_one() {
        let longest = usize::try_from(LONGEST).unwrap();
        let (most, more) = (vec![b'a'; longest], vec![b'b'; 3 * longest]);
        let all = [b"one\r\n\xff\n\n", &most[..], b"\n", &more, b"\ntwo\n", &more].concat();
        let mut from = all.as_slice();
        let mut read = || match read_line(&mut from) {
            Input::Text(text) if text.len() == longest => "all that may be".to_owned(),
            Input::Text(text) => text,
            Input::Unreadable(why) => why.to_owned(),
            Input::Interrupted | Input::End => "end".to_owned(),
        };
        let told: Vec<String> = (0..8).map(|_| read()).collect();
        assert_eq!(told, ["one", NOT_UTF_8, "", "all that may be", TOO_LONG, "two", TOO_LONG, "end"]);
    }
}
