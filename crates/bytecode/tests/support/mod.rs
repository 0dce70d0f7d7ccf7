//! Compiles small Java programs with the installed `javac` and describes their analysis.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(dead_code, reason = "every test file uses its own part")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The oldest `javac` of at least that release in `$JAVA_HOME`, on PATH or installed: javac's output differs
/// between releases.
pub fn javac(release: u32) -> Option<PathBuf> {
    static KNOWN: OnceLock<Vec<(u32, PathBuf)>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let mut candidates = vec![PathBuf::from("javac")];
        candidates.extend(std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/javac")));
        let mut installed: Vec<PathBuf> = std::fs::read_dir("/usr/lib/jvm")
            .map(|dir| dir.flatten().map(|entry| entry.path().join("bin/javac")).collect())
            .unwrap_or_default();
        installed.sort();
        candidates.extend(installed);
        candidates.into_iter().filter_map(|path| Some((version(&path)?, path))).collect()
    });
    known.iter().filter(|(v, _)| *v >= release).min_by_key(|(v, _)| *v).map(|(_, path)| path.clone())
}

fn version(javac: &Path) -> Option<u32> {
    let output = Command::new(javac).arg("-version").output().ok()?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    text.trim().strip_prefix("javac ")?.split(['.', '-']).next()?.parse().ok()
}

/// Compiles source files together and returns the bytes of their classes.
pub fn compile_to_bytes(javac: &Path, sources: &[&Path], options: &[&str]) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let output =
        Command::new(javac).args(options).arg("-d").arg(folder.path()).args(sources).output().unwrap();
    assert!(
        output.status.success(),
        "{sources:?} do not compile:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Compiles source files together and returns their classes, by name.
pub fn compile(javac: &Path, sources: &[&Path], options: &[&str]) -> Vec<bytecode::ClassFile> {
    let bytes = compile_to_bytes(javac, sources, options);
    let mut classes: Vec<_> = bytes.iter().map(|b| bytecode::ClassFile::parse(b).unwrap()).collect();
    classes.sort_by(|a, b| a.name.cmp(&b.name));
    classes
}

/// Compiles a source text; the tests of one file share the result.
pub fn compile_text(name: &str, text: &str, options: &[&str]) -> Vec<bytecode::ClassFile> {
    static DONE: Mutex<BTreeMap<String, Vec<bytecode::ClassFile>>> = Mutex::new(BTreeMap::new());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let compiled = done.entry(format!("{name} {options:?}")).or_insert_with(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("{name}.java"));
        std::fs::write(&path, text).unwrap();
        let javac = javac(17).expect("a JDK of 17 or newer: install openjdk-17-jdk-headless");
        compile(&javac, &[&path], options)
    });
    compiled.clone()
}
