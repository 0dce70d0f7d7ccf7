//! The standard streams: results go to standard output, errors to standard error.

use super::render;
use command::CommandError;
use session::SessionError;
use std::io::Write;

/// A value as JSON.
pub fn json(value: &impl serde::Serialize) -> String {
    match serde_json::to_string_pretty(value) {
        Ok(text) => text + "\n",
        Err(error) => format!("{}\n", serde_json::json!({ "error": error.to_string() })),
    }
}

/// A value as one line of JSON.
pub fn json_line(value: &impl serde::Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text + "\n",
        Err(error) => format!("{}\n", serde_json::json!({ "error": error.to_string() })),
    }
}

/// Prints a result and returns the exit code. A reader that closes the pipe (`| head`) is not a failure.
pub fn print(text: &str) -> u8 {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            complain(format_args!("error: cannot write the result: {error}"));
            4
        }
        _ => 0,
    }
}

/// Prints text while a command goes on. Returns whether it could be written: a reader that has gone needs no
/// more.
pub fn print_now(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// Writes a line to standard error. A closed stream must not end `qp` in the middle of its work, so errors
/// are ignored.
pub fn complain(line: std::fmt::Arguments<'_>) {
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// Writes lines of the program's output to standard error, as [`complain`] does.
pub fn pass_on(lines: &str) {
    drop(std::io::stderr().write_all(lines.as_bytes()));
}

/// The text of an error; an error in a chain shows its place in the file.
pub fn error_text(error: &CommandError, color: bool) -> String {
    match error {
        CommandError::Session(SessionError::Chain(chain)) => chain.render(color),
        other => {
            let paint = render::Paint { color };
            format!("{} {other}", paint.on(render::palette::FAILED, "error:"))
        }
    }
}
