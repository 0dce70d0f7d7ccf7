//! The arguments that each kind accepts, and its refusals.

use super::*;
use query::Event;

const SHOP: &str = "import java.util.List;
public class Shop {
    static int sold;
    int[] stock = new int[3];
    static abstract class Item {
        protected int price;
        abstract int total();
    }
    static class Book extends Item {
        int total() { return price; }
    }
    int finish(int n) { return n; }
    int finish(String s, List<String> more) { return 0; }
    Runnable later(Item item) {
        int tax = item.price + sold;
        return () -> System.out.println(tax); // one line, two methods
    }
    synchronized int count() {
        int here = stock[0];
        for (int i = 0; i < 3; i++) here += stock[i];
        return here;
    }
    static native void ring();
}
";

fn shop() -> Program {
    Program::new("Shop.java", SHOP)
}

#[test]
fn a_line_has_sites_in_lambdas_and_a_pass_over_two_entries_is_one_hit() {
    let program = shop();
    let both = chain(r#"(id: "A", at: Line("Shop", 16)), (id: "B", at: Line("Shop", 20))"#);
    let translation = program.translate(&both, &Learned::default()).unwrap();
    let Event::Reached(lambda) = &translation.queries[0].event else { panic!("{translation:?}") };
    let methods: Vec<&str> = lambda.iter().map(|p| &*p.method.name).collect();
    assert_eq!(methods, ["later", "lambda$later$0"]);
    assert!(lambda.iter().all(|p| p.exits.is_empty() && !p.on_entry));
    let Event::Reached(header) = &translation.queries[1].event else { panic!("{translation:?}") };
    assert_eq!(header.len(), 1);
    assert!(!header[0].entries.is_empty());
    assert_eq!(header[0].exits.is_empty(), header[0].entries.len() == 1);
}

#[test]
fn methods_fields_and_exceptions_are_found_as_java_would() {
    let program = shop();
    let chain = chain(
        r#"(id: "A", at: Entry("Shop.finish(int)"), when: "n > 0"), (id: "B", at: Exit("Shop.finish(String, java.util.List)")),
           (id: "C", at: Watch("Shop.Book", "price"), when: ".new > .old", from: "Shop.finish"),
           (id: "D", at: Read("Shop", "sold"), thread: "main"),
           (id: "E", at: Exception("NullPointerException"), caught: false, within: "A"),
           (id: "F", at: LastChange("A:sold")), (id: "G", at: Exit("Shop.Book.total"), collect: [".result", "this.price"])"#,
    );
    insta::assert_snapshot!(program.explain(&chain, &Learned::default()).to_string());
    let translation = program.translate(&chain, &Learned::default()).unwrap();
    assert!(matches!(&translation.queries[2].event, Event::Written(f) if &*f.class == "Shop$Item"));
    assert_eq!(translation.queries[2].local.from.as_deref(), Some("Shop.finish"));
    assert!(translation.tracked.iter().any(|m| &*m.name == "finish"), "within needs its activations");
}

#[test]
fn what_is_surely_wrong_is_said_before_the_run() {
    let program = shop();
    let wrong = [
        r#"(id: "A", at: Line("Shopp", 16))"#,
        r#"(id: "A", at: Line("Shop", 3)), (id: "B", at: Line("Shop", 2))"#,
        r#"(id: "A", at: Line("Shop", 900))"#,
        r#"(id: "A", at: Entry("Shop.finish"))"#,
        r#"(id: "A", at: Entry("Shop.finish(long)"))"#,
        r#"(id: "A", at: Entry("Shop.finsh"))"#,
        r#"(id: "A", at: Entry("Shop.ring"))"#,
        r#"(id: "A", at: Entry("Shop.Item.total"))"#,
        r#"(id: "A", at: Watch("Shop", "sould"))"#,
        r#"(id: "A", at: Exception("Shop"))"#,
        r#"(id: "A", at: Line("Shop", 16), when: "tax")"#,
        r#"(id: "A", at: Line("Shop", 16), when: "takks > 0")"#,
        r#"(id: "A", at: Line("Shop", 16), collect: ["item.cost"])"#,
        r#"(id: "A", at: Line("Shop", 16), when: ".new == 1")"#,
        r#"(id: "A", at: Watch("Shop", "sold"), when: ".owner == null")"#,
        r#"(id: "A", at: Line("Shop", 16), from: "Shop.finsh")"#,
        r#"(id: "A", at: Line("Shop", 21)), (id: "B", at: LastChange("A:here + 1"))"#,
        r#"(id: "A", at: Line("Shop", 21)), (id: "B", at: LastChange("A:i"))"#,
        r#"(id: "A", at: Line("Shop", 20)), (id: "B", at: SkippedLine("Shop", 19), after: "A")"#,
    ];
    let shown: Vec<String> = wrong.iter().map(|points| program.refusal(points)).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn without_variable_names_the_flag_that_gives_them_is_named() {
    let program = Program::compiled("Shop.java", SHOP, "-g:source,lines");
    let said = program.refusal(r#"(id: "A", at: Line("Shop", 21)), (id: "B", at: LastChange("A:here"))"#);
    assert!(said.contains("compile with `javac -g`"), "{said}");
    let none = Program::compiled("Shop.java", SHOP, "-g:none");
    let said = none.refusal(r#"(id: "A", at: Line("Shop", 21))"#);
    assert!(said.contains("without line numbers"), "{said}");
}

#[test]
fn an_error_is_shown_at_its_point_of_the_file() {
    let text =
        "(format: 1, debuggee: (command: [\"java\"]), points: [\n  (id: \"A\", at: Line(\"Shop\", 3))])";
    let wrong = Chain::parse(text, "shop.ron").unwrap();
    let error = shop().translate(&wrong, &Learned::default()).unwrap_err().in_text(text, "shop.ron");
    assert!(error.to_string().starts_with("shop.ron:2:17: point `A`: line 3 of Shop.java"), "{error}");
}

const LOOP: &str = "public class Main {
    static int turns;
    static void spin() {
        while (true) {
            if (turns++ > 3) return;
        }
    }
    public static void main(String[] args) {
        String text = null;
        try {
            text = args[0];
            spin();
        } catch (RuntimeException e) {
            turns = -1;
        }
        System.out.println(text);
    }
}";

#[test]
fn an_entry_that_is_a_loops_start_is_told_from_its_turns() {
    let program = Program::new("Main.java", LOOP);
    let chain = chain(r#"(id: "A", at: Entry("Main.spin"))"#);
    let translation = program.translate(&chain, &Learned::default()).unwrap();
    assert!(translation.warnings[0].contains("begins with a loop"), "{:?}", translation.warnings);
    assert!(
        matches!(&translation.queries[0].event, Event::Reached(p) if p[0].on_entry && p[0].entries == [0])
    );
}

#[test]
fn what_only_a_handler_leads_to_is_answered_by_the_handler() {
    let program = Program::new("Main.java", LOOP);
    let chain = chain(
        r#"(id: "A", at: Line("Main", 14)), (id: "B", at: LastCondition("A")),
           (id: "C", at: SkippedLine("Main", 12), after: "A"), (id: "D", at: LastChange("A:text"))"#,
    );
    let translation = program.translate(&chain, &Learned::default()).unwrap();
    let Event::Branched(branches) = &translation.queries[1].event else { panic!("{translation:?}") };
    assert!(branches.len() == 1 && branches[0].is_handler(), "{branches:?}");
    insta::assert_snapshot!(program.explain(&chain, &Learned::default()).to_string());
}
