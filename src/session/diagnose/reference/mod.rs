//! Asks a correct version of the program about a call: a VM of its own calls the method with what the call
//! was given, and compares the outcome. `QuerypointReference.java` does that; its class files stand beside
//! it.
//!
//! A different outcome blames the call only if the program's own code repeats the recorded outcome in the
//! same way, in a fresh VM. Otherwise the outcome depends on more than the call was given: identity hash
//! codes, time, random numbers, the environment.

mod vm;

use super::question::Question;
use crate::session::error::SessionError;
use std::path::Path;
use std::time::{Duration, Instant};
use vm::{Said, Side, Vm};

/// How often both versions repeat a difference before it counts: a result that depends on one random bit
/// would otherwise differ by chance.
const REPEATS: u32 = 12;
/// The least number of repetitions, and the time after which there are no more.
const LEAST: (u32, Duration) = (3, Duration::from_secs(2));

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

/// How a program is called: its `java`, with the options that change what its code does, and where it works.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The launcher of the VM.
    pub java: std::path::PathBuf,
    /// Assertions, system properties and access to modules.
    pub options: Vec<String>,
    /// The folder in which it works.
    pub cwd: std::path::PathBuf,
    /// The class path of the program that was recorded; none where that is not known.
    pub own: Option<std::ffi::OsString>,
}

/// A version of the program that is right.
pub struct Reference {
    right: Side,
    /// The program that was recorded.
    own: Option<Side>,
    running: Option<Vm>,
}

impl Reference {
    /// By its class path, whose relative paths start at a folder.
    ///
    /// # Errors
    /// The classes that call it cannot be written.
    pub fn new(launcher: Launcher, class_path: &str, from: &Path) -> Result<Reference, SessionError> {
        let classes = vm::classes().map_err(SessionError::Reference)?;
        let absolute = std::env::split_paths(class_path).map(|element| from.join(element));
        let joined = std::env::join_paths(absolute);
        let joined = joined.map_err(|error| SessionError::Reference(std::io::Error::other(error)))?;
        let own = launcher.own.clone().map(|own| Side::new(&launcher, own, classes.clone()));
        Ok(Reference { right: Side::new(&launcher, joined, classes), own, running: None })
    }

    /// What it says of a call. `is_pure`: values show all that the call does.
    ///
    /// # Errors
    /// It cannot be started.
    pub async fn judge(&mut self, question: &Question, is_pure: bool) -> Result<Opinion, SessionError> {
        let line = |repeats: bool| {
            let unlinked = &question.unlinked;
            let asks = serde_json::json!({
                "question": question, "silent": is_pure, "unlinked": unlinked, "repeats": repeats,
            });
            format!("{asks}\n")
        };
        let vm = match &mut self.running {
            Some(running) => running,
            None => self.running.insert(self.right.start()?),
        };
        let (said, goes_on) = vm.ask(&line(false)).await;
        if !goes_on {
            self.running = None;
        }
        Ok(match said {
            Said::Valid => Opinion::Valid,
            Said::Invalid(why) => self.confirmed(why, &line(false), &line(true)).await?,
            Said::Unknown(why) => Opinion::Unknown(why),
            Said::Ended => Opinion::Unknown("the VM of the right version ended".to_owned()),
            Said::Slow(seconds) => Opinion::Unknown(format!("the right version takes more than {seconds} s")),
        })
    }

    /// Whether a difference blames the call: fresh VMs of both versions are asked, so that neither has a past
    /// that the other has not.
    async fn confirmed(&self, why: String, right: &str, own: &str) -> Result<Opinion, SessionError> {
        let Some(program) = &self.own else {
            let unknown = "the result differs, but the program's own class files are not known: \
                nobody can tell whether it depends on more than the call was given";
            return Ok(Opinion::Unknown(unknown.to_owned()));
        };
        let (mut reference, mut program) = (self.right.start()?, program.start()?);
        let began = Instant::now();
        for round in 1..=REPEATS {
            let ((there, _), (here, _)) = tokio::join!(reference.ask(right), program.ask(own));
            match here {
                Said::Valid => {}
                Said::Invalid(other) => return Ok(Opinion::Unknown(unrepeated(&other))),
                other => {
                    let other = other.text();
                    return Ok(Opinion::Unknown(format!(
                        "the program's own code cannot be called again: {other}"
                    )));
                }
            }
            if there != Said::Invalid(why.clone()) {
                let changing = "the right version does something else each time it is called so: time, \
                    random numbers or what it did before";
                return Ok(Opinion::Unknown(changing.to_owned()));
            }
            if round >= LEAST.0 && began.elapsed() > LEAST.1 {
                break;
            }
        }
        Ok(Opinion::Invalid(why))
    }
}

fn unrepeated(what: &str) -> String {
    format!(
        "the program's own code does not repeat what it did when it is called so ({what}): \
         it depends on more than it was given, such as identity hash codes, time, random numbers or other state"
    )
}
