//! Checks answers against brute force. Small random Java programs run once with logging code in their source.
//! They run again under `qp replay` with each back end, which is asked for the last change of variables,
//! fields and array elements, the last read of fields, the last condition, and the exception that skipped a
//! line. The expected answers follow from the log and the program's own syntax, without class files.
//!
//! A *case* is one question about one program. Each launch asks many, and each back end's answer is compared.
//!
//! `QP_RANDOM_PROGRAMS=1000 cargo test --release --test random agree::` tries a thousand programs with some
//! forty cases each. `QP_RANDOM_SEED=17` begins with the 17th, and `QP_RANDOM_ROOTS=9` asks from nine points
//! of each instead of three. A wrong program is printed with its seed, made smaller and saved as a fixture:
//! see `tests/fixtures/README.md`. `QP_RANDOM_SHRINK=0` skips that.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::programs::ast::{FIELDS, Kind, Program, Stmt, each};
use crate::programs::fixture::{save, with_ancestors};
use crate::programs::generate::generate;
use crate::programs::judge::{
    BACKENDS, Backend, Difference, Folders, Judged, answers, compile, compile_logged, judge, run,
};
use crate::programs::log::Event;
use crate::programs::oracle::Answer;
use crate::programs::questions::{Question, ask};
use crate::programs::recorded::{detail_difference, difference, logged};
use crate::programs::shrink::shrink;
use crate::programs::tables::table_difference;
use crate::programs::trace::Trace;
use crate::support::{replay, root, scratch};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Programs per call of javac.
const BATCH: u64 = 10;
/// Default number of programs: about two hundred cases.
const FEW: u64 = 4;
/// Number of points per program to ask from.
const ROOTS: u64 = 3;
/// The same while a case is made smaller, since the wrong answer must occur again.
const MANY_ROOTS: usize = 8;
/// Maximum number of wrong programs to make smaller, and of batches of candidates for each.
const SHRUNK: usize = 2;
const STEPS: u64 = 40;

#[derive(Default)]
struct Count {
    programs: usize,
    left_out: usize,
    questions: usize,
    answers: usize,
    located: usize,
    wrong: Vec<(Program, Judged)>,
}

impl Count {
    fn print(&self, first: u64) {
        let differences: usize = self.wrong.iter().map(|(_, j)| j.differences.len()).sum();
        eprintln!(
            "from seed {first}: {} programs ({} left out), {} questions, {} answers, {} of them places, {differences} wrong in {} programs",
            self.programs,
            self.left_out,
            self.questions,
            self.answers,
            self.located,
            self.wrong.len()
        );
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// The number of points to ask from.
fn roots() -> usize {
    usize::try_from(number("QP_RANDOM_ROOTS", ROOTS)).expect("small")
}

/// Runs a function for each item, two at a time.
fn both<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(0..items.len());
    let work = || {
        let mut done = Vec::new();
        loop {
            let Some(n) = next.lock().expect("no panic holds it").next() else { return done };
            done.push((n, act(&items[n])));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let halves = [scope.spawn(work), scope.spawn(work)];
        halves.into_iter().flat_map(|half| half.join().expect("half of the work")).collect()
    });
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, r)| r).collect()
}

#[test]
fn answers_agree_with_a_log_of_everything() {
    let (first, many) = (number("QP_RANDOM_SEED", 1), number("QP_RANDOM_PROGRAMS", FEW));
    let mut count = Count::default();
    let mut seed = first;
    while seed < first + many {
        let seeds: Vec<u64> = (seed..(seed + BATCH).min(first + many)).collect();
        seed += BATCH;
        batch(&seeds, &mut count);
        count.print(first);
    }
    let steps = usize::try_from(number("QP_RANDOM_SHRINK", STEPS)).expect("small");
    let mut said = String::new();
    for (number, (program, judged)) in count.wrong.iter().enumerate().take(5) {
        said.push_str(&report(program, judged));
        if steps > 0 && number < SHRUNK {
            said.push_str(&smaller(program, judged, steps));
        }
    }
    assert!(count.wrong.is_empty(), "{} programs with wrong answers\n{said}", count.wrong.len());
    assert!(count.located > 10, "the programs give something to ask: {} places", count.located);
}

/// The same programs recorded: at each level, the recording has exactly the events of the log, in order.
#[test]
fn recorded_events_agree_with_the_log() {
    let (first, many) = (number("QP_RANDOM_SEED", 1), number("QP_RANDOM_PROGRAMS", FEW));
    let folder = scratch().join("random-recorded");
    let mut programs: Vec<Program> = (first..first + many).map(generate).collect();
    let (folders, compiled) = compile(&folder, &mut programs);
    assert!(compiled.iter().all(|c| *c), "programs that do not compile: {compiled:?}");
    let judged = both(&programs, |program| {
        let events = run(program, &folders)?;
        let differs = |level: &&str| {
            let log = logged(program, &events, level);
            let to = folder.join(format!("{}-{level}", program.number));
            let differs = difference(program, &folders, &log, level, &to);
            differs.map(|what| format!("seed {} at level {level}: {what}", program.seed))
        };
        let wrong = ["calls", "writes", "all"].iter().find_map(differs);
        // Further runs record a few calls in more detail; the level `all` recorded the same at once.
        let [calls, all] = ["calls", "all"].map(|level| folder.join(format!("{}-{level}", program.number)));
        let nodes = [0, 1, 2, 5 + program.seed % 7].into_iter().filter(|node| *node < entered(&events));
        let later = || {
            let wrong = nodes.filter_map(|node| detail_difference(node, &calls, &all)).next();
            wrong.map(|what| format!("seed {}: {what}", program.seed))
        };
        let tables = || table_difference(&all).map(|what| format!("seed {}: {what}", program.seed));
        Some(wrong.or_else(later).or_else(tables))
    });
    let told = judged.iter().flatten().count();
    let wrong: Vec<String> = judged.into_iter().flatten().flatten().collect();
    eprintln!("from seed {first}: {told} programs recorded at three levels, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told > 0);
}

/// The number of logged calls.
fn entered(events: &[Event]) -> u64 {
    events.iter().filter(|event| matches!(event, Event::Enter { .. })).count().try_into().expect("few")
}

#[test]
fn programs_have_arrays_and_threads() {
    let (mut stores, mut workers, mut turns) = (0, 0, 0);
    for seed in 1..=50 {
        let mut program = generate(seed);
        let text = crate::programs::render::render(&mut program).0;
        let mut see = |s: &Stmt| stores += usize::from(matches!(s.kind, Kind::SetElement { .. }));
        program.methods.iter().for_each(|m| each(&m.body, &mut see));
        workers += text.matches("T#.make(\"".replace('#', &seed.to_string()).as_str()).count();
        turns += text.matches(".turn();").count();
    }
    assert!(stores > 100, "{stores} stores to elements in 50 programs");
    assert!(workers > 50 && turns > 25, "{workers} threads and {turns} turns in 50 programs");
}

fn batch(seeds: &[u64], count: &mut Count) {
    let folder = scratch().join(format!("random-{}", seeds[0]));
    let mut programs: Vec<Program> = seeds.iter().map(|s| generate(*s)).collect();
    let (folders, compiled) = compile(&folder, &mut programs);
    assert!(compiled.iter().all(|c| *c), "seeds {seeds:?}: programs that do not compile: {compiled:?}");
    let judged = both(&programs, |program| judge(program, &folders, roots(), &BACKENDS));
    for (program, judged) in programs.into_iter().zip(judged) {
        let Some(judged) = judged else {
            count.left_out += 1;
            continue;
        };
        count.programs += 1;
        count.questions += judged.questions.len();
        count.answers += judged.answers;
        count.located += judged.located;
        if !judged.differences.is_empty() {
            eprintln!("{}", report(&program, &judged));
            count.wrong.push((program, judged));
        }
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// A program with its wrong answers.
fn report(program: &Program, judged: &Judged) -> String {
    let text = crate::programs::render::render(&mut program.clone()).0;
    let numbered: Vec<String> = text.lines().enumerate().map(|(n, l)| format!("{:4} {l}", n + 1)).collect();
    let mut wrong = Vec::new();
    for difference in &judged.differences {
        for question in with_ancestors(&judged.questions, &difference.question) {
            wrong.push(format!("    {}: {}", question.id, question.point));
        }
        wrong.push(format!("{}: {} {}", difference.backend.name, difference.question, difference.text));
    }
    format!("seed {}\n{}\n{}\n\n", program.seed, numbered.join("\n"), wrong.join("\n"))
}

/// The differences of all candidates that compile and have questions.
fn judge_all(candidates: &mut [Program], backends: &[Backend]) -> Vec<Option<Judged>> {
    let folder = scratch().join(format!("smaller-{}", candidates[0].number));
    let (folders, compiled) = compile(&folder, candidates);
    let tried: Vec<(&Program, bool)> = candidates.iter().zip(compiled).collect();
    let judged = both(&tried, |(program, compiled)| {
        compiled.then(|| judge(program, &folders, MANY_ROOTS, backends)).flatten()
    });
    std::fs::remove_dir_all(&folder).expect("removed");
    judged
}

/// Makes a wrong program smaller, saves it with one question, and returns the place.
fn smaller(program: &Program, judged: &Judged, steps: usize) -> String {
    let Some(Difference { backend, .. }) = judged.differences.first() else { return String::new() };
    let backends = [*backend];
    let fails = |judged: &Option<Judged>| judged.as_ref().is_some_and(|j| !j.differences.is_empty());
    let (small, asked) =
        shrink(program, steps, |some| judge_all(some, &backends).iter().map(fails).collect());
    let found =
        judge_all(&mut [small.clone()], &backends).pop().flatten().filter(|j| !j.differences.is_empty());
    let Some(found) = found else {
        return format!("seed {}: not met again with more questions\n", program.seed);
    };
    let difference = &found.differences[0];
    let last = match difference.question.as_str() {
        "" => &found.questions[found.questions.len() - 1].id,
        id => id,
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shrunk").join(format!("seed-{}", program.seed));
    save(&folder, &small, &found.questions, last);
    let size = statements(&small);
    format!(
        "seed {}: {size} statements after {asked} steps, saved in {}\n{}",
        program.seed,
        folder.display(),
        report(&small, &found)
    )
}

fn statements(program: &Program) -> usize {
    let mut count = 0;
    program.methods.iter().for_each(|m| each(&m.body, &mut |_| count += 1));
    count
}

#[test]
fn what_was_wrong_once_is_right_now() {
    let saved = root().join("tests/fixtures/shrunk");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(saved).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "some cases were saved");
    let wrong: Vec<String> = both(&folders, |folder| replayed(folder)).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Replays a saved case in a copy of its folder with each back end. Returns the differences from its
/// expectations.
fn replayed(saved: &Path) -> Vec<String> {
    let name = saved.file_name().expect("a name").to_string_lossy().into_owned();
    let folder = scratch().join(format!("shrunk-{name}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    for entry in std::fs::read_dir(saved).expect("a folder") {
        let file = entry.expect("an entry").path();
        std::fs::copy(&file, folder.join(file.file_name().expect("a name"))).expect("copied");
    }
    let chain = folder.join("chain.ron");
    let text = std::fs::read_to_string(&chain).expect("a chain");
    // Only probes answer questions about elements of arrays.
    let elements = text.lines().any(|l| l.contains("LastChange(") && l.contains("]\")"));
    let mut wrong = Vec::new();
    for backend in BACKENDS.iter().filter(|b| !b.recorded && (b.probes || !elements)) {
        let (code, answer) = replay(&chain, backend.arguments);
        if code != 0 {
            wrong.push(format!("{name}, {}: exit code {code}: {answer:#}", backend.name));
        }
    }
    wrong
}

/// A planted wrong oracle: it confuses the first write to a field with the last.
fn planted(trace: &Trace<'_>, question: &Question) -> Option<Answer> {
    let field =
        FIELDS.iter().position(|f| f.is_static && question.point.ends_with(&format!(".{}\")", f.name)))?;
    if !question.point.contains("LastChange") {
        return None;
    }
    let Answer::Change { place: Some(place), .. } = &question.answer else { return None };
    let first = trace.events[..place.time].iter().position(
        |e| matches!(e, Event::Write { field: written, owner, initial: false, .. } if *written == field && owner == "null"),
    )?;
    Some(trace.last_write("null", field, first + 1))
}

/// The questions that the planted oracle answers differently from the right one, with both answers.
fn misjudged(program: &Program, folders: &Folders) -> Option<(Vec<Question>, Vec<Question>)> {
    let events = run(program, folders)?;
    let trace = Trace::new(program, events);
    let right = ask(&trace, MANY_ROOTS);
    let mut planted_ones = right.clone();
    for question in &mut planted_ones {
        if let Some(answer) = planted(&trace, question) {
            question.answer = answer;
        }
    }
    (0..right.len()).any(|n| shows(&right[n], &planted_ones[n])).then_some((right, planted_ones))
}

/// Whether an answer distinguishes the two expected ones.
fn shows(right: &Question, planted: &Question) -> bool {
    let told = |q: &Question| match &q.answer {
        Answer::Change { line, old, new, .. } => Some((*line, old.clone(), new.clone())),
        _ => None,
    };
    told(right) != told(planted)
}

#[test]
fn a_wrong_oracle_is_found_out_and_its_case_made_small() {
    let folder = |name: &str| scratch().join(format!("planted-{name}"));
    let mut programs: Vec<Program> = (1..=12).map(generate).collect();
    let (folders, _) = compile_logged(&folder("first"), &mut programs);
    let wrong = programs.iter().filter(|p| statements(p) > 40 && misjudged(p, &folders).is_some());
    let program = wrong.min_by_key(|p| statements(p));
    let program = program.expect("a program that the planted oracle gets wrong").clone();
    let (mut small, steps) = shrink(&program, 9, |some| {
        let (folders, compiled) = compile_logged(&folder(&some[0].number.to_string()), some);
        both(some, |p| compiled.contains(&p.main_class()) && misjudged(p, &folders).is_some())
    });
    let (before, after) = (statements(&program), statements(&small));
    eprintln!("{before} statements became {after} in {steps} steps");
    assert!(after * 2 < before, "{before} statements became {after}");

    let (folders, _) = compile(&folder("last"), std::slice::from_mut(&mut small));
    let (right, wrong) = misjudged(&small, &folders).expect("still wrong");
    let number = right.iter().zip(&wrong).position(|(r, w)| shows(r, w)).expect("one that differs");
    let last = right[number].id.clone();
    let of = |questions: &[Question]| {
        let asked = with_ancestors(questions, &last);
        answers(&small, &folders, asked, &BACKENDS[1..2]).differences
    };
    assert!(of(&right).is_empty(), "qp is right: {:?}", of(&right));
    assert_eq!(of(&wrong).len(), 1, "the planted answer is noticed: {:?}", of(&wrong));

    for (name, questions, code) in [("right", &right, 0), ("wrong", &wrong, 1)] {
        let saved = folder(name);
        save(&saved, &small, questions, &last);
        let (found, answer) = replay(&saved.join("chain.ron"), BACKENDS[1].arguments);
        assert_eq!(found, code, "{name}: {answer:#}");
    }
}
