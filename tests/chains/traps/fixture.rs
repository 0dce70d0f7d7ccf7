//! One fixture of `tests/fixtures`: compiled once, asked with chains that a test writes, on every available
//! Java.
//!
//! In the text of the points, `{B}` is the number of the line marked `// <- B`.

use crate::support::{
    all_javas, chain_file, compiled, finish, in_turn, javas_in_turn, qp, root, said, scratch,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The ways in which probes report: at once, or only the last hits.
const PROBES: [&[&str]; 2] = [&["--backend", "probe"], &["--backend", "probe", "--eager", "0"]];

/// A program with a trap.
pub struct Fixture {
    name: String,
    classes: PathBuf,
    cwd: Option<PathBuf>,
    vm: Vec<String>,
    main: String,
    args: Vec<String>,
    more_sources: Vec<PathBuf>,
    debuggee: String,
    /// Whether a recording is asked too.
    is_recorded: bool,
}

impl Fixture {
    /// The fixture of a folder, with all debug information.
    pub fn new(name: &str, main: &str) -> Fixture {
        Fixture::compiled_with(name, main, &["-g", "-nowarn"])
    }

    /// As [`Fixture::new`], with other options of `javac`.
    pub fn compiled_with(name: &str, main: &str, options: &[&str]) -> Fixture {
        Fixture::of(name, main, compiled(&format!("fixtures/{name}"), options))
    }

    /// A fixture that its own `build.sh` builds in a copy of its folder, where it also runs.
    pub fn built(name: &str, main: &str) -> Fixture {
        static COPIES: AtomicUsize = AtomicUsize::new(0);
        let copy = scratch().join(format!("{name}-{}", COPIES.fetch_add(1, Ordering::Relaxed)));
        copy_sources(&root().join("tests/fixtures").join(name), &copy);
        let built = Command::new("sh").arg("build.sh").current_dir(&copy).output().expect("sh");
        assert!(built.status.success(), "{name}: {}", said(&built));
        let mut fixture = Fixture::of(name, main, PathBuf::from("classes"));
        fixture.cwd = Some(copy);
        fixture
    }

    fn of(name: &str, main: &str, classes: PathBuf) -> Fixture {
        Fixture {
            name: name.to_owned(),
            classes,
            cwd: None,
            vm: Vec::new(),
            main: main.to_owned(),
            args: Vec::new(),
            more_sources: Vec::new(),
            debuggee: String::new(),
            is_recorded: false,
        }
    }

    /// With arguments of the program.
    pub fn args(mut self, args: &[&str]) -> Fixture {
        self.args = args.iter().map(ToString::to_string).collect();
        self
    }

    /// With an option of the VM.
    pub fn vm(mut self, option: &str) -> Fixture {
        self.vm.push(option.to_owned());
        self
    }

    /// Asks a recording too, besides runs.
    pub fn and_recorded(mut self) -> Fixture {
        self.is_recorded = true;
        self
    }

    /// With a folder of the fixture as another root of sources.
    pub fn source_root(mut self, folder: &str) -> Fixture {
        self.more_sources.push(self.sources().join(folder));
        self
    }

    /// With further fields of the chain's `debuggee`, each ending with a comma.
    pub fn debuggee(mut self, fields: &str) -> Fixture {
        self.debuggee.push_str(fields);
        self
    }

    /// The folder of the sources.
    pub fn sources(&self) -> PathBuf {
        self.cwd.clone().unwrap_or_else(|| root().join("tests/fixtures").join(&self.name))
    }

    /// The line marked `// <- MARK` in the only file that has it.
    pub fn line(&self, mark: &str) -> u32 {
        let mark = format!("// <- {mark}");
        let mut found = Vec::new();
        for file in java_files(&self.sources()) {
            let text = std::fs::read_to_string(&file).expect("a source file");
            found.extend(
                (1..).zip(text.lines()).filter(|(_, l)| l.trim_end().ends_with(&mark)).map(|(n, _)| n),
            );
        }
        assert_eq!(found.len(), 1, "`{mark}` is not one line of {}", self.name);
        found.remove(0)
    }

    /// The arguments after `java`.
    pub fn command(&self) -> Vec<String> {
        let classes = self.classes.display().to_string();
        let start = ["-cp".to_owned(), classes, self.main.clone()];
        self.vm.iter().cloned().chain(start).chain(self.args.iter().cloned()).collect()
    }

    fn chain(&self, java: &str, points: &str) -> PathBuf {
        static CHAINS: AtomicUsize = AtomicUsize::new(0);
        let mut points = points.to_owned();
        let mut from = 0;
        while let Some(open) = points[from..].find('{').map(|at| from + at) {
            let close = open + points[open..].find('}').expect("a closing brace");
            from = open + 1;
            let mark = &points[open + 1..close];
            // After a name, braces contain the key of a map.
            if !points[..open].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']')) {
                let line = self.line(mark).to_string();
                points.replace_range(open..=close, &line);
            }
        }
        let command: Vec<String> = std::iter::once(java.to_owned()).chain(self.command()).collect();
        let limit = if self.debuggee.contains("timeout_s") { "" } else { "timeout_s: 100, " };
        let cwd = self.cwd.as_ref().map_or_else(String::new, |cwd| format!("cwd: {cwd:?}, "));
        let sources: Vec<PathBuf> =
            std::iter::once(self.sources()).chain(self.more_sources.iter().cloned()).collect();
        let debuggee = format!("command: {command:?}, sources: {sources:?}, {limit}{cwd}{}", self.debuggee);
        let text = format!("(format: 1, debuggee: ({debuggee}), points: [{points}])");
        let number = CHAINS.fetch_add(1, Ordering::Relaxed);
        chain_file(&format!("{}-{number}.ron", self.name), &text)
    }

    /// Replays a chain of these points on one Java, or on all of them with `QP_JAVAS`.
    pub fn ask(&self, points: &str) -> Vec<Asked> {
        self.ask_with(points, &[])
    }

    /// As [`Fixture::ask`], by JDWP events alone.
    pub fn ask_jdwp(&self, points: &str) -> Vec<Asked> {
        self.ask_with(points, &["--backend", "jdwp"])
    }

    /// As [`Fixture::ask`], with options of `qp replay`.
    pub fn ask_with(&self, points: &str, options: &[&str]) -> Vec<Asked> {
        // Different questions differ in length.
        self.ask_on(javas_in_turn(points.len()), points, options)
    }

    /// By probes that report at once, or by probes that keep their hits, in turn; by both with `QP_JAVAS`.
    pub fn ask_probes(&self, points: &str) -> Vec<Asked> {
        let asked = |way| self.ask_with(points, way);
        in_turn(&PROBES).into_iter().flat_map(asked).collect()
    }

    /// As [`Fixture::ask_probes`], and by JDWP events.
    pub fn ask_all(&self, points: &str) -> Vec<Asked> {
        self.ask_jdwp(points).into_iter().chain(self.ask_probes(points)).collect()
    }

    /// As [`Fixture::ask`], on the newest Java alone, if there is another than the one on the path.
    pub fn ask_on_new(&self, points: &str) -> Vec<Asked> {
        self.ask_on(all_javas().split_off(1), points, &[])
    }

    /// On the first Java by JDWP events, and on each by the default back end, unless the options select one.
    fn ask_on(&self, javas: Vec<String>, points: &str, options: &[&str]) -> Vec<Asked> {
        let chosen = options.contains(&"--backend");
        let first =
            javas.first().filter(|_| !chosen).cloned().map(|java| (java, ["--backend", "jdwp"].as_slice()));
        let each = javas.into_iter().map(|java| (java, [].as_slice()));
        let recording = self.is_recorded.then(|| self.recording().display().to_string());
        let recorded: Option<Vec<&str>> = recording.as_deref().map(|folder| vec!["--in", folder]);
        let recorded = recorded.as_deref().map(|options| ("java".to_owned(), options));
        let replayed = first.into_iter().chain(each).chain(recorded).map(|(java, backend)| {
            let (code, stdout, stderr) = self.replay(&java, points, &[options, backend].concat());
            let java = format!("{java} {}", backend.join(" "));
            let answer = serde_json::from_str(&stdout)
                .unwrap_or_else(|e| panic!("{} on {java}: no JSON ({e}): {stdout}\n{stderr}", self.name));
            let sources = self.sources();
            Asked { java, code, answer, sources }
        });
        replayed.collect()
    }

    /// A recording of the fixture on the Java of the path. Each program is recorded once.
    fn recording(&self) -> PathBuf {
        static MADE: Mutex<Vec<(Vec<String>, PathBuf)>> = Mutex::new(Vec::new());
        let mut made = MADE.lock().expect("no panic holds it");
        let command = self.command();
        if let Some((_, folder)) = made.iter().find(|(known, _)| *known == command) {
            return folder.clone();
        }
        let folder = scratch().join(format!("recorded-{}-{}", self.name, made.len()));
        let mut record = qp();
        record.args(["trace", "record", "--level", "all", "--out"]).arg(&folder).args(["--", "java"]);
        let output = finish(record.args(&command));
        assert_eq!(output.status.code(), Some(0), "{}: {}", self.name, said(&output));
        made.push((command, folder.clone()));
        folder
    }

    /// Peak resident memory of `qp` itself in KiB for these points, on the Java of the path.
    pub fn peak_kib(&self, points: &str) -> u64 {
        let mut command = qp();
        command.arg("replay").arg(self.chain("java", points)).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("qp starts");
        let (status, mut peak) = (format!("/proc/{}/status", child.id()), 0);
        let ended = loop {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let now = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse().ok());
            peak = peak.max(now.unwrap_or(0));
            if let Some(ended) = child.try_wait().expect("waited") {
                break ended;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(ended.success(), "{ended}");
        peak
    }

    /// The error for a chain that `qp` refuses with exit code 2.
    pub fn refused(&self, points: &str) -> String {
        let (code, stdout, stderr) = self.replay("java", points, &[]);
        assert_eq!(code, 2, "{stdout}\n{stderr}");
        assert_eq!(stdout, "");
        stderr
    }

    /// The error where `qp` cannot answer without probes, with exit code 4.
    pub fn refused_by_jdwp(&self, points: &str) -> String {
        let (code, stdout, stderr) = self.replay("java", points, &["--backend", "jdwp"]);
        assert_eq!(code, 4, "{stdout}\n{stderr}");
        stderr
    }

    fn replay(&self, java: &str, points: &str, options: &[&str]) -> (i32, String, String) {
        let chain = self.chain(java, points);
        let output = finish(qp().arg("replay").arg(chain).args(["--format", "json"]).args(options));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
    }
}

/// An answer.
pub struct Asked {
    pub java: String,
    pub code: i32,
    pub answer: Value,
    sources: PathBuf,
}

impl Asked {
    /// Asserts that every point is located: exit code 0.
    pub fn held(&self) -> &Asked {
        assert_eq!(self.code, 0, "{}: {:#}", self.java, self.answer);
        assert_eq!(self.answer["outcome"], "held");
        self
    }

    /// A point by its id.
    pub fn point(&self, id: &str) -> &Value {
        crate::support::point(&self.answer, id)
    }

    /// Asserts that the point is located at the line marked `// <- MARK`.
    pub fn at(&self, id: &str, mark: &str) -> &Asked {
        let found = self.point(id);
        assert_eq!(found["located"], true, "{}: {id}: {found:#}", self.java);
        self.place(found, mark);
        let text = found["text"].as_str().unwrap_or_default();
        assert!(text.ends_with(&format!("// <- {mark}")), "{}: {id} is at `{text}`, not {mark}", self.java);
        self
    }

    /// Asserts that the place, a point or a frame, is the line marked `// <- MARK`.
    pub fn place(&self, place: &Value, mark: &str) -> &Asked {
        let name = place["file"].as_str().unwrap_or_else(|| panic!("{}: no file in {place:#}", self.java));
        let line = place["line"].as_u64().and_then(|l| usize::try_from(l).ok()).expect("a line");
        let files = java_files(&self.sources);
        let marked = files.iter().filter(|f| f.ends_with(name)).any(|file| {
            let text = std::fs::read_to_string(file).expect("a source file");
            text.lines().nth(line - 1).is_some_and(|l| l.trim_end().ends_with(&format!("// <- {mark}")))
        });
        assert!(marked, "{}: {name}:{line} is not marked {mark}", self.java);
        self
    }

    /// Asserts the point's fields; `collected.x` is the collected value of `x`.
    pub fn has(&self, id: &str, fields: &[(&str, &str)]) -> &Asked {
        let found = self.point(id);
        for (name, expected) in fields {
            let value = match name.split_once('.') {
                Some((table, key)) => &found[table][key],
                None => &found[*name],
            };
            assert_eq!(value, expected, "{}: {name} of {id}: {found:#}", self.java);
        }
        self
    }

    /// Asserts that one of the point's notes contains the text.
    pub fn noted(&self, id: &str, text: &str) -> &Asked {
        let notes = self.point(id)["notes"].as_array().cloned().unwrap_or_default();
        let found = notes.iter().any(|n| n.as_str().is_some_and(|n| n.contains(text)));
        assert!(found, "{}: no note of {id} says `{text}`: {notes:#?}", self.java);
        self
    }

    /// Asserts that the point has no notes.
    pub fn certain(&self, id: &str) -> &Asked {
        let notes = &self.point(id)["notes"];
        assert!(notes.is_null(), "{}: {id}: {notes:#}", self.java);
        self
    }

    /// Asserts that the point is not located, for a reason that contains the text.
    pub fn missing(&self, id: &str, text: &str) -> &Asked {
        let found = self.point(id);
        assert_eq!(found["located"], false, "{}: {found:#}", self.java);
        let reason = found["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(text), "{}: {id}: `{reason}` does not say `{text}`", self.java);
        self
    }

    /// Asserts that one of the warnings contains the text.
    pub fn warned(&self, text: &str) -> &Asked {
        let warnings = self.answer["warnings"].as_array().cloned().unwrap_or_default();
        let found = warnings.iter().any(|w| w.as_str().is_some_and(|w| w.contains(text)));
        assert!(found, "{}: no warning says `{text}`: {warnings:#?}", self.java);
        self
    }

    /// Asserts the number of runs; a recording needs none.
    pub fn runs(&self, runs: u64) -> &Asked {
        let runs = if self.answer["recording"].is_null() { runs } else { 0 };
        assert_eq!(self.answer["runs"], runs, "{}: {:#}", self.java, self.answer);
        self
    }
}

fn java_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(java_files(&path));
        } else if path.extension().is_some_and(|e| e == "java") {
            files.push(path);
        }
    }
    files
}

/// Copies a folder without its build products.
fn copy_sources(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            if name != "classes" {
                copy_sources(&path, &to.join(name));
            }
        } else {
            std::fs::copy(&path, to.join(name)).expect("copied");
        }
    }
}
