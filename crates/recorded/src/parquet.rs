//! Parquet files, which the program `qp-parquet` makes from lines of JSON.

use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The program that makes Parquet files.
const PROGRAM: &str = "qp-parquet";

/// A running `qp-parquet`, which reads lines of JSON.
pub struct ParquetWriter {
    program: Child,
    lines: Option<BufWriter<ChildStdin>>,
}

impl ParquetWriter {
    /// Starts the program.
    ///
    /// # Errors
    /// The program is neither beside `qp` nor on the path, or it cannot be started.
    pub fn to(file: File) -> std::io::Result<ParquetWriter> {
        let program = Command::new(beside_qp().unwrap_or_else(|| PROGRAM.into()))
            .stdin(Stdio::piped())
            .stdout(file)
            .stderr(Stdio::piped())
            .spawn();
        let mut program = program.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::new(
                ErrorKind::NotFound,
                "a Parquet file is made by the program `qp-parquet`, which is neither beside `qp` nor on the \
                 path; build it with `cargo build --release --package qp-parquet`, or write lines of JSON to a \
                 file `NAME.jsonl`",
            ),
            _ => error,
        })?;
        let lines = program.stdin.take().map(BufWriter::new);
        Ok(ParquetWriter { program, lines })
    }

    /// Waits for the program to complete the file.
    ///
    /// # Errors
    /// The program failed; the error is what it said.
    pub fn finish(mut self) -> std::io::Result<()> {
        let written = self.flush();
        drop(self.lines.take());
        self.outcome().and(written)
    }

    /// How the program ended.
    fn outcome(&mut self) -> std::io::Result<()> {
        let mut said = String::new();
        if let Some(messages) = self.program.stderr.take() {
            messages.take(4096).read_to_string(&mut said)?;
        }
        match self.program.wait()? {
            status if status.success() => Ok(()),
            status if said.is_empty() => Err(Error::other(format!("`{PROGRAM}` ended with {status}"))),
            _ => Err(Error::other(format!("`{PROGRAM}`: {}", said.trim_end()))),
        }
    }
}

impl Write for ParquetWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.lines.as_mut().map_or(Ok(0), |lines| lines.write(bytes));
        match written {
            // The program has ended early; what it said is the reason.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(self.outcome().err().unwrap_or(error)),
            written => written,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.lines.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for ParquetWriter {
    fn drop(&mut self) {
        // After `finish` the program has ended, and both do nothing.
        _ = self.program.kill();
        _ = self.program.wait();
    }
}

/// The program beside `qp`, where builds and packages put it.
fn beside_qp() -> Option<PathBuf> {
    let beside =
        std::env::current_exe().ok()?.with_file_name(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX));
    beside.is_file().then_some(beside)
}
