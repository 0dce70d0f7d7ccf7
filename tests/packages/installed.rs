//! Each package is installed into an empty folder from its file alone, and its `qp` answers.

use crate::support::{compiled, finish, root, said};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Runs a command that must succeed.
fn done(command: &mut Command) -> Output {
    let output = finish(command.env_remove("JAVA_TOOL_OPTIONS"));
    assert!(output.status.success(), "{command:?}\n{}", said(&output));
    output
}

/// The built `qp` without what only a debugger needs, which would take most of the time of packing it.
fn binary() -> PathBuf {
    static STRIPPED: OnceLock<TempDir> = OnceLock::new();
    let folder = STRIPPED.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut strip = Command::new("strip");
        done(strip.arg("-o").arg(folder.path().join("qp")).arg(env!("CARGO_BIN_EXE_qp")));
        folder
    });
    folder.path().join("qp")
}

/// Makes packages of a kind. Returns their folder.
fn packed(kind: &str) -> TempDir {
    let out = tempfile::tempdir().unwrap();
    let mut package = Command::new("python3");
    package.arg(root().join("packaging/package")).args([kind, "--fast", "--binary"]).arg(binary());
    done(package.arg("--out").arg(out.path()));
    out
}

/// Asserts that a program is `qp`, and finds the cause of the bug of README's example.
fn answers(qp: &Path) {
    let classes = compiled("../examples/intro", &["-g"]);
    let work = tempfile::tempdir().unwrap();
    let mut why = Command::new(qp);
    why.current_dir(work.path()).args([
        "why",
        "foo",
        "--at",
        "Intro:31",
        "--when",
        "foo == null",
        "--",
        "java",
    ]);
    why.args(["-ea", "-cp"]).arg(classes).arg("Intro").env("XDG_CACHE_HOME", work.path().join("cache"));
    let text = said(&done(why.env("XDG_DATA_HOME", work.path().join("data"))));
    assert!(text.contains("Intro.main (Intro.java:26)"), "{text}");
}

fn one_of(folder: &Path, ending: &str) -> PathBuf {
    let mut entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.find(|path| path.to_string_lossy().ends_with(ending));
    found.unwrap_or_else(|| panic!("no {ending} in {}", folder.display()))
}

#[test]
fn the_archive_is_installed_for_a_user() {
    let out = packed("archive");
    let home = tempfile::tempdir().unwrap();
    let install = || {
        let mut install = Command::new("sh");
        install.arg(root().join("packaging/install.sh")).env("HOME", home.path());
        install.env("QP_INSTALL_FROM", format!("file://{}", out.path().display()));
        install
    };
    let text = said(&done(&mut install()));
    assert!(text.contains("installed qp ") && text.contains("to the PATH"), "{text}");
    answers(&home.path().join(".local/bin/qp"));

    // What was changed on its way is not installed.
    std::fs::remove_dir_all(home.path().join(".local")).unwrap();
    let archive = one_of(out.path(), ".tar.gz");
    let mut bytes = std::fs::read(&archive).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&archive, bytes).unwrap();
    let refused = finish(&mut install());
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains("another checksum"), "{}", said(&refused));
    assert!(!home.path().join(".local").exists());
}

#[test]
fn the_package_of_npm_runs_the_program_of_the_platform() {
    let out = packed("npm");
    let work = tempfile::tempdir().unwrap();
    let main = one_of(out.path(), &format!("querypoint-{}.tgz", env!("CARGO_PKG_VERSION")));
    let mut entries = std::fs::read_dir(out.path()).unwrap().map(|entry| entry.unwrap().path());
    let platform = entries.find(|path| *path != main).expect("the package of the platform");
    let mut install = Command::new("npm");
    install.args(["install", "--offline", "--no-audit", "--no-fund"]).arg(&platform).arg(&main);
    done(install.current_dir(work.path()));
    answers(&work.path().join("node_modules/.bin/qp"));

    // The exit code is that of `qp`, and what is said to it reaches it.
    let mut wrong = Command::new(work.path().join("node_modules/.bin/querypoint"));
    assert_eq!(finish(wrong.arg("nonsense")).status.code(), Some(2));
    let hello = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
        r#""capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#
    );
    let mut agent = Command::new("sh");
    let script = format!("echo '{hello}' | node_modules/.bin/querypoint mcp --root .");
    let text = said(&done(agent.args(["-c", &script]).current_dir(work.path())));
    assert!(text.contains(r#""serverInfo""#), "{text}");

    std::fs::remove_dir_all(work.path().join("node_modules/@querypoint")).unwrap();
    let mut missing = Command::new(work.path().join("node_modules/.bin/querypoint"));
    let missing = finish(missing.arg("--version"));
    assert_eq!(missing.status.code(), Some(4));
    assert!(said(&missing).contains("is not installed"), "{}", said(&missing));
}

#[test]
fn the_extension_carries_the_program() {
    let out = packed("vsix");
    let work = tempfile::tempdir().unwrap();
    let mut unpack = Command::new("python3");
    done(unpack.args(["-m", "zipfile", "-e"]).arg(one_of(out.path(), ".vsix")).arg(work.path()));
    let extension = work.path().join("extension");
    // A zip of Python's does not restore the modes of files; the editor's does.
    done(Command::new("chmod").arg("+x").arg(extension.join("bin/qp")));
    answers(&extension.join("bin/qp"));
    let manifest = std::fs::read_to_string(extension.join("package.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let main = manifest["main"].as_str().unwrap();
    assert!(extension.join(main).is_file() && extension.join("README.md").is_file());
    let described = std::fs::read_to_string(work.path().join("extension.vsixmanifest")).unwrap();
    for asset in described.split("Path=\"").skip(1) {
        let path = asset.split('"').next().unwrap();
        assert!(work.path().join(path).is_file(), "{path}");
    }
    assert!(!described.contains('{'), "{described}");
}

#[test]
fn the_package_of_debian_has_program_completions_and_licences() {
    let out = packed("deb");
    let work = tempfile::tempdir().unwrap();
    done(Command::new("dpkg-deb").arg("-x").arg(one_of(out.path(), ".deb")).arg(work.path()));
    answers(&work.path().join("usr/bin/qp"));
    for file in
        ["bash-completion/completions/qp", "fish/vendor_completions.d/qp.fish", "doc/querypoint/LICENSE-MIT"]
    {
        assert!(work.path().join("usr/share").join(file).is_file(), "{file}");
    }
    let fields = done(Command::new("dpkg-deb").arg("-f").arg(one_of(out.path(), ".deb")));
    assert!(said(&fields).contains("Recommends: default-jdk-headless"), "{}", said(&fields));
}

#[test]
fn the_wheel_is_installed_by_pip() {
    let out = packed("wheel");
    let environment = out.path().join("environment");
    done(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    let mut install = Command::new(environment.join("bin/pip"));
    done(install.args(["install", "--quiet", "--no-index"]).arg(one_of(out.path(), ".whl")));
    answers(&environment.join("bin/qp"));
}
