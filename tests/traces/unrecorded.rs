//! Fields that unrecorded code sets by reflection, as Spring does: the recording says what it saw of them,
//! and `qp why` sees the write.

use crate::support::javac::Javac;
use crate::support::{finish, point, qp, said, scratch, unwrapped};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const INJECTOR: &str = "package lib;

public class Injector {
    public static void field(Object of, String name, int value) throws Exception {
        java.lang.reflect.Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(of, value);
    }

    public static void property(Object of, String name, int value) throws Exception {
        of.getClass().getMethod(name, int.class).invoke(of, value);
    }
}
";

const MAIN: &str = "public class Main {
    public static void main(String[] args) throws Exception {
        Shop shop = new Shop();
        System.out.println(shop.rate());
        lib.Injector.field(shop, \"rate\", 91);
        lib.Injector.field(shop, \"tax\", 19);
        System.out.println(shop.rate() + shop.tax());
        lib.Injector.property(shop, \"setStock\", 7); // <- sets
        System.out.println(shop); // <- asks
        System.out.println(new Main());
        for (String many : args) {
            for (int i = 0; i < Integer.parseInt(many); i++) {
                shop.rate();
            }
        }
    }
    public String toString() {
        return \"main\"; // <- shown
    }
}
";

/// Its class file has no lines, like the accessors that Groovy's compiler adds.
const SHOP: &str = "public class Shop {
    private int rate = 10;
    private int tax;
    private int stock;

    public int rate() {
        return rate;
    }

    public int tax() {
        return tax;
    }

    public void setStock(int stock) {
        this.stock = stock;
    }
}
";

/// The folder of the program, and its class path.
fn program() -> &'static (PathBuf, String) {
    static PROGRAM: OnceLock<(PathBuf, String)> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
        let (classes, library) = (folder.join("classes"), folder.join("library"));
        let path = format!("{}:{}", classes.display(), library.display());
        let compile = |name: &str, text: &str, lines: &str, to: &Path| {
            let file = folder.join(name);
            std::fs::write(&file, text).expect("written");
            Javac::new().args([lines, "-cp", &path, "-d"]).arg(to).arg(&file).run();
        };
        compile("Injector.java", INJECTOR, "-g", &library);
        compile("Shop.java", SHOP, "-g:none", &classes);
        compile("Main.java", MAIN, "-g", &classes);
        let jar = folder.join("lib.jar");
        let packed = finish(Command::new("jar").arg("cf").arg(&jar).arg("-C").arg(&library).arg("."));
        assert!(packed.status.success(), "{}", said(&packed));
        let class_path = format!("{}:{}", classes.display(), jar.display());
        (folder, class_path)
    })
}

/// The number of the line with a mark.
fn line(mark: &str) -> usize {
    MAIN.lines().position(|line| line.ends_with(mark)).expect("a mark") + 1
}

#[test]
fn history_names_the_calls_between_which_unrecorded_code_changed_a_field() {
    let (folder, class_path) = program();
    let trace = folder.join("trace");
    let record = ["trace", "record", "--level", "all", "--out"];
    let output = finish(qp().args(record).arg(&trace).args(["--", "java", "-cp", class_path, "Main"]));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let calls = finish(qp().args(["trace", "calls"]).arg(&trace));
    let calls = String::from_utf8(calls.stdout).expect("text");
    let shop = calls.split_whitespace().find(|word| word.starts_with("Shop@")).expect("an object");
    let history = |field: &str| {
        let variable = format!("{}.{field}", shop.split('.').next().expect("an object"));
        unwrapped(&said(&finish(qp().args(["trace", "history", &variable]).arg(&trace))))
    };
    let by = "by code that was not recorded; `qp why` sees it";
    let rate = history("rate");
    assert!(rate.contains(&format!("its value changed to 91 between #2 and #3, {by}")), "{calls}{rate}");
    // Recorded code never wrote this one: the constructor left its default.
    let tax = history("tax");
    assert!(tax.contains(&format!("its value changed to 19 between #1 and #4, {by}")), "{calls}{tax}");
    // Nothing recorded is hidden: a recorded setter was called.
    assert!(!history("stock").contains("its value"), "{}", history("stock"));
    // The JDK's code called this method.
    let at = format!("Main:{}", line("// <- shown"));
    let led = unwrapped(&said(&finish(qp().args(["why", "--at", &at, "--in"]).arg(&trace))));
    let between = "but code between Main.main and Main.toString was not recorded, and a condition of it";
    assert!(led.contains(between), "{led}");
}

#[test]
fn a_history_that_has_not_looked_at_all_calls_says_so() {
    let (folder, class_path) = program();
    let trace = folder.join("many");
    let record = ["trace", "record", "--level", "writes", "--out"];
    let program = ["--", "java", "-cp", class_path, "Main", "10000"];
    let output = finish(qp().args(record).arg(&trace).args(program));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let history = |variable: &str| {
        let output = finish(qp().args(["trace", "history", variable, "--format=json"]).arg(&trace));
        unwrapped(&said(&output))
    };
    let said = "of the 10002 calls that return the field, the first 10000 were looked at";
    let calls = finish(qp().args(["trace", "calls", "--depth=2"]).arg(&trace));
    let calls = String::from_utf8(calls.stdout).expect("text");
    let shop = calls.split_whitespace().find(|word| word.starts_with("Shop@")).expect("an object");
    let shop = shop.split('.').next().expect("an object");
    assert!(history(&format!("{shop}.rate")).contains(said), "{}", history(&format!("{shop}.rate")));
    assert!(!history(&format!("{shop}.tax")).contains("looked at"));
}

#[test]
fn the_own_frame_behind_an_accessor_without_lines_is_named() {
    let (folder, class_path) = program();
    let at = format!("Main:{}", line("// <- asks"));
    let why = |of: &str| -> Value {
        let mut command = qp();
        command.current_dir(folder).args(["why", of, "--at", &at, "--format=json"]);
        let output = finish(command.args(["--", "java", "-cp", class_path, "Main"]));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&output)))
    };
    let stock = why("shop.stock");
    let set = point(&stock, "B");
    assert_eq!(set["method"], "setStock", "{set:#}");
    assert_eq!(set["own_frame"]["line"], line("// <- sets"), "{set:#}");
    // The write that the recording lacks.
    let rate = why("shop.rate");
    assert_eq!((&point(&rate, "B")["by"], &point(&rate, "B")["new"]), (&"Field.set".into(), &"91".into()));
}
