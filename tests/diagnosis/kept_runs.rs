//! The run of a right version is kept as long as its class files are the same, and used by the next
//! comparison. A further run shows whether it still counts.

use crate::support::javac::Javac;
use crate::support::{finish, qp, said};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// Each run leaves a file, by which the runs are counted.
const SHOP: &str = r#"import java.nio.file.*;

public class Shop {
    static int price(int n) {
        return n * 3;
    }

    public static void main(String[] arguments) throws Exception {
        Files.createTempFile(Path.of("seen"), "run", "");
        System.out.println(price(Integer.parseInt(Files.readString(Path.of("data")).trim())));
    }
}
"#;

fn compile(folder: &Path, version: &str, text: &str) {
    let to = folder.join(version);
    std::fs::create_dir_all(&to).expect("a folder");
    std::fs::write(to.join("Shop.java"), text).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&to).arg(to.join("Shop.java")).run();
}

fn shop() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    compile(folder.path(), "wrong", SHOP);
    compile(folder.path(), "right", &SHOP.replace("n * 3", "n * 2"));
    std::fs::create_dir(folder.path().join("seen")).expect("a folder");
    std::fs::write(folder.path().join("data"), "7").expect("written");
    folder
}

/// The last line that a command says of both versions, and the number of runs that it made.
fn told(folder: &Path, command: &[&str]) -> (Value, usize) {
    let runs = || std::fs::read_dir(folder.join("seen")).expect("a folder").count();
    let before = runs();
    let mut asked = qp();
    asked.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache")).args(command);
    let output =
        finish(asked.args(["--reference=right", "--format=json", "--", "java", "-cp", "wrong", "Shop"]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last =
        serde_json::from_str(&text).or_else(|_| serde_json::from_str(text.lines().last().unwrap_or("")));
    (last.unwrap_or_else(|e| panic!("{e}: {}", said(&output))), runs() - before)
}

#[test]
fn the_run_of_a_right_version_is_kept_as_long_as_nothing_changes() {
    let folder = shop();
    let diff = || told(folder.path(), &["diff"]);
    let values = |found: &Value| {
        let first = &found["parted"]["differs"][0];
        (found["parted"]["method"].clone(), first["here"].clone(), first["there"].clone())
    };
    let (first, runs) = diff();
    assert_eq!((values(&first), runs), ((json!("price"), json!("21"), json!("14")), 4), "{first:#}");
    let (second, runs) = diff();
    assert_eq!((&second, runs), (&first, 3));
    // What the program reads is another file now, so that the kept run counts no more.
    std::fs::write(folder.path().join("data"), "8").expect("written");
    let (other, runs) = diff();
    assert_eq!((values(&other), runs), ((json!("price"), json!("24"), json!("16")), 5), "{other:#}");
    assert_eq!(diff(), (other, 3));
    // Another right version.
    compile(folder.path(), "right", &SHOP.replace("n * 3", "n + n + n"));
    let (same, runs) = diff();
    assert_eq!((&same["parted"], runs), (&Value::Null, 4), "{same:#}");
}

#[test]
fn a_diagnosis_uses_the_kept_run_of_its_right_version_too() {
    let folder = shop();
    let diagnose = || told(folder.path(), &["diagnose", "--unattended"]);
    let (first, runs) = diagnose();
    assert_eq!((&first["buggy"]["method"], runs), (&json!("price"), 4), "{first:#}");
    assert_eq!(diagnose(), (first, 3));
    // Only recordings are in the folder, and they are private.
    let runs = folder.path().join("cache/querypoint/runs");
    let kept: Vec<_> = std::fs::read_dir(&runs).expect("a folder").flatten().collect();
    assert_eq!(kept.len(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&runs).expect("there").permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}
