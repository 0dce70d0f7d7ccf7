//! The failed tests of a project, as text.

use super::{Paint, Text, clipped, palette};
use command::test::{FailedTests, ReportedTest};
use std::fmt::Write as _;

/// Width of a line of text, in columns.
const WIDTH: usize = 80;

impl Text for FailedTests {
    fn text(&self, color: bool) -> String {
        let paint = Paint { color };
        let mut out = String::new();
        for ReportedTest { test, .. } in &self.failed {
            let _ = writeln!(out, "{}", paint.on(palette::FAILED, test.test.clone()));
            let message = test.message.clone().or_else(|| test.exception.clone());
            if let Some(message) = message {
                let _ = writeln!(out, "   {}", clipped(&message, WIDTH - 3));
            }
        }
        let reports = if self.reports == 1 { "report" } else { "reports" };
        let (failed, project) = (self.failed.len(), self.project.display());
        let _ = writeln!(out, "{failed} failed in {} {reports} of {project}", self.reports);
        if let Some(first) = self.failed.first() {
            let test = &first.test.test;
            let _ = writeln!(out, "why does it fail:     qp why --test '{test}'");
            let _ = writeln!(out, "which call is wrong:  qp diagnose --test '{test}'");
        }
        out
    }
}
