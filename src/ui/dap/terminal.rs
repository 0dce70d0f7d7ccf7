//! A terminal of the editor in which the program reads and prints. The editor runs `qp dap --terminal SOCKET`
//! there, which connects to the session and passes bytes in both directions.

use debuggee::StdinRecording;
use files::TemporaryFolder;
use session::{Context, Progress, Sink};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the editor may take to open a terminal.
const OPENS: Duration = Duration::from_secs(30);

/// The longest path of a temporary folder, in bytes, below which a socket has room: the path of a socket has
/// at most 107 bytes (unix(7)).
const LONGEST: usize = 70;

/// The session's end before the terminal is open.
pub struct Listening {
    folder: TemporaryFolder,
    listener: std::os::unix::net::UnixListener,
}

/// The session's end of an open terminal. When it is dropped, the terminal's process ends.
pub struct Terminal {
    stream: UnixStream,
    _folder: TemporaryFolder,
}

impl Listening {
    /// Waits for a terminal at a socket in a folder that only this user can read.
    ///
    /// # Errors
    /// The system has no room for the socket.
    pub fn new() -> std::io::Result<Listening> {
        let temporary = std::env::temp_dir();
        let is_short = temporary.as_os_str().len() <= LONGEST;
        let parent = if is_short { temporary } else { PathBuf::from("/tmp") };
        let folder = TemporaryFolder::new_in("qp-terminal-", &parent)?;
        let listener = std::os::unix::net::UnixListener::bind(socket_in(folder.path()))?;
        listener.set_nonblocking(true)?;
        Ok(Listening { folder, listener })
    }

    /// The command that the terminal has to run.
    ///
    /// # Errors
    /// The path of `qp` is not known.
    pub fn command(&self) -> std::io::Result<Vec<String>> {
        let qp = std::env::current_exe()?;
        let socket = socket_in(self.folder.path());
        let words = [qp.display().to_string(), "dap".to_owned(), "--terminal".to_owned()];
        Ok(words.into_iter().chain([socket.display().to_string()]).collect())
    }

    /// Waits until the terminal is open. `None` if the user interrupted, or if it takes too long.
    pub async fn open(self, context: &Context) -> Option<Terminal> {
        let listener = tokio::net::UnixListener::from_std(self.listener).ok()?;
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted.ok(),
            () = context.interrupted() => None,
            () = tokio::time::sleep(OPENS) => None,
        };
        let stream = accepted?.0.into_std().ok()?;
        stream.set_nonblocking(false).ok()?;
        Some(Terminal { stream, _folder: self.folder })
    }
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join("terminal")
}

impl Terminal {
    /// What is typed into the terminal.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn stdin(&self) -> std::io::Result<StdinRecording> {
        StdinRecording::of(self.stream.try_clone()?)
    }

    /// The context whose program prints into the terminal.
    ///
    /// # Errors
    /// The system refuses another handle of the socket.
    pub fn context(&self, context: &Context) -> std::io::Result<Context> {
        let progress = Printing { to: Arc::new(Mutex::new(self.stream.try_clone()?)) };
        Ok(Context::new(Rc::new(progress), context.interrupt().clone()))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The other end may have gone before.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

/// Prints the program's output into a terminal.
struct Printing {
    to: Arc<Mutex<UnixStream>>,
}

impl Progress for Printing {
    fn sink(&self) -> Option<Sink> {
        let to = self.to.clone();
        Some(Arc::new(move |text: &str| {
            // A terminal that was closed shows nothing.
            let _ = to.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
        }))
    }
}

/// The terminal's end: passes what is typed to the session, and prints what comes from it. Returns the exit
/// code.
pub fn forward(socket: &Path) -> u8 {
    let Ok(stream) = UnixStream::connect(socket) else {
        crate::ui::out::complain(format_args!("error: no session waits for this terminal any more"));
        return 4;
    };
    if let Ok(mut typed) = stream.try_clone() {
        // The thread ends with the process: nothing else can end a read of the terminal.
        let read = move || {
            let mut buffer = [0; 8192];
            while let Ok(read @ 1..) = std::io::stdin().read(&mut buffer) {
                if typed.write_all(buffer.get(..read).unwrap_or_default()).is_err() {
                    return;
                }
            }
            let _ = typed.shutdown(std::net::Shutdown::Write);
        };
        let _ = std::thread::Builder::new().name("typed".to_owned()).spawn(read);
    }
    let (mut from, mut buffer) = (stream, [0; 8192]);
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let mut out = std::io::stdout();
        if out.write_all(buffer.get(..read).unwrap_or_default()).and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    0
}
