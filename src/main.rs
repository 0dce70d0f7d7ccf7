//! `qp`: see the library's documentation.

use std::process::ExitCode;

fn main() -> ExitCode {
    querypoint::ui::cli::main()
}
