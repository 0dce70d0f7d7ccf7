//! The forms in which a line can be named: all that people copy from a file, a compiler or a stack trace.

use crate::support::{finish, qp, said};
use std::process::Command;

const TILL: &str = "package shop;

public class Till {
    int total;
    class Drawer {
        int notes;
        void put(int n) {
            notes += n;
            total += n;
        }
    }
    public static void main(String[] args) {
        Till till = new Till();
        Drawer drawer = till.new Drawer();
        drawer.put(20);
        drawer.put(5);
        throw new IllegalStateException(\"total \" + till.total);
    }
}
";

#[test]
fn a_line_is_named_as_it_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("src/shop");
    std::fs::create_dir_all(&source).expect("made");
    std::fs::write(source.join("Till.java"), TILL).expect("written");
    let mut javac = Command::new("javac");
    javac.current_dir(folder.path()).args(["-g", "-d", "classes", "src/shop/Till.java"]);
    assert!(finish(&mut javac).status.success());
    let asked = |at: &str, expression: &str| {
        let mut why = qp();
        why.current_dir(folder.path()).args(["why", expression, "--at", at, "--source", "src"]);
        let output = finish(why.args(["--", "java", "-cp", "classes", "shop.Till"]));
        assert_eq!(output.status.code(), Some(0), "{at}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let first = asked("shop.Till:17", "till.total");
    assert!(first.contains("change: 20 → 25"), "{first}");
    let forms = [
        "Till:17",
        "Till.java:17",
        "src/shop/Till.java:17",
        "./src/shop/Till.java:17:9",
        "shop/Till.java:17",
        "/project/src/main/java/shop/Till.java:17",
        "at shop.Till.main(Till.java:17)",
        "\tat app//shop.Till.main(Till.java:17)",
    ];
    for form in forms {
        let answer = asked(form, "till.total");
        let found = answer.contains("change: 20 → 25") && answer.contains("Till.java:17");
        assert!(found, "{form}: {answer}");
    }
    // A line of a nested class is one of the file.
    for form in ["src/shop/Till.java:8", "at shop.Till$Drawer.put(Till.java:8)"] {
        let answer = asked(form, "n");
        assert!(answer.contains("Till.java:8"), "{form}: {answer}");
    }
}
