//! `qp mcp` and clients of others: the package `mcp` of PyPI, if `QP_TEST_MCP` names a Python that has it,
//! and the command line of `@modelcontextprotocol/inspector`, if `QP_TEST_MCP_INSPECTOR` names it.

use crate::support::case::Case;
use crate::support::{compiled, finish, said};
use serde_json::Value;
use std::process::Command;

const SCRIPT: &str = r#"
import os, sys, anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def talk(session, newest):
    if newest:
        await session.discover()
        assert session.protocol_version == "2026-07-28", session.protocol_version
    else:
        await session.initialize()
    tools = (await session.list_tools()).tools
    assert len(tools) == 10, tools
    seen = []
    async def progress(done, total, message):
        seen.append(message)
    # The client compares each result with the schema of the tool.
    result = await session.call_tool("record", {"run": "intro"}, progress_callback=progress)
    assert not result.is_error and result.structured_content["trace"] == "trace:1", result
    question = {"at": "Intro:31", "expr": "foo", "run": "intro"}
    result = await session.call_tool("why", {**question, "when": "foo == null"})
    assert result.structured_content["points"][1]["line"] == 26, result
    for name, arguments in [("calls", {}), ("events", {"call": 1}), ("find", {"thrown": True}),
                            ("history", {"variable": "Rec@13.bar"}), ("state", {"call": 3}),
                            ("diagnose", {})]:
        result = await session.call_tool(name, arguments)
        assert not result.is_error, (name, result)
    result = await session.call_tool("why", {**question, "index": -1, "save": "saved.ron"})
    assert not result.is_error, result
    result = await session.call_tool("replay", {"chain": "saved.ron"})
    assert result.structured_content["outcome"] == "held", result
    result = await session.call_tool("record", {"run": "endless", "wait_s": 1})
    assert result.structured_content["state"] == "running", result
    job = {"job": result.structured_content["job"]}
    result = await session.call_tool("wait", {**job, "wait_s": 0})
    assert result.structured_content["state"] == "running", result
    result = await session.call_tool("wait", {**job, "cancel": True})
    assert result.structured_content["state"] == "cancelled", result
    # The program refuses to begin twice.
    mark = os.path.join(os.path.dirname(sys.argv[0]), "running")
    if os.path.exists(mark):
        os.remove(mark)
    # A time-out of the client ends the program.
    try:
        endless = {"run": "endless"}
        await session.call_tool("record", endless, read_timeout_seconds=2.5, progress_callback=progress)
        raise AssertionError("no time-out")
    except Exception as error:
        assert "imed out" in str(error) or "imeout" in repr(error), repr(error)
    assert any("record" in message for message in seen), seen
    result = await session.call_tool("calls", {"trace": "trace:1"})
    assert not result.is_error, result
    print("fine")

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[3:], env=None)
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await talk(session, sys.argv[2] == "newest")
anyio.run(main)
"#;

#[test]
fn the_client_of_pypi_speaks_with_it() {
    let Some(python) = testing::named("QP_TEST_MCP") else { return };
    for revision in ["newest", "older"] {
        let case = Case::new("endless");
        let script = case.mark("client.py");
        std::fs::write(&script, SCRIPT).expect("written");
        let classes = compiled("../examples/intro", &["-g"]);
        // The client passes few variables on.
        let qp = case.qp();
        let mut server = Command::new(&python);
        server.arg(&script).arg("env").arg(revision).current_dir(case.work());
        for (name, value) in qp.get_envs() {
            if let Some(value) = value {
                server.arg(format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
            }
        }
        server.arg(qp.get_program()).args([
            "mcp",
            "--root",
            ".",
            "--run",
            "endless=java -cp classes Endless",
            "--run",
        ]);
        server.arg(format!("intro=java -ea -cp {} Intro", classes.display()));
        let output = finish(&mut server);
        assert!(output.status.success() && said(&output).contains("fine"), "{revision}: {}", said(&output));
        assert!(crate::support::processes_with(&case.name()).is_empty(), "{revision}");
    }
}

#[test]
fn the_inspector_lists_and_calls_tools() {
    let Some(inspector) = testing::named("QP_TEST_MCP_INSPECTOR") else { return };
    let case = Case::new("traced");
    let classes = compiled("../examples/intro", &["-g"]);
    let run = format!("intro=java -ea -cp {} Intro", classes.display());
    let qp = case.qp();
    let asked = |method: &[&str]| -> Value {
        let mut command = Command::new(&inspector);
        command.arg("--cli").arg(qp.get_program()).args(["mcp", "--run", &run]).args(method);
        let output = finish(command.current_dir(case.work()));
        assert!(output.status.success(), "{}", said(&output));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&output)))
    };
    let list = asked(&["--method", "tools/list"]);
    assert_eq!(list["tools"].as_array().map(Vec::len), Some(10));
    let called = asked(&["--method", "tools/call", "--tool-name", "record"]);
    assert_eq!(called["structuredContent"]["trace"], "trace:1", "{called:#}");
    let asked = asked(&[
        "--method",
        "tools/call",
        "--tool-name",
        "why",
        "--tool-arg",
        "at=Intro:31",
        "--tool-arg",
        "expr=foo",
        "--tool-arg",
        "index=-1",
    ]);
    assert_eq!(asked["structuredContent"]["points"][0]["line"], 31, "{asked:#}");
}
