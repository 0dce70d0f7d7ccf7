//! A program whose stack overflows does the same when it is recorded.

use crate::support::case::Case;
use crate::support::{javas, said};
use std::process::Command;

#[test]
fn a_stack_overflows_as_without_the_recorder() {
    let case = Case::new("overflowing");
    for (n, java) in javas().iter().enumerate() {
        let program = ["-cp", "classes", "Overflowing"];
        // What overflows in the VM's own code, such as a class that is being loaded, is another error.
        let run = || {
            let plain = Command::new(java).args(program).current_dir(case.work()).output();
            said(&plain.expect("java"))
        };
        let overflows = |plain: &String| plain.lines().filter(|line| line.contains("overflows here")).count();
        let plain = (0..5).map(|_| run()).find(|plain| overflows(plain) == 18).expect("18 overflows");
        for level in ["calls", "writes", "all"] {
            let folder = case.mark(&format!("trace{n}-{level}"));
            let mut command = case.qp();
            command.args(["trace", "record", "--show-output", "--level", level, "--out"]).arg(&folder);
            let run = case.run_command(command.args(["--", java]).args(program));
            run.is(0, &["recorded in", "note: the stack overflowed"]);
            let output = said(&run.output);
            let lines = |text: &str| {
                let is_its_own = |line: &&str| line.contains("overflows") || line.contains("held");
                text.lines().filter(is_its_own).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(lines(&output), lines(&plain), "{java} {level}: {output}");
        }
    }
}
