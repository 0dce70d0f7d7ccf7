//! An answer in the JDK or in a library names the newest frame of the user's own code.

use crate::support::javac::Javac;
use crate::support::{finish, qp, said, scratch, unwrapped};
use serde_json::Value;
use std::path::PathBuf;

const REPORT: &str = r#"import java.io.PrintWriter;
import java.io.StringWriter;

public class Report {
    public static void main(String[] args) throws Exception {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        Report.class.getDeclaredMethod("rows", PrintWriter.class).invoke(null, out);
        System.out.println(text); // <- A
    }

    static void rows(PrintWriter out) {
        out.append("one");
        out.append("two"); // <- B
    }
}
"#;

const STARTED: &str = r#"public class Started implements Runnable {
    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(new Started());
        thread.start();
        thread.join();
    }

    public void run() {
        step("one");
    }

    static void step(String text) {
        System.out.println(text);
    }
}
"#;

fn line(mark: &str) -> u64 {
    let at = REPORT.lines().position(|line| line.ends_with(mark)).expect("a marked line");
    u64::try_from(at).expect("a number") + 1
}

fn folder() -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join("Report.java");
    std::fs::write(&file, REPORT).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
    folder
}

#[test]
fn a_change_in_the_jdk_is_led_back_to_own_code() {
    let folder = folder();
    let why = |option: &str| {
        let mut command = qp();
        command.current_dir(&folder).args(["why", "text.buf.count", "--at"]);
        command.arg(format!("Report:{}", line("// <- A"))).args(["--source=.", option]);
        let output = finish(command.args(["--", "java", "-cp", ".", "Report"]));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let answer: Value = serde_json::from_str(&why("--format=json")).expect("JSON");
    let points = answer["points"].as_array().expect("points");
    let [at, change] = points.as_slice() else { panic!("{answer:#}") };
    assert_eq!(at["own_frame"], Value::Null, "{at:#}");
    assert_eq!(change["class"], "java.lang.AbstractStringBuilder");
    let own = &change["own_frame"];
    assert_eq!((&own["method"], own["line"].as_u64()), (&"rows".into(), Some(line("// <- B"))), "{own:#}");
    assert_eq!(own["text"], "out.append(\"two\"); // <- B");
    let index = usize::try_from(own["index"].as_u64().expect("an index")).expect("a small index");
    assert_eq!(change["stack"][index]["method"], "rows");
    let text = unwrapped(&why("--format=text"));
    assert!(text.contains(&format!("in your code: Report.rows (Report.java:{})", line("// <- B"))), "{text}");
    assert!(!text.contains("reflect"), "frames that only pass the call on are left out: {text}");
    assert!(text.contains(" more"), "{text}");
    let text = unwrapped(&why("--all-frames"));
    let called = text.find("called from Report.rows").expect("the own frame");
    assert!(text[called..].contains("called from Method.invoke"), "{text}");
    assert!(text.contains("called from Report.main") && !text.contains(" more"), "{text}");
}

#[test]
fn conditions_end_at_the_border_of_own_code() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join("Started.java");
    std::fs::write(&file, STARTED).expect("written");
    Javac::new().args(["-g", "-d"]).arg(&folder).arg(&file).run();
    let why = |arguments: &[&str]| {
        let mut command = qp();
        command.current_dir(&folder).args(["why", "--at", "Started:13", "--format=json"]).args(arguments);
        let output = finish(command.args(["--", "java", "-cp", ".", "Started"]));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), answer["points"][1].clone())
    };
    let (code, ended) = why(&["--save=border.ron"]);
    assert_eq!((code, &ended["located"]), (Some(1), &Value::Bool(false)), "{ended:#}");
    let reason = ended["reason"].as_str().expect("a reason");
    for part in ["nothing in your code decides", "ended at Started.run", "--into-libraries goes on"] {
        assert!(reason.contains(part), "{reason}");
    }
    let (code, beyond) = why(&["--into-libraries", "--save=beyond.ron"]);
    assert_eq!((code, &beyond["class"]), (Some(0), &"java.lang.Thread".into()), "{beyond:#}");
    // A saved chain keeps the choice.
    for (chain, code) in [("border.ron", 1), ("beyond.ron", 0)] {
        let output = finish(qp().current_dir(&folder).args(["replay", chain, "--trust"]));
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    }
}
