//! Commands that start several VMs, one after another or beside each other.

use crate::support::{finish, qp, said};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const SHOP: &str = "public class Shop {
    int total;
    void add(int n) {
        total += n;
    }
    public static void main(String[] args) {
        Shop shop = new Shop();
        for (int i = 1; i < 4; i++) {
            shop.add(i);
        }
        System.out.println(\"total \" + shop.total);
    }
}
";

/// A script that asks a small VM for a version first, as launchers do, waits, and then starts the program.
const START: &str = "#!/bin/sh
v=$(java -cp small Small)
echo \"version $v\"
sleep ${1:-0}
java -cp shop Shop
sleep ${2:-0}
echo after >>ended
";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let small = "public class Small { public static void main(String[] args) { System.out.println(17); } }";
    for (name, text) in [("Small", small), ("Shop", SHOP)] {
        let file = folder.path().join(format!("{name}.java"));
        std::fs::write(&file, text).expect("written");
        let mut javac = Command::new("javac");
        javac.arg("-g").arg("-d").arg(folder.path().join(name.to_lowercase())).arg(&file);
        assert!(finish(&mut javac).status.success());
    }
    std::fs::write(folder.path().join("start.sh"), START).expect("written");
    folder
}

fn run(folder: &Path, arguments: &[&str], script: &[&str]) -> Output {
    let mut command = qp();
    command.current_dir(folder).args(arguments).args(["--", "sh", "start.sh"]).args(script);
    finish(&mut command)
}

#[test]
fn a_small_vm_before_that_of_the_program_is_passed_over() {
    let folder = folder();
    let question = ["why", "shop.total", "--at", "Shop:11", "--classes", "shop"];
    for backend in ["auto", "jdwp", "probe"] {
        let output = run(folder.path(), &[&question[..], &["--backend", backend]].concat(), &[]);
        assert_eq!(output.status.code(), Some(0), "{backend}: {}", said(&output));
        assert!(said(&output).contains("change: 3 → 6, of Shop@1"), "{backend}: {}", said(&output));
    }
    let named = run(folder.path(), &[&question[..], &["--jvm", "Shop"]].concat(), &[]);
    assert!(said(&named).contains("change: 3 → 6, of Shop@1"), "{}", said(&named));
    let other = run(folder.path(), &[&question[..], &["--jvm", "Small"]].concat(), &[]);
    assert_eq!(other.status.code(), Some(3), "{}", said(&other));
    assert!(said(&other).contains("not watched: Shop (started"), "{}", said(&other));
}

/// A command was once ended ten seconds after its VM had ended.
/// Only the VMs say which classes there are.
#[test]
fn a_vm_without_the_class_that_is_asked_about_is_passed_over() {
    let folder = folder();
    let output = run(folder.path(), &["why", "shop.total", "--at", "Shop:11"], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("change: 3 → 6, of Shop@1"), "{}", said(&output));
    assert_eq!(
        std::fs::read_to_string(folder.path().join("ended")).ok().as_deref(),
        None,
        "no later VM is needed"
    );
    let output = run(folder.path(), &["why", "--at", "Absent:1"], &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("no class `Absent` on the class path"), "{}", said(&output));
}

#[test]
fn a_command_goes_on_after_a_vm_of_it_has_ended() {
    let folder = folder();
    let record = ["trace", "record", "--scope", "Shop", "--out", "recorded"];
    let output = run(folder.path(), &record, &["11", "0"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(folder.path().join("ended")).ok().as_deref(), Some("after\n"));
    let mut calls = qp();
    calls.current_dir(folder.path()).args(["trace", "calls", "recorded"]);
    assert!(said(&finish(&mut calls)).contains("Shop@4.add(3)"));

    // A time limit ends it, and says so. The VM has said its end before.
    std::fs::remove_file(folder.path().join("ended")).expect("removed");
    let record = ["trace", "record", "--scope", "Shop", "--timeout", "4", "--out", "limited"];
    let output = run(folder.path(), &record, &["0", "60"]);
    assert!(said(&output).contains("its time limit of 4 s was over"), "{}", said(&output));
    assert!(!folder.path().join("ended").exists());
}

#[test]
fn the_vms_of_a_command_are_listed_where_another_one_may_be_meant() {
    let folder = folder();
    let output = run(folder.path(), &["trace", "record", "--out", "first"], &[]);
    assert!(said(&output).contains("s); `--jvm MAIN`"), "{}", said(&output));
    let output = run(folder.path(), &["trace", "record", "--jvm", "Shop", "--out", "second"], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut calls = qp();
    calls.current_dir(folder.path()).args(["trace", "calls", "second"]);
    assert!(said(&finish(&mut calls)).contains("Shop@4.add(3)"));
    assert_eq!(std::fs::read_to_string(folder.path().join("ended")).ok().as_deref(), Some("after\nafter\n"));
}

#[test]
fn all_vms_of_a_command_are_recorded_in_one_run() {
    let folder = folder();
    let plain = finish(Command::new("sh").arg("start.sh").current_dir(folder.path()));
    let record = ["trace", "record", "--all-jvms", "--show-output", "--jvm", "Shop", "--out", "both"];
    let output = run(folder.path(), &record, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("Small in "), "{}", said(&output));
    assert!(!said(&output).contains("not watched"), "{}", said(&output));
    for line in String::from_utf8_lossy(&plain.stdout).lines() {
        assert!(said(&output).contains(line), "{line} in {}", said(&output));
    }
    let ask = |arguments: &[&str]| said(&finish(qp().current_dir(folder.path()).args(arguments)));
    assert!(ask(&["trace", "calls", "both"]).contains("Shop@4.add(3)"));
    assert!(ask(&["trace", "calls", "both/vms/1-Small"]).contains("#0 Small.main("));
    let info = ask(&["trace", "info", "both"]);
    assert!(info.contains("other VM   both/vms/1-Small"), "{info}");
    let info = ask(&["trace", "info", "both/vms/1-Small"]);
    assert!(info.contains("with the command: exit code 0"), "{info}");

    // The first VM is watched without `--jvm`, and a VM without recorded classes leaves nothing behind.
    let record = ["trace", "record", "--all-jvms", "--scope", "Small", "--out", "first"];
    let output = run(folder.path(), &record, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(ask(&["trace", "calls", "first"]).contains("#0 Small.main("));
    assert!(!folder.path().join("first/vms").exists());
}
