//! The translations of the paper's chains (Table 1) and of those in DESIGN §5.

use super::*;
use model::{MethodName, Site};
use query::{Constraint, Event, FrameSelector, PointIndex, Slot};

const INTRO: &str = r#"
    (id: "A", at: Line("Intro", 31), text: "assert foo != null;", when: "foo == null"),
    (id: "B", at: LastChange("A(0):foo"), collect: ["record.bar"]),
    (id: "C", at: LastCondition("B")),
    (id: "D", at: LastChange("C:record.bar")),
    (id: "E", at: SkippedLine("Intro", 14), text: "record.bar = expr1(record);", after: "D"),
"#;

fn site(class: &str, name: &str, descriptor: &str, bci: u32) -> Site {
    Site { method: MethodName::new(class, name, descriptor), bci }
}

/// Lines of the sites of a point.
fn lines(explained: &Explanation, point: &str) -> Vec<u32> {
    let row = explained.rows.iter().find(|r| r.point == point).unwrap();
    let line = |s: &String| s.split(" line ").nth(1)?.split(' ').next()?.parse().ok();
    row.sites.iter().map(|s| line(s).unwrap_or_else(|| panic!("{s}"))).collect()
}

#[test]
fn the_introductory_chain_is_table_1_of_the_paper() {
    let program = intro();
    let chain = chain(INTRO);
    let translation = program.translate(&chain, &Learned::default()).unwrap();
    assert_eq!(translation.pending, []);
    assert_eq!(translation.deeper, []);
    assert_eq!(translation.warnings, Vec::<String>::new());
    let explained = program.explain(&chain, &Learned::default());
    // B: the stores to foo; our javac generates no store for its declaration (the paper's line 13).
    assert_eq!(lines(&explained, "B"), [26, 28]);
    // C: the condition of the second loop's if; both ways matter, because B can be in either branch.
    assert!(lines(&explained, "C").iter().all(|l| *l == 24), "{:?}", lines(&explained, "C"));
    // D: the field of the record's class, for that record only.
    let d = &translation.queries[3];
    let Event::Written(field) = &d.event else { panic!("{:?}", d.event) };
    assert_eq!((&*field.class, &*field.name, field.is_static), ("Rec", "bar", false));
    let c = PointIndex(2);
    assert_eq!(
        d.constraints,
        [Constraint::Before(c), Constraint::Sameness { mine: Slot::Owner, point: c, theirs: Slot::Kept(0) }]
    );
    assert_eq!(translation.queries[2].keep[0].expr.text(), "record");
    assert_eq!(translation.queries[2].keep[1].expr.text(), "record.bar");
    assert_eq!(d.compare_at, Some((c, 1)));
    assert_eq!(translation.queries.iter().map(|q| q.index).collect::<Vec<_>>(), [0, -1, -1, -1, 0]);
    let tracked: Vec<String> = translation.tracked.iter().map(ToString::to_string).collect();
    assert_eq!(tracked, ["Intro.main"]);
    // E: the calls in the try block before and at the line.
    assert!(lines(&explained, "E").iter().all(|l| (12..=14).contains(l)), "{:?}", lines(&explained, "E"));
    assert!(lines(&explained, "E").contains(&13));
    insta::assert_snapshot!(explained.to_string());
    insta::assert_snapshot!("intro_dot", explained.graph(GraphFormat::Dot));
    insta::assert_snapshot!("intro_mermaid", explained.graph(GraphFormat::Mermaid));
    for line in explained.to_string().lines().take_while(|l| !l.is_empty()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_line_that_moved_is_found_by_its_text() {
    let program = intro();
    let moved = chain(r#"(id: "A", at: Line("Intro", 27), text: "assert foo != null;")"#);
    let explained = program.explain(&moved, &Learned::default());
    assert_eq!(lines(&explained, "A"), [31]);
    assert_eq!(
        explained.warnings,
        ["A: `assert foo != null;` has moved from line 27 to line 31 of Intro.java"]
    );
    let gone = program.refusal(r#"(id: "A", at: Line("Intro", 31), text: "assert foo == null;")"#);
    assert!(gone.contains("no line with code is"), "{gone}");
}

const DO_WHILE: &str = "public class Main {
    static int left = 3;
    public static void main(String[] args) {
        if (args.length == 0) {
            body();
        }
    }
    static void body() {
        do {
            left--;
            System.out.println(left);
        } while (left > 0);
    }
}";

#[test]
fn a_do_while_may_be_led_to_by_itself_or_by_what_surrounds_it_up_to_the_callers() {
    let program = Program::new("Main.java", DO_WHILE);
    let chain = chain(r#"(id: "P", at: Line("Main", 11)), (id: "Q", at: LastCondition("P"))"#);
    let before = program.translate(&chain, &Learned::default()).unwrap();
    let Event::Branched(branches) = &before.queries[1].event else { panic!("{:?}", before.queries[1]) };
    assert_eq!(branches.len(), 1, "{branches:?}");
    assert_eq!(before.deeper.len(), 1);
    assert_eq!(before.deeper[0].1.to_string(), "the method of frame 1 at P");

    let Event::Reached(passes) = &before.queries[0].event else { panic!("{:?}", before.queries[0]) };
    let mut learned = Learned::default();
    let call = call_of(&program, "main", "body");
    learned.stack(
        PointIndex(0),
        vec![Site { method: passes[0].method.clone(), bci: passes[0].entries[0] }, call.clone()],
    );
    let explained = program.explain(&chain, &learned);
    assert_eq!(lines(&explained, "Q"), [12, 4]);
    let after = program.translate(&chain, &learned).unwrap();
    assert_eq!(after.deeper, []);
    let Event::Branched(branches) = &after.queries[1].event else { panic!("{:?}", after.queries[1]) };
    assert!(branches.iter().any(|b| b.controls.contains_key(&call)), "{branches:?}");
    assert!(
        after.queries[1]
            .constraints
            .contains(&Constraint::MayAffect { point: PointIndex(0), frame: FrameSelector::Any })
    );
}

/// Where one method of `Main` calls another.
fn call_of(program: &Program, caller: &str, called: &str) -> Site {
    let class = program.pool.find("Main").unwrap().unwrap();
    let method = class.file.methods_named(caller).next().unwrap();
    let calls =
        |op: &bytecode::Op| matches!(op, bytecode::Op::Invoke { method, .. } if method.name == called);
    let at = method.code.as_ref().unwrap().instructions.iter().find(|i| calls(&i.op)).unwrap();
    site("Main", caller, &method.descriptor, at.pc)
}

#[test]
fn a_condition_that_can_only_be_in_a_caller_waits_for_the_stack() {
    let program = Program::new("Main.java", DO_WHILE);
    let chain = chain(
        r#"(id: "P", at: Entry("Main.body")), (id: "Q", at: LastCondition("P")), (id: "R", at: LastCondition("Q"))"#,
    );
    let before = program.translate(&chain, &Learned::default()).unwrap();
    let needs: Vec<String> = before.pending.iter().map(|(_, need)| need.to_string()).collect();
    // The loop jumps to the same index, which is not an entry.
    assert_eq!(needs, ["the method of frame 1 at P", "the place of Q"]);
    assert_eq!(before.queries.len(), 1);
    let mut learned = Learned::default();
    learned.stack(PointIndex(0), vec![site("Main", "body", "()V", 0), call_of(&program, "main", "body")]);
    let explained = program.explain(&chain, &learned);
    assert_eq!(lines(&explained, "Q"), [4]);
}

const RECURSION: &str = "public class Main {
    Main next;
    String color = \"red\";
    public static void main(String[] args) {
        new Main().walk(3, args);
    }
    int walk(int depth, Object tag) {
        int seen = depth;
        if (depth > 0) {
            seen += walk(depth - 1, tag);
        }
        color = \"blue\";
        return seen;
    }
}";

#[test]
fn a_local_of_a_recursive_method_is_that_of_the_points_own_activation() {
    let program = Program::new("Main.java", RECURSION);
    let chain = chain(r#"(id: "P", at: Line("Main", 13)), (id: "Q", at: LastChange("P:seen"))"#);
    let explained = program.explain(&chain, &Learned::default());
    assert_eq!(lines(&explained, "Q"), [8, 10]);
    let translation = program.translate(&chain, &Learned::default()).unwrap();
    let p = PointIndex(0);
    assert_eq!(
        translation.queries[1].constraints,
        [
            Constraint::Before(p),
            Constraint::MayAffect { point: p, frame: FrameSelector::Nth(0) },
            Constraint::SameThread(p),
            Constraint::StoresFor { point: p, frame: 0 },
        ]
    );
    let Event::Stored(stores) = &translation.queries[1].event else { panic!("{:?}", translation.queries[1]) };
    assert!(stores.iter().all(|s| s.asked_at.len() == 1 && s.asked_at[0].method.name.as_ref() == "walk"));
    assert_eq!(stores.iter().map(|s| s.old_readable).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn a_parameter_is_assigned_by_the_entry() {
    let program = Program::new("Main.java", RECURSION);
    let explained =
        program.explained(r#"(id: "P", at: Line("Main", 13)), (id: "Q", at: LastChange("P:depth"))"#);
    assert!(explained.contains("(parameter)"), "{explained}");
}

#[test]
fn a_callers_frame_is_learnt_from_a_run() {
    let program = Program::new("Main.java", RECURSION);
    let chain = chain(r#"(id: "P", at: Entry("Main.walk")), (id: "Q", at: LastChange("P(1):color"))"#);
    let before = program.translate(&chain, &Learned::default()).unwrap();
    assert_eq!(before.pending.len(), 1);
    assert_eq!(before.pending[0].1.to_string(), "the method of frame 1 at P");
    let mut learned = Learned::default();
    let caller = call_of(&program, "walk", "walk");
    learned.stack(PointIndex(0), vec![Site { method: caller.method.clone(), bci: 0 }, caller]);
    let after = program.translate(&chain, &learned).unwrap();
    assert_eq!(after.pending, []);
    let Event::Written(field) = &after.queries[1].event else { panic!("{:?}", after.queries[1]) };
    assert_eq!(&*field.class, "Main");
    assert_eq!((after.queries[0].keep[0].frame, after.queries[0].keep[0].expr.text()), (1, "this"));
    let far = program.translate(
        &super::chain(r#"(id: "P", at: Entry("Main.walk")), (id: "Q", at: LastChange("P(7):color"))"#),
        &learned,
    );
    assert!(far.unwrap_err().to_string().contains("a stack of 2 frames"));
}

#[test]
fn the_class_of_an_owner_is_learnt_from_a_run() {
    let program = Program::new("Main.java", RECURSION);
    let chain = chain(r#"(id: "P", at: Line("Main", 13)), (id: "Q", at: LastChange("P:tag.color"))"#);
    let before = program.translate(&chain, &Learned::default()).unwrap();
    assert_eq!(before.pending[0].1.to_string(), "the class of P(0):tag");
    assert_eq!(before.queries[0].keep[0].expr.text(), "tag", "the run can only tell what the point keeps");
    let mut learned = Learned::default();
    learned.class(PointIndex(0), 0, "tag", "Main");
    let after = program.translate(&chain, &learned).unwrap();
    assert!(matches!(&after.queries[1].event, Event::Written(f) if &*f.class == "Main"));
}

#[test]
fn what_depends_on_a_point_that_waits_waits_too() {
    let program = intro();
    let chain = chain(
        r#"(id: "A", at: Watch("Rec", "bar")), (id: "B", at: LastCondition("A")), (id: "C", at: LastCondition("B")),
           (id: "D", at: LastChange("A:.owner.text"))"#,
    );
    let translation = program.translate(&chain, &Learned::default()).unwrap();
    let pending: Vec<(u16, String)> =
        translation.pending.iter().map(|(p, need)| (p.0, need.to_string())).collect();
    assert_eq!(pending[..2], [(1, "the place of A".to_owned()), (2, "the place of B".to_owned())]);
    insta::assert_snapshot!(program.explained(
        r#"(id: "A", at: Watch("Rec", "bar")), (id: "B", at: LastCondition("A")), (id: "C", at: LastCondition("B"))"#
    ));
    // Values of the event itself need no frame.
    let mut learned = Learned::default();
    learned.stack(PointIndex(0), vec![site("Intro", "main", "([Ljava/lang/String;)V", 62)]);
    let after = program.translate(&chain, &learned).unwrap();
    let owner = after.queries.iter().find(|q| &*q.id == "D").unwrap();
    assert!(
        matches!(&owner.event, Event::Written(f) if &*f.class == "Rec" && &*f.name == "text"),
        "{owner:?}"
    );
}

#[test]
fn the_writes_of_a_private_field_are_known_before_any_run() {
    let program = Program::new(
        "Main.java",
        "public class Main {
    private int total;
    private String name;
    void add(int n) { total += n; }
    class Inner { void clear(int m) { total = 0; } }
    public static void main(String[] args) {
        Main main = new Main();
        main.add(2);
        System.out.println(main.total + main.name);
    }
}",
    );
    let known = chain(
        r#"(id: "A", at: Line("Main", 9)), (id: "B", at: LastChange("A:main.total")), (id: "C", at: LastChange("B:.owner.name")),
           (id: "D", at: LastCondition("B"))"#,
    );
    let translation = program.translate(&known, &Learned::default()).unwrap();
    let needs: Vec<String> = translation.pending.iter().map(|(p, need)| format!("{} {need}", p.0)).collect();
    assert_eq!(needs, ["3 the method of frame 1 at B"], "no condition in the methods that write");
    // `n` exists in one writing method but not in the other, so a run must tell which one it is.
    let asked = chain(
        r#"(id: "A", at: Line("Main", 9)), (id: "B", at: LastChange("A:main.total")), (id: "C", at: LastChange("B:n"))"#,
    );
    let translation = program.translate(&asked, &Learned::default()).unwrap();
    assert_eq!(translation.pending, []);
    let Event::Stored(stores) = &translation.queries[2].event else { panic!("{translation:?}") };
    assert!(stores.iter().all(|s| &*s.site.method.name == "add"), "{stores:?}");
}

#[test]
fn a_name_that_means_several_variables_waits_for_a_run() {
    let program = Program::new(
        "Main.java",
        "public class Main {
    int a;
    Runnable run(Main a) { int b = a.a; return () -> use(b + this.a); }
    void use(int n) { System.out.println(n); }
    public static void main(String[] args) { new Main().run(new Main()).run(); }
}",
    );
    let chain = chain(r#"(id: "A", at: Line("Main", 3)), (id: "B", at: LastChange("A:a"))"#);
    let translation = program.translate(&chain, &Learned::default()).unwrap();
    assert_eq!(translation.pending[0].1.to_string(), "the place of A");
    let Event::Reached(passes) = &translation.queries[0].event else { panic!("{translation:?}") };
    let lambda = passes.iter().find(|p| p.method.name.contains("lambda")).unwrap();
    let mut learned = Learned::default();
    learned.stack(PointIndex(0), vec![Site { method: lambda.method.clone(), bci: lambda.entries[0] }]);
    let after = program.translate(&chain, &learned).unwrap();
    assert!(matches!(&after.queries[1].event, Event::Written(f) if &*f.name == "a"), "{after:?}");
}

#[test]
fn a_field_of_the_jdk_needs_no_variable_names() {
    let program = intro();
    let chain = chain(
        r#"(id: "P1", at: Entry("java.util.ArrayList.clear"), when: "size > 0", from: "Intro.main"),
           (id: "P2", at: LastChange("P1:size")), (id: "P3", at: LastChange("P2(1):LARGE"))"#,
    );
    let translation = program.translate(&chain, &Learned::default()).unwrap();
    assert!(matches!(&translation.queries[1].event, Event::Written(f) if &*f.class == "java.util.ArrayList"));
    assert_eq!(translation.queries[0].keep[0].expr.text(), "this");
    assert_eq!(translation.pending[0].1.to_string(), "the method of frame 1 at P2");
}
