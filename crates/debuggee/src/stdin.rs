//! The debuggee's standard input, which is the same in every run (DESIGN §8).

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::Notify;

/// The source of the debuggee's standard input. The debuggee never inherits the input of `qp`: its process
/// group is not the terminal's foreground group, so a read would stop it, and a second run would find the
/// input consumed.
#[derive(Clone, Debug, Default)]
pub enum Stdin {
    /// No input.
    #[default]
    Null,
    /// These bytes, then end of file.
    Bytes(Arc<[u8]>),
    /// The input of `qp` itself, recorded while the first run reads it and fed again to later runs.
    Recorded(StdinRecording),
}

impl Stdin {
    /// Writes the input until it ends or the process stops reading.
    pub(super) async fn feed(self, mut pipe: ChildStdin) {
        match self {
            Stdin::Null => {}
            Stdin::Bytes(bytes) => {
                // The program may end without reading all of it.
                let _ = pipe.write_all(&bytes).await;
            }
            Stdin::Recorded(recording) => recording.feed(pipe).await,
        }
    }
}

/// A growing copy of an input, shared by all runs. It is kept whole, since every run reads from the start.
#[derive(Clone, Debug, Default)]
pub struct StdinRecording(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    data: Mutex<RecordedInput>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct RecordedInput {
    bytes: Vec<u8>,
    ended: bool,
}

impl StdinRecording {
    /// Records the standard input of `qp`. A thread reads it, so that a blocked read delays neither a run nor
    /// the end of `qp`.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn of_own_stdin() -> io::Result<StdinRecording> {
        StdinRecording::of(std::io::stdin())
    }

    /// Records any input.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn of(mut input: impl Read + Send + 'static) -> io::Result<StdinRecording> {
        let recording = StdinRecording::default();
        let shared = recording.0.clone();
        std::thread::Builder::new().name("input".to_owned()).spawn(move || {
            let mut buffer = [0; 8192];
            let of_thread = StdinRecording(shared);
            loop {
                let read = input.read(&mut buffer).unwrap_or(0);
                if read == 0 {
                    of_thread.end();
                    return;
                }
                of_thread.push(buffer.get(..read).unwrap_or_default());
            }
        })?;
        Ok(recording)
    }

    /// An input without a byte.
    pub fn ended() -> StdinRecording {
        let recording = StdinRecording::default();
        recording.end();
        recording
    }

    /// Appends to the input.
    pub fn push(&self, bytes: &[u8]) {
        let mut data = self.0.data.lock().unwrap_or_else(PoisonError::into_inner);
        data.bytes.extend_from_slice(bytes);
        drop(data);
        self.0.changed.notify_waiters();
    }

    /// Ends the input.
    pub fn end(&self) {
        self.0.data.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.0.changed.notify_waiters();
    }

    /// The input so far.
    pub fn recorded(&self) -> Vec<u8> {
        self.0.data.lock().unwrap_or_else(PoisonError::into_inner).bytes.clone()
    }

    /// Waits until the input has ended, and returns it.
    pub async fn whole(&self) -> Vec<u8> {
        loop {
            let changed = self.0.changed.notified();
            {
                let data = self.0.data.lock().unwrap_or_else(PoisonError::into_inner);
                if data.ended {
                    return data.bytes.clone();
                }
            }
            changed.await;
        }
    }

    async fn feed(&self, mut pipe: ChildStdin) {
        let mut written = 0;
        loop {
            let changed = self.0.changed.notified();
            let (chunk, ended) = {
                let data = self.0.data.lock().unwrap_or_else(PoisonError::into_inner);
                (data.bytes.get(written..).unwrap_or_default().to_vec(), data.ended)
            };
            if chunk.is_empty() {
                if ended {
                    return;
                }
                changed.await;
            } else {
                if pipe.write_all(&chunk).await.is_err() {
                    return;
                }
                written += chunk.len();
            }
        }
    }
}
