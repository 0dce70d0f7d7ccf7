//! `cargo bench --bench session`: the cost of a session. Prints a table; judges nothing.
//!
//! - halted at the root: time from the start of `qp debug`, and of `jdb`, to the values in scope at line 31
//!   of the intro example where `foo` is null, alternating. `jdb` has no conditions: a script continues four
//!   times, as a person would.
//! - run again: the same inside a session that has already run.
//! - goto: halting at a cause among 1,000 candidates, compared with the run that found it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
/// The root's line in the fixture.
const LINE_A: u32 = 30;
/// Number of objects; the program writes each twice.
const OWNERS: u32 = 500;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let scratch = scratch.path();
    compile("examples/intro/Intro.java", scratch)?;
    compile("tests/fixtures/many-owners/ManyOwners.java", scratch)?;
    let (mut jdbs, mut firsts, mut agains) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let jdb = halted_by_jdb(scratch)?;
        let (first, again) = halted_by_qp(scratch)?;
        // The first round warms the disk cache.
        if round > 0 {
            jdbs.push(jdb);
            firsts.push(first);
            agains.push(again);
        }
    }
    println!("halted at the root of intro, {ROUNDS} rounds   min      median   max");
    let jdb = row("jdb, from its start", &mut jdbs);
    let first = row("qp debug, from its start", &mut firsts);
    let again = row("qp debug, run again", &mut agains);
    println!("qp over jdb: {:.2} from the start, {:.2} again", first / jdb, again / jdb);
    let (mut runs, mut gotos) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (run, goto) = gone_to(scratch)?;
        runs.push(run);
        gotos.push(goto);
    }
    println!();
    println!("a cause among {} candidates, {ROUNDS} rounds  min      median   max", 2 * OWNERS);
    let run = row("the run that finds it", &mut runs);
    let goto = row("goto", &mut gotos);
    println!("goto over run: {:.2}", goto / run);
    Ok(())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn compile(file: &str, to: &Path) -> Outcome<()> {
    let status = Command::new("javac").args(["-g", "-d"]).arg(to).arg(root().join(file)).status()?;
    if status.success() { Ok(()) } else { Err(format!("javac {file} failed").into()) }
}

fn row(name: &str, times: &mut [Duration]) -> f64 {
    times.sort();
    let at = |i: usize| times.get(i).copied().unwrap_or_default().as_secs_f64();
    let last = times.len().saturating_sub(1);
    println!("{name:<38} {:>7.3}s {:>7.3}s {:>7.3}s", at(0), at(times.len() / 2), at(last));
    at(times.len() / 2)
}

/// A program that the bench talks to.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn begin(command: &mut Command) -> Outcome<Talk> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Talk { child, input, output })
    }

    fn say(&mut self, line: &str) -> Outcome<()> {
        writeln!(self.input, "{line}")?;
        Ok(self.input.flush()?)
    }

    /// Reads until a text appears. `jdb` ends its prompts without a line end.
    fn hear(&mut self, text: &str) -> Outcome<()> {
        let mut seen = Vec::new();
        let mut byte = [0];
        while !seen.ends_with(text.as_bytes()) {
            if self.output.read(&mut byte)? == 0 {
                return Err(format!("`{text}` did not come: {}", String::from_utf8_lossy(&seen)).into());
            }
            seen.push(byte[0]);
        }
        Ok(())
    }

    /// Reads a line of JSON with this kind of reply.
    fn reply(&mut self, kind: &str) -> Outcome<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        if line.contains(&format!("\"reply\":\"{kind}\"")) {
            Ok(line)
        } else {
            Err(format!("not {kind}: {line}").into())
        }
    }

    fn end(mut self, quit: &str) -> Outcome<()> {
        self.say(quit)?;
        drop(self.input);
        self.child.wait()?;
        Ok(())
    }
}

fn halted_by_jdb(classes: &Path) -> Outcome<Duration> {
    let started = Instant::now();
    let mut command = Command::new("jdb");
    let mut jdb = Talk::begin(command.arg("-classpath").arg(classes).arg("Intro"))?;
    jdb.hear("> ")?;
    jdb.say("stop at Intro:31")?;
    jdb.hear("> ")?;
    jdb.say("run")?;
    // The fifth record is the wrong one.
    for hit in 1..=5 {
        jdb.hear("Breakpoint hit:")?;
        jdb.hear("main[1] ")?;
        if hit < 5 {
            jdb.say("cont")?;
        }
    }
    jdb.say("locals")?;
    jdb.hear("foo = null")?;
    let took = started.elapsed();
    jdb.end("quit")?;
    Ok(took)
}

fn qp(classes: &Path, class: &[&str]) -> Outcome<Talk> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qp"));
    command.env("QUERYPOINT_TRUST", "/");
    command.args(["debug", "--format", "json", "--", "java", "-cp"]).arg(classes).args(class);
    Talk::begin(&mut command)
}

/// The time of the first run, and of one more in the same session.
fn halted_by_qp(classes: &Path) -> Outcome<(Duration, Duration)> {
    let started = Instant::now();
    let mut qp = qp(classes, &["Intro"])?;
    qp.say("break Intro:31 when foo == null")?;
    qp.reply("added")?;
    let halt = |qp: &mut Talk| -> Outcome<()> {
        qp.say("run")?;
        qp.reply("ran")?;
        qp.say("locals")?;
        let scope = qp.reply("scope")?;
        if scope.contains("\"name\":\"foo\",\"value\":\"null\"") { Ok(()) } else { Err(scope.into()) }
    };
    halt(&mut qp)?;
    let first = started.elapsed();
    let started = Instant::now();
    halt(&mut qp)?;
    let again = started.elapsed();
    qp.end("quit")?;
    Ok((first, again))
}

fn gone_to(classes: &Path) -> Outcome<(Duration, Duration)> {
    let mut qp = qp(classes, &["ManyOwners", &OWNERS.to_string()])?;
    qp.say(&format!("break ManyOwners:{LINE_A}"))?;
    qp.reply("added")?;
    qp.say("lastchange A:chosen.value")?;
    qp.reply("added")?;
    // A separate run learns the class of `chosen`, if necessary.
    qp.say("run")?;
    qp.reply("ran")?;
    let started = Instant::now();
    qp.say("run")?;
    qp.reply("ran")?;
    let run = started.elapsed();
    let started = Instant::now();
    qp.say("goto B")?;
    let gone = qp.reply("gone")?;
    let goto = started.elapsed();
    if !gone.contains("\"is\":\"expected\"") {
        return Err(gone.into());
    }
    qp.end("quit")?;
    Ok((run, goto))
}
