//! The points-to analysis on small programs whose answer is known, and on a library of some size.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod support;

use bytecode::{Op, lines};
use pointsto::{AllocId, AllocKind, Entry, Limits, MethodId, PointsTo, Position};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use support::library::{TestProgram, jar};

const MAIN: &str = "([Ljava/lang/String;)V";

fn entry(class: &str, name: &str, descriptor: &str) -> Entry {
    Entry { class: class.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() }
}

/// The first line with this text, from 1.
fn line(text: &str, wanted: &str) -> u32 {
    let at = text.lines().position(|l| l.contains(wanted)).unwrap_or_else(|| panic!("no line has {wanted}"));
    u32::try_from(at + 1).unwrap()
}

fn line_of(found: &PointsTo, method: MethodId, pc: u32) -> u32 {
    lines::line_of(found.method(method).unwrap().method.code.as_ref().unwrap(), pc).unwrap()
}

/// The allocation of a kind on a line.
fn allocated(found: &PointsTo, kind: AllocKind, line: u32) -> AllocId {
    let mut all = found
        .allocations()
        .filter(|(_, a)| a.kind == kind && a.site.is_some_and(|s| line_of(found, s.method, s.pc) == line));
    let (id, _) = all.next().unwrap_or_else(|| panic!("line {line} allocates nothing"));
    assert!(all.next().is_none(), "line {line} has several allocations");
    id
}

/// The uses of an allocation as `method line operation`.
fn uses(found: &PointsTo, alloc: AllocId) -> BTreeSet<String> {
    let text = |(method, pc, position): (MethodId, u32, Position)| {
        let reached = found.method(method).unwrap();
        let code = reached.method.code.as_ref().unwrap();
        let what = match &code.at(pc).unwrap().op {
            Op::Invoke { method, .. } => format!("{}()", method.name),
            Op::InvokeDynamic { name, .. } => format!("{name} dynamic"),
            Op::GetField(field) | Op::PutField(field) => field.name.clone(),
            _ => "element".to_owned(),
        };
        let role = match position {
            Position::Receiver | Position::Object | Position::Array => String::new(),
            other => format!(" {other:?}"),
        };
        format!("{} {what}{role}", reached.method.name)
    };
    found.use_sites(alloc).into_iter().map(text).collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|t| (*t).to_owned()).collect()
}

const FILE_LISTER: &str = r#"
import java.io.File;
import java.util.ArrayList;
import java.util.List;

class FileLister {
    File dir;
    List<String> list;
    List<String> args;
    boolean active;
    public static void main(String[] args) {
        new FileLister().run(args);
    }
    void run(String[] args) {
        init();
        setArgs(args);
        if (active) addItem();
        printItems();
    }
    void init() {
        dir = new File(".");
        list = new ArrayList<>();
        args = new ArrayList<>();
        active = false;
    }
    void setArgs(String[] as) {
        for (String a : as) args.add(a);
    }
    void addItem() {
        List<String> d = this.list;
        for (String n : dir.list())
            d.add(n);
    }
    void printItems() {
        List<String> s = this.list;
        System.out.println(s.toString());
    }
    void addNewItem(String n) { list.add(n); }
}
"#;

#[test]
fn the_use_sites_of_the_paper_are_found() {
    let classes = support::compile_text("FileLister", FILE_LISTER, &["-g"]);
    let list_line = line(FILE_LISTER, "list = new");
    let args_line = line(FILE_LISTER, "args = new");
    let main = entry("FileLister", "main", MAIN);
    let new_item = entry("FileLister", "addNewItem", "(Ljava/lang/String;)V");
    for program in [TestProgram::new(&classes), TestProgram::without_jdk(&classes)] {
        let found = PointsTo::solve(&program, std::slice::from_ref(&main), Limits::default());
        println!("{}", found.statistics());
        let (list, args) =
            (allocated(&found, AllocKind::New, list_line), allocated(&found, AllocKind::New, args_line));
        assert_eq!(uses(&found, list), set(&["addItem add()", "printItems toString()"]));
        assert_eq!(uses(&found, args), set(&["setArgs add()"]));
        assert!(!found.is_reachable("FileLister", "addNewItem", "(Ljava/lang/String;)V"));
    }
    let found = PointsTo::solve(&TestProgram::new(&classes), &[main, new_item], Limits::default());
    let list = allocated(&found, AllocKind::New, list_line);
    let args = allocated(&found, AllocKind::New, args_line);
    assert_eq!(uses(&found, list), set(&["addItem add()", "printItems toString()", "addNewItem add()"]));
    assert_eq!(uses(&found, args), set(&["setArgs add()"]));
}

/// The words after a key in the comment of a line, up to the next key.
fn words<'a>(line: &'a str, key: &str) -> Vec<&'a str> {
    let comment = line.split_once("// ").map_or("", |(_, comment)| comment);
    let after = comment.split_whitespace().skip_while(|w| *w != key).skip(1);
    after.take_while(|w| w.chars().all(char::is_uppercase)).collect()
}

/// Checks the comments `makes`, `sees` and `misses` of a program.
fn check_comments(name: &str, text: &str, program: impl FnOnce(&[bytecode::ClassFile]) -> TestProgram) {
    let classes = support::compile_text(name, text, &["-g"]);
    let found = PointsTo::solve(&program(&classes), &[entry(name, "main", MAIN)], Limits::default());
    println!("{}", found.statistics());
    let mut lines_of: BTreeMap<&str, u32> = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()) {
        for word in words(text, "makes") {
            assert!(lines_of.insert(word, line).is_none(), "{word} is made twice");
        }
    }
    // What is seen on each line, as the lines of the allocations.
    let mut seen: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (id, reached) in found.methods() {
        for instruction in &reached.method.code.as_ref().unwrap().instructions {
            if matches!(&instruction.op, Op::Invoke { method, .. } if method.name == "see") {
                let line = seen.entry(line_of(&found, id, instruction.pc)).or_default();
                for object in found.operand(id, instruction.pc, Position::Argument(0)).iter() {
                    let site = found.allocation(object).unwrap().site;
                    line.extend(site.map(|s| line_of(&found, s.method, s.pc)));
                }
            }
        }
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    for (line, text) in (1..).zip(text.lines()) {
        let here = seen.get(&line).cloned().unwrap_or_default();
        for (key, expected) in [("sees", true), ("misses", false)] {
            for word in words(text, key) {
                count += 1;
                if here.contains(&lines_of[word]) != expected {
                    wrong.push(format!("{line}: {key} {word}, found {here:?}: {}", text.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 80, "only {count} facts");
}

#[test]
fn objects_are_found_behind_the_library() {
    let text = include_str!("programs/Library.java");
    check_comments("Library", text, TestProgram::new);
}

#[test]
fn objects_are_found_without_the_classes_of_the_jdk() {
    let text = include_str!("programs/Library.java");
    check_comments("Library", text, TestProgram::without_jdk);
}

#[test]
fn calls_are_found_from_both_ends() {
    let text = include_str!("programs/Library.java");
    let classes = support::compile_text("Library", text, &["-g"]);
    let main = [entry("Library", "main", MAIN)];
    let found = PointsTo::solve(&TestProgram::new(&classes), &main, Limits::default());
    let run = found.method_id("Library$Worker", "run", "()V").unwrap();
    let started = line(text, "new Worker(new Object()).start()");
    let callers: Vec<u32> = found.callers(run).map(|(method, pc)| line_of(&found, method, pc)).collect();
    assert_eq!(callers, [started]);
    let mut edges = 0;
    for (id, reached) in found.methods() {
        for instruction in &reached.method.code.as_ref().unwrap().instructions {
            for callee in found.callees(id, instruction.pc) {
                assert!(found.callers(*callee).any(|caller| caller == (id, instruction.pc)));
                edges += 1;
            }
        }
    }
    assert_eq!(edges, found.statistics().call_edges);
}

#[test]
fn an_analysis_ends_at_its_limit() {
    let text = include_str!("programs/Library.java");
    let classes = support::compile_text("Library", text, &["-g"]);
    let limits = Limits { steps: 100, ..Limits::default() };
    let found = PointsTo::solve(&TestProgram::new(&classes), &[entry("Library", "main", MAIN)], limits);
    assert!(!found.is_complete());
}

/// Analyses a jar with all its public methods as entries, and prints the statistics.
fn solve_jar(path: &Path) -> Option<PointsTo> {
    let classes = jar(path)?;
    let mut entries = Vec::new();
    for class in classes.iter().filter(|c| c.access & 1 != 0) {
        for method in class.methods.iter().filter(|m| m.access & 1 != 0) {
            entries.push(entry(&class.name, &method.name, &method.descriptor));
        }
    }
    let found = PointsTo::solve(&TestProgram::new(&classes), &entries, Limits::default());
    let count = (classes.len(), entries.len());
    println!("{}: {} classes, {} entries: {}", path.display(), count.0, count.1, found.statistics());
    Some(found)
}

#[test]
fn public_methods_of_jsoup_are_analysed_in_seconds() {
    let found = solve_jar(Path::new("/usr/share/java/jsoup.jar"));
    testing::needs(found.is_some(), "there is no /usr/share/java/jsoup.jar (Debian's package libjsoup-java)");
    let Some(found) = found else { return };
    assert!(found.is_complete());
    assert!(found.statistics().methods > 1000);
    // Some hundred million steps would mean that a set is passed on again and again.
    assert!(found.statistics().steps < 3_000_000, "{}", found.statistics());
}

/// Prints the statistics of the jars in `POINTSTO_JARS`, separated by colons; of one small jar by default.
#[test]
fn public_methods_of_jars_are_analysed() {
    let jars =
        std::env::var("POINTSTO_JARS").unwrap_or_else(|_| "/usr/share/java/commons-csv.jar".to_owned());
    for path in jars.split(':').map(Path::new).filter(|path| path.exists()) {
        let found = solve_jar(path).unwrap();
        assert!(found.is_complete() && found.statistics().methods > 0, "{}", path.display());
    }
}
