//! The report of `qp check` as JUnit XML: a suite with a test case per chain. A failed chain is a `failure`.
//! An undecided or broken one is an `error`, so that a CI server does not count it as a regression.

use command::check::{Checked, Report, Status};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// The report as XML; `text` renders the report of one chain.
///
/// # Errors
/// The writer's errors, which no known report causes.
pub fn junit(report: &Report, text: fn(&Report) -> String) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let failures = report.chains.iter().filter(|c| c.status == Status::Failed).count();
    let passed = report.chains.iter().filter(|c| c.status == Status::Passed).count();
    let errors = report.chains.len() - failures - passed;
    let seconds: f64 = report.chains.iter().map(|c| c.seconds).sum();
    writer
        .create_element("testsuite")
        .with_attribute(("name", "qp check"))
        .with_attribute(("tests", report.chains.len().to_string().as_str()))
        .with_attribute(("failures", failures.to_string().as_str()))
        .with_attribute(("errors", errors.to_string().as_str()))
        .with_attribute(("time", format!("{seconds:.3}").as_str()))
        .write_inner_content(|writer| report.chains.iter().try_for_each(|chain| case(writer, chain, text)))?;
    let mut xml = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    xml.push('\n');
    Ok(xml)
}

fn case(writer: &mut Writer<Vec<u8>>, chain: &Checked, text: fn(&Report) -> String) -> io::Result<()> {
    let element = writer
        .create_element("testcase")
        .with_attribute(("classname", "qp"))
        .with_attribute(("name", legal(&chain.chain).as_str()))
        .with_attribute(("time", format!("{:.3}", chain.seconds).as_str()));
    let tag = match chain.status {
        Status::Passed => {
            element.write_empty()?;
            return Ok(());
        }
        Status::Failed => "failure",
        _ => "error",
    };
    let one = Report { outcome: chain.status, chains: vec![chain.clone()], junit: None };
    element.write_inner_content(|writer| {
        writer
            .create_element(tag)
            .with_attribute(("message", legal(&chain.reason).as_str()))
            .write_text_content(BytesText::new(&legal(&text(&one))))
            .map(|_| ())
    })?;
    Ok(())
}

/// Replaces the control characters that XML forbids (XML 1.0 §2.2).
fn legal(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => c,
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
            c => c,
        })
        .collect()
}
