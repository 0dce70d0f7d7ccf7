//! The reverse request that runs a program in the client's terminal.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The arguments of `runInTerminal`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunInTerminalArguments {
    /// The kind of terminal, by default that of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<TerminalKind>,
    /// The title of the terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The working directory.
    pub cwd: String,
    /// The program and its arguments.
    pub args: Vec<String>,
    /// Changes of the environment. `None` removes a variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, Option<String>>>,
    /// Whether the client hands the arguments to a shell unquoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args_can_be_interpreted_by_shell: Option<bool>,
}

/// The kind of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TerminalKind {
    /// Inside the client.
    Integrated,
    /// A window of its own.
    External,
}

/// The client's answer to `runInTerminal`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunInTerminalBody {
    /// The id of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<i64>,
    /// The id of the shell's process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_process_id: Option<i64>,
}
