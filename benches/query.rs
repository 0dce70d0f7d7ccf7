//! `cargo bench --bench query`: how long queries over recordings take, beside SWI-Prolog (`swipl`) on the
//! exported log. Prints a table of medians; judges nothing. SWI-Prolog asks once, for 20 seconds at most.
//!
//! Queries run in one process that has opened the recording, as at the prompt. The first row is what opening
//! costs. SWI-Prolog runs the rules that the paper prints, where it has them, and only on the two small logs.
//! The last rows compare a run that is recorded for a goal with the plain run.
//! `QP_BENCH_SHARE=10` takes a tenth of the calls.

#[allow(dead_code, reason = "each bench uses a part of it")]
#[path = "programs/common.rs"]
mod common;

use common::{Outcome, median, root, share};
use logic::queries::{Asked, QUERIES};
use recorded::logic::{AskRequest, OpenLog};
use recorded::{MEMORY, RecordedTrace};
use session::Context;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;
/// Rounds of the program, and whether SWI-Prolog reads the log. A round has about ten calls at most.
const SIZES: [(u32, bool); 3] = [(4_800, true), (48_000, true), (1_430_000, false)];

/// Words of a predefined query, or a goal. `MID` stands for the middle of the log, `END` for its last event,
/// `NODE` for an object.
const ASKED: [(&str, &str, Option<&str>); 9] = [
    ("a call chain", "query chain MID", Some("call_chain(MID, _)")),
    ("where thrown", "query where-thrown", Some("where_exception_is_thrown(main, _)")),
    ("history of a field", "query history NODE.value --from MID", None),
    (
        "history by a rule",
        "goal instance_field_history(MID, END, 'Log$Node', NUMBER, value, _)",
        Some("instance_field_history(MID, END, 'Log$Node', NUMBER, value, _)"),
    ),
    ("before an event", "query before MID", None),
    (
        "a selective rule",
        "goal findall(I, event(I, _, methodcall(_, _, rare, _)), L), length(L, _)",
        Some("findall(I, event(I, _, methodcall(_, _, rare, _)), L), length(L, _)"),
    ),
    (
        "a rule with two events",
        "goal findall(I-V, (event(I, _, methodcall(_, _, rare, _)), \
         event(_, _, methodexit(I, _, _, _, V)), V < 0), L), length(L, _)",
        Some(
            "findall(I-V, (event(I, _, methodcall(_, _, rare, _)), \
         event(_, _, methodexit(I, _, _, _, V)), V < 0), L), length(L, _)",
        ),
    ),
    (
        "an unselective rule",
        "goal aggregate_all(count, event(_, _, setfield(_, _, value, -5)), _)",
        Some("aggregate_all(count, event(_, _, setfield(_, _, value, -5)), _)"),
    ),
    ("first answer of many", "first event(_, _, methodexit(_, _, _, get, V)), V > 50", None),
];

fn main() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let classes = folder.path().join("classes");
    let source = root().join("benches/query/Log.java");
    run(Command::new("javac").args(["-g", "-d"]).arg(&classes).arg(source))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let has_swipl = Command::new("swipl").arg("--version").output().is_ok();
    if !has_swipl {
        println!("swipl is not installed: its columns stay empty");
    }
    for (rounds, for_swipl) in SIZES {
        let rounds = (rounds / share()).max(10);
        let trace = folder.path().join(format!("{rounds}.trace"));
        let mut record = Command::new(env!("CARGO_BIN_EXE_qp"));
        record.args(["trace", "record", "--level", "writes", "--out"]).arg(&trace);
        record.args(["--", "java", "-cp"]).arg(&classes).arg("Log").arg(rounds.to_string());
        record.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        runtime.block_on(measure(&trace, for_swipl && has_swipl))?;
    }
    planned(&classes)
}

/// Runs a command that must succeed.
fn run(command: &mut Command) -> Outcome<()> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// Prints the table of one recording.
async fn measure(trace: &Path, for_swipl: bool) -> Outcome<()> {
    let context = Context::silent();
    let mut opened = Vec::new();
    let began = Instant::now();
    let mut log = OpenLog::open(RecordedTrace::open(trace, MEMORY, &context).await?, &context).await?;
    let first = began.elapsed().as_secs_f64();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        log = OpenLog::open(RecordedTrace::open(trace, MEMORY, &context).await?, &context).await?;
        opened.push(began.elapsed().as_secs_f64());
    }
    let events = log.count();
    let node = node_of(&log, &context).await?;
    let swipl = if for_swipl { Some(swipl(trace, events, node)?) } else { None };
    println!("\n{events} events");
    println!("{:<24}  {:>10}  {:>10}", "", "qp ms", "swipl ms");
    println!("{:<24}  {:>10.1}", "index, once", first * 1e3);
    let loaded = swipl.as_ref().map(|swipl| format!("{:.0}", swipl.load_ms)).unwrap_or_default();
    println!("{:<24}  {:>10.1}  {loaded:>10}", "open (swipl: load)", median(opened) * 1e3);
    for (at, (name, asked, _)) in ASKED.iter().enumerate() {
        let (kind, text) = asked.split_once(' ').unwrap_or((asked, ""));
        let text = filled(text, events, node);
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            ask(&log, kind, &text, &context).await?;
            times.push(began.elapsed().as_secs_f64());
        }
        let beside = swipl.as_ref().and_then(|swipl| swipl.times.get(at).copied().flatten());
        let beside = beside.map(|time| format!("{time:.1}")).unwrap_or_default();
        println!("{name:<24}  {:>10.2}  {beside:>10}", median(times) * 1e3);
    }
    let memory = memory_of_prompt(trace, events, node)?;
    println!("{:<24}  {memory} kB, without what is mapped from files", "memory of a prompt");
    if let Some(swipl) = swipl {
        println!("{:<24}  {} kB", "memory of swipl", swipl.memory_kb);
    }
    Ok(())
}

/// The most memory of a prompt that is asked all of it, in kB, without what is mapped from files. The system
/// knows no peak of it, so it is looked at every few milliseconds.
fn memory_of_prompt(trace: &Path, events: u64, node: u32) -> Outcome<u64> {
    let asked = trace.with_extension("asked");
    let goal = |(_, asked, _): &(&str, &str, Option<&str>)| match asked.split_once(' ') {
        Some(("query", words)) => format!("{}\n", filled(words, events, node)),
        Some((_, goal)) => format!("{}.\n", filled(goal, events, node)),
        None => String::new(),
    };
    std::fs::write(&asked, ASKED.iter().map(goal).collect::<String>())?;
    let mut prompt = Command::new(env!("CARGO_BIN_EXE_qp"));
    prompt.args(["query", "prompt"]).arg(trace).stdin(std::fs::File::open(&asked)?);
    let mut prompt = prompt.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut peak = 0;
    while prompt.try_wait()?.is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", prompt.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = now.unwrap_or(0).max(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(peak)
}

fn filled(text: &str, events: u64, node: u32) -> String {
    let text = text.replace("MID", &(events / 2).to_string()).replace("END", &(events - 1).to_string());
    text.replace("NODE", &format!("Log.Node@{node}")).replace("NUMBER", &node.to_string())
}

/// The number of an object whose field is written often.
async fn node_of(log: &OpenLog, context: &Context) -> Outcome<u32> {
    let request = request("event(_, _, setfield(_, o(_, N), value, _))", 1);
    let (answer, _) = log.ask(&request, context).await?;
    let text = serde_json::to_value(&answer)?.to_string();
    let digits = text.rsplit("[\"N\",\"").next().unwrap_or_default();
    Ok(digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse()?)
}

fn request(goal: &str, solutions: usize) -> AskRequest {
    AskRequest {
        goal: goal.to_owned(),
        rules: Vec::new(),
        saved_rules: false,
        solutions,
        timeout_s: 600,
        memory: 1 << 30,
        explain: false,
    }
}

async fn ask(log: &OpenLog, kind: &str, text: &str, context: &Context) -> Outcome<()> {
    if kind != "query" {
        let (answer, _) = log.ask(&request(text, if kind == "first" { 1 } else { 100 }), context).await?;
        return match answer.error {
            Some(error) => Err(error.into()),
            None => Ok(()),
        };
    }
    let mut words = text.split(' ').map(str::to_owned);
    let name = words.next().unwrap_or_default();
    let query = QUERIES.iter().find(|query| query.name == name).ok_or("no such query")?;
    let mut asked = Asked { limit: 100, ..Asked::default() };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--from" => asked.from = words.next().and_then(|id| id.parse().ok()),
            _ => asked.words.push(word),
        }
    }
    log.query(query, &asked, context).await?;
    Ok(())
}

/// What SWI-Prolog took.
struct Swipl {
    load_ms: f64,
    memory_kb: u64,
    /// Milliseconds by row of [`ASKED`].
    times: Vec<Option<f64>>,
}

/// Loads the exported log into SWI-Prolog, and runs the goals there.
fn swipl(trace: &Path, events: u64, node: u32) -> Outcome<Swipl> {
    let (log, rules) = (trace.with_extension("pl"), trace.with_extension("bench.pl"));
    run(Command::new(env!("CARGO_BIN_EXE_qp")).args(["trace", "export"]).arg(trace).arg("--to").arg(&log))?;
    let mut text = std::fs::read_to_string(root().join("crates/logic/src/rules/javata.pl"))?;
    // Each goal has variables of its own, and 20 seconds.
    text.push_str(
        "\n:- use_module(library(time)).\n\
         millis(G) :- get_time(A), catch(call_with_time_limit(20, ignore(G)), _, true), get_time(B), \
         M is (B-A)*1000, writeln(M).\n",
    );
    let load = format!("load_files('{}', [silent(true)])", log.display());
    let mut goals = vec![format!("get_time(A), {load}, get_time(B), M is (B-A)*1000, writeln(M)")];
    let of_swipl: Vec<Option<String>> =
        ASKED.iter().map(|(.., goal)| goal.map(|goal| filled(goal, events, node))).collect();
    for goal in of_swipl.iter().flatten() {
        goals.push(format!("\\+ \\+ millis(({goal}))"));
    }
    text.push_str(&format!("main :- {}, halt.\n", goals.join(",\n  ")));
    std::fs::write(&rules, text)?;
    let output = Command::new("/usr/bin/time")
        .args(["-f", "%M", "swipl", "--stack-limit=4g", "-q", "-g", "main"])
        .arg(&rules)
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut lines = said.lines().filter_map(|line| line.trim().parse::<f64>().ok());
    let load_ms = lines.next().ok_or("swipl gave no time")?;
    let mut times = Vec::new();
    for goal in &of_swipl {
        times.push(goal.as_ref().and_then(|_| lines.next()));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let memory_kb = errors.lines().last().and_then(|line| line.trim().parse().ok()).unwrap_or(0);
    Ok(Swipl { load_ms, memory_kb, times })
}

/// Compares runs that are recorded for a goal with plain runs.
fn planned(classes: &Path) -> Outcome<()> {
    let rounds = (143_000_000 / share()).max(10).to_string();
    let goal =
        "event(I, _, methodcall(_, _, rare, [A])), event(_, _, methodexit(I, _, _, _, V)), V < 0, A < 0";
    println!("\n{:<24}  {:>10}  {:>10}  {:>6}", "recorded for a goal", "qp s", "plain s", "times");
    compare("calls of one method", classes.as_os_str(), &["Log", &rounds], &[], goal)?;
    let goal = "event(_, _, setfield(_, _, value, -5))";
    compare("writes of one value", classes.as_os_str(), &["Log", &rounds], &[], goal)?;
    let jar = Path::new("/usr/share/java/jsoup.jar");
    if !jar.exists() {
        println!("jsoup.jar is not installed");
        return Ok(());
    }
    let source = root().join("benches/query/Page.java");
    run(Command::new("javac").args(["-g", "-cp"]).arg(jar).arg("-d").arg(classes).arg(source))?;
    let path = std::env::join_paths([classes, jar])?;
    let goal = "event(I, _, methodcall(_, _, parse, [Text|_])), \
                event(J, _, methodcall(_, Link, absUrl, [href])), J > I, \
                event(K, _, methodexit(J, _, Link, absUrl, Url)), K > J, Url == none, Text == none";
    let links = (100_000 / share()).max(10).to_string();
    let scope = ["--scope", "Page", "--scope", "org.jsoup.**"];
    compare("a rule about jsoup", &path, &["Page", &links], &scope, goal)
}

/// Prints how long a goal takes about a program, and the program alone.
fn compare(name: &str, path: &OsStr, program: &[&str], options: &[&str], goal: &str) -> Outcome<()> {
    let (mut plain, mut planned) = (Vec::new(), Vec::new());
    let timed = |times: &mut Vec<f64>, command: &mut Command| -> Outcome<()> {
        command.args(["java", "-cp"]).arg(path).args(program);
        let began = Instant::now();
        command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        times.push(began.elapsed().as_secs_f64());
        Ok(())
    };
    for _ in 0..ROUNDS {
        timed(&mut plain, &mut Command::new("env"))?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_qp"));
        timed(&mut planned, command.args(["query", "ask", goal]).args(options).arg("--"))?;
    }
    let (plain, planned) = (median(plain), median(planned));
    println!("{name:<24}  {planned:>10.2}  {plain:>10.2}  {:>6.2}", planned / plain);
    Ok(())
}
