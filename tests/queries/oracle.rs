//! SWI-Prolog over the exported log gives the same solutions in the same order as `qp query ask` over the
//! recording. `QP_QUERY_CASES=1000` tries more goals, `QP_RANDOM_SEED` begins with another one.

use crate::jel::{Event, Term, term};
use crate::recordings::{RANDOM, Recorded, example, fixture, queried, random};
use crate::support::rng::Rng;
use crate::support::{finish, root, said, scratch};
use std::fmt::Write;
use std::process::Command;
use std::sync::Arc;

/// Goals in CI.
const FEW: usize = 180;

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn has_swipl() -> bool {
    testing::program("swipl", "swi-prolog-nox")
}

/// Writes each goal's solutions on a line. An error is the class of its term.
const DRIVER: &str = "
run(N) :- catch(solutions(N), E, failed(N, E)).
solutions(N) :- findall(S, goal(N, S), L), writeq(N), write(': '), writeq(L), nl.
failed(N, error(E, _)) :- !, functor(E, F, _), writeq(N), write(': error '), writeq(F), nl.
failed(N, E) :- writeq(N), write(': thrown '), writeq(E), nl.
all(From, To) :- between(From, To, N), run(N), fail.
all(_, _).
";

/// The rules of the paper, without the comments.
fn paper() -> String {
    std::fs::read_to_string(root().join("crates/logic/src/rules/javata.pl")).expect("the rules")
}

/// A part of a term as a pattern: the term itself, a variable, or a part of it.
fn pattern(rng: &mut Rng, term: &Term, variables: &mut Vec<String>) -> String {
    match (rng.below(10), term) {
        (0..=2, _) => "_".to_owned(),
        (3..=4, _) => variable(rng, variables),
        (_, Term::Compound(name, args)) => {
            let args: Vec<String> = args.iter().map(|arg| pattern(rng, arg, variables)).collect();
            let name = Term::atom(name).to_string();
            if name == "'-'" {
                format!("({}-{})", args[0], args[1])
            } else {
                format!("{name}({})", args.join(","))
            }
        }
        (_, Term::List(items)) if rng.chance(50) => {
            let items: Vec<String> = items.iter().map(|item| pattern(rng, item, variables)).collect();
            format!("[{}]", items.join(","))
        }
        _ => term.to_string(),
    }
}

/// A new variable. A known one may hold what is no list or number, which is an error in one system only.
fn fresh(variables: &mut Vec<String>) -> String {
    variables.push(format!("V{}", variables.len()));
    variables.last().cloned().unwrap()
}

/// A variable that is new or known.
fn variable(rng: &mut Rng, variables: &mut Vec<String>) -> String {
    if variables.is_empty() || rng.chance(75) {
        variables.push(format!("V{}", variables.len()));
        variables.last().cloned().unwrap()
    } else {
        rng.pick(variables).clone()
    }
}

struct Maker<'r> {
    rng: Rng,
    recorded: &'r Recorded,
    variables: Vec<String>,
    ids: usize,
}

impl Maker<'_> {
    fn event(&mut self) -> &Event {
        let at = self.rng.below(self.recorded.events.len());
        &self.recorded.events[at]
    }

    /// `event(Id, Thread, Pattern)`, of an event that is there.
    fn pattern(&mut self) -> String {
        // Steps are most of a log.
        let mut event = self.event().clone();
        for _ in 0..3 {
            if event.is("step") {
                event = self.event().clone();
            }
        }
        let id = match self.rng.below(6) {
            0 => event.id.to_string(),
            1 if self.ids > 0 => format!("I{}", self.rng.below(self.ids)),
            _ => {
                self.ids += 1;
                format!("I{}", self.ids - 1)
            }
        };
        let thread = match self.rng.below(4) {
            0 => Term::atom(&event.thread).to_string(),
            1 => variable(&mut self.rng, &mut self.variables),
            _ => "_".to_owned(),
        };
        let what = if self.rng.chance(8) {
            variable(&mut self.rng, &mut self.variables)
        } else {
            let args: Vec<String> =
                event.args.iter().map(|arg| pattern(&mut self.rng, arg, &mut self.variables)).collect();
            format!("{}({})", event.kind, args.join(","))
        };
        format!("event({id},{thread},{what})")
    }

    fn id(&mut self) -> String {
        if self.ids > 0 && self.rng.chance(80) {
            format!("I{}", self.rng.below(self.ids))
        } else {
            self.rng.below(self.recorded.events.len()).to_string()
        }
    }

    fn comparison(&mut self) -> String {
        let (one, other) = (self.id(), self.id());
        let op = *self.rng.pick(&["<", ">", "=<", ">=", "=:=", "=\\=", "==", "\\==", "@<"]);
        // Comparisons of numbers need bound ids, which a preceding pattern can have bound or not.
        match self.rng.below(3) {
            0 => format!("{one} {op} {other}"),
            1 => format!("{one} {op} {other} + {}", self.rng.below(9)),
            _ => format!("{one} {op} {}", self.rng.below(self.recorded.events.len())),
        }
    }

    fn goal(&mut self, depth: usize) -> String {
        match self.rng.below(if depth == 0 { 6 } else { 16 }) {
            0..=3 => self.pattern(),
            4..=5 => self.comparison(),
            6 => format!("\\+ {}", self.group(depth)),
            7 => format!("({} -> {} ; {})", self.goal(depth - 1), self.goal(depth - 1), self.goal(depth - 1)),
            8 => format!("({} ; {})", self.goal(depth - 1), self.goal(depth - 1)),
            9 => {
                let (inner, id) = (self.group(depth), self.id());
                let list = fresh(&mut self.variables);
                format!("findall({id}, {inner}, {list})")
            }
            10 => {
                // A template that is bound is a solution of its own in SWI-Prolog.
                let what = *self.rng.pick(&["count", "max(#)", "min(#)", "sum(#)", "bag(#)"]);
                let (inner, last) = (self.pattern(), self.rng.below(99));
                let (result, each) = (fresh(&mut self.variables), format!("Each{}", self.variables.len()));
                let what = what.replace('#', &each);
                format!("aggregate_all({what}, ({inner}, event({each}, _, _), {each} < {last}), {result})")
            }
            11 => format!("once({})", self.group(depth)),
            12 => {
                let (one, other) = (self.id(), self.id());
                let id = self.id();
                format!("member({id}, [{one}, {other}, 3])")
            }
            13 => format!("forall({}, {})", self.goal(depth - 1), self.goal(depth - 1)),
            14 => {
                let list = fresh(&mut self.variables);
                let (goal, id) = (self.pattern(), self.id());
                format!(
                    "(findall({id}, {goal}, L{0}), sort(L{0}, M{0}), length(M{0}, {list}))",
                    self.rng.below(1000)
                )
            }
            _ => {
                let id = self.rng.below(self.recorded.events.len());
                let result = fresh(&mut self.variables);
                match self.rng.below(4) {
                    0 => format!("call_chain({id}, {result})"),
                    1 => format!("full_detail_call_chain({id}, {result})"),
                    2 => format!("pre_event_called_methods({id}, {result})"),
                    _ => format!("where(T, exception(_, _, {result}, _), _)"),
                }
            }
        }
    }

    fn group(&mut self, depth: usize) -> String {
        let count = 1 + self.rng.below(2);
        let goals: Vec<String> = (0..count).map(|_| self.goal(depth.saturating_sub(1))).collect();
        format!("({})", goals.join(", "))
    }

    /// A clause `goal(N, Solution)`.
    fn clause(&mut self, number: usize) -> String {
        (self.variables, self.ids) = (Vec::new(), 0);
        let mut goals = vec![self.pattern()];
        for _ in 0..self.rng.below(3) {
            goals.push(self.goal(2));
        }
        if self.rng.chance(10) {
            goals.insert(1, "!".to_owned());
        }
        let ids = (0..self.ids).map(|id| format!("I{id}"));
        // Solutions that are not bound are the same in both only if they are counted.
        let all: Vec<String> = ids.chain(self.variables.iter().cloned()).collect();

        format!(
            "goal({number}, S) :- {}, S0 = [{}], shown(S0, S), within.\n",
            goals.join(", "),
            all.join(", ")
        )
    }
}

/// Unbound variables are shown as an atom.
const SHOWN: &str = "
shown([], []).
shown([V | R], [W | S]) :- ( ground(V) -> W = V ; W = unbound ), shown(R, S).
within.
";

fn compare(recorded: &Recorded, seed: u64, count: usize) -> (usize, usize) {
    let mut maker = Maker { rng: Rng::new(seed), recorded, variables: Vec::new(), ids: 0 };
    let mut text = format!("{DRIVER}{SHOWN}{}\n", paper());
    for number in 1..=count {
        // A goal with too many solutions takes more memory than there is: two unbounded events at most.
        let mut clause = maker.clause(number);
        while clause.matches("event(I").count() > 2 || clause.matches("forall").count() > 1 {
            clause = maker.clause(number);
        }
        write!(text, "{clause}").unwrap();
    }
    let folder = scratch().join(format!("oracle-{seed}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let rules = folder.join("rules.pl");
    std::fs::write(&rules, &text).expect("written");
    let swi = finish(
        Command::new("swipl")
            .args(["-q", "-g", "style_check(-singleton), style_check(-discontiguous)", "-g"])
            .arg(format!("consult('{}'), consult('{}')", recorded.file.display(), rules.display()))
            .args(["-g", &format!("all(1, {count})"), "-t", "halt"])
            .stdin(std::process::Stdio::null()),
    );
    let theirs = String::from_utf8_lossy(&swi.stdout).into_owned();
    assert!(swi.status.success(), "{}", said(&swi));
    let rules = rules.display().to_string();
    let ours = recorded.written(&format!("all(1, {count})"), &["--rules", &rules]);
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.lines().collect(), theirs.lines().collect());
    let clauses: Vec<&str> = text.lines().filter(|line| line.starts_with("goal(")).collect();
    let mut wrong = Vec::new();
    for (at, clause) in clauses.iter().enumerate() {
        let (own, their) = (ours.get(at).copied().unwrap_or("-"), theirs.get(at).copied().unwrap_or("-"));
        if !is_same(own, their) {
            let cut = |text: &str| text.chars().take(600).collect::<String>();
            wrong.push(format!("{clause}\n  ours:   {}\n  theirs: {}", cut(own), cut(their)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} seed {seed}: {} of {count} differ\n{}",
        recorded.name,
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n")
    );
    let with_solutions =
        theirs.iter().filter(|line| !line.ends_with(": []") && !line.contains(": error")).count();
    (clauses.len(), with_solutions)
}

/// Whether two lines have the same terms; the texts may quote and space differently.
fn is_same(ours: &str, theirs: &str) -> bool {
    let plain = |text: &str| text.replace(", ", ",").replace("1.5NaN", "nan").replace("1.0Inf", "inf");
    plain(ours) == plain(theirs)
}

#[test]
fn swi_prolog_agrees() {
    if !has_swipl() {
        return;
    }
    let (cases, seed) = (number("QP_QUERY_CASES", FEW), number("QP_RANDOM_SEED", 1));
    let mut programs: Vec<Arc<Recorded>> =
        vec![queried(), example("javata", "Example"), fixture("queried", "Queried", "calls")];
    programs.extend((1..=RANDOM / 2).map(random));
    let each = cases.div_ceil(programs.len());
    let (mut goals, mut answered) = (0, 0);
    for (at, recorded) in programs.iter().enumerate() {
        let mut left = each;
        while left > 0 {
            let count = left.min(100);
            let (compared, found) =
                compare(recorded, u64::try_from(seed * 1000 + at * 50 + left / 100).unwrap(), count);
            (goals, answered, left) = (goals + compared, answered + found, left - count);
        }
    }
    eprintln!("{goals} goals, {answered} of them with solutions");
    assert!(answered * 4 > goals, "{answered} of {goals} goals have solutions");
}

/// Both ways to decode a log agree: in order for the export, and by questions.
#[test]
fn asked_events_are_the_exported_ones() {
    let many = fixture("queried", "Many", "all");
    assert!(many.events.len() > 20_000, "several blocks for each thread");
    for recorded in [queried(), fixture("queried", "Queried", "writes"), random(1), random(2), many] {
        let is_long = recorded.events.len() > 5_000;
        let goal = "event(I, T, E), writeq(event(I, T, E)), nl, fail ; true";
        let written = recorded.written(goal, &[]);
        let exported = std::fs::read_to_string(&recorded.file).expect("the log");
        let exported = exported.lines().filter(|line| line.starts_with("event("));
        for (ours, theirs) in written.lines().zip(exported) {
            let theirs = theirs.strip_suffix('.').unwrap();
            assert_eq!(term(ours).to_string(), term(theirs).to_string(), "{}", recorded.name);
        }
        assert_eq!(written.lines().count(), recorded.events.len());
        // By id alone, without what came before.
        let step = if is_long { recorded.events.len() / 30 } else { 13 };
        for event in recorded.events.iter().rev().step_by(step) {
            let asked = recorded.ask(&format!("event({}, T, E)", event.id), &[]);
            let (_, what) = asked[0].split_once("E=").unwrap();
            let what = term(what).to_string();
            assert!(event.text().ends_with(&format!("{what})")), "{}: {what}", event.text());
        }
    }
}
