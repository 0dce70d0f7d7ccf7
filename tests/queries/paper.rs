//! The tables and figures of the JavaTA paper, and the four places where its rules are wrong.

use crate::jel::{Event, Term, event, term};
use crate::recordings::{Recorded, example, java, queried};
use crate::support::compiled;
use std::collections::BTreeMap;

/// Figure 2, word for word, with straight quotes.
const FIGURE_2: &str = "\
event(0,'main',threadstart('main')).
event(1,'main',methodcall(l('Example.java',20),c('Example'),'main',[o('java.lang.String[]',641)])).
event(2,'main',methodcall(l('Example.java',2),o('Example',643),'<init>',[])).
event(3,'main',step(l('Example.java',3),[])).
event(4,'main',methodcall(l('Example.java',6),o('Example',643),'m1',[])).
event(5,'main',methodcall(l('Example.java',23),o('FarAWayClass',645),'<init>',[])).
event(6,'main',methodexit(5,l('Example.java',23),o('FarAWayClass',645),'<init>','void')).
event(7,'main',step(l('Example.java',6),[])).
event(8,'main',step(l('Example.java',7),[lv('o',o('FarAWayClass',645))])).
event(9,'main',methodcall(l('Example.java',26),o('FarAWayClass',645),'doSomeThing',[])).
event(10,'main',methodexit(9,l('Example.java',26),o('FarAWayClass',645),'doSomeThing','null')).
event(11,'main',step(l('Example.java',7),[lv('o',o('FarAWayClass',645))])).
event(12,'main',step(l('Example.java',8),[lv('o',o('FarAWayClass',645)),lv('result','null')])).
event(13,'main',methodcall(l('Example.java',11),o('Example',643),'m2',['null'])).
event(14,'main',methodcall(l('Example.java',14),o('Example',643),'mN',['null'])).
event(15,'main',exception(l('Example.java',14),o('java.lang.NullPointerException',666),'null',uncaught)).
event(16,'main',threaddeath('main')).
";

/// The rules as the paper prints them, and ours.
const RULES: [&[&str]; 2] = [&[], &["--rules", "javata.pl"]];

/// Replaces the numbers of objects by those of the other log. The renaming must be one to one.
fn renamed(term: &Term, other: &Term, names: &mut BTreeMap<i64, i64>) -> Term {
    match (term, other) {
        (Term::Compound(name, args), Term::Compound(_, others)) if name == "o" => {
            let (Some(own), Some(their)) = (args[1].int(), others.get(1).and_then(Term::int)) else {
                return term.clone();
            };
            let known = *names.entry(own).or_insert(their);
            Term::Compound(name.clone(), vec![args[0].clone(), Term::Int(known)])
        }
        (Term::Compound(name, args), Term::Compound(_, others)) => {
            let args = args.iter().zip(others).map(|(own, other)| renamed(own, other, names));
            Term::Compound(name.clone(), args.collect())
        }
        (Term::List(items), Term::List(others)) => {
            Term::List(items.iter().zip(others).map(|(own, other)| renamed(own, other, names)).collect())
        }
        _ => term.clone(),
    }
}

#[test]
fn the_log_of_figure_1_is_figure_2() {
    let recorded = example("javata", "Example");
    let figure = crate::jel::parse(FIGURE_2);
    assert_eq!((recorded.events.len(), figure.len()), (17, 17));
    let mut names = BTreeMap::new();
    for (ours, theirs) in recorded.events.iter().zip(&figure) {
        let args = ours.args.iter().zip(&theirs.args).map(|(own, other)| renamed(own, other, &mut names));
        let same = Event { args: args.collect(), ..ours.clone() };
        assert_eq!(same, *theirs);
    }
    let theirs: std::collections::BTreeSet<i64> = names.values().copied().collect();
    assert_eq!((names.len(), theirs.len()), (4, 4), "one to one: {names:?}");
}

/// The ids of the events in the terms that a goal binds, at any depth.
fn ids_in(text: &str) -> Vec<u64> {
    fn add(term: &Term, into: &mut Vec<u64>) {
        match term {
            Term::Compound(name, _) if name == "event" => into.push(event(term).id),
            Term::List(items) => items.iter().for_each(|item| add(item, into)),
            _ => {}
        }
    }
    let (_, value) = text.split_once('=').expect("a binding");
    let mut ids = Vec::new();
    add(&term(value), &mut ids);
    ids
}

#[test]
fn table_1_has_the_answers_of_the_paper() {
    let recorded = example("javata", "Example");
    for rules in RULES {
        let one = |goal: &str| {
            let solutions = recorded.ask(goal, rules);
            assert_eq!(solutions.len(), 1, "{goal} {rules:?}: {solutions:?}");
            solutions.into_iter().next().unwrap()
        };
        assert_eq!(ids_in(&one("where_exception_is_thrown('main', Environment)")), [14]);
        assert_eq!(ids_in(&one("full_detail_call_chain(15, CallChain)")), [14, 13, 4, 2, 1]);
        assert_eq!(ids_in(&one("pre_event_called_methods(13, PreCalled)")), [5, 6, 9, 10]);
        assert_eq!(one("pre_event_called_methods(13, [[A, B], [C, D]])").matches("event(").count(), 4);
        assert_eq!(one("call_chain(15, Ids)"), "Ids=[1,2,4,13,14]");
    }
    assert_eq!(recorded.ids(&["where-thrown", "--thread", "main"]), [14, 15]);
    assert_eq!(recorded.ids(&["chain", "15"]), [14, 13, 4, 2, 1]);
    assert_eq!(recorded.ids(&["before", "13"]), [4, 5, 6, 9, 10]);
    // The step after an exit follows the call that ended.
    assert_eq!(recorded.ids(&["before", "11"]), [4, 5, 6, 9, 10]);
    assert_eq!(recorded.ids(&["before", "10"]), [4, 5, 6]);
    assert_eq!(recorded.ids(&["after", "6"]), [9, 10, 13, 15, 15]);
}

#[test]
fn figure_9_ends_where_a_login_fails() {
    let rules = ["--rules", "examples/login/login.pl"];
    let right = example("login", "Login");
    let lines = ["got user name", "got password", "enter verify", "exit verify", "exit login", ""].join("\n");
    assert_eq!(right.written("login", &rules), lines);
    let classes = compiled("../examples/login", &["-g"]);
    let command = [java(&classes, "Login"), vec!["guess".to_owned()]].concat();
    let wrong = Recorded::new("login-wrong", "all", &[], &command);
    assert_eq!(wrong.written("login", &rules), "got user name\ngot password\nenter verify\n");
    assert_eq!(wrong.ask("login", &rules), [""; 0]);
}

/// §4.1: `m1` calls `m2`, where an event is executed; both enclose it. The state of an object with two fields
/// is the last value of each before the event.
#[test]
fn section_4_1_has_its_examples() {
    let recorded = queried();
    let write =
        recorded.events.iter().find(|event| event.is("setfield") && event.value() == &Term::Int(12)).unwrap();
    let calls: Vec<&str> = {
        let ids = recorded.ids(&["chain", &write.id.to_string()]);
        ids.iter().map(|id| recorded.event(*id).name()).collect()
    };
    assert_eq!(calls, ["add", "main"]);
    let chain = recorded.ask(&format!("call_chain({}, [M1, M2])", write.id), &["--rules", "javata.pl"]);
    // The paper's rule cannot tell the calls that the last exception leaves from others, but finds these two.
    let ours = recorded.ask(&format!("call_chain({}, [M1, M2])", write.id), &[]);
    assert_eq!(chain.len() + ours.len(), 2, "{chain:?} {ours:?}");
    let owner = write.owner().of("o").unwrap();
    let number = owner[1].int().unwrap();
    let state = recorded.answer(&["object", &format!("Rec@{number}"), "--at", &write.id.to_string()]);
    let row = |field: &str| {
        let rows = state["rows"].as_array().unwrap();
        let name = format!("Queried.Rec@{number}.{field}");
        rows.iter().find(|row| row["name"] == name.as_str()).cloned().unwrap_or_else(|| panic!("{state:#}"))
    };
    assert_eq!((row("sum")["value"].as_str(), row("sum")["event"].as_u64()), (Some("12L"), Some(write.id)));
    assert_eq!(row("own")["value"], "3");
    assert_eq!((row("never")["value"].as_str(), &row("never")["is_default"]), (Some("null"), &true.into()));
    assert_eq!((row("link")["value"].as_str(), &row("link")["is_default"]), (Some("null"), &true.into()));
}

/// A caught exception leaves `deep`. The paper's chain of a later event has those calls still, if an
/// exception ends the thread later, and loses them otherwise.
#[test]
fn a_caught_exception_ends_the_calls_that_it_leaves() {
    let recorded = queried();
    let inside = |name: &str| -> u64 {
        let thrown = recorded.events.iter().find(|event| event.is("exception")).unwrap().id;
        recorded
            .events
            .iter()
            .find(|event| event.id > thrown && event.is("methodcall") && event.name() == name)
            .unwrap()
            .id
    };
    let helper = inside("helper");
    let names = |rules: &[&str]| -> Vec<String> {
        let goal =
            format!("call_chain({helper}, Ids), member(Id, Ids), event(Id, _, methodcall(_, _, N, _))");
        let all = recorded.ask(&goal, rules);
        all.iter().map(|one| one.rsplit_once("N=").unwrap().1.to_owned()).collect()
    };
    assert_eq!(names(&[]), ["main", "rescued"]);
    let paper = names(&["--rules", "javata.pl"]);
    assert_eq!(paper.iter().filter(|name| *name == "deep").count(), 4, "the paper's rule: {paper:?}");
    // Inside the calls, before the exception, both are right about `deep`.
    let thrown = recorded.events.iter().find(|event| event.is("exception")).unwrap().id;
    let chain = recorded.ids(&["chain", &thrown.to_string()]);
    let names: Vec<&str> = chain.iter().map(|id| recorded.event(*id).name()).collect();
    assert_eq!(names, ["deep", "deep", "deep", "deep", "rescued", "main"]);
}

/// The paper's state fails as a whole if one field was never set, and has no field of a superclass.
#[test]
fn a_state_has_fields_that_were_never_set_and_those_of_superclasses() {
    let recorded = queried();
    let made = recorded
        .events
        .iter()
        .find(|event| event.is("methodcall") && event.owner().to_string().contains("Rec"))
        .unwrap();
    let number = made.owner().of("o").unwrap()[1].int().unwrap();
    // After `bar` was set, before `link` is.
    let set = recorded.events.iter().find(|event| event.is("setfield") && event.name() == "bar").unwrap().id;
    let goal = format!("object_state({set}, 'Queried$Rec', {number}, State)");
    assert_eq!(recorded.ask(&goal, &["--rules", "javata.pl"]), [""; 0], "`link` was never set");
    let ours = recorded.ask(&goal, &[]);
    let [ours] = ours.as_slice() else { panic!("{ours:?}") };
    for part in ["own,3]", "[default,never,null]", "bar,true]", "sum,7]", "[default,link,null]"] {
        assert!(ours.contains(part), "{part}: {ours}");
    }
    // It has one more answer for each constructor of a superclass.
    // At the end all are set, and the paper's answer lacks `own` and `never`.
    let last = recorded.events.len() - 1;
    let goal = format!("object_state({last}, 'Queried$Rec', {number}, State)");
    let paper = recorded.ask(&goal, &["--rules", "javata.pl"]);
    assert!(!paper.is_empty() && !paper[0].contains("own") && paper[0].contains("link"), "{paper:?}");
}

/// Calls that an exception left are among the called methods; the paper's rule wants an exit.
#[test]
fn called_methods_include_those_that_an_exception_left() {
    let recorded = queried();
    let helper =
        recorded.events.iter().find(|event| event.is("methodcall") && event.name() == "helper").unwrap().id;
    let goal = format!("pre_event_called_methods({helper}, Pairs)");
    let first = |rules: &[&str]| ids_in(&recorded.ask(&goal, rules)[0]);
    let ours = first(&[]);
    assert_eq!(ours.len(), 8, "four calls of `deep`, each with the exception: {ours:?}");
    assert!(first(&["--rules", "javata.pl"]).is_empty());
    let before = recorded.ids(&["before", &helper.to_string()]);
    assert_eq!(
        before.iter().map(|id| recorded.event(*id).kind.as_str()).collect::<Vec<_>>(),
        ["methodcall", "methodcall", "exception"]
    );
}
