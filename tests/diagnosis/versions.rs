//! What `qp diff` and `qp diagnose --reference` compare of two versions beyond results and changed fields.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::javac::Javac;
use crate::support::questions::lines;
use crate::support::{finish, qp, said, scratch, unwrapped};
use serde_json::{Value, json};
use std::sync::OnceLock;

/// The wrong version. Each line that ends in a comment is other code in the right one.
const SHOP: &str = r#"import java.io.*;
import java.util.*;
import java.util.concurrent.atomic.AtomicInteger;

public class Shop {
    static final PrintStream LOG = System.err;
    static final List<Integer> SOLD = new ArrayList<>();
    static final AtomicInteger COUNT = new AtomicInteger();
    static int sum;

    static class Bad extends RuntimeException {
        final int code;
        Bad(int code) { super("bad"); this.code = code; }
    }

    static class Item {
        final int price;
        Item(int price) { this.price = price; }
    }

    static int code(String text) { return text.length(); }

    static void check(String text) {
        throw new Bad(code(text) + 1); // throw new Bad(code(text));
    }

    static Item make(int price) {
        return new Item(price + 1); // return new Item(price);
    }

    static void leave(int code) { Runtime.getRuntime().halt(code); }

    static void finish(int n) {
        leave(code("ab") - n); // leave(code("ab"));
    }

    static void warn(int n) {
        if (n > 3) LOG.println("big"); // if (n > 5) LOG.println("big");
    }

    static void sell(int n) {
        sum += n; sum += n; SOLD.add(n); SOLD.add(n); // sum += n; SOLD.add(n);
    }

    static void tally(int n) {
        if (n > 3) COUNT.addAndGet(n); // if (n > 4) COUNT.addAndGet(n);
    }

    /// Only the right version loads this class.
    static class Later {
        static final AtomicInteger LATE = new AtomicInteger();
    }

    static void late(int n) {
        if (n > 4) Later.LATE.addAndGet(n); // if (n > 3) Later.LATE.addAndGet(n);
    }

    static int counted() { return COUNT.get(); }

    static void tidy(String folder) throws Exception {
        new File(folder, "made").mkdir(); // new File(folder, "other").mkdir();
        new ProcessBuilder("true").start().waitFor();
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "throw" -> { try { check("abc"); } catch (Bad bad) { sum = bad.code; } }
            case "make" -> sum = make(3).price;
            case "exit" -> finish(1);
            case "warn" -> warn(4);
            case "sell" -> sell(3);
            case "tally" -> tally(4);
            case "late" -> late(4);
            case "tidy" -> tidy(arguments[1]);
            default -> { tally(4); sum = counted(); }
        }
    }
}
"#;

/// The class paths of the wrong and the right version.
fn versions() -> &'static [String; 2] {
    static FOLDERS: OnceLock<[String; 2]> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let right = |line: &str| match line.split_once("; // ").or_else(|| line.split_once(" // ")) {
            Some((_, right)) => right.to_owned(),
            None => line.to_owned(),
        };
        let right: Vec<String> = SHOP.lines().map(right).collect();
        [SHOP.to_owned(), right.join("\n")].map(|text| {
            let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
            let file = folder.join("Shop.java");
            std::fs::write(&file, text).expect("written");
            Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
            folder.display().to_string()
        })
    })
}

/// What an unattended diagnosis says of the program with this argument.
fn diagnosed(options: &[&str], argument: &str) -> Vec<Value> {
    let [wrong, right] = versions();
    let mut command = qp();
    command.args(["diagnose", "--format=json", "--strategy=top-down", "--unattended", "--reference", right]);
    command.args(options).args(["--", "java", "-cp", wrong, "Shop", argument]);
    lines(&mut command, &[]).0
}

/// The answer of the reference about a method, and its reason.
fn of<'a>(told: &'a [Value], method: &str) -> (&'a str, &'a str) {
    let is_it = |line: &&Value| line["by_reference"]["method"] == format!("Shop.{method}");
    let line = told.iter().find(is_it).unwrap_or_else(|| panic!("{method}: {told:#?}"));
    let of = |key: &str| line["by_reference"][key].as_str().unwrap_or_default();
    (of("answer"), of("why"))
}

fn buggy(told: &[Value]) -> &Value {
    &told.last().expect("a line")["buggy"]["method"]
}

/// What a call hands out leads to a new object whose constructor was given something else.
#[test]
fn fields_of_new_objects_and_exceptions_are_compared() {
    for (argument, method, differs) in
        [("throw", "check", ".code of its exception: 4"), ("make", "make", "of its result: 4")]
    {
        let told = diagnosed(&[], argument);
        let (answer, why) = of(&told, method);
        assert_eq!((buggy(&told), answer), (&json!(method), "invalid"), "{told:#?}");
        assert!(why.contains(differs) && why.contains("in the right version: 3"), "{why}");
    }
    // So are those of a call that is made again.
    let told = diagnosed(&["--reference-by=calls"], "throw");
    assert_eq!(of(&told, "check"), ("invalid", "the exception's code is 3"), "{told:#?}");
}

/// The call that ends the program neither returns nor throws.
#[test]
fn the_call_that_ends_the_program_with_another_code_is_named() {
    let told = diagnosed(&[], "exit");
    let why = "the end of the program: exit code 1; in the right version: exit code 2";
    assert_eq!((buggy(&told), of(&told, "finish")), (&json!("finish"), ("invalid", why)), "{told:#?}");
}

/// The right version prints nothing on it, so its recording does not say which stream that is.
#[test]
fn a_stream_in_a_field_is_the_same_in_a_version_that_does_not_use_it() {
    let told = diagnosed(&[], "warn");
    let (answer, why) = of(&told, "warn");
    assert_eq!((buggy(&told), answer), (&json!("warn"), "invalid"), "{told:#?}");
    assert!(why.contains("System.err: \"big\\n\""), "{why}");
}

#[test]
fn a_reason_says_the_contents_and_each_difference_once() {
    let told = diagnosed(&[], "sell");
    let (_, why) = of(&told, "sell");
    assert!(why.starts_with("Shop.sum: 6; in the right version: 3; ArrayList@"), "{why}");
    assert!(why.ends_with(": [3, 3]; in the right version: [3]"), "{why}");
}

/// No event shows what an `AtomicInteger` holds.
#[test]
fn state_that_is_not_recorded_is_not_said_to_be_the_same() {
    let [wrong, right] = versions();
    let mut command = qp();
    command.args([
        "diff",
        "--color=never",
        "--reference",
        right,
        "--",
        "java",
        "-cp",
        wrong,
        "Shop",
        "tally",
    ]);
    let text = said(&finish(&mut command));
    let text = format!("{}\n{}", text.lines().next().unwrap_or_default(), unwrapped(&text));
    assert!(text.starts_with("all calls that were compared behave the same\n"), "{text}");
    let uncompared = "the state of AtomicInteger, which is not recorded (used in Shop.tally";
    assert!(text.contains(uncompared), "{text}");
    for (options, method) in [
        (&[][..], "tally"),
        (&["--reference-by=calls"], "tally"),
        (&[], "late"),
        (&["--reference-by=calls"], "late"),
    ] {
        let told = diagnosed(options, method);
        let mut answers = told.iter().map(|line| &line["by_reference"]);
        let is_valid = answers.any(|of| of["method"] == format!("Shop.{method}") && of["answer"] == "valid");
        assert!(!is_valid && *buggy(&told) == Value::Null, "{told:#?}");
    }
    // A method with the same code reads it: what was called before has other code.
    assert_eq!(buggy(&diagnosed(&[], "count")), &json!("tally"));
}

#[test]
fn folders_are_compared_and_processes_are_named() {
    let [wrong, right] = versions();
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let mut command = qp();
    command.args(["diff", "--format=json", "--reference", right, "--", "java", "-cp", wrong, "Shop", "tidy"]);
    let output = finish(command.arg(folder.path()));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let path = |name: &str| format!("the file {}", folder.path().join(name).display());
    let differs = json!([
        {"what": path("made"), "here": "a folder", "there": "none"},
        {"what": path("other"), "here": "none", "there": "a folder"},
    ]);
    assert_eq!(
        (&told["parted"]["method"], &told["parted"]["differs"]),
        (&json!("tidy"), &differs),
        "{told:#}"
    );
    let uncompared = told["uncompared"].to_string();
    assert!(uncompared.contains("files written by other processes that the program started"), "{told:#}");
}

/// The wrong version fails before it draws random numbers.
const CHECKED: &str = r#"public class Checked {
    static int sum;
    static void check(int n) {
        if (n < 8) throw new IllegalStateException("few"); // if (n < 4) in the right version
    }
    static int drawn() {
        return new java.util.Random().nextInt();
    }
    static int late() {
        return new java.util.Random().nextInt();
    }
    static void sell(int n) {
        sum += n;
        check(n);
        for (int i = 0; i < 50; i++) sum += n > 9 ? drawn() : late();
    }
    public static void main(String[] arguments) {
        sell(20);
        sum = 0;
        sell(Integer.parseInt(arguments[0]));
        System.out.println(sum);
    }
}
"#;

#[test]
fn what_only_the_other_version_goes_on_to_do_is_not_compared() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    for (version, text) in [("wrong", CHECKED.to_owned()), ("right", CHECKED.replace("n < 8", "n < 4"))] {
        let to = folder.path().join(version);
        std::fs::create_dir_all(&to).expect("a folder");
        std::fs::write(to.join("Checked.java"), text).expect("written");
        Javac::new().args(["-g", "-d"]).arg(&to).arg(to.join("Checked.java")).run();
    }
    let compared = |argument: &str| -> Value {
        let program = ["--format=json", "--", "java", "-cp", "wrong", "Checked", argument];
        let output =
            finish(qp().current_dir(folder.path()).args(["diff", "--reference", "right"]).args(program));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&output)))
    };
    let found = compared("7");
    assert_eq!(found["parted"]["method"], "check", "{found:#}");
    // Both draw numbers in the first call of `sell`, and only the right version in the second one.
    let varies = |found: &Value, place: &str| {
        found["varies"].as_array().is_some_and(|all| all.iter().any(|varying| varying["place"] == place))
    };
    assert!(varies(&found, "Checked.drawn") && !varies(&found, "Checked.late"), "{found:#}");
    let same = compared("9");
    assert!(same["parted"].is_null() && varies(&same, "Checked.late"), "{same:#}");
}

/// What varies from run to run is not compared, so that the difference is seen in the first thread. The
/// method with other code ran in the second one, whose calls have later numbers.
#[test]
fn what_ran_earlier_in_another_thread_is_a_suspect() {
    let right = r#"import java.util.*;

public class Late {
    static final List<Long> SEEN = Collections.synchronizedList(new ArrayList<>());

    static void note(int n) {
        if (n > 0) SEEN.add(System.nanoTime());
    }

    static void check() {
        if (SEEN.size() != 1) throw new IllegalStateException("seen");
    }

    public static void main(String[] args) throws InterruptedException {
        Thread worker = new Thread(() -> { note(0); note(1); });
        worker.start();
        worker.join();
        check();
    }
}
"#;
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    for (version, text) in [("wrong", right.replace("n > 0", "n >= 0")), ("right", right.to_owned())] {
        let to = folder.path().join(version);
        std::fs::create_dir_all(&to).expect("a folder");
        std::fs::write(to.join("Late.java"), text).expect("written");
        Javac::new().args(["-g", "-d"]).arg(&to).arg(to.join("Late.java")).run();
    }
    let program = ["diff", "--reference", "right", "--format=json", "--", "java", "-cp", "wrong", "Late"];
    let output = finish(qp().current_dir(folder.path()).args(program));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    let parted = &told["parted"];
    assert_eq!(
        (&parted["method"], &parted["seen_in"]["method"]),
        (&json!("note"), &json!("check")),
        "{told:#}"
    );
}
