//! Tests of parsing, checking and evaluation, on a fake heap and with Java itself as the oracle.

mod arithmetic;
mod checking;
mod evaluating;
mod fake;
mod oracle;
mod parsing;
