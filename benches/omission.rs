//! `cargo bench --bench omission`: what `qp omitted` costs. Prints tables of medians; judges nothing.
//!
//! The first table is the static stage alone: the points-to analysis of real jars with a call graph that
//! grows on the fly, the JDK by summaries. Each row runs in a process of its own, which has read no class
//! before: times and `MB` contain the class files. `kept ms` takes the result that an earlier process kept.
//! `MB` is the peak without what is mapped from files. The analysis does not distinguish the callers of
//! methods, but it distinguishes the containers by their allocations.
//!
//! The second table is the same analysis where all containers of a class have the same contents: how precise
//! it would be without contexts.
//!
//! The third table is the whole question beside plain runs of the program: of a small program, and of one
//! that uses a library, of which only its own code is recorded and analysed.
//!
//! The last table asks about a recording of two million calls with ten thousand `list.add` that were not
//! executed. `QP_BENCH_SHARE=10` takes a tenth of both.
//!
//! The paper's figures, on other machines and programs: its static analysis of SCXML took 139.4 s and 1,531
//! MB, and recorded runs took 19 to 62.5 times as long as plain ones.

#[allow(dead_code, reason = "each bench uses a part of it")]
#[path = "programs/common.rs"]
mod common;

use bytecode::ClassFile;
use classes::{ClassPaths, ClassPool};
use common::{Outcome, median, root, share};
use omission::AnalysisFolder;
use omission::analysis::analyse;
use pointsto::{Entry, Limits, PointsTo, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
/// Names the row that a process of its own measures.
const ROW: &str = "QP_BENCH_OMISSION_ROW";
/// Set where that process does not tell containers apart.
const BY_CLASS: &str = "QP_BENCH_OMISSION_BY_CLASS";
/// The folder where that process keeps the analysis, if it does.
const KEPT: &str = "QP_BENCH_OMISSION_KEPT";
/// Name, jars, and the methods that are called from outside: all public ones if there are none.
const JARS: [(&str, &[&str], &[&str]); 3] = [
    ("jsoup, parse", &["jsoup.jar"], &["org.jsoup.Jsoup.parse"]),
    ("jsoup, public", &["jsoup.jar"], &[]),
    (
        "ant",
        &["ant.jar", "ant-launcher.jar"],
        &["org.apache.tools.ant.Main.main", "org.apache.tools.ant.launch.Launcher.main"],
    ),
];
/// The use sites in each method of the large program.
const SITES: u32 = 10;

fn main() -> Outcome<()> {
    if let Some(row) = std::env::var(ROW).ok().and_then(|row| row.parse::<usize>().ok()) {
        return analysed(row);
    }
    println!("static stage, medians of {ROUNDS} rounds");
    println!("{:<15} {:>7} {:>6} {:>7} {:>6}  last cold round", "", "cold ms", "MB", "kept ms", "MB");
    for (row, (name, ..)) in JARS.iter().enumerate() {
        measure_analysis(name, row)?;
    }
    let folder = tempfile::tempdir()?;
    let small = compiled(&root().join("examples/omissions/Blank.java"), None, &folder.path().join("small"))?;
    println!("\nwithout telling containers apart, one round\n{:<15} {:>7}", "", "cold ms");
    for (row, (name, ..)) in JARS.iter().enumerate() {
        let mut own = Command::new(std::env::current_exe()?);
        let output = own.env(ROW, row.to_string()).env(BY_CLASS, "1").output()?.stdout;
        let text = String::from_utf8(output)?;
        let (took, rest) = text.split_once(' ').ok_or("no time")?;
        println!("{name:<15} {:>7.0}  {}", took.parse::<f64>()?, rest.trim());
    }
    println!("\nwhole question, medians of {ROUNDS} rounds\n{:<15} {:>8} {:>8}", "", "plain ms", "qp ms");
    question("small", "settings", "Blank:19", &small)?;
    let jsoup = Path::new("/usr/share/java/jsoup.jar");
    let pages =
        compiled(&root().join("benches/omission/Pages.java"), Some(jsoup), &folder.path().join("pages"))?;
    question("uses jsoup", "links", "Pages:25", &pages)?;
    large(folder.path())
}

/// The classes of jars. Those of the JDK are known, and not analysed.
struct Jars {
    pool: ClassPool,
    /// By class: the classes of the jars below it.
    below: BTreeMap<String, Vec<String>>,
    own: BTreeSet<String>,
}

impl Jars {
    fn open(jars: &[&str]) -> Outcome<Jars> {
        let class_path = jars.iter().map(|jar| Path::new("/usr/share/java").join(jar)).collect();
        let home = std::fs::canonicalize("/usr/bin/java")?;
        let java_home = home.parent().and_then(Path::parent).map(Path::to_owned);
        let cwd = root().to_owned();
        let pool = ClassPool::open(&ClassPaths { cwd, class_path, java_home, ..ClassPaths::default() })?;
        let own: BTreeSet<String> = pool.user_classes().map(str::to_owned).collect();
        let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for class in &own {
            if let Ok(Some(found)) = pool.find(class) {
                for above in program::lineage(&pool, &found.file).iter().skip(1) {
                    below.entry(above.name.clone()).or_default().push(class.clone());
                }
            }
        }
        Ok(Jars { pool, below, own })
    }

    /// The methods with these names, or all public ones of public classes.
    fn entries(&self, named: &[&str]) -> Vec<Entry> {
        let mut entries = Vec::new();
        for file in self.own.iter().filter_map(|class| self.class(class)) {
            for method in &file.methods {
                let is_public = named.is_empty() && file.access & method.access & 1 != 0;
                if is_public || named.contains(&format!("{}.{}", file.name, method.name).as_str()) {
                    let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
                    entries.push(Entry { class: file.name.clone(), name, descriptor });
                }
            }
        }
        entries
    }
}

impl Program for Jars {
    fn class(&self, name: &str) -> Option<Arc<ClassFile>> {
        self.pool.find(name).ok().flatten().map(|found| found.file.clone())
    }

    fn is_analysed(&self, class: &str) -> bool {
        self.own.contains(class)
    }

    fn subtypes(&self, class: &str) -> Vec<String> {
        self.below.get(class).cloned().unwrap_or_default()
    }
}

/// Analyses the jars of a row, and prints the time in ms, the peak in MB, and the statistics.
fn analysed(row: usize) -> Outcome<()> {
    let (_, jars, named) = JARS.get(row).ok_or("no such row")?;
    let began = Instant::now();
    let program = Jars::open(jars)?;
    let entries = program.entries(named);
    let limits = Limits { tells_containers_apart: std::env::var_os(BY_CLASS).is_none(), ..Limits::default() };
    let found = match std::env::var_os(KEPT) {
        None => PointsTo::solve(&program, &entries, limits),
        Some(folder) => {
            let store = AnalysisFolder::at(folder.into());
            analyse(&program.pool, &|class| program.own.contains(class), &entries, limits, &store)
        }
    };
    let took = began.elapsed().as_secs_f64() * 1e3;
    let ended = if found.is_complete() { "" } else { "INCOMPLETE, " };
    println!("{took} {ended}{}", found.statistics());
    Ok(())
}

fn measure_analysis(name: &str, row: usize) -> Outcome<()> {
    let (cold, peak, last) = rounds(row, None)?;
    let folder = tempfile::tempdir()?;
    let mut first = Command::new(std::env::current_exe()?);
    first.env(ROW, row.to_string()).env(KEPT, folder.path()).output()?;
    let (kept, kept_peak, _) = rounds(row, Some(folder.path()))?;
    println!("{name:<15} {cold:>7.0} {peak:>6.0} {kept:>7.0} {kept_peak:>6.0}  {last}");
    Ok(())
}

/// The medians of time and memory, and what the last round printed.
fn rounds(row: usize, kept: Option<&Path>) -> Outcome<(f64, f64, String)> {
    let (mut times, mut peaks, mut last) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..ROUNDS {
        let mut own = Command::new(std::env::current_exe()?);
        let own = own.env(ROW, row.to_string()).envs(kept.map(|folder| (KEPT, folder)));
        let mut own = own.stdout(Stdio::piped()).spawn()?;
        peaks.push(peak_mb(&mut own)?);
        let text = String::from_utf8(own.wait_with_output()?.stdout)?;
        let (took, rest) = text.split_once(' ').ok_or("no time")?;
        times.push(took.parse()?);
        last = rest.trim().to_owned();
    }
    Ok((median(times), median(peaks), last))
}

/// The most memory of a process until it ends, in MB, without what is mapped from files. The system knows no
/// peak of it, so it is looked at every few milliseconds.
fn peak_mb(child: &mut Child) -> Outcome<f64> {
    let mut peak: f64 = 0.0;
    while child.try_wait()?.is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(now.unwrap_or(0.0) / 1e3);
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(peak)
}

/// Compiles a program. Returns the command that runs it.
fn compiled(source: &Path, jar: Option<&Path>, to: &Path) -> Outcome<Vec<String>> {
    let jar = jar.map(|jar| format!(":{}", jar.display())).unwrap_or_default();
    let class_path = format!("{}{jar}", to.display());
    let mut javac = Command::new("javac");
    javac.args(["-g", "-cp", &class_path, "-d"]).arg(to).arg(source);
    if !javac.status()?.success() {
        return Err(format!("javac fails for {}", source.display()).into());
    }
    let main = source.file_stem().ok_or("a name")?.to_string_lossy().into_owned();
    Ok(vec!["java".to_owned(), "-cp".to_owned(), class_path, main])
}

fn qp() -> Command {
    let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
    qp.env("QUERYPOINT_TRUST", "/").stderr(Stdio::null());
    qp
}

fn question(name: &str, what: &str, at: &str, java: &[String]) -> Outcome<()> {
    let (mut plain, mut asked, mut found) = (Vec::new(), Vec::new(), 0);
    let (program, arguments) = java.split_first().ok_or("a command")?;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        Command::new(program).args(arguments).output()?;
        plain.push(began.elapsed().as_secs_f64() * 1e3);
        let began = Instant::now();
        let output = qp().args(["omitted", what, "--at", at, "--format=json", "--"]).args(java).output()?;
        asked.push(began.elapsed().as_secs_f64() * 1e3);
        found = suggestions(&output.stdout);
    }
    println!("{name:<15} {:>8.0} {:>8.0}  {found} suggestions", median(plain), median(asked));
    Ok(())
}

fn suggestions(json: &[u8]) -> usize {
    String::from_utf8_lossy(json).matches("\"certainty\":").count()
}

/// Asks about a recording with many calls and many use sites.
fn large(folder: &Path) -> Outcome<()> {
    let methods = 1_000 / share();
    let mut text = String::from("import java.util.*;\npublic class Many {\n");
    for method in 0..methods {
        let adds: String = (0..SITES).map(|_| "list.add(n); ").collect();
        writeln!(text, "static void m{method}(List<Integer> list, int n) {{ if (n < 0) {{ {adds}}} }}")?;
    }
    let calls: String = (0..methods).map(|method| format!("m{method}(list, n); ")).collect();
    writeln!(text, "static void all(List<Integer> list, int n) {{ {calls}}}")?;
    text.push_str("public static void main(String[] args) {\nList<Integer> list = new ArrayList<>();\n");
    text.push_str("for (int n = 0; n < 2000; n++) all(list, n);\n");
    let line = text.lines().count() + 1;
    text.push_str("System.out.println(list);\n}\n}\n");
    let source: PathBuf = folder.join("Many.java");
    std::fs::write(&source, text)?;
    let java = compiled(&source, None, &folder.join("many"))?;
    let trace = folder.join("many.trace");
    let mut record = qp();
    record.args(["trace", "record", "--level", "all", "--out"]).arg(&trace).arg("--").args(&java);
    let began = Instant::now();
    record.stdout(Stdio::null()).status()?;
    println!("\n{} calls, {} use sites", methods * 2_000, methods * SITES);
    println!("{:<15} {:>8.0} ms", "recording", began.elapsed().as_secs_f64() * 1e3);
    let answer = folder.join("answer.json");
    let mut ask = qp();
    ask.args(["omitted", "list", "--at", &format!("Many:{line}"), "--format=json"]).arg(&trace);
    let began = Instant::now();
    let mut asked = ask.stdout(std::fs::File::create(&answer)?).spawn()?;
    let peak = peak_mb(&mut asked)?;
    let took = began.elapsed().as_secs_f64() * 1e3;
    let found = suggestions(&std::fs::read(&answer)?);
    println!("{:<15} {took:>8.0} ms {peak:>6.0} MB  {found} suggestions", "question");
    Ok(())
}
