//! What `qp omitted` says of random programs, compared with the paper's algorithm and with runs in which each
//! condition went the other way. `QP_OMISSION_PROGRAMS` sets the number of programs; `QP_OMISSION_SEED` names
//! one, whose folder is kept.

use crate::flips::{Direct, Flip, Run, runs};
use crate::generated::{Program, Target, program};
use crate::oracle::{Oracle, OracleTarget};
use crate::support::javac::Javac;
use crate::support::traced::{exported, text};
use crate::support::{finish, qp, root, said};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Number of programs of each test.
const PROGRAMS: usize = 2;
/// Most flips of a program.
const FLIPS: usize = 60;
/// Most events that the probes of a program log.
const LENGTH: usize = 600;

/// A program in its folder, and what became of it.
struct Case {
    folder: tempfile::TempDir,
    program: Program,
    runs: Vec<Run>,
}

/// What was compared, and what differs.
#[derive(Default)]
struct Report {
    programs: usize,
    targets: usize,
    suggestions: usize,
    unmarked: usize,
    certain: usize,
    flips: usize,
    direct: usize,
    /// Operations that the same call executed at other times, and those of them that are suggested.
    further: (usize, usize),
    confirmed: usize,
    right: usize,
    differences: Vec<String>,
}

impl Case {
    /// `None` if the program fails by itself, or runs for long.
    fn new(seed: u64) -> Option<Case> {
        let folder = tempfile::Builder::new().prefix("qpomitted").tempdir().expect("a folder");
        let program = program(seed);
        let at = |name: &str| folder.path().join(name);
        for name in ["work", "probed", "classes", "probes"] {
            std::fs::create_dir(at(name)).expect("a folder");
        }
        std::fs::write(at("work/Program.java"), &program.source).expect("written");
        std::fs::write(at("probed/Program.java"), &program.probed).expect("written");
        let probe = root().join("tests/omissions/Probe.java");
        Javac::new()
            .args(["-g", "-nowarn", "-d"])
            .arg(at("probes"))
            .arg(at("probed/Program.java"))
            .arg(probe)
            .run();
        let runs = runs(&at("probes"), FLIPS);
        if runs[0].is_broken || runs[0].length() > LENGTH || runs.len() < 8 {
            return None;
        }
        Javac::new().args(["-g", "-d"]).arg(at("work/classes")).arg(at("work/Program.java")).run();
        Some(Case { folder, program, runs })
    }

    fn qp(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = qp();
        command.current_dir(self.folder.path().join("work")).env("TMPDIR", self.folder.path());
        finish(command.args(arguments))
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn record(&self) {
        let trace = self.trace().display().to_string();
        let command =
            ["trace", "record", "--level=all", "--out", &trace, "--", "java", "-cp", "classes", "Program"];
        let output = self.qp(&command);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }

    fn omitted(&self, target: &Target, options: &[&str]) -> Vec<Value> {
        let trace = self.trace().display().to_string();
        let at = format!("Program:{}", self.program.end);
        let mut words = vec![
            "omitted",
            target.expression,
            &trace,
            "--at",
            &at,
            "--format=json",
            "--loops",
            "--limit",
            "100000",
        ];
        words.extend(options);
        let output = self.qp(&words);
        let answer: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
        answer["suggestions"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// The id of the condition on a line.
    fn condition(&self, line: &Value) -> Option<usize> {
        let line = usize::try_from(line.as_u64()?).ok()?;
        self.program.conditions.iter().position(|of| *of == line)
    }

    /// The flip that a suggestion means: the value is `None` for a condition.
    fn flip(&self, suggestion: &Value) -> Option<(usize, u64, Option<i64>)> {
        let jump = &suggestion["jump"];
        let value = match text(&jump["would_be"]) {
            "true" | "false" => None,
            "default" => Some(99),
            other => Some(other.strip_prefix("case ")?.parse().ok()?),
        };
        Some((self.condition(&jump["line"])?, suggestion["pass"]["nth"].as_u64()?, value))
    }

    fn run_of(&self, flip: (usize, u64, Option<i64>)) -> Option<&Run> {
        let is_it = |of: Flip| of.0 == flip.0 && of.1 == flip.1 && flip.2.is_none_or(|value| value == of.2);
        self.runs.iter().find(|run| run.flip.is_some_and(is_it))
    }
}

fn lines(suggestion: &Value) -> (u64, u64) {
    let line = |of: &str| suggestion[of]["line"].as_u64().expect("a line");
    (line("jump"), line("operation"))
}

fn shown(suggestion: &Value) -> String {
    let (jump, operation) = lines(suggestion);
    let jump_at = &suggestion["jump"];
    format!(
        "{} {} {}:{jump} pc {} would be {} -> {} {operation} ({}) pass {}",
        suggestion["certainty"],
        jump_at["kind"],
        text(&jump_at["method"]),
        jump_at["pc"],
        jump_at["would_be"],
        suggestion["operation"]["chain"],
        suggestion["operation"]["text"],
        suggestion["pass"]["nth"],
    )
}

impl Report {
    fn compare(&mut self, case: &Case, seed: u64) {
        case.record();
        self.programs += 1;
        self.flips += case.runs.len() - 1;
        let oracle = Oracle::new(&case.folder.path().join("work/classes"), &exported(&case.trace(), &[]));
        let mut asked: Vec<(usize, &Target)> = Vec::new();
        for target in &case.program.targets {
            let end = &case.runs[0].ends[target.label];
            if end.name == "null" {
                continue;
            }
            self.targets += 1;
            let found = case.omitted(target, &[]);
            self.suggestions += found.len();
            let mut differences = self.not_of_the_paper(&oracle, &oracle_target(target, &end.shown), &found);
            differences.extend(self.not_suggested(case, &end.name, &found));
            differences.extend(self.of_other_objects(case, &oracle, &end.name, &found));
            let told = |what| format!("seed {seed}, {}: {what}", target.expression);
            self.differences.extend(differences.into_iter().map(told));
            asked.push((found.len(), target));
        }
        // Each try is a run. Some programs are tried without a wanted state.
        let is_other = |target: &Target| target.size.is_empty() != (seed % 5 == 4);
        asked.sort_by_key(|(count, target)| (*count < 3, is_other(target), *count));
        if let Some((_, target)) = asked.iter().find(|(count, _)| *count > 0) {
            self.confirm(case, seed, target);
        }
    }

    /// Each suggestion is the paper's, or is marked as another kind.
    fn not_of_the_paper(&mut self, oracle: &Oracle, target: &OracleTarget, found: &[Value]) -> Vec<String> {
        let pairs = oracle.pairs(target);
        let is_unmarked = |of: &&Value| of["jump"]["kind"] == "branch" && of["jump"]["is_partial"] == false;
        let unmarked: Vec<&Value> = found.iter().filter(is_unmarked).collect();
        self.unmarked += unmarked.len();
        let others = unmarked.into_iter().filter(|suggestion| !pairs.contains(&Oracle::pair(suggestion)));
        others.map(|suggestion| format!("not the paper's: {}", shown(suggestion))).collect()
    }

    /// Each flip that leads directly to an operation on the object is suggested. What the same call executed
    /// at other times is only suggested if it is certain, and is counted.
    fn not_suggested(&mut self, case: &Case, name: &str, found: &[Value]) -> Vec<String> {
        let plain = &case.runs[0];
        let way = |of: &Value| case.flip(of).map(|(id, _, value)| (id, value, lines(of).1));
        let suggested: BTreeSet<(usize, Option<i64>, u64)> = found.iter().filter_map(way).collect();
        let mut differences = Vec::new();
        for run in case.runs.iter().filter(|run| run.named().contains(name)) {
            let Some((id, nth, value)) = run.flip else { continue };
            let is_suggested = |of: &Direct| {
                let line = of.line as u64;
                suggested.contains(&(id, None, line)) || suggested.contains(&(id, Some(value), line))
            };
            let direct = run.direct(plain);
            let jump = case.program.conditions[id];
            for of in direct.iter().filter(|of| of.name == name) {
                self.direct += 1;
                if !is_suggested(of) {
                    differences.push(format!("not suggested: line {jump}, pass {nth} to {value}: {of:?}"));
                }
            }
            let head = case.program.source.lines().nth(jump - 1).expect("a line");
            // What stands behind a loop is executed without a flip too.
            if value == 0 && (head.contains("for (") || head.contains("while (")) {
                continue;
            }
            let in_turn = run.in_turn(plain);
            for of in in_turn.iter().filter(|of| of.name == name && !direct.contains(of)) {
                self.further.0 += 1;
                self.further.1 += usize::from(is_suggested(of));
            }
        }
        differences
    }

    /// Those that are certain lead to the object, if they lead to the operation.
    fn of_other_objects(&mut self, case: &Case, oracle: &Oracle, name: &str, found: &[Value]) -> Vec<String> {
        let plain = &case.runs[0];
        let mut differences = Vec::new();
        let is_certain = |of: &&Value| of["certainty"] == "certain" && oracle.is_only_chain(of);
        for suggestion in found.iter().filter(is_certain) {
            let Some(run) = case.flip(suggestion).and_then(|flip| case.run_of(flip)) else { continue };
            let line = lines(suggestion).1;
            let is_partial = suggestion["jump"]["is_partial"] == true;
            let behind = if is_partial { run.in_turn(plain) } else { run.direct(plain) };
            let chain = Oracle::pair(suggestion).3;
            let chain: Vec<&str> = chain.iter().map(|name| name.trim_start_matches("Program.")).collect();
            let is_it = |of: &&Direct| of.line as u64 == line && of.chain == chain;
            let there: Vec<&Direct> = behind.iter().filter(is_it).collect();
            self.certain += usize::from(!there.is_empty());
            if !there.is_empty() && there.iter().all(|direct| direct.name != name) {
                differences.push(format!("another object: {} {there:?}", shown(suggestion)));
            }
        }
        differences
    }

    /// Compares the verdicts of `--confirm` with the runs.
    fn confirm(&mut self, case: &Case, seed: u64, target: &Target) {
        let before = &case.runs[0].ends[target.label];
        let suggested = case.omitted(target, &[]);
        let runs = suggested.iter().filter_map(|of| case.flip(of).and_then(|flip| case.run_of(flip)));
        let sizes = runs.filter_map(|run| Some(run.ends.get(target.label)?.size));
        let other = sizes.filter(|size| *size != before.size).max();
        let wanted = other.unwrap_or(before.size + 1);
        let want = format!("{} == {wanted}", target.size);
        let mut options = vec!["--confirm", "--trust-command"];
        if !target.size.is_empty() {
            options.extend(["--want", &want]);
        }
        for suggestion in case.omitted(target, &options) {
            let verdict = &suggestion["confirmation"]["verdict"];
            // The runs of the probes flip one pass.
            if verdict.is_null() || suggestion["confirmation"]["passes"] != "one" {
                continue;
            }
            let Some(run) = case.flip(&suggestion).and_then(|flip| case.run_of(flip)) else { continue };
            self.confirmed += 1;
            let expected = match run.ends.get(target.label) {
                None => "crashed",
                Some(end) if end.size == wanted && !target.size.is_empty() => "right",
                Some(end) if end.shown == before.shown => "no-effect",
                Some(_) if target.size.is_empty() => "changed",
                Some(_) => "changed-not-right",
            };
            self.right += usize::from(expected == "right");
            if verdict != expected {
                let said = &suggestion["confirmation"];
                self.differences.push(format!(
                    "seed {seed}, {want}: {expected}, and qp says {said}: {}",
                    shown(&suggestion)
                ));
            }
        }
    }

    fn told(&self) -> String {
        let mut told = format!(
            "{} programs, {} targets, {} suggestions: {} unmarked, {} certain; \
             {} flips, {} direct operations, {} of {} further ones; {} tried, {} right",
            self.programs,
            self.targets,
            self.suggestions,
            self.unmarked,
            self.certain,
            self.flips,
            self.direct,
            self.further.1,
            self.further.0,
            self.confirmed,
            self.right
        );
        for difference in &self.differences {
            write!(told, "\n{difference}").expect("written");
        }
        told
    }
}

/// The class of a target's object, and the field.
fn oracle_target(target: &Target, shown: &str) -> OracleTarget {
    let class = shown.split(' ').next().expect("a class").to_owned();
    (class, target.expression.strip_prefix("box.").filter(|_| target.label == "box"))
}

fn compare(first: u64) {
    let programs = std::env::var("QP_OMISSION_PROGRAMS").ok().and_then(|n| n.parse().ok());
    let programs = programs.map_or(PROGRAMS, |all: usize| all.div_ceil(2));
    let one = std::env::var("QP_OMISSION_SEED").ok().and_then(|n| n.parse::<u64>().ok());
    let mut report = Report::default();
    let mut seed = first;
    while report.programs < programs {
        if one.is_none_or(|one| one == seed)
            && let Some(case) = Case::new(seed)
        {
            report.compare(&case, seed);
            if one.is_some() {
                println!("{}", case.folder.keep().display());
                break;
            }
        }
        seed += 2;
        if one.is_some_and(|one| seed > one) {
            break;
        }
    }
    println!("{}", report.told());
    assert!(report.differences.is_empty(), "{}", report.told());
    assert!(one.is_some() || (report.unmarked > 0 && report.direct > 0 && report.confirmed > 0));
}

#[test]
fn suggestions_of_random_programs_are_true() {
    compare(0);
}

#[test]
fn suggestions_of_further_random_programs_are_true() {
    compare(1);
}
