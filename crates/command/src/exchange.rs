//! Shared by the commands that run a dialogue: a command with its reply, and the exit code of a dialogue.

use super::CommandError;
use serde::{Serialize, Serializer};

/// A command of a dialogue and its reply. Its JSON is one object with `command`, `reply` and the reply's
/// `content`.
#[derive(Debug)]
pub struct Exchange<R> {
    /// The command as the user wrote it.
    pub command: String,
    /// Its reply, or its error.
    pub reply: Result<R, CommandError>,
}

impl<R: Serialize> Serialize for Exchange<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'a, T> {
            command: &'a str,
            #[serde(flatten)]
            reply: T,
        }
        #[derive(Serialize)]
        #[serde(tag = "reply", content = "content", rename_all = "kebab-case")]
        enum Refused {
            Error(String),
        }
        let command = &*self.command;
        match &self.reply {
            Ok(reply) => Line { command, reply }.serialize(serializer),
            Err(error) => Line { command, reply: Refused::Error(error.to_string()) }.serialize(serializer),
        }
    }
}

/// The exit code of a dialogue: the highest code of its failed commands. When a person types the commands it
/// is 0, since the person has seen each failure.
#[derive(Clone, Copy, Debug)]
pub struct DialogueStatus {
    is_attended: bool,
    gravest: u8,
    is_terminated: bool,
}

/// The exit code of a process ended by a signal.
pub(super) const TERMINATED: u8 = 130;

impl DialogueStatus {
    /// The status of a dialogue with a person, or with a script.
    pub fn new(is_attended: bool) -> DialogueStatus {
        DialogueStatus { is_attended, gravest: 0, is_terminated: false }
    }

    /// Whether a person gives the commands.
    pub fn is_attended(&self) -> bool {
        self.is_attended
    }

    /// Counts the exit code of a command; 0 means success.
    pub fn count(&mut self, code: u8) {
        self.gravest = self.gravest.max(code);
    }

    /// Records that a signal ended the dialogue.
    pub fn terminate(&mut self) {
        self.is_terminated = true;
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match (self.is_terminated, self.is_attended) {
            (true, _) => TERMINATED,
            (false, true) => 0,
            (false, false) => self.gravest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    #[serde(tag = "reply", content = "content", rename_all = "kebab-case")]
    enum Reply {
        Told(Vec<u32>),
        Quit,
    }

    #[test]
    fn an_exchange_is_one_object() {
        let json = |reply| {
            let exchange = Exchange { command: "go on".to_owned(), reply };
            serde_json::to_string(&exchange).unwrap()
        };
        let error = CommandError::Usage("write: go".to_owned());
        assert_eq!(json(Ok(Reply::Told(vec![1]))), r#"{"command":"go on","reply":"told","content":[1]}"#);
        assert_eq!(json(Ok(Reply::Quit)), r#"{"command":"go on","reply":"quit"}"#);
        assert_eq!(json(Err(error)), r#"{"command":"go on","reply":"error","content":"write: go"}"#);
    }

    #[test]
    fn a_script_exits_with_its_gravest_failure_and_a_person_with_none() {
        for (is_attended, code) in [(true, 0), (false, 3)] {
            let mut status = DialogueStatus::new(is_attended);
            [0, 3, 2].into_iter().for_each(|code| status.count(code));
            assert_eq!(status.exit_code(), code);
            status.terminate();
            assert_eq!(status.exit_code(), 130);
        }
    }
}
