//! What tests need of the system: other programs, schemas and VMs, to compare with.
//!
//! `./run test` installs them and names them by environment variables. A test that lacks one fails, because a
//! test that compares nothing must not pass. Whoever cannot install them sets `QP_TEST_PARTIAL`, and these
//! tests then do nothing.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::Read;
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The value of a variable that names what a test needs; `None` if the test is to do nothing.
///
/// # Panics
/// The variable is not set, and `QP_TEST_PARTIAL` is not set either.
pub fn named(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    needs(value.is_some(), &format!("{variable} is not set, see `./run`"));
    value
}

/// Whether a program is installed, which `package` of Debian has.
///
/// # Panics
/// It is not installed, and `QP_TEST_PARTIAL` is not set.
pub fn program(name: &str, package: &str) -> bool {
    let found = Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    needs(found, &format!("`{name}` is not installed (Debian's package {package})"));
    found
}

/// Notes whether something is there that a test needs.
///
/// # Panics
/// It is not, and `QP_TEST_PARTIAL` is not set.
pub fn needs(is_there: bool, what_is_missing: &str) {
    let is_partial = std::env::var_os("QP_TEST_PARTIAL").is_some();
    assert!(is_there || is_partial, "{what_is_missing}; `QP_TEST_PARTIAL=1` leaves such tests out");
    if !is_there {
        eprintln!("left out: {what_is_missing}");
    }
}

/// A port on which nothing listens, and which the system gives to nobody who asks for any port: what is below
/// 32768 it gives only to those who name it.
///
/// # Panics
/// All such ports are taken.
pub fn free_port() -> u16 {
    use std::sync::atomic::{AtomicU32, Ordering};
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 12_000;
    static TAKEN: AtomicU32 = AtomicU32::new(0);

    let from = std::process::id().wrapping_mul(97);
    let mut ports =
        (0..COUNT).map(|_| FIRST + from.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed)) % COUNT);
    let free = ports.find_map(|port| {
        let port = u16::try_from(port).ok()?;
        TcpListener::bind(("127.0.0.1", port)).is_ok().then_some(port)
    });
    free.expect("a port that is free")
}

/// Runs a command to its end with piped output; `None` if it had to be killed because it took longer than
/// `limit`.
///
/// # Panics
/// The program cannot be started, or its output cannot be read.
pub fn finish(command: &mut Command, limit: Duration) -> Option<Output> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    wait(child.unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}")), limit)
}

/// Waits for a child; as [`finish`].
///
/// # Panics
/// The child has no pipes, or its output cannot be read.
pub fn wait(mut child: Child, limit: Duration) -> Option<Output> {
    let out = reading(child.stdout.take().expect("piped"));
    let err = reading(child.stderr.take().expect("piped"));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("waited") {
            break status;
        }
        if started.elapsed() > limit {
            drop(child.kill());
            drop(child.wait());
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let read = |reader: std::thread::JoinHandle<Vec<u8>>| reader.join().expect("read");
    Some(Output { status, stdout: read(out), stderr: read(err) })
}

/// Reads a pipe to its end on a thread of its own.
fn reading(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("read");
        bytes
    })
}
