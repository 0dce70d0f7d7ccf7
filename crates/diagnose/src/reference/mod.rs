//! Asks a correct version of the program about a call. Its own run tells most (`aligned`).
//!
//! Where the runs do not tell, a separate VM calls the method with the same inputs and compares the outcome.
//! `QuerypointReference.java` does that; its class files are stored beside it.
//!
//! A different outcome blames the call only if the program's own code repeats the recorded outcome in the
//! same way, in a fresh VM. Otherwise the outcome depends on more than the inputs: identity hash codes, time,
//! random numbers, the environment.

mod aligned;
mod vm;

pub use aligned::{AlignedOpinion, AlignedReference};

use super::question::Question;
use session::SessionError;
use std::path::Path;
use std::time::{Duration, Instant};
use vm::{ProgramVersion, Vm, VmAnswer};

/// How often both versions repeat a difference before it counts. A result that depends on one random bit
/// would otherwise differ by chance.
const REPEATS: u32 = 12;
/// Minimum number of repetitions, and the time limit for further ones.
const LEAST: (u32, Duration) = (3, Duration::from_secs(2));

/// The reference's opinion about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// The reference does the same.
    Valid,
    /// The reference does something else, as described.
    Invalid(String),
    /// The reference cannot decide, for this reason.
    Unknown(String),
}

/// How to launch the program's VM: the `java` command, the options that affect the code, and the working
/// directory.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The `java` command.
    pub java: std::path::PathBuf,
    /// Options for assertions, system properties and access to modules.
    pub options: Vec<String>,
    /// The working directory.
    pub cwd: std::path::PathBuf,
    /// The class path of the recorded program; `None` if it is not known.
    pub own: Option<std::ffi::OsString>,
}

/// A correct version of the program.
pub struct Reference {
    right: ProgramVersion,
    /// The recorded program.
    own: Option<ProgramVersion>,
    running: Option<Vm>,
}

impl Reference {
    /// Creates a reference from its class path, which stands before the program's own. Relative paths start
    /// at `from`.
    ///
    /// # Errors
    /// The classes that call the reference cannot be written.
    pub fn new(launcher: Launcher, class_path: &str, from: &Path) -> Result<Reference, SessionError> {
        let classes = vm::classes().map_err(SessionError::Reference)?;
        // What both versions share, such as the tests, is in the program's own class path only.
        let own: Vec<_> = launcher.own.iter().flat_map(std::env::split_paths).collect();
        let absolute = std::env::split_paths(class_path).map(|element| from.join(element)).chain(own);
        let joined = std::env::join_paths(absolute);
        let joined = joined.map_err(|error| SessionError::Reference(std::io::Error::other(error)))?;
        let own = launcher.own.clone().map(|own| ProgramVersion::new(&launcher, own, classes.clone()));
        Ok(Reference { right: ProgramVersion::new(&launcher, joined, classes), own, running: None })
    }

    /// Judges a call. `is_pure`: arguments and results show everything that the call does.
    ///
    /// # Errors
    /// The VM cannot be started.
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
            VmAnswer::Valid => Opinion::Valid,
            VmAnswer::Invalid(why) => self.confirmed(why, &line(false), &line(true)).await?,
            VmAnswer::Unknown(why) => Opinion::Unknown(why),
            VmAnswer::Ended => Opinion::Unknown("the VM of the right version ended".to_owned()),
            VmAnswer::Slow(seconds) => {
                Opinion::Unknown(format!("the right version takes more than {seconds} s"))
            }
        })
    }

    /// Whether a difference blames the call. Asks fresh VMs of both versions, so that earlier calls affect
    /// neither.
    async fn confirmed(&self, why: String, right: &str, own: &str) -> Result<Opinion, SessionError> {
        let Some(program) = &self.own else {
            let unknown = "the result differs, but the program's own class files are not known: \
                the result may depend on more than the call was given";
            return Ok(Opinion::Unknown(unknown.to_owned()));
        };
        let (mut reference, mut program) = (self.right.start()?, program.start()?);
        let began = Instant::now();
        for round in 1..=REPEATS {
            let ((there, _), (here, _)) = tokio::join!(reference.ask(right), program.ask(own));
            match here {
                VmAnswer::Valid => {}
                VmAnswer::Invalid(other) => return Ok(Opinion::Unknown(unrepeated(&other))),
                other => {
                    let other = other.text();
                    return Ok(Opinion::Unknown(format!(
                        "the program's own code cannot be called again: {other}"
                    )));
                }
            }
            if there != VmAnswer::Invalid(why.clone()) {
                let changing = "the right version does not repeat its own result: it depends on time, \
                    random numbers or earlier calls";
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
