//! The pipe through which the VM passes on the lines of log points while the program runs.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::io::ErrorKind;
use std::path::Path;
use tokio::net::unix::pipe::{OpenOptions, Receiver};
use wire::LoggedLine;

/// Read at once: at least what a pipe holds (pipe(7): 64 KiB).
const BLOCK: usize = 1 << 17;

/// The reading end.
#[derive(Debug)]
pub struct LogPipe {
    pipe: Receiver,
    /// The beginning of a line whose end is not read yet.
    begun: Vec<u8>,
}

impl LogPipe {
    /// Creates the pipe. The writer opens it by its path.
    pub fn create(path: &Path) -> std::io::Result<LogPipe> {
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        // A pipe that is also open for writing never ends: its writer may come late.
        let pipe = OpenOptions::new().read_write(true).open_receiver(path)?;
        Ok(LogPipe { pipe, begun: Vec::new() })
    }

    /// Waits until there may be lines. Cancel-safe.
    pub async fn readable(&self) -> std::io::Result<()> {
        self.pipe.readable().await
    }

    /// Takes the lines that are in the pipe, without waiting.
    pub fn take(&mut self) -> std::io::Result<Vec<LoggedLine>> {
        let before = self.begun.len();
        let mut block = vec![0; BLOCK];
        // The runtime may not know yet that something was written: read without asking it.
        while self.begun.len() - before < BLOCK {
            match rustix::io::read(&self.pipe, &mut block) {
                Ok(0) => break,
                Ok(count) => self.begun.extend(block.get(..count).unwrap_or_default()),
                Err(rustix::io::Errno::AGAIN) => {
                    // An attempt that fails makes the runtime wait for what is written from now on.
                    match self.pipe.try_read(&mut block) {
                        Ok(count) => self.begun.extend(block.get(..count).unwrap_or_default()),
                        Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                        Err(error) => return Err(error),
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let Some(end) = memchr::memrchr(b'\n', &self.begun) else { return Ok(Vec::new()) };
        let whole: Vec<u8> = self.begun.drain(..=end).collect();
        let lines = whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).map_err(std::io::Error::from)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;
    use wire::ToldThread;

    #[tokio::test]
    async fn lines_arrive_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let mut pipe = LogPipe::create(&path).unwrap();
        assert_eq!(pipe.take().unwrap(), []);
        let mut writer = File::options().write(true).open(&path).unwrap();
        let one = serde_json::to_string(&LoggedLine::new(ToldThread::default(), "a\nb")).unwrap();
        let two = serde_json::to_string(&LoggedLine::new(ToldThread::default(), "c")).unwrap();
        let (begin, end) = two.split_at(7);
        write!(writer, "{one}\n{begin}").unwrap();
        pipe.readable().await.unwrap();
        assert_eq!(pipe.take().unwrap(), [LoggedLine::new(ToldThread::default(), "a\nb")]);
        writeln!(writer, "{end}").unwrap();
        drop(writer);
        pipe.readable().await.unwrap();
        assert_eq!(pipe.take().unwrap(), [LoggedLine::new(ToldThread::default(), "c")]);
        assert_eq!(pipe.take().unwrap(), []);
    }
}
