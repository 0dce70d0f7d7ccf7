//! Tokens by which a client on this machine shows that its user may use a server of `qp`.

use std::io::Read;

/// Size of a token, in bytes.
const SIZE: usize = 32;

/// A new token.
///
/// # Errors
/// The system has no random bytes.
pub fn new_token() -> std::io::Result<String> {
    let mut bytes = [0; SIZE];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a text is the token. The time of the comparison tells nothing.
pub fn is_token(given: &str, token: &str) -> bool {
    let differs = given.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    given.len() == token.len() && differs == 0
}
