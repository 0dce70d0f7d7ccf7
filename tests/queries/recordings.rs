//! Programs recorded once for all tests, with their exported logs.

use crate::jel::{Event, read};
use crate::programs::ast::Program;
use crate::programs::generate::generate;
use crate::programs::judge::{Folders, compile};
use crate::support::{compiled, finish, qp, root, said, scratch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A recorded program.
pub struct Recorded {
    pub name: String,
    pub folder: PathBuf,
    /// The exported log.
    pub file: PathBuf,
    pub events: Vec<Event>,
    /// What the program printed.
    pub printed: String,
}

impl Recorded {
    /// Records a command, and exports its log.
    pub fn new(name: &str, level: &str, options: &[&str], java: &[String]) -> Recorded {
        let key = name.replace(['/', '.', ' '], "-");
        let folder = scratch().join(format!("queries-{key}-{level}"));
        let mut command = qp();
        command.args(["trace", "record", "--show-output", "--level", level, "--out"]).arg(&folder);
        let output = finish(command.args(options).arg("--").args(java));
        let printed = said(&output);
        assert!(matches!(output.status.code(), Some(0)), "{name}: {printed}");
        let file = folder.with_extension("pl");
        let output = finish(qp().args(["trace", "export"]).arg(&folder).arg("--to").arg(&file));
        assert_eq!(output.status.code(), Some(0), "{name}: {}", said(&output));
        Recorded { name: name.to_owned(), events: read(&file), folder, file, printed }
    }

    /// Runs `qp query WORDS FOLDER`.
    pub fn query(&self, words: &[&str]) -> Output {
        finish(qp().arg("query").args(words).arg("--format=json").arg(&self.folder))
    }

    /// The answer to a query, with all rows.
    #[track_caller]
    pub fn answer(&self, words: &[&str]) -> Value {
        let words = [words, &["--limit=1000000"]].concat();
        let output = self.query(&words);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{} {words:?}: {}", self.name, said(&output));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
    }

    /// The ids of the events in an answer.
    #[track_caller]
    pub fn ids(&self, words: &[&str]) -> Vec<u64> {
        ids(&self.answer(words))
    }

    /// The solutions of a goal: each as `Name=Value` in the order of the names.
    #[track_caller]
    pub fn ask(&self, goal: &str, options: &[&str]) -> Vec<String> {
        let words = [&["ask", goal], options].concat();
        let answer = self.answer(&words);
        assert!(answer["error"].is_null(), "{goal}: {answer:#}");
        let bindings = |solution: &Value| {
            let all = solution["bindings"].as_array().expect("bindings").iter();
            let all = all.map(|one| format!("{}={}", one[0].as_str().unwrap(), one[1].as_str().unwrap()));
            all.collect::<Vec<_>>().join(" ")
        };
        let items = answer["items"].as_array().expect("items").iter();
        items.filter_map(|item| item.get("solution")).map(bindings).collect()
    }

    /// What a goal wrote.
    #[track_caller]
    pub fn written(&self, goal: &str, options: &[&str]) -> String {
        let answer = self.answer(&[&["ask", goal], options].concat());
        let items = answer["items"].as_array().expect("items").iter();
        items.filter_map(|item| item.get("output")).filter_map(Value::as_str).collect()
    }

    pub fn event(&self, id: u64) -> &Event {
        &self.events[usize::try_from(id).expect("small")]
    }
}

/// The ids of the events in an answer.
pub fn ids(answer: &Value) -> Vec<u64> {
    answer["rows"].as_array().expect("rows").iter().filter_map(|row| row["id"].as_u64()).collect()
}

/// The `java` command of a fixture's or example's class.
pub fn java(classes: &Path, class: &str) -> Vec<String> {
    let classes = classes.display().to_string();
    ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-ea", "-cp", &classes, class]
        .map(str::to_owned)
        .into()
}

/// A fixture's class, recorded at a level.
pub fn fixture(name: &str, class: &str, level: &str) -> Arc<Recorded> {
    shared(format!("{name}-{class}-{level}"), || {
        let classes = compiled(&format!("fixtures/{name}"), &["-g"]);
        Recorded::new(&format!("{name}/{class}"), level, &[], &java(&classes, class))
    })
}

/// A class of an example, recorded at level `all`.
pub fn example(name: &str, class: &str) -> Arc<Recorded> {
    shared(format!("example-{name}-{class}"), || {
        let folder = format!("../examples/{name}");
        assert!(root().join("examples").join(name).is_dir());
        let classes = compiled(&folder, &["-g"]);
        Recorded::new(&format!("example-{name}/{class}"), "all", &[], &java(&classes, class))
    })
}

/// The program with the traps.
pub fn queried() -> Arc<Recorded> {
    fixture("queried", "Queried", "all")
}

/// A random program, recorded at level `all`.
pub fn random(seed: u64) -> Arc<Recorded> {
    let (programs, folders) = random_programs();
    let program = &programs[usize::try_from(seed - 1).expect("small")];
    shared(format!("random-{seed}"), || {
        Recorded::new(&format!("random-{seed}"), "all", &[], &folders.java(program))
    })
}

/// Number of random programs.
pub const RANDOM: u64 = 5;

/// The random programs, compiled.
pub fn random_programs() -> &'static (Vec<Program>, Folders) {
    static ALL: OnceLock<(Vec<Program>, Folders)> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut programs: Vec<Program> = (1..=RANDOM).map(generate).collect();
        let (folders, compiled) = compile(&scratch().join("queries-random"), &mut programs);
        assert!(compiled.iter().all(|compiled| *compiled));
        (programs, folders)
    })
}

fn shared(key: String, make: impl FnOnce() -> Recorded) -> Arc<Recorded> {
    static ALL: Mutex<BTreeMap<String, Arc<OnceLock<Arc<Recorded>>>>> = Mutex::new(BTreeMap::new());
    let one = ALL.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
    one.get_or_init(|| Arc::new(make())).clone()
}
