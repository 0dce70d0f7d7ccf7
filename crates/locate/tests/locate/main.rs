//! The locator: cases of the paper and others, and random chains compared with a search of all combinations.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod brute;
mod cases;
mod random;
mod script;
