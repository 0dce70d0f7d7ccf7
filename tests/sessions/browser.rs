//! Drives the page in a browser, if `QP_TEST_BROWSER` names one and `ui/node_modules` has its driver.
//! `./run test` sees to both.

use crate::support::{finish, root, said};
use std::process::Command;

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = testing::named("QP_TEST_BROWSER") else { return };
    let folder = root().join("ui/test/browser");
    let entries = std::fs::read_dir(&folder).expect("the tests").map(|entry| entry.expect("an entry").path());
    let tests = entries.filter(|file| file.to_string_lossy().ends_with(".test.mjs"));
    let mut node = Command::new("node");
    node.args(["--test", "--test-concurrency=1"]).args(tests).current_dir(root().join("ui"));
    node.env("QP", env!("CARGO_BIN_EXE_qp")).env("QP_TEST_BROWSER", browser);
    let output = finish(&mut node);
    assert!(output.status.success(), "{}", said(&output));
}

/// What is embedded is what the sources say.
#[test]
fn the_built_page_is_that_of_its_sources() {
    let is_installed = root().join("ui/node_modules/esbuild").is_dir();
    testing::needs(
        is_installed,
        "the packages of ui/ are not installed (`npm ci --prefix ui --ignore-scripts`)",
    );
    if !is_installed {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = finish(
        Command::new("node").args(["build.mjs", "--out"]).arg(folder.path()).current_dir(root().join("ui")),
    );
    assert!(output.status.success(), "{}", said(&output));
    let read = |folder: &std::path::Path| {
        let entries =
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut files: Vec<(std::ffi::OsString, Vec<u8>)> = entries
            .map(|file| (file.file_name().expect("a name").to_owned(), std::fs::read(&file).expect("a file")))
            .collect();
        files.sort();
        files
    };
    let (built, kept) = (read(folder.path()), read(&root().join("ui/dist")));
    let names =
        |of: &[(std::ffi::OsString, Vec<u8>)]| of.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&built), names(&kept));
    for ((name, built), (_, kept)) in built.iter().zip(&kept) {
        assert!(built == kept, "{}: run `npm run build` in ui/", name.display());
    }
}
