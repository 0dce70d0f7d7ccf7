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
    let why = |format: &str| {
        let mut command = qp();
        command.current_dir(&folder).args(["why", "text.buf.count", "--at"]);
        command.arg(format!("Report:{}", line("// <- A"))).args(["--source=.", format]);
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
}
