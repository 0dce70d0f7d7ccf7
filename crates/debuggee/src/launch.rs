//! Launches a debuggee, or has a remote one start anew.

use super::agent::{Agent, quoted};
use super::build::builds_folder;
use super::error::{DebuggeeError, Step};
use super::output::Forward;
use super::running::Running;
use super::stdin::Stdin;
use super::template::Template;
use classes::{JavaCommandError, LaunchCommand};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

impl Template {
    /// Prepares the agent for one run.
    ///
    /// # Errors
    /// The agent cannot be unpacked.
    pub fn agent(&self) -> Result<Agent, DebuggeeError> {
        let cache = self.settings().cache.clone().or_else(builds_folder);
        Agent::new(cache.as_deref().and_then(Path::parent), self.settings().pins.as_ref())
    }

    /// Starts the debuggee with a debug agent that connects to `address` and suspends the VM at its start,
    /// and with the probe agent if given. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The program cannot be started, or the command has its own debug agent.
    pub fn launch(
        self: &Arc<Self>,
        address: SocketAddr,
        agent: Option<&Agent>,
        forward: Option<Forward>,
    ) -> Result<Running, DebuggeeError> {
        // The debug agent comes first: it suspends the VM, so the probe agent finds its plan already written.
        let jdwp = format!("-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}");
        let mut options = vec![jdwp];
        options.extend(agent.map(Agent::options).unwrap_or_default());
        let mut command = self.settings().command.clone();
        let mut env = Vec::new();
        match self.launch_command()? {
            LaunchCommand::Java(java) => {
                let at = java.options_at.min(command.len());
                command.splice(at..at, options);
            }
            LaunchCommand::Wrapper { .. } => {
                let before = self.variable("JAVA_TOOL_OPTIONS").filter(|o| !o.trim().is_empty());
                if let Some(own) =
                    before.as_ref().filter(|o| o.contains("-agentlib:jdwp") || o.contains("-Xrunjdwp"))
                {
                    return Err(JavaCommandError::DebugAgent(format!("JAVA_TOOL_OPTIONS={own}")).into());
                }
                let options = options.iter().map(|option| quoted(option));
                let options: Vec<String> = before.into_iter().chain(options).collect();
                env.push(("JAVA_TOOL_OPTIONS".to_owned(), options.join(" ")));
            }
        }
        let group = self.spawn(Step::Command, &command, self.settings().stdin.clone(), &env, forward)?;
        Ok(Running::new(self.clone(), group))
    }

    /// Starts the command that restarts a remote program. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The command cannot be started.
    pub fn relaunch(self: &Arc<Self>, forward: Option<Forward>) -> Result<Running, DebuggeeError> {
        let group = self.spawn(Step::Relaunch, &self.settings().command, Stdin::Null, &[], forward)?;
        Ok(Running::new(self.clone(), group))
    }
}
