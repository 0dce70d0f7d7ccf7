//! The room's tests: chain files and their errors, and the translation of questions about small Java programs
//! that are compiled here.

mod format;
mod rules;
mod translation;

use super::*;
use classes::{ClassPaths, ClassPool, SourceRoots, find_program};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiled program.
pub(super) struct Program {
    _dir: tempfile::TempDir,
    pub(super) pool: ClassPool,
    pub(super) sources: SourceRoots,
}

impl Program {
    /// Compiles one file with `javac -g`.
    pub(super) fn new(file: &str, source: &str) -> Program {
        Program::compiled(file, source, "-g")
    }

    /// Compiles one file.
    pub(super) fn compiled(file: &str, source: &str, debug: &str) -> Program {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(file), source).unwrap();
        let done = Command::new("javac").args([debug, file]).current_dir(dir.path()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let paths = ClassPaths {
            cwd: dir.path().to_owned(),
            class_path: vec![PathBuf::from(".")],
            java_home: Some(java_home()),
            ..ClassPaths::default()
        };
        let pool = ClassPool::open(&paths).unwrap();
        let sources = SourceRoots::open(&[PathBuf::from(".")], dir.path(), None);
        Program { _dir: dir, pool, sources }
    }

    pub(super) fn translate(&self, chain: &Chain, learned: &Learned) -> Result<Translation, TranslateError> {
        translate(chain, &self.pool, &self.sources, learned)
    }

    pub(super) fn explain(&self, chain: &Chain, learned: &Learned) -> Explanation {
        let translation = self.translate(chain, learned).unwrap();
        Explanation::new(chain, &translation, &self.pool, &self.sources)
    }

    /// The explanation of a chain of these points, before any run.
    pub(super) fn explained(&self, points: &str) -> String {
        self.explain(&chain(points), &Learned::default()).to_string()
    }

    /// The error for the last of these points.
    pub(super) fn refusal(&self, points: &str) -> String {
        self.translate(&chain(points), &Learned::default()).unwrap_err().to_string()
    }
}

/// The paper's introductory program.
pub(super) fn intro() -> Program {
    Program::new("Intro.java", include_str!("../../../../examples/intro/Intro.java"))
}

/// A chain of these points.
pub(super) fn chain(points: &str) -> Chain {
    let text = format!("(format: 1, debuggee: (command: [\"java\", \"Main\"]), points: [{points}])");
    Chain::parse(&text, "test.ron").unwrap_or_else(|e| panic!("{}", e.render(false)))
}

fn java_home() -> PathBuf {
    let path = std::env::var("PATH").ok();
    let java = find_program("java", Path::new("."), path.as_deref()).unwrap();
    java.canonicalize().unwrap().parent().and_then(Path::parent).unwrap().to_owned()
}
