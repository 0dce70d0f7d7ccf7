//! Drives `qp dap` by the test client of Visual Studio Code's debug adapters, if `QP_TEST_DAP_CLIENT` names a
//! folder whose `node_modules` has it. `./run test` sets that. And compares the extension for that editor
//! with what `qp dap` knows.

use crate::support::{finish, root, said};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn the_test_client_of_vs_code_steps_back() {
    let Some(folder) = testing::named("QP_TEST_DAP_CLIENT") else { return };
    let mut node = Command::new("node");
    node.args([
        "--test",
        "editors/vscode/test/client.test.js",
        "editors/vscode/test/inline.test.js",
        "editors/vscode/test/program.test.js",
    ])
    .current_dir(root());
    node.env("QP", env!("CARGO_BIN_EXE_qp")).env("QP_TEST_DAP_CLIENT", folder);
    let output = finish(&mut node);
    assert!(output.status.success(), "{}", said(&output));
}

/// A setting that the extension does not describe is marked as unknown by the editor.
#[test]
fn the_extension_describes_each_setting_of_a_launch() {
    let code = read("crates/servers/src/dap/launch.rs");
    let (_, fields) = code.split_once("pub struct Launch {").expect("the settings");
    let (fields, _) = fields.split_once("\n}").expect("their end");
    let names = fields.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'));
    let known: BTreeSet<String> = names.map(|(name, _)| in_camel_case(name)).collect();
    let package: Value = serde_json::from_str(&read("editors/vscode/package.json")).expect("JSON");
    let launch = &package["contributes"]["debuggers"][0]["configurationAttributes"]["launch"]["properties"];
    let described = launch.as_object().expect("settings").keys().cloned().collect();
    assert_eq!(known, described);
    for (name, setting) in launch.as_object().expect("settings") {
        let text = setting["description"].as_str().or(setting["markdownDescription"].as_str());
        assert!(text.is_some_and(|text| text.ends_with('.')), "{name} is not described");
    }
}

fn in_camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(1);
        text.push_str(&first.to_uppercase());
        text.push_str(rest);
    }
    text
}

/// The requests of the extension are known to `qp dap`, and its commands are declared.
#[test]
fn the_extension_asks_what_qp_dap_answers() {
    // Some are words of prompts too.
    let adapter = read("src/ui/dap/custom.rs") + &read("crates/command/src/prompt_row.rs");
    let mut asked = 0;
    for file in ["src/extension.js", "src/diagnosis.js"] {
        let code = read(&format!("editors/vscode/{file}"));
        for request in code.split("'qp/").skip(1).filter_map(|rest| rest.split_once('\'')) {
            asked += 1;
            assert!(adapter.contains(&format!("\"{}\"", request.0)), "{file}: qp/{}", request.0);
        }
    }
    assert!(asked > 5, "only {asked} requests found");
}
