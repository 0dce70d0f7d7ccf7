//! The exported log of many programs has the shape that the paper describes, by a reader that knows only the
//! text.

use crate::brute::{Brute, End, mixed};
use crate::jel::{Event, Term};
use crate::programs::ast::{FIELDS, Home};
use crate::programs::judge::run;
use crate::programs::log::Event as Logged;
use crate::recordings::{RANDOM, Recorded, example, fixture, java, queried, random, random_programs};
use crate::support::compiled;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Programs with several threads, recursion, `super()`, initialisers, lambdas and exceptions from libraries.
fn all() -> Vec<Arc<Recorded>> {
    let fixtures = [
        ("recursion", "Recursion"),
        ("thrown", "Thrown"),
        ("traced", "Traced"),
        ("constructors", "Constructors"),
        ("lambdas", "Lambdas"),
        ("exceptions", "Exceptions"),
        ("inlined-finally", "InlinedFinally"),
        ("static-field", "StaticField"),
        ("told", "Told"),
        ("held", "Held"),
        ("loops", "Turns"),
    ];
    let examples = [
        ("intro", "Intro"),
        ("javata", "Example"),
        ("login", "Login"),
        ("mergesort", "MergeSort"),
        ("null", "Example"),
        ("parcel", "Parcel"),
        ("prices", "Prices"),
        ("salted", "Salted"),
    ];
    let mut all =
        vec![queried(), fixture("queried", "Queried", "calls"), fixture("queried", "Queried", "writes")];
    all.extend(fixtures.into_iter().map(|(name, class)| fixture(name, class, "all")));
    all.extend(examples.into_iter().map(|(name, class)| example(name, class)));
    all.extend((1..=RANDOM).map(random));
    all
}

#[test]
fn logs_keep_the_rules() {
    for recorded in all() {
        let events = &recorded.events;
        assert!(events.len() > 3, "{}", recorded.name);
        ids_are_dense(events);
        threads_start_and_end(&recorded);
        exits_name_their_calls(&recorded);
        if events.iter().any(|event| event.is("step")) {
            steps_follow_the_rule(&recorded);
        }
        catches_agree(&recorded);
        classes_come_before_their_calls(&recorded);
    }
}

fn ids_are_dense(events: &[Event]) {
    for (at, event) in (0..).zip(events) {
        assert_eq!(event.id, at);
    }
}

/// A thread starts before everything else of it, and ends after it.
fn threads_start_and_end(recorded: &Recorded) {
    let mut alive: HashMap<&str, i32> = HashMap::new();
    for event in &recorded.events {
        let thread = alive.entry(&event.thread).or_default();
        match event.kind.as_str() {
            "threadstart" => *thread += 1,
            "threaddeath" => *thread -= 1,
            _ => {}
        }
        let is_alive = *thread > 0 || event.is("threaddeath") && *thread == 0;
        assert!(is_alive, "{}: {}", recorded.name, event.text());
    }
}

/// Each exit has its call, in the same thread, of the same owner and method, and calls nest.
fn exits_name_their_calls(recorded: &Recorded) {
    let events = &recorded.events;
    let mut ended: HashSet<u64> = HashSet::new();
    for exit in events.iter().filter(|event| event.is("methodexit")) {
        let id = exit.call().unwrap_or_else(|| panic!("{}: {}", recorded.name, exit.text()));
        let call = recorded.event(id);
        assert!(call.is("methodcall") && id < exit.id, "{}: {}", recorded.name, exit.text());
        assert!(ended.insert(id), "{}: {} ended twice", recorded.name, call.text());
        let facts = |event: &Event| (event.thread.clone(), event.owner().clone(), event.name().to_owned());
        assert_eq!(facts(call), facts(exit), "{}: {} and {}", recorded.name, call.text(), exit.text());
        assert_eq!(call.place(), exit.place(), "{}", recorded.name);
    }
    // A call inside another one ends before it.
    for (name, open) in per_thread(events) {
        let mut stack: Vec<u64> = Vec::new();
        for event in open {
            match event.kind.as_str() {
                "threadstart" => stack.clear(),
                "methodcall" => stack.push(event.id),
                "methodexit" => {
                    let call = event.call().unwrap();
                    let at = stack.iter().rposition(|open| *open == call);
                    let at = at.unwrap_or_else(|| panic!("{} {name}: {}", recorded.name, event.text()));
                    let left: Vec<u64> = stack.drain(at..).skip(1).collect();
                    let exits = left.iter().filter(|call| {
                        events.iter().any(|event| event.is("methodexit") && event.call() == Some(**call))
                    });
                    assert_eq!(exits.count(), 0, "{} {name}: {}", recorded.name, event.text());
                }
                _ => {}
            }
        }
    }
}

/// The events of each thread. Threads of the same name that run at the same time are left out.
fn per_thread(events: &[Event]) -> BTreeMap<&str, Vec<&Event>> {
    let mut threads: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    for event in events {
        threads.entry(&event.thread).or_default().push(event);
    }
    let mixed = mixed(events);
    threads.retain(|name, _| !mixed.contains(name));
    threads
}

/// No step at the first line of a method when it begins, one at each later line, and one when execution
/// returns into a line after a recorded call.
fn steps_follow_the_rule(recorded: &Recorded) {
    let brute = Brute::new(&recorded.events);
    for (_, events) in per_thread(&recorded.events) {
        for pair in events.windows(2) {
            let [before, event] = pair else { continue };
            let is_sure = brute.is_sure(event.id) && brute.is_sure(before.id);
            if event.is("step") && before.is("methodcall") {
                assert_ne!(event.place(), before.place(), "{}: {}", recorded.name, event.text());
            }
            // After an exit, execution is in a line of the caller again.
            if before.is("methodexit") && is_sure && !event.is("datastructure") {
                let caller = brute.around[usize::try_from(before.id).unwrap()].first();
                let has_lines = caller.is_some();
                if has_lines && !event.is("methodexit") {
                    assert!(event.is("step"), "{}: {} after {}", recorded.name, event.text(), before.text());
                }
                if event.is("step") {
                    let last = last_line(&brute, *caller.unwrap(), before.id);
                    assert_eq!(
                        event.place(),
                        last,
                        "{}: {} after {}",
                        recorded.name,
                        event.text(),
                        before.text()
                    );
                }
            }
        }
    }
}

/// The line on which a call was before an event: that of its last step, or its first line.
fn last_line<'l>(brute: &Brute<'l>, call: u64, before: u64) -> Option<(&'l str, i64)> {
    let events = &brute.events[..usize::try_from(before).unwrap()];
    let last = events.iter().rev().find(|event| {
        event.id == call
            || event.is("step") && brute.around[usize::try_from(event.id).unwrap()].first() == Some(&call)
    });
    last?.place()
}

/// The step after a caught exception is at the line where the exception says that it was caught.
fn catches_agree(recorded: &Recorded) {
    for (_, events) in per_thread(&recorded.events) {
        for (at, event) in events.iter().enumerate().filter(|(_, event)| event.is("exception")) {
            let next = events[at + 1..].iter().find(|next| !next.is("memberfields"));
            match &event.args[3] {
                Term::Compound(..) => {
                    let catch = event.args[3].of("l").expect("a place");
                    let Some(step) = next else { panic!("{}: {}", recorded.name, event.text()) };
                    // A handler without a line of its own continues the line that threw.
                    if step.is("step") {
                        let place = step.place().expect("a place");
                        assert_eq!(place, (catch[0].name(), catch[1].int().unwrap()), "{}", event.text());
                    }
                }
                Term::Atom(caught) if caught == "uncaught" => {
                    // A handler for uncaught exceptions may be called before the thread ends.
                    let thrown = &event.args[1];
                    let gets_it =
                        |arg: &Term| arg == thrown || matches!(arg, Term::List(all) if all.contains(thrown));
                    let is_end = |next: &&Event| {
                        next.is("threaddeath") || next.is("methodcall") && next.args.iter().any(gets_it)
                    };
                    assert!(next.is_some_and(is_end), "{}", event.text());
                }
                other => assert_eq!(*other, Term::atom("unrecorded"), "{}", recorded.name),
            }
        }
    }
}

/// The fields of a class come once, before the first call on it and the first write of its fields.
fn classes_come_before_their_calls(recorded: &Recorded) {
    let mut known: HashSet<&str> = HashSet::new();
    let all: HashSet<&str> =
        recorded.events.iter().filter(|event| event.is("memberfields")).map(class).collect();
    for event in &recorded.events {
        if event.is("memberfields") {
            assert!(known.insert(class(event)), "{}: {}", recorded.name, event.text());
            assert!(!event.args[1].list().is_empty());
        } else if event.is("methodcall") || event.is("setfield") {
            let Term::Compound(_, of) = event.owner() else { continue };
            let Term::Atom(of) = &of[0] else { continue };
            let is_known = known.contains(of.as_str()) || !all.contains(of.as_str());
            assert!(is_known, "{}: {}", recorded.name, event.text());
        }
    }
}

fn class(event: &Event) -> &str {
    event.args[0].of("c").expect("a class")[0].name()
}

#[test]
fn field_writes_are_those_that_the_program_prints() {
    let recorded = queried();
    let printed = recorded.printed.lines().filter_map(|line| line.trim().strip_prefix("set "));
    let mut printed: Vec<String> = printed.map(str::to_owned).collect();
    let writes = recorded.events.iter().filter(|event| event.is("setfield"));
    let writes = writes.filter(|event| !matches!(event.name(), "table" | "value"));
    let mut writes: Vec<String> = writes
        .map(|event| {
            let value = if event.name() == "link" { "-".to_owned() } else { event.value().to_string() };
            format!("{} {value}", event.name())
        })
        .collect();
    assert!(writes.len() > 20, "{writes:?}");
    // Threads print in another order than they write.
    printed.sort();
    writes.sort();
    assert_eq!(writes, printed);
}

#[test]
fn field_writes_of_random_programs_are_those_of_their_logs() {
    let (programs, folders) = random_programs();
    let mut compared = 0;
    for (seed, program) in (1..).zip(programs) {
        let Some(logged) = run(program, folders) else { continue };
        let classes = [Home::Object, Home::Main, Home::Worker].map(|home| (home, program.class_of(home)));
        // Objects have other numbers in the log: only plain values are compared.
        let plain = |value: &str| match value.strip_suffix('L') {
            _ if value.starts_with('@') => "object".to_owned(),
            Some(long) if long.parse::<i64>().is_ok() => long.to_owned(),
            _ => value.to_owned(),
        };
        let of_log = logged.iter().filter_map(|event| match event {
            Logged::Write { field, new, .. } => Some((FIELDS[*field].name.to_owned(), plain(new))),
            _ => None,
        });
        let mut of_log: Vec<(String, String)> = of_log.collect();
        let recorded = random(seed);
        let is_field = |event: &&Event| {
            let (functor, args) = match event.owner() {
                Term::Compound(functor, args) => (functor.as_str(), args),
                other => panic!("no owner: {other}"),
            };
            let class = args[0].name();
            let home = classes.iter().find(|(_, name)| name == class).map(|(home, _)| *home);
            functor != "?"
                && FIELDS.iter().any(|field| field.name == event.name() && Some(field.home) == home)
        };
        let writes = recorded.events.iter().filter(|event| event.is("setfield")).filter(is_field);
        let shown = |value: &Term| match value {
            Term::Compound(..) => "object".to_owned(),
            Term::Text(text) => format!("\"{text}\""),
            other => other.to_string(),
        };
        let mut writes: Vec<(String, String)> =
            writes.map(|event| (event.name().to_owned(), shown(event.value()))).collect();
        compared += writes.len();
        of_log.sort();
        writes.sort();
        assert_eq!(writes, of_log, "random program {seed}");
    }
    assert!(compared > 50, "{compared} writes");
}

#[test]
fn variables_are_visible_where_java_says() {
    let recorded = queried();
    let at = |line: i64, name: &str| -> Vec<Vec<String>> {
        let steps =
            recorded.events.iter().filter(|event| event.is("step") && event.place().unwrap().1 == line);
        let names = |event: &Event| -> Vec<String> {
            event.args[1].list().iter().map(|local| local.of("lv").unwrap()[0].name().to_owned()).collect()
        };
        let found: Vec<Vec<String>> = steps.map(names).collect();
        assert!(!found.is_empty(), "{name} at {line}");
        found
    };
    let after = i64::from(crate::support::marked(
        "fixtures/queried",
        "Queried.java",
        "// <- after the caught exception",
    ));
    for names in at(after, "rescued") {
        assert_eq!(names, ["left", "before"], "the block of `e` and `inside` has ended");
    }
    let end =
        i64::from(crate::support::marked("fixtures/queried", "Queried.java", "// <- the end of the loops"));
    for names in at(end, "loop") {
        assert_eq!(names, ["sum"], "the loops have ended");
    }
}

#[test]
fn without_tables_of_variables_all_are_listed() {
    let classes = compiled("../examples/javata", &["-g:lines,source"]);
    let recorded = Recorded::new("javata-without-names", "all", &[], &java(&classes, "Example"));
    assert_eq!(recorded.events.len(), 17);
    let asked = recorded.ask("event(Id, T, E)", &[]);
    let exported: Vec<String> = recorded.events.iter().map(Event::text).collect();
    for (asked, exported) in asked.iter().zip(&exported) {
        let (_, event) = asked.split_once("E=").unwrap();
        assert!(exported.ends_with(&format!("{event})")), "{asked} and {exported}");
    }
}

#[test]
fn constructors_that_fail_have_their_object_and_end() {
    let recorded = queried();
    let failing = |event: &&Event| event.is("methodcall") && event.owner().to_string().contains("Failing");
    let calls: Vec<&Event> = recorded.events.iter().filter(failing).collect();
    assert_eq!(calls.len(), 2, "Failing and its superclass");
    assert_eq!(calls[0].owner(), calls[1].owner());
    let brute = Brute::new(&recorded.events);
    assert!(matches!(brute.ends[&calls[1].id], End::Threw(_)));
    // The handler runs in `main`, not in the constructor.
    let helper =
        recorded.events.iter().find(|event| event.id > calls[1].id && event.is("methodcall")).unwrap();
    assert_eq!(helper.name(), "helper");
    let chain = recorded.ids(&["chain", &helper.id.to_string()]);
    let names: Vec<&str> = chain.iter().map(|id| recorded.event(*id).name()).collect();
    assert_eq!(names, ["main"]);
}

/// A window begins inside calls, whose arguments are not known, and a part of a run says so.
#[test]
fn parts_of_a_run_do_not_claim_more_than_they_have() {
    let classes = compiled("fixtures/queried", &["-g"]);
    let java = java(&classes, "Queried");
    let window = ["--from", "Queried.loop", "--to", "Queried.text"];
    let recorded = Recorded::new("queried-window", "all", &window, &java);
    ids_are_dense(&recorded.events);
    exits_name_their_calls(&recorded);
    let named =
        |name: &str| recorded.events.iter().find(|event| event.is("methodcall") && event.name() == name);
    assert_eq!(named("main").expect("a call around").value(), &Term::atom("unrecorded"));
    assert_eq!(named("loop").expect("a call").value(), &Term::List(Vec::new()));
    let rows = recorded.answer(&["chain", &named("loop").unwrap().id.to_string()]);
    assert_eq!(rows["rows"][0]["name"], "main");
    assert!(rows["rows"][0]["arguments"].is_null(), "{rows:#}");
    let calls = |goal: &str| recorded.ask(goal, &[]).len();
    assert_eq!(calls("event(_, _, methodcall(_, _, main, unrecorded))"), 1);
    assert_eq!(calls("event(_, _, methodcall(_, _, main, []))"), 0);
    assert_eq!(calls("event(_, _, methodcall(_, _, loop, []))"), 1);
    for words in [&["did", "call", "Queried.rescued"][..], &["did", "set", "Queried.table"]] {
        let answer = recorded.answer(words);
        let note = answer["notes"][0].as_str().unwrap_or_default();
        assert_eq!(answer["yes"], false);
        assert!(note.contains("part of the run"), "{words:?}: {note}");
    }
    // One call, recorded again in more detail.
    let calls = fixture("queried", "Queried", "calls");
    let tree = crate::support::finish(
        crate::support::qp()
            .args(["trace", "calls", "--all", "--thread=main", "--format=json"])
            .arg(&calls.folder),
    );
    let tree: serde_json::Value = serde_json::from_slice(&tree.stdout).expect("JSON");
    let node = node_of(&tree["threads"][0]["calls"], "rescued").expect("the call");
    let like = calls.folder.display().to_string();
    let options = ["--like", &like, "--call", &node.to_string()];
    let part = Recorded::new("queried-call", "all", &options, &java);
    ids_are_dense(&part.events);
    exits_name_their_calls(&part);
    assert_eq!(part.ids(&["where-called", "rescued"]).len(), 2);
    assert!(part.events.iter().filter(|event| event.is("methodcall") && event.name() == "deep").count() == 4);
}

fn node_of(calls: &serde_json::Value, name: &str) -> Option<u64> {
    calls.as_array()?.iter().find_map(|call| match call["method"] == name {
        true => call["node"].as_u64(),
        false => node_of(&call["calls"], name),
    })
}
