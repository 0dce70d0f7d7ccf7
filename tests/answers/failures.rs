//! Without a line, questions are about the place where the program failed: of the exception that nothing
//! caught, or of a stack trace that it printed or that the user has.

use crate::support::javac::Javac;
use crate::support::session::{kind, session};
use crate::support::{finish, qp, said};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SHOP: &str = "import java.util.*;
public class Shop {
    int total;
    void sell(String price) {
        int cost = Integer.parseInt(price);
        if (cost < 0) throw new IllegalArgumentException(\"negative \" + cost);
        total += cost;
    }
    public static void main(String[] args) {
        Shop shop = new Shop();
        try { shop.sell(\"-1\"); } catch (IllegalArgumentException e) { }
        for (String price : List.of(\"3\", \"4\", args[0]))
            if (!price.isEmpty()) shop.sell(price);
    }
}
";

/// What fails in `half` is thrown again by two `finally`, or wrapped by a pool.
const HALVES: &str = "import java.util.concurrent.*;
public class Halves {
    static int half(int n) {
        int odd = n % 2;
        if (odd == 1) throw new ArithmeticException(\"odd \" + n);
        return n / 2;
    }
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        try {
            try {
                System.out.println(args.length == 0 ? half(7) : pool.submit(() -> half(7)).get());
            } finally {
                System.out.println(\"done\");
            }
        } finally {
            pool.shutdown();
        }
    }
}
";

const TEST: &str = "import static org.junit.Assert.*;
public class ShopTest {
    @org.junit.Test
    public void sells() {
        Shop shop = new Shop();
        shop.sell(\"3\");
        int sold = shop.total;
        assertEquals(4, sold);
    }
}
";

const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

fn shop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut javac = Javac::new();
    javac.args(["-g", "-cp", JUNIT, "-d"]).arg(folder.path().join("c"));
    for (name, text) in [("Shop.java", SHOP), ("ShopTest.java", TEST), ("Halves.java", HALVES)] {
        std::fs::write(folder.path().join(name), text).expect("written");
        javac.arg(folder.path().join(name));
    }
    javac.run();
    folder
}

fn why(folder: &Path, arguments: &[&str]) -> Output {
    finish(qp().current_dir(folder).args(["--format=json", "why"]).args(arguments))
}

/// The point with an id of a whole answer.
fn point(output: &Output, id: &str) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    crate::support::point(&answer, id).clone()
}

#[test]
fn the_exception_that_nothing_caught_names_the_line() {
    let folder = shop();
    // It is thrown in the JDK.
    let asked = why(folder.path(), &["price", "--", "java", "-cp", "c", "Shop", "5x"]);
    assert_eq!(point(&asked, "X")["exception"]["class"], "java.lang.NumberFormatException");
    assert_eq!((&point(&asked, "A")["line"], &point(&asked, "B")["new"]), (&5.into(), &"\"5x\"".into()));
    // It is thrown in own code, where another one was caught before.
    let asked = why(folder.path(), &["total", "--", "java", "-cp", "c", "Shop", "-5"]);
    assert_eq!((&point(&asked, "A")["line"], &point(&asked, "B")["new"]), (&6.into(), &"7".into()));
    let asked = why(folder.path(), &["--", "java", "-cp", "c", "Shop", "-5"]);
    assert_eq!(point(&asked, "B")["condition"], "cost < 0");
    // Nothing fails.
    let asked = why(folder.path(), &["total", "--", "java", "-cp", "c", "Shop", ""]);
    assert_eq!(asked.status.code(), Some(2), "{}", said(&asked));
    assert!(said(&asked).contains("no exception that nothing caught"), "{}", said(&asked));
}

#[test]
fn what_is_thrown_again_or_wrapped_fails_where_it_was_thrown_first() {
    let folder = shop();
    let program = ["--", "java", "-cp", "c", "Halves"];
    for (arguments, thrown) in [(&[][..], "X2"), (&["pool"], "X1")] {
        let asked = why(folder.path(), &[&["odd"], &program[..], arguments].concat());
        assert_eq!(point(&asked, thrown)["exception"]["class"], "java.lang.ArithmeticException");
        assert_eq!((&point(&asked, "A")["line"], &point(&asked, "B")["line"]), (&5.into(), &4.into()));
    }
    let asked = why(folder.path(), &program);
    assert_eq!(point(&asked, "B")["condition"], "odd == 1");
    let mut record = qp();
    record.current_dir(folder.path()).args(["trace", "record", "--level", "all", "--out", "halves.trace"]);
    finish(record.args(program));
    let asked = why(folder.path(), &["odd", "--in", "halves.trace"]);
    assert_eq!((&point(&asked, "A")["line"], &point(&asked, "B")["line"]), (&5.into(), &4.into()));
}

#[test]
fn a_failed_test_names_its_line() {
    let folder = shop();
    let classpath = format!("c:{JUNIT}");
    let asked = why(folder.path(), &["sold", "--test", "ShopTest#sells", "--classpath", &classpath]);
    assert_eq!(
        (&point(&asked, "A")["line"], &point(&asked, "B")["text"]),
        (&8.into(), &"int sold = shop.total;".into())
    );
}

#[test]
fn a_stack_trace_names_the_line() {
    let folder = shop();
    let mut java = Command::new("java");
    let printed = finish(java.current_dir(folder.path()).args(["-cp", "c", "Shop", "5x"]));
    std::fs::write(folder.path().join("log.txt"), &printed.stderr).expect("written");
    let program = ["--", "java", "-cp", "c", "Shop", "5x"];
    let asked = why(folder.path(), &[&["price", "--at-trace", "log.txt"], program.as_slice()].concat());
    assert_eq!(point(&asked, "A")["line"], 5);
    let mut command = qp();
    command
        .current_dir(folder.path())
        .args(["--format=json", "why", "price", "--at-trace", "-"])
        .args(program);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("qp starts");
    process.stdin.take().expect("a pipe").write_all(&printed.stderr).expect("written");
    let asked = process.wait_with_output().expect("its output");
    assert_eq!(point(&asked, "A")["line"], 5);
    std::fs::write(folder.path().join("log.txt"), "nothing here\n").expect("written");
    let asked = why(folder.path(), &[&["price", "--at-trace", "log.txt"], program.as_slice()].concat());
    assert!(said(&asked).contains("no stack trace with a line of the program's code"), "{}", said(&asked));
}

#[test]
fn a_recording_knows_the_exception() {
    let folder = shop();
    let mut record = qp();
    record.current_dir(folder.path()).args(["trace", "record", "--level", "all", "--out", "shop.trace"]);
    finish(record.args(["--", "java", "-cp", "c", "Shop", "5x"]));
    let asked = why(folder.path(), &["price", "--in", "shop.trace"]);
    assert_eq!((&point(&asked, "A")["line"], &point(&asked, "B")["new"]), (&5.into(), &"\"5x\"".into()));
}

#[test]
fn a_session_without_questions_halts_at_the_failure() {
    let folder = shop();
    let mut debug = qp();
    debug.current_dir(folder.path()).args(["debug", "--format=json", "--", "java", "-cp", "c", "Shop", "-5"]);
    let (_, replies) = session(&mut debug, "run\nprint cost\nquit\n");
    let printed = replies.iter().find(|reply| kind(reply) == "value").expect("a value");
    assert!(printed.to_string().contains("-5"), "{printed:#}");
}
