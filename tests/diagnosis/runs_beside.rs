//! The further runs by which `qp diff` and `qp diagnose --reference` confirm a difference happen at the same
//! time, unless the first runs say that these would meet.

use crate::support::javac::Javac;
use crate::support::{finish, qp, said};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// Each run makes a file of its own while it lives, waits a while for another one, and leaves a file that
/// says how many it saw at most. With `lock` it fails if another run lives; with `socket` it listens.
const SHOP: &str = r#"import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Shop {
    static int price(int n) {
        return n * 3; // return n * 2;
    }

    static void meet(int milliseconds) throws IOException, InterruptedException {
        Path live = Files.createTempFile(Path.of("live"), "run", "");
        int most = 0;
        for (int i = 0; i < milliseconds && most < 2; i += 20) {
            Thread.sleep(20);
            most = Math.max(most, new File("live").list().length);
        }
        Thread.sleep(100);
        Files.delete(live);
        Files.createTempFile(Path.of("seen"), most + "-", "");
    }

    static void lock() throws IOException, InterruptedException {
        Path lock = Files.createFile(Path.of("lock"));
        meet(200);
        Files.delete(lock);
    }

    static void listen() throws IOException, InterruptedException {
        try (ServerSocket socket = new ServerSocket(0)) {
            meet(200);
        }
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "lock" -> lock();
            case "socket" -> listen();
            default -> meet(3000);
        }
        System.out.println(price(7));
    }
}
"#;

fn shop() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let compile = |text: &str, to: &str| {
        let to = folder.path().join(to);
        std::fs::create_dir_all(&to).expect("a folder");
        let file = to.join("Shop.java");
        std::fs::write(&file, text).expect("written");
        Javac::new().args(["-g", "-d"]).arg(&to).arg(&file).run();
    };
    compile(SHOP, "wrong");
    compile(&SHOP.replace("return n * 3; // return n * 2;", "return n * 2;"), "right");
    folder
}

/// The method that differs, the number of runs, and the most of them that lived at the same time.
fn compared(folder: &Path, what: &str) -> (String, usize, usize) {
    for made in ["live", "seen"] {
        std::fs::create_dir_all(folder.join(made)).expect("a folder");
    }
    let program = ["--format=json", "--", "java", "-cp", "wrong", "Shop", what];
    let output = finish(qp().current_dir(folder).args(["diff", "--reference", "right"]).args(program));
    let found: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
    let seen = std::fs::read_dir(folder.join("seen")).expect("a folder").flatten();
    let seen: Vec<usize> =
        seen.filter_map(|entry| entry.file_name().to_str()?.split('-').next()?.parse().ok()).collect();
    std::fs::remove_dir_all(folder.join("seen")).expect("removed");
    let method = found["parted"]["method"].as_str().unwrap_or_default().to_owned();
    (method, seen.len(), seen.into_iter().max().unwrap_or(0))
}

#[test]
fn further_runs_happen_at_the_same_time_if_they_would_not_meet() {
    let folder = shop();
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let found = compared(folder.path(), "free");
    assert_eq!(found, ("price".to_owned(), 4, processors.min(2)));
    // With a lock, the second of two runs would fail, and that would look as if runs varied.
    for what in ["lock", "socket"] {
        let found = compared(folder.path(), what);
        assert_eq!(found, ("price".to_owned(), 4, 1), "{what}");
    }
}
