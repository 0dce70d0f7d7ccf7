//! A version of the program that is right answers: a VM of its own calls the method with what the call was given, and compares what comes of
//! it. `QuerypointReference.java` does that; its class files stand beside it.

use super::question::Question;
use crate::files::TemporaryFolder;
use crate::session::error::SessionError;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// How long a call may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The class files that call it.
const CLASSES: [(&str, &[u8]); 4] = [
    ("QuerypointReference.class", include_bytes!("QuerypointReference.class")),
    ("QuerypointReference$Json.class", include_bytes!("QuerypointReference$Json.class")),
    ("QuerypointReference$Printed.class", include_bytes!("QuerypointReference$Printed.class")),
    ("QuerypointReference$Unknown.class", include_bytes!("QuerypointReference$Unknown.class")),
];

/// What the right version says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// It does the same.
    Valid,
    /// It does something else: what.
    Invalid(String),
    /// It cannot be told: why.
    Unknown(String),
}

/// A version of the program that is right.
pub struct Reference {
    java: String,
    class_path: String,
    cwd: PathBuf,
    classes: TemporaryFolder,
    running: Option<Running>,
}

struct Running {
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    child: Child,
}

/// How long is waited for the end of what was killed, and how often it is looked for.
const END: (Duration, u32) = (Duration::from_millis(5), 200);

impl Drop for Running {
    /// It ends when it is dropped: whoever waits for `qp` finds nothing of it.
    fn drop(&mut self) {
        let _ = self.child.start_kill();
        let (step, most) = END;
        for _ in 0..most {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(step);
        }
    }
}

impl Reference {
    /// By its class path, which is seen from a folder; with the `java` of a program.
    ///
    /// # Errors
    /// What calls it cannot be written.
    pub fn new(java: String, class_path: &str, cwd: PathBuf) -> Result<Reference, SessionError> {
        let made = || -> std::io::Result<TemporaryFolder> {
            let folder = TemporaryFolder::new("qp-reference-")?;
            for (name, bytes) in CLASSES {
                std::fs::write(folder.path().join(name), bytes)?;
            }
            Ok(folder)
        };
        let classes = made().map_err(SessionError::Reference)?;
        Ok(Reference { java, class_path: class_path.to_owned(), cwd, classes, running: None })
    }

    /// What it says of a call; all that it does is in values if it is silent.
    ///
    /// # Errors
    /// It cannot be started.
    pub async fn judge(&mut self, question: &Question, is_silent: bool) -> Result<Opinion, SessionError> {
        let mut line =
            serde_json::json!({ "question": question, "silent": is_silent, "unlinked": question.unlinked })
                .to_string();
        line.push('\n');
        let running = match &mut self.running {
            Some(running) => running,
            None => {
                let started = self.start().map_err(SessionError::Reference)?;
                self.running.insert(started)
            }
        };
        let asked = async {
            running.questions.write_all(line.as_bytes()).await?;
            running.questions.flush().await?;
            running.answers.next_line().await
        };
        let answer = tokio::time::timeout(PATIENCE, asked).await;
        let opinion = match answer {
            Ok(Ok(Some(answer))) => return Ok(opinion(&answer)),
            Ok(Ok(None) | Err(_)) => Opinion::Unknown("the VM of the right version ended".to_owned()),
            Err(_) => Opinion::Unknown(format!("the right version takes more than {} s", PATIENCE.as_secs())),
        };
        self.running = None;
        Ok(opinion)
    }

    fn start(&self) -> std::io::Result<Running> {
        let class_path = format!("{}:{}", self.classes.path().display(), self.class_path);
        let mut command = Command::new(&self.java);
        command.args([
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            &class_path,
            "QuerypointReference",
        ]);
        command.current_dir(&self.cwd).env_remove("JAVA_TOOL_OPTIONS").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let gone = || std::io::Error::other("it has no streams");
        let questions = child.stdin.take().ok_or_else(gone)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(gone)?).lines();
        Ok(Running { questions, answers, child })
    }
}

fn opinion(answer: &str) -> Opinion {
    let (word, why) = answer.split_once(' ').unwrap_or((answer, ""));
    match word {
        "valid" => Opinion::Valid,
        "invalid" => Opinion::Invalid(why.to_owned()),
        _ => Opinion::Unknown(why.to_owned()),
    }
}
