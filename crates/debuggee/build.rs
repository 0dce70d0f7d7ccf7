//! Builds the agent, which `qp` carries inside itself: cargo cannot yet make one package's library part of
//! another's binary.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../..");
    for input in [
        "crates/agent",
        "crates/wire",
        "crates/jdk",
        "crates/rewrite/src",
        "crates/rewrite/Cargo.toml",
        "crates/descriptor",
        "java/recorder",
        "Cargo.lock",
    ] {
        println!("cargo::rerun-if-changed={}", root.join(input).display());
    }
    let target = std::env::var("TARGET")?;
    // A target folder of its own: this one's is locked.
    let folder = PathBuf::from(std::env::var("OUT_DIR")?).join("agent");
    let mut cargo = Command::new(std::env::var("CARGO")?);
    // An agent of its own for published programs; else one that is built in a third of the time.
    let profile = if std::env::var("OPT_LEVEL")? == "3" { "release" } else { "agent" };
    cargo.current_dir(&root);
    cargo.args(["build", "--profile", profile, "--package", "agent", "--lib", "--target", &target]);
    cargo.arg("--target-dir").arg(&folder);
    // What was set for the outer build, such as a linter in the compiler's place, is not meant for this one.
    for name in
        ["RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER", "CLIPPY_ARGS", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"]
    {
        cargo.env_remove(name);
    }
    if !cargo.status()?.success() {
        return Err("the agent could not be built".into());
    }
    let built = folder.join(&target).join(profile).join(library(&target));
    println!("cargo::rustc-env=QP_AGENT={}", existing(&built)?.display());
    println!("cargo::rustc-env=QP_AGENT_HASH={:016x}", hash(&std::fs::read(&built)?));
    Ok(())
}

/// Tells one agent from another (FNV-1a, 64 bits); what was unpacked is compared byte by byte besides.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn library(target: &str) -> &'static str {
    match target {
        t if t.contains("windows") => "agent.dll",
        t if t.contains("apple") => "libagent.dylib",
        _ => "libagent.so",
    }
}

fn existing(path: &Path) -> Result<&Path, String> {
    if path.is_file() { Ok(path) } else { Err(format!("{} was not built", path.display())) }
}
