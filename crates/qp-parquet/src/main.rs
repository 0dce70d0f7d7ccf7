//! `qp-parquet`: reads the events of a recording as lines of JSON, and writes them as a Parquet file.
//!
//! `qp trace export --to NAME.parquet` starts it. It is a program of its own because Parquet takes longer to
//! compile than most of `qp`, and few need it.

mod rows;

use rows::Rows;
use serde_json::{Deserializer, Map, Value};
use std::io::{BufReader, Error, ErrorKind, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match convert(std::io::stdin().lock(), std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if this fails.
            _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(4)
        }
    }
}

/// Converts all lines of the input.
///
/// # Errors
/// The input is not what `qp trace export` writes, or the output cannot be written.
fn convert(input: impl Read, output: impl Write + Send) -> std::io::Result<()> {
    let mut rows = Rows::new(output)?;
    for row in Deserializer::from_reader(BufReader::new(input)).into_iter::<Map<String, Value>>() {
        rows.push(&row.map_err(|error| Error::new(ErrorKind::InvalidData, error))?)?;
    }
    rows.finish()
}
