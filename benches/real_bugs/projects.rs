//! The libraries of the corpus, and where each keeps its classes.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A library of `projects.ron`.
#[derive(Clone, Debug, Deserialize)]
pub struct Project {
    /// Its name in the corpus and in ids of faults.
    pub name: String,
    /// Its source package.
    pub package: String,
    /// Folder of its main sources, relative to the root of the source package.
    pub main: String,
    /// Folder of its tests' sources.
    pub tests: String,
    /// Folders of files that its tests or classes read.
    pub resources: Vec<String>,
    /// Jars that it needs beside JUnit, by name.
    pub jars: Vec<String>,
    /// The version of Java that its tests are written for, where later ones reject them; else 0.
    #[serde(default)]
    pub release: u8,
    /// The version of JUnit: 4, which also runs tests of version 3, or 5.
    pub junit: u8,
    /// Number of its faults to draw.
    pub faults: usize,
    /// A main class of the library with arguments that makes files for its classes.
    #[serde(default)]
    pub prepared: Vec<String>,
    /// What its build fills into those of its sources that end in `.java.in`: words and their replacements.
    #[serde(default)]
    pub filled: Vec<(String, String)>,
    /// Whether it is held out: no one looks at single answers about its faults while improving `qp`.
    #[serde(default)]
    pub held_out: bool,
}

const JUNIT_4: &[&str] = &["junit4", "hamcrest-all"];
const JUNIT_5: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-commons",
    "junit-platform-engine",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
    "hamcrest",
];

/// All libraries.
pub fn projects() -> Vec<Project> {
    let text = include_str!("projects.ron");
    ron::from_str(text).unwrap_or_else(|e| panic!("projects.ron: {e}"))
}

/// The folder with the corpus.
pub fn corpus() -> PathBuf {
    let folder = std::env::var("QP_REAL_BUGS").unwrap_or_else(|_| "target/real_bugs".to_owned());
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

impl Project {
    /// Its folder in the corpus.
    pub fn folder(&self) -> PathBuf {
        corpus().join(&self.name)
    }

    /// Its unpacked source package; tests run here.
    pub fn source(&self) -> PathBuf {
        self.folder().join("source")
    }

    /// A file of its main sources.
    pub fn file(&self, file: &str) -> PathBuf {
        self.source().join(&self.main).join(file)
    }

    /// Its classes without a fault.
    pub fn right(&self) -> PathBuf {
        self.folder().join("right")
    }

    /// The classes of the changed file of a fault.
    pub fn wrong(&self, id: &str) -> PathBuf {
        self.folder().join("wrong").join(id)
    }

    /// The classes of its tests, with the files that they read.
    pub fn tests(&self) -> PathBuf {
        self.folder().join("tests")
    }

    /// The class path of the jars that it needs to run its tests.
    pub fn jars(&self) -> String {
        let junit = if self.junit == 5 { JUNIT_5 } else { JUNIT_4 };
        let names = self.jars.iter().map(String::as_str).chain(junit.iter().copied());
        let paths = names.map(|name| format!("/usr/share/java/{name}.jar"));
        paths.collect::<Vec<_>>().join(":")
    }

    /// The class path of its tests, with the classes of a fault if one is named.
    pub fn class_path(&self, id: Option<&str>) -> String {
        let wrong = id.map(|id| self.wrong(id).display().to_string());
        let own = [self.right(), self.tests(), corpus().join("runner.jar")].map(|p| p.display().to_string());
        wrong.into_iter().chain(own).chain([self.jars()]).collect::<Vec<_>>().join(":")
    }

    /// The command that runs all tests of a class. With `recorded`, the class that runs them counts as own
    /// code.
    pub fn command_of_all(&self, id: Option<&str>, classes: &[String], recorded: bool) -> Vec<String> {
        let runner = recorded.then(|| corpus().join("runner").display().to_string());
        let class_path = runner.into_iter().chain([self.class_path(id)]).collect::<Vec<_>>().join(":");
        let words = ["java", "-Xmx512m", "-cp", &class_path, self.runner(), "--all"];
        words.into_iter().chain(classes.iter().map(String::as_str)).map(str::to_owned).collect()
    }

    /// The class that runs a single test.
    pub fn runner(&self) -> &'static str {
        if self.junit == 5 { "One5" } else { "One4" }
    }

    /// The command that runs a test of this name, `CLASS#METHOD`.
    pub fn command(&self, id: Option<&str>, test: &str) -> Vec<String> {
        let (class, method) = test.split_once('#').unwrap_or((test, ""));
        ["java", "-cp", &self.class_path(id), self.runner(), class, method].map(str::to_owned).to_vec()
    }
}
