//! Versions of one program, each in a folder of its own, and their recordings.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::diagnosed::made;
use crate::support::{finish, qp, said, scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

/// The first version.
const OLD: &str = r#"import java.util.ArrayList;
import java.util.List;

public class Shop {
    static class Item {
        String name;
        int price;
        Item(String name, int price) {
            this.name = name;
            this.price = price;
        }
    }

    int total;
    List<Item> items = new ArrayList<>();

    void add(Item item) {
        items.add(item);
        total = total + item.price;
    }

    int pay(int discount) {
        int due = total - discount;
        return due;
    }

    public static void main(String[] args) {
        Shop shop = new Shop();
        shop.add(new Item("pen", 3));
        shop.add(new Item("ink", 7));
        System.out.println(shop.pay(2));
    }
}
"#;

/// How it is run. With another collector, which the VM chooses on one processor, objects have other numbers.
pub const COMMAND: [&str; 5] = ["java", "-XX:+UseG1GC", "-cp", ".", "Shop"];

/// The versions: the first one; one with other lines and other numbers of objects that does the same; one
/// whose sum is wrong.
pub enum Version {
    Old,
    Moved,
    Wrong,
}

impl Version {
    fn text(&self) -> String {
        let moved = OLD
            .replace("import java.util.List;\n", "import java.util.List;\n\n// One more line.\n")
            .replace("        Shop shop", "        Item gift = new Item(\"gift\", 0);\n        Shop shop");
        match self {
            Version::Old => OLD.to_owned(),
            Version::Moved => moved,
            Version::Wrong => moved.replace("total + item.price;", "total + 2 * item.price;"),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Version::Old => "old",
            Version::Moved => "moved",
            Version::Wrong => "wrong",
        }
    }

    /// The folder of its class and source.
    pub fn folder(&self) -> PathBuf {
        static MADE: [OnceLock<PathBuf>; 3] = [const { OnceLock::new() }; 3];
        let at = match self {
            Version::Old => 0,
            Version::Moved => 1,
            Version::Wrong => 2,
        };
        let make = || {
            let folder = scratch().join(self.name());
            made(&folder, "Shop", &self.text());
            let rules = "paid(V) :- event(_, _, methodexit(_, _, _, pay, V)).\n";
            std::fs::write(folder.join("pays.pl"), rules).expect("written");
            folder
        };
        MADE[at].get_or_init(make).clone()
    }

    /// Records it at a level into a new folder.
    pub fn recorded(&self, level: &str) -> PathBuf {
        let trace = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
        let mut command = qp();
        command.current_dir(self.folder());
        command.args(["trace", "record", "--level", level, "--out"]).arg(&trace);
        let output = finish(command.args(["--"]).args(COMMAND));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        trace
    }
}

/// The recordings at level `all`, made once.
pub fn all(version: &Version) -> PathBuf {
    static MADE: [OnceLock<PathBuf>; 3] = [const { OnceLock::new() }; 3];
    let at = match version {
        Version::Old => 0,
        Version::Moved => 1,
        Version::Wrong => 2,
    };
    MADE[at].get_or_init(|| version.recorded("all")).clone()
}

/// `qp query …`, without saved rules of the user.
pub fn query(arguments: &[&str]) -> Output {
    finish(qp().env("XDG_CONFIG_HOME", scratch()).arg("query").args(arguments))
}

/// The JSON of `qp query …`, with its exit code.
pub fn json(arguments: &[&str]) -> (i32, Value) {
    let output = query(&[arguments, &["--format", "json"]].concat());
    let value = serde_json::from_slice(&output.stdout);
    (output.status.code().expect("a code"), value.unwrap_or_else(|e| panic!("{e}: {}", said(&output))))
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A new file in the folder of this test process.
pub fn file(name: &str) -> PathBuf {
    tempfile::tempdir_in(scratch()).expect("a folder").keep().join(name)
}
