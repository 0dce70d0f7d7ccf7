//! Runs of a probed program in which one condition went the other way (`Probe.java`), and the operations that
//! were lost directly by it: behind the condition, through lines that the call had not executed.

use crate::support::finish;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

/// A condition by id, which of its passes, and its other value: 0 or 1, a label, or 99 for no label.
pub type Flip = (usize, u64, i64);

/// What a probe logged.
#[derive(Clone, Debug)]
enum Event {
    In { frame: i64, from: i64, method: String },
    Out(i64),
    Line(i64, usize),
    Handler(i64),
    Pass(i64, usize),
    Flip(i64),
    Name(String),
    Op { frame: i64, line: usize, name: String },
}

/// What stood at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The name of the object.
    pub name: String,
    /// Its class and its contents.
    pub shown: String,
    /// Its size.
    pub size: i64,
}

/// A run.
pub struct Run {
    /// What went the other way.
    pub flip: Option<Flip>,
    events: Vec<Event>,
    /// Whether an exception left `main`, or the run seemed to have no end.
    pub is_broken: bool,
    /// By label.
    pub ends: BTreeMap<String, End>,
}

/// Lines and conditions of a call.
#[derive(Clone, Debug, Default)]
struct Executed {
    lines: BTreeSet<usize>,
    conditions: BTreeSet<usize>,
}

/// An operation that a flip added.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Direct {
    /// The line of the operation.
    pub line: usize,
    /// The object.
    pub name: String,
    /// The methods from the condition's to the operation's.
    pub chain: Vec<String>,
}

/// Runs the probed program in this folder without a flip, and with up to `most` flips.
pub fn runs(classes: &Path, most: usize) -> Vec<Run> {
    let mut java = Command::new("java");
    java.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp"]).arg(classes);
    java.arg("Probe").arg(format!("{}/", classes.display())).arg(most.to_string());
    let output = finish(&mut java);
    assert!(output.status.success(), "{}", crate::support::said(&output));
    let mut runs: Vec<Run> = Vec::new();
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<i64>().unwrap_or_else(|_| panic!("{line}"));
        let small = |at: usize| usize::try_from(number(at)).unwrap_or_else(|_| panic!("{line}"));
        if words[0] == "run" {
            let flip = (words.len() > 1).then(|| (small(1), words[2].parse().expect("a pass"), number(3)));
            runs.push(Run { flip, events: Vec::new(), is_broken: false, ends: BTreeMap::new() });
            continue;
        }
        let run = runs.last_mut().expect("a run begins");
        run.events.push(match words[0] {
            "in" => Event::In { frame: number(1), from: number(2), method: words[3].to_owned() },
            "out" => Event::Out(number(1)),
            "line" => Event::Line(number(1), small(2)),
            "handler" => Event::Handler(number(1)),
            "pass" => Event::Pass(number(1), small(2)),
            "flip" => Event::Flip(number(1)),
            "name" => Event::Name(words[1].to_owned()),
            "op" => Event::Op { frame: number(1), line: small(2), name: words[3].to_owned() },
            "end" => {
                let shown = format!("{} {}", words[3], words[5..].join(" "));
                let end = End { name: words[2].to_owned(), shown, size: number(4) };
                run.ends.insert(words[1].to_owned(), end);
                continue;
            }
            "crashed" | "endless" => {
                run.is_broken = true;
                continue;
            }
            other => panic!("{other}: {line}"),
        });
    }
    runs
}

impl Run {
    /// Number of its events.
    pub fn length(&self) -> usize {
        self.events.len()
    }

    /// What each call executed.
    fn executed(&self) -> HashMap<i64, Executed> {
        let mut executed: HashMap<i64, Executed> = HashMap::new();
        for event in &self.events {
            match event {
                Event::Line(frame, line) => _ = executed.entry(*frame).or_default().lines.insert(*line),
                Event::Pass(frame, id) => _ = executed.entry(*frame).or_default().conditions.insert(*id),
                _ => {}
            }
        }
        executed
    }

    /// The objects that had a name before the condition went the other way.
    pub fn named(&self) -> BTreeSet<&str> {
        let before = self.events.iter().take_while(|event| !matches!(event, Event::Flip(_)));
        before.filter_map(|event| if let Event::Name(name) = event { Some(&**name) } else { None }).collect()
    }

    /// The operations that were lost directly by the flipped condition; `plain` is the run without a flip.
    /// Chains of calls have no method twice.
    pub fn direct(&self, plain: &Run) -> BTreeSet<Direct> {
        let none = Executed::default();
        let executed = plain.executed();
        self.behind(&|frame| executed.get(&frame).unwrap_or(&none).clone())
    }

    /// The operations between the flipped condition and where both runs go on alike, or the condition is
    /// evaluated again, although the call may have executed them at other times.
    pub fn in_turn(&self, plain: &Run) -> BTreeSet<Direct> {
        let turn = self.flip.map(|flip| plain.turn(flip)).unwrap_or_default();
        self.behind(&|_| turn.clone())
    }

    /// What the call of a condition executes in this run from a pass on to the next one, with it.
    fn turn(&self, (id, nth, _): Flip) -> Executed {
        let mut turn = Executed::default();
        turn.conditions.insert(id);
        let (mut passes, mut own) = (0, None);
        for event in &self.events {
            match (event, own) {
                (Event::Pass(frame, of), None) if *of == id => {
                    if passes == nth {
                        own = Some(*frame);
                    }
                    passes += 1;
                }
                (Event::Pass(frame, of), Some(own)) if *frame == own => {
                    if *of == id {
                        break;
                    }
                    turn.conditions.insert(*of);
                }
                (Event::Line(frame, line), Some(own)) if *frame == own => _ = turn.lines.insert(*line),
                (Event::Out(frame), Some(own)) if *frame == own => break,
                _ => {}
            }
        }
        turn
    }

    /// The operations in the flipped call and below it, until the call executes what is the end for it.
    fn behind(&self, end: &dyn Fn(i64) -> Executed) -> BTreeSet<Direct> {
        let mut ends = Executed::default();
        let mut found = BTreeSet::new();
        let mut calls: HashMap<i64, (i64, &str)> = HashMap::new();
        let mut flipped = None;
        for event in &self.events {
            match (event, flipped) {
                (Event::In { frame, from, method }, _) => _ = calls.insert(*frame, (*from, method)),
                (Event::Flip(frame), _) => {
                    flipped = Some(*frame);
                    ends = end(*frame);
                }
                (Event::Out(frame) | Event::Handler(frame), Some(own)) if *frame == own => break,
                (Event::Line(frame, line), Some(own)) if *frame == own && ends.lines.contains(line) => break,
                (Event::Pass(frame, id), Some(own)) if *frame == own && ends.conditions.contains(id) => {
                    break;
                }
                (Event::Op { frame, line, name }, Some(own)) => {
                    let mut chain = Vec::new();
                    let mut at = *frame;
                    while let Some((from, method)) = calls.get(&at) {
                        chain.push((*method).to_owned());
                        if at == own {
                            break;
                        }
                        at = *from;
                    }
                    chain.reverse();
                    let distinct: BTreeSet<&String> = chain.iter().collect();
                    if at == own && distinct.len() == chain.len() && chain.len() <= 6 {
                        found.insert(Direct { line: *line, name: name.clone(), chain });
                    }
                }
                _ => {}
            }
        }
        found
    }
}
