//! What the user permits: the programs that tools may run, and the folder whose files they may use.

use super::{Mcp, usage};
use chain::{Chain, Debuggee};
use command::CommandError;
use command::diagnose::runs_code;
use command::program::{LaunchArgs, ProgramArgs};
use session::Context;
use session::Wanted;
use std::path::{Path, PathBuf};

/// The most bytes of a file that tools read whole.
const MOST_BYTES: u64 = 64 << 20;

/// A program that tools may run.
#[derive(Clone, Debug)]
pub struct RunnableProgram {
    /// Its name.
    pub name: String,
    /// How it is launched.
    pub debuggee: Debuggee,
}

/// What the user permits.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// The programs.
    pub programs: Vec<RunnableProgram>,
    /// The folder, without symbolic links.
    pub root: Option<PathBuf>,
    /// Whether tools may run commands that an agent makes up.
    pub allows_commands: bool,
    /// Whether the other code of chains may run.
    pub trusts_chains: bool,
}

impl Permissions {
    /// The permissions of a command line. A test must be [found](Mcp::found) before.
    ///
    /// # Errors
    /// A program has no name or no command, the root is no folder, or nothing is permitted at all.
    pub fn new(line: &Mcp) -> Result<Permissions, CommandError> {
        let mut programs: Vec<RunnableProgram> = Vec::new();
        let mut takes_command = false;
        let own = line.test.instead_of(line.program(&line.command, &line.launch));
        for run in &line.runs {
            let (name, debuggee) = match run.split_once('=') {
                Some((name, command)) => (name, line.program(&split(command)?, &LaunchArgs::default())),
                None if takes_command => {
                    return usage(format!("--run {run}: only one name can stand for the command after `--`"));
                }
                None => {
                    takes_command = true;
                    (run.as_str(), own.clone())
                }
            };
            if name.is_empty() || debuggee.command.is_empty() {
                return usage(format!(
                    "--run {run}: write NAME and a command after `--`, or NAME=COMMAND, such as \
                     `--run 'intro=java -cp classes Intro'`"
                ));
            }
            if programs.iter().any(|program| program.name == name) {
                return usage(format!("--run {run}: there is a program of this name already"));
            }
            programs.push(RunnableProgram { name: name.to_owned(), debuggee });
        }
        if !own.command.is_empty() && !takes_command {
            let name = if line.test.test.is_some() { "test" } else { "program" };
            programs.push(RunnableProgram { name: name.to_owned(), debuggee: own });
        }
        let root = match &line.root {
            Some(root) => Some(root.canonicalize().map_err(|error| {
                CommandError::Usage(format!("--root {}: {error}; name a folder", root.display()))
            })?),
            None => None,
        };
        if programs.is_empty() && root.is_none() && !line.allow_commands {
            return usage(
                "no tool could run or read anything: name a program with `--run NAME -- java …`, or \
                 a folder with --root",
            );
        }
        Ok(Permissions {
            programs,
            root,
            allows_commands: line.allow_commands,
            trusts_chains: line.trust_chains,
        })
    }

    /// The program of a name; without a name, the only one.
    ///
    /// # Errors
    /// There is no such program, or there are several.
    pub fn program(&self, name: Option<&str>) -> Result<&RunnableProgram, CommandError> {
        let named = |program: &&RunnableProgram| name.is_none_or(|name| program.name == name);
        let found: Vec<&RunnableProgram> = self.programs.iter().filter(named).collect();
        let names =
            || self.programs.iter().map(|program| program.name.as_str()).collect::<Vec<_>>().join(", ");
        match (found.as_slice(), name) {
            ([program], _) => Ok(program),
            ([], Some(name)) if !self.programs.is_empty() => {
                usage(format!("there is no program `{name}`: `run` can be {}", names()))
            }
            ([], _) => {
                usage("the user has named no program that may run: ask for `qp mcp --run NAME -- java …`")
            }
            _ => usage(format!("name the program in `run`: {}", names())),
        }
    }

    /// The debuggee of a command that the agent made up.
    ///
    /// # Errors
    /// The user does not allow that.
    pub fn made_up(&self, command: &[String]) -> Result<Debuggee, CommandError> {
        if !self.allows_commands {
            return usage(
                "no tool takes a command: name a program of the user in `run`, or ask the user for \
                 `qp mcp --allow-commands`",
            );
        }
        Ok(Debuggee { command: command.to_vec(), ..Debuggee::default() })
    }

    /// An existing file or folder below the root.
    ///
    /// # Errors
    /// There is no root, or no such file below it.
    pub fn existing(&self, path: &str) -> Result<PathBuf, CommandError> {
        let root = self.root()?;
        let found = root.join(path).canonicalize();
        match found {
            Ok(found) if found.starts_with(root) => match found.metadata() {
                Ok(about) if about.is_dir() || (about.is_file() && about.len() <= MOST_BYTES) => Ok(found),
                _ => usage(format!("{path} is neither a folder nor a regular file of at most 64 MB")),
            },
            Ok(_) => {
                usage(format!("{path} lies outside of {}, the only folder that tools use", root.display()))
            }
            Err(error) => usage(format!("{path}: {error}; paths are relative to {}", root.display())),
        }
    }

    /// A path for a new file or folder below the root.
    ///
    /// # Errors
    /// There is no root, the path leads out of it, or something is there already.
    pub fn new_path(&self, path: &str) -> Result<PathBuf, CommandError> {
        let root = self.root()?;
        let wanted = root.join(path);
        let (Some(parent), Some(name)) = (wanted.parent(), wanted.file_name()) else {
            return usage(format!("{path} names no file"));
        };
        let parent = parent.canonicalize().map_err(|error| {
            CommandError::Usage(format!("{path}: {error}; paths are relative to {}", root.display()))
        })?;
        if !parent.starts_with(root) {
            return usage(format!(
                "{path} lies outside of {}, the only folder that tools use",
                root.display()
            ));
        }
        let wanted = parent.join(name);
        if wanted.symlink_metadata().is_ok() {
            return usage(format!("{path} exists already: choose another name"));
        }
        Ok(wanted)
    }

    /// Checks that a chain file below the root may be replayed.
    ///
    /// # Errors
    /// It runs other code, or names files outside of the root.
    pub fn check(&self, file: &Path, chain: &Chain) -> Result<(), CommandError> {
        let root = self.root()?;
        if !self.trusts_chains {
            let wanted = Wanted::of_chain(file, chain).commands;
            let code: Vec<&str> =
                wanted.iter().map(|(field, _)| *field).filter(|field| OTHER_CODE.contains(field)).collect();
            if let Some(first) = code.first() {
                return usage(format!(
                    "the chain has other code than its command (`{first}`): ask the user for \
                     `qp mcp --trust-chains`"
                ));
            }
        }
        let cwd = chain.cwd();
        let debuggee = &chain.debuggee;
        let own = debuggee.stdin.iter().chain(&debuggee.sources).chain(&debuggee.classes);
        let mut paths: Vec<PathBuf> = own.map(|path| cwd.join(path)).collect();
        paths.extend(chain.queries.iter().flat_map(|query| &query.rules.0).map(|path| cwd.join(path)));
        paths.push(cwd);
        let named = self
            .programs
            .iter()
            .flat_map(|program| program.debuggee.sources.iter().chain(&program.debuggee.classes).cloned());
        // The programs run in this folder.
        let named: Vec<PathBuf> =
            named.chain([PathBuf::from(".")]).flat_map(|path| path.canonicalize()).collect();
        for path in paths {
            // A file that is not there is not read.
            if path.canonicalize().is_ok_and(|path| !path.starts_with(root) && !named.contains(&path)) {
                return usage(format!(
                    "the chain names {}, which lies outside of {}, the only folder that tools use",
                    path.display(),
                    root.display()
                ));
            }
        }
        Ok(())
    }

    /// Checks that the questions of a chain that a tool has made call no method of the program.
    ///
    /// # Errors
    /// An expression calls something.
    pub fn check_expressions(&self, chain: &Chain) -> Result<(), CommandError> {
        if self.allows_commands {
            return Ok(());
        }
        let wanted = Wanted::of_chain(Path::new(""), chain).commands;
        match wanted.into_iter().find(|(field, _)| *field == "calls") {
            Some((_, expression)) => would_run_code(&expression),
            None => Ok(()),
        }
    }

    /// Checks that an expression whose value is to be shown calls no method of the program.
    ///
    /// # Errors
    /// It calls one.
    pub fn check_shown(&self, expression: &str) -> Result<(), CommandError> {
        match !self.allows_commands && runs_code(expression) {
            true => would_run_code(expression),
            false => Ok(()),
        }
    }

    /// Whether a chain runs a program that the user has named.
    pub fn is_of_user(&self, chain: &Chain) -> bool {
        self.programs.iter().any(|program| program.debuggee == chain.debuggee)
    }

    fn root(&self) -> Result<&Path, CommandError> {
        match &self.root {
            Some(root) => Ok(root),
            None => usage("the user has opened no folder for files: ask for `qp mcp --root FOLDER`"),
        }
    }
}

fn would_run_code(expression: &str) -> Result<(), CommandError> {
    usage(format!(
        "the expression {expression} calls a method, which would run code: ask about variables, fields and \
         elements only, or ask the user for `qp mcp --allow-commands`"
    ))
}

/// What a chain can run besides its command.
const OTHER_CODE: [&str; 6] = ["build", "before_run", "relaunch", "drive", "attach", "calls"];

impl Mcp {
    /// The same with the launch of the test, if one is named.
    ///
    /// # Errors
    /// There is no such test, the build tool fails, or the user interrupts.
    pub async fn found(&self, context: &Context) -> Result<Mcp, CommandError> {
        Ok(Mcp { test: self.test.found(context).await?, ..self.clone() })
    }

    /// The program of a command. Only that after `--` is launched as [`LaunchArgs`] say.
    fn program(&self, command: &[String], launch: &LaunchArgs) -> Debuggee {
        let program = ProgramArgs {
            source: self.source.clone(),
            classes: self.classes.clone(),
            ..ProgramArgs::with(launch)
        };
        Debuggee { timeout_s: self.timeout, ..program.of_command(command) }
    }
}

fn split(command: &str) -> Result<Vec<String>, CommandError> {
    shlex::split(command)
        .ok_or_else(|| CommandError::Usage(format!("--run: `{command}` is no command line: a quote is open")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Result<Permissions, String> {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            mcp: Mcp,
        }
        let words = std::iter::once("mcp").chain(words.iter().copied());
        let line = <Line as clap::Parser>::try_parse_from(words).map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let found = runtime.block_on(line.mcp.found(&Context::silent()));
        found.and_then(|mcp| Permissions::new(&mcp)).map_err(|error| error.to_string())
    }

    #[test]
    fn programs_have_names() {
        let names = |words: &[&str]| {
            line(words).map(|permissions| {
                permissions
                    .programs
                    .into_iter()
                    .map(|p| (p.name, p.debuggee.command.len()))
                    .collect::<Vec<_>>()
            })
        };
        let one = |name: &str, words| Ok(vec![(name.to_owned(), words)]);
        assert_eq!(names(&["--run", "a", "--", "java", "A"]), one("a", 2));
        assert_eq!(names(&["--", "java", "A"]), one("program", 2));
        assert_eq!(names(&["--run", "a=java -cp 'x y' A"]), one("a", 4));
        assert!(names(&["--test", "A#b", "--classpath", "x"]).is_ok_and(|all| all[0].0 == "test"));
        for wrong in [
            &["--run", "a"][..],
            &["--run", "=java A"],
            &["--run", "a=java 'A"],
            &["--run", "a=java A", "--run", "a=java B"],
            &["--run", "a", "--run", "b", "--", "java", "A"],
            &[],
            &["--root", "/no/such/folder"],
        ] {
            assert!(names(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn nothing_outside_of_the_root_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("inner")).unwrap();
        std::fs::write(root.join("inner/file"), "").unwrap();
        std::fs::write(folder.path().join("outside"), "").unwrap();
        std::os::unix::fs::symlink(folder.path(), root.join("link")).unwrap();
        let permissions = line(&["--root", root.to_str().unwrap()]).unwrap();
        assert!(permissions.existing("inner/file").is_ok());
        assert!(permissions.existing("inner/../inner/file").is_ok());
        for wrong in ["../outside", "link/outside", "/etc/passwd", "missing", ".."] {
            assert!(permissions.existing(wrong).is_err(), "{wrong}");
        }
        assert!(permissions.new_path("inner/new").is_ok());
        for wrong in ["inner/file", "../new", "link/new", "/tmp/new", "missing/new", ".."] {
            assert!(permissions.new_path(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_program_is_named_where_there_are_several() {
        let two = line(&["--run", "a=java A", "--run", "b=java B"]).unwrap();
        assert!(two.program(Some("b")).is_ok());
        assert!(two.program(None).unwrap_err().to_string().contains("a, b"));
        assert!(two.program(Some("c")).unwrap_err().to_string().contains("no program `c`"));
        assert!(two.made_up(&["sh".to_owned()]).unwrap_err().to_string().contains("--allow-commands"));
    }
}
