//! What `qp catch` has caught.

use super::{Paint, Text, hanging, palette};
use command::catch::{Caught, CaughtRun};

const WIDTH: usize = 80;

impl Text for Caught {
    fn text(&self, color: bool) -> String {
        let paint = Paint { color };
        let rate = f64::from(self.runs) / self.seconds.max(0.001);
        let runs = match self.runs {
            1 => "1 run".to_owned(),
            runs => format!("{runs} runs"),
        };
        let speed = format!("{:.1} s, {rate:.1} runs a second", self.seconds);
        if self.expect_pass {
            let style = if self.failed == 0 { palette::HELD } else { palette::FAILED };
            let failed = paint.on(style, format!("{} of {runs} failed", self.failed));
            let first = self.failing.as_ref().map(|run| format!("; the first one with seed {}", run.seed));
            return hanging(&format!("{failed} ({speed}){}", first.unwrap_or_default()), 0, WIDTH);
        }
        let mut out = match &self.failing {
            Some(run) => {
                let what = paint.on(palette::FAILED, format!("run {} failed: {}", self.runs, run.ended));
                hanging(&format!("{what} ({speed})"), 0, WIDTH) + &output(run)
            }
            None => hanging(&format!("none of {runs} failed ({speed})"), 0, WIDTH),
        };
        if self.lost > 0 {
            let lost = "failed, and did not when they ran once more with the same seed: they depend on more \
                        than that, such as the order of threads or the time that passes";
            out.push_str(&hanging(&format!("{} runs {lost}", self.lost), 0, WIDTH));
        }
        for (run, which) in [(&self.failing, "it"), (&self.passing, "a run that passed")] {
            if let Some((run, folder)) = run.as_ref().and_then(|run| Some((run, run.recording.as_ref()?))) {
                let folder = paint.on(palette::POINT, folder.display());
                out.push_str(&hanging(
                    &format!("{which} is recorded in {folder}, seed {}", run.seed),
                    0,
                    WIDTH,
                ));
            }
        }
        if let Some(folder) = self.failing.as_ref().and_then(|run| run.recording.as_ref()) {
            out.push_str(&format!("next: qp diagnose {}\n", folder.display()));
        }
        out
    }
}

/// The last lines that a run printed.
fn output(run: &CaughtRun) -> String {
    run.output.lines().map(|line| format!("  {line}\n")).collect()
}
