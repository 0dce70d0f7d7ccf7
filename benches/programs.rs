//! `cargo bench --bench programs`: asks real programs for the last change of a field that they write all the
//! time. Prints a table; judges nothing.
//!
//! jsoup, HtmlCleaner and kxml2 parse one large document each, and `javac` compiles a large class. `plain` is
//! the program's own measurement of its work, `probed` the same in the run that finds the answer, and `again`
//! in the run that stops there. `whole` is the time of the whole command, including VM starts, next to the
//! program's. The documents take the parsers a second or two, since the first hits stop and cost some 100 ms
//! at any size (`QP_BENCH_SHARE=5` takes a fifth of each). JDWP gets a small document, since a field watch
//! slows down the whole VM. Its ratio also refers to the program's own time.

#[path = "programs/common.rs"]
mod common;

use common::{Outcome, compiled, median, root, share, took};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

const ROUNDS: usize = 3;

/// A program with its question.
struct Row {
    name: &'static str,
    jars: &'static [&'static str],
    size: u32,
    small: u32,
    root: &'static str,
    change: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        name: "jsoup",
        jars: &["jsoup"],
        size: 100_000,
        small: 100,
        root: r#"Entry("org.jsoup.parser.CharacterReader.close")"#,
        change: "A:bufPos",
    },
    Row {
        name: "htmlcleaner",
        jars: &["htmlcleaner", "jdom2"],
        size: 30_000,
        small: 100,
        root: r#"Entry("org.htmlcleaner.HtmlTokenizer.getNamespacePrefixes")"#,
        change: "A:_pos",
    },
    Row {
        name: "kxml2",
        jars: &["kxml2"],
        size: 1_000_000,
        small: 300,
        root: r#"Line("Programs", PARSED)"#,
        change: "A:parser.column",
    },
    Row {
        name: "javac",
        jars: &[],
        size: 3_000,
        small: 20,
        root: r#"Exit("com.sun.tools.javac.parser.JavacParser.parseCompilationUnit")"#,
        change: "A:mode",
    },
];

fn main() -> Outcome<()> {
    let share = share();
    let scratch = tempfile::tempdir()?;
    let scratch = scratch.path();
    let all: Vec<&str> = ROWS.iter().flat_map(|row| row.jars).copied().collect();
    let class_path = compiled(&all, &["Programs.java", "Classics.java"], scratch)?;
    let source = root().join("benches/programs/Programs.java");
    let text = std::fs::read_to_string(&source)?;
    let marked = |mark: &str| text.lines().position(|line| line.ends_with(mark)).ok_or("a mark");
    let (parsed, ended) = (marked("// <- parsed")? + 1, marked("// <- ended")? + 1);
    println!("medians of {ROUNDS} rounds in ms, and ratios to the plain run");
    println!(
        "{:<12} {:>8} {:>8} {:>6} {:>8} {:>6} {:>8} {:>6} {:>8}",
        "", "plain", "probed", "ratio", "again", "ratio", "whole", "ratio", "JDWP"
    );
    for row in ROWS {
        let bench = Bench { row, scratch, class_path: &class_path, parsed, ended };
        let (mut plain, mut alone) = (Vec::new(), Vec::new());
        let (mut probed, mut again, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let started = Instant::now();
            plain.extend(took(&bench.plain(row.size / share)?));
            alone.push(millis(started));
            let (runs, time) = bench.asked(row.size / share, "probe")?;
            probed.extend(runs.first());
            again.extend(runs.last());
            whole.push(time);
        }
        let few = median(took(&bench.plain(row.small)?));
        let jdwp = median(bench.asked(row.small, "jdwp")?.0) / few;
        let [plain, alone, probed, again, whole] = [plain, alone, probed, again, whole].map(median);
        println!(
            "{:<12} {plain:>8.0} {probed:>8.0} {:>6.2} {again:>8.0} {:>6.2} {whole:>8.0} {:>6.2} {jdwp:>7.0}x",
            row.name,
            probed / plain,
            again / plain,
            whole / alone
        );
    }
    Ok(())
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

struct Bench<'a> {
    row: &'a Row,
    scratch: &'a Path,
    class_path: &'a str,
    parsed: usize,
    ended: usize,
}

impl Bench<'_> {
    fn command(&self, size: u32) -> Vec<String> {
        let folder = self.scratch.display().to_string();
        let class_path = format!("{folder}:{}", self.class_path);
        let size = size.to_string();
        let words = ["java", "-Xmx2g", "-cp", &class_path, "Programs", self.row.name, &size, &folder];
        words.map(str::to_owned).to_vec()
    }

    fn plain(&self, size: u32) -> Outcome<Output> {
        let command = self.command(size);
        let (java, arguments) = command.split_first().ok_or("a command")?;
        let output = Command::new(java).args(arguments).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(output)
    }

    /// The program's own time in each run, and the total time. Each run continues to its end.
    fn asked(&self, size: u32, backend: &str) -> Outcome<(Vec<f64>, f64)> {
        let at = self.row.root.replace("PARSED", &self.parsed.to_string());
        let chain = format!(
            r#"(format: 1, debuggee: (command: {:?}, timeout_s: 600), points: [
                (id: "A", at: {at}), (id: "B", at: LastChange({:?}), expect: (located: true)),
                (id: "End", at: Line("Programs", {})),
            ])"#,
            self.command(size),
            self.row.change,
            self.ended
        );
        let file = self.scratch.join("programs.ron");
        std::fs::write(&file, chain)?;
        let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
        qp.env("QUERYPOINT_TRUST", "/");
        qp.args(["replay", "--backend", backend, "--show-output"]).arg(&file);
        let started = Instant::now();
        let output = qp.output()?;
        let time = millis(started);
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            return Err(String::from_utf8_lossy(&said).into_owned().into());
        }
        Ok((took(&output), time))
    }
}
