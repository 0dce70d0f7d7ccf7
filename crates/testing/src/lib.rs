//! What tests need of the system: other programs, schemas and VMs, to compare with.
//!
//! `./run test` installs them and names them by environment variables. A test that lacks one fails, because a
//! test that compares nothing must not pass. Whoever cannot install them sets `QP_TEST_PARTIAL`, and these
//! tests then do nothing.

use std::process::Command;

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
