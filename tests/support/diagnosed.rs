//! Programs of one file, recorded and diagnosed in this process.

use chain::{Chain, Debuggee};
use diagnose::{DiagnoseOptions, Diagnoser};
use past::snapshot::Bounds;
use recorded::{MEMORY, RecordOptions, RecordedTrace, record};
use session::Context;
use std::path::Path;
use trace::Level;

/// Compiles the text of a class into a new folder.
pub fn made(folder: &Path, class: &str, text: &str) {
    std::fs::create_dir(folder).expect("a folder");
    let file = folder.join(class).with_extension("java");
    std::fs::write(&file, text).expect("written");
    let mut javac = super::javac::Javac::new();
    let compiled = javac.args(["-g", "-nowarn", "-d"]).arg(folder).arg(&file).tried();
    assert_eq!(compiled, Ok(()), "{text}");
}

/// Records everything that a class of this folder does, ready for questions.
pub async fn diagnoser(folder: &Path, class: &str) -> Diagnoser {
    let command = ["java", "-cp", &folder.display().to_string(), class].map(str::to_owned).to_vec();
    let chain = Chain::new(Debuggee { command, ..Debuggee::default() }, Vec::new());
    let trace = folder.join("trace");
    let options =
        RecordOptions { out: trace.clone(), level: Level::All, memory: MEMORY, ..RecordOptions::default() };
    let context = Context::silent();
    record(&chain, &options, &context).await.expect("recorded");
    let trace = RecordedTrace::open(&trace, MEMORY, &context).await.expect("opened");
    let bounds = Bounds { depth: 2, elements: 4, parts: 100 };
    let options = DiagnoseOptions {
        strategy: None,
        p: None,
        node: None,
        compress: None,
        loops: false,
        suspects_tests: false,
        bounds,
    };
    Diagnoser::new(trace, options).expect("begun")
}
