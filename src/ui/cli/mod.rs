//! The command line. Its table of commands is [`Command`]: a row there and a file in `command` add one.

use crate::command::CommandError;
use crate::command::bisect::{self, Bisect};
use crate::command::check::{Check, Report};
use crate::command::debug::Debug;
use crate::command::diagnose::Diagnose;
use crate::command::diff::Diff;
use crate::command::explain::{Explain, Explained};
use crate::command::replay::{Replay, Replayed};
use crate::command::trace::{Trace, Traced};
use crate::command::why::Why;
use crate::session::{Answer, Context, Repeated};
use crate::ui::out::{complain, error_text, json, print};
use crate::ui::{diagnoser, interrupt, progress, render, repl, stepper};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::rc::Rc;

/// Finds the cause of a reproducible bug in a JVM program by running it again
///
/// Exit codes: 0 every point located and every expectation holds · 1 some point not located or an expectation
/// fails · 2 usage or bad chain · 3 the root point was never reached · 4 the program could not be built,
/// launched or driven, or timed out · 130 interrupted
#[derive(Parser, Debug)]
#[command(name = "qp", version, max_term_width = 80)]
#[command(
    after_help = "Begin where the state is wrong, and ask what last changed it:\n  qp why foo --at Intro:31 --when 'foo == null' -- java -ea -cp classes Intro"
)]
pub struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = "Output")]
    pub color: Color,
    /// How to write results
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
    #[command(subcommand)]
    #[allow(missing_docs)]
    pub command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For machines
    Json,
}

/// The table of commands.
#[derive(Subcommand, Debug)]
#[allow(clippy::large_enum_variant, reason = "one value exists in a process")]
pub enum Command {
    #[allow(missing_docs)]
    Why(Why),
    #[allow(missing_docs)]
    Debug(Debug),
    #[allow(missing_docs)]
    Replay(Replay),
    #[allow(missing_docs)]
    Explain(Explain),
    #[allow(missing_docs)]
    Check(Check),
    #[allow(missing_docs)]
    Bisect(Bisect),
    /// Records a run, and shows what was recorded
    #[command(
        subcommand,
        after_help = "Examples:\n  qp trace record -- java -cp classes Intro\n  qp trace info\n  qp trace calls --depth 5"
    )]
    Trace(Trace),
    #[allow(missing_docs)]
    Diagnose(Diagnose),
    #[allow(missing_docs)]
    Diff(Diff),
    /// Prints the completions of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Writes the manual pages: qp.1 and one per command
    Man {
        /// The folder to write them to
        folder: std::path::PathBuf,
    },
}

impl Command {
    /// Whether what a file says is run without a question.
    fn trusts(&self) -> bool {
        match self {
            Command::Debug(debug) => debug.trust.trust,
            Command::Replay(replay) => replay.trust.trust,
            Command::Explain(explain) => explain.trust.trust,
            Command::Check(check) => check.trust.trust,
            Command::Bisect(bisect) => bisect.trust.trust,
            Command::Trace(trace) => trace.trusts(),
            Command::Diagnose(diagnose) => diagnose.trust_command,
            Command::Diff(diff) => diff.trust_command,
            Command::Why(_) | Command::Completions { .. } | Command::Man { .. } => false,
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let words: Vec<String> =
                std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
            match error.use_stderr().then(|| without_dashes(&words)).flatten() {
                Some(written) => complain(format_args!(
                    "error: `--` is missing before the program's command; write\n  qp {written}"
                )),
                // Help and version are no errors; both kinds go where clap sends them.
                None => drop(error.print()),
            }
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            return ExitCode::from(if code != 0 && is_bisect() { bisect::CANNOT_TELL } else { code });
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let code = match runtime {
        Ok(runtime) => {
            {
                let _inside = runtime.enter();
                super::interrupt::survive_full_files();
            }
            let code = runtime.block_on(tokio::task::LocalSet::new().run_until(run(&cli)));
            // A thread that still reads standard input must not keep the process.
            runtime.shutdown_background();
            code
        }
        Err(error) => {
            complain(format_args!("error: cannot start: {error}"));
            4
        }
    };
    ExitCode::from(code)
}

/// Commands that start a VM.
const STARTERS: [&str; 6] = ["java", "java.exe", "mvn", "mvnw", "gradle", "gradlew"];

/// The command line with `--` before the program's command, where that is missing.
fn without_dashes(words: &[String]) -> Option<String> {
    if words.iter().any(|word| word == "--") {
        return None;
    }
    let is_starter = |word: &String| word.rsplit('/').next().is_some_and(|name| STARTERS.contains(&name));
    // The value of an option can be called so too.
    let at = words.iter().position(is_starter).filter(|at| *at > 0)?;
    let (own, program) = words.split_at(at);
    let quoted = |word: &String| match word.contains(' ') {
        true => format!("'{word}'"),
        false => word.clone(),
    };
    let [own, program] = [own, program].map(|part| part.iter().map(quoted).collect::<Vec<_>>().join(" "));
    Some(format!("{own} -- {program}"))
}

/// Whether a command line that cannot be read is meant for `git bisect run`, which takes most exit codes for
/// "bad".
fn is_bisect() -> bool {
    std::env::args_os().skip(1).any(|word| word == "bisect")
}

impl Cli {
    /// Whether to use colours on this stream.
    pub(super) fn colors(&self, terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }
}

async fn run(cli: &Cli) -> u8 {
    if !matches!(cli.command, Command::Completions { .. } | Command::Man { .. }) {
        crate::session::remove_abandoned();
    }
    if let Command::Debug(debug) = &cli.command {
        // A session outlives many an interrupt.
        return repl::run(cli, debug).await;
    }
    if let Command::Trace(Trace::Step(args)) = &cli.command {
        return stepper::run(cli, args).await;
    }
    if let Command::Diagnose(args) = &cli.command {
        return diagnoser::run(cli, args).await;
    }
    let interrupt = match interrupt::on_signals() {
        Ok(interrupt) => interrupt,
        Err(error) => {
            complain(format_args!("error: cannot watch for signals: {error}"));
            return 4;
        }
    };
    let progress = progress::Bar::new(std::io::stderr().is_terminal()).trusting(cli.command.trusts());
    let context = Context::new(Rc::new(progress), interrupt);
    let result = match &cli.command {
        Command::Why(why) => why.execute(&context).await.map(|a| answer(cli, &a)),
        // It has been seen to above.
        Command::Debug(_) | Command::Diagnose(_) => Ok(0),
        Command::Replay(replay) => replay.execute(&context).await.map(|replayed| match replayed {
            Replayed::Once(a) => answer(cli, &a),
            Replayed::Repeatedly(repeated) => counted(cli, &repeated),
        }),
        Command::Explain(explain) => {
            let explained = explain.execute(&context).await;
            explained.map(|explained| self::explained(cli, explain, &explained))
        }
        Command::Check(check) => check.execute(&context).await.map(|report| checked(cli, check, &report)),
        Command::Bisect(bisect) => {
            let told = bisect.execute(&context).await;
            let text = match cli.format {
                Format::Json => json(&told),
                Format::Text => format!("{}: {}\n", told.verdict, told.reason),
            };
            // Whatever became of the text, the exit code is what is asked for.
            print(&text);
            Ok(told.exit_code)
        }
        Command::Trace(trace) => trace.execute(&context).await.map(|told| traced(cli, &told)),
        Command::Diff(diff) => diff.execute(&context).await.map(|parting| {
            let text = match cli.format {
                Format::Json => json(&parting),
                Format::Text => render::parting(&parting, cli.colors(std::io::stdout().is_terminal())),
            };
            print(&text).max(parting.exit_code())
        }),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "qp", &mut script);
            Ok(print(&String::from_utf8_lossy(&script)))
        }
        Command::Man { folder } => {
            let pages = std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
            pages
                .map(|()| 0)
                .map_err(|source| CommandError::Write { path: folder.display().to_string(), source })
        }
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            let color = cli.colors(std::io::stderr().is_terminal());
            complain(format_args!("{}", error_text(&error, color)));
            error.exit_code()
        }
    }
}

fn answer(cli: &Cli, answer: &Answer) -> u8 {
    let text = match cli.format {
        Format::Json => json(answer),
        Format::Text => render::answer(answer, cli.colors(std::io::stdout().is_terminal())),
    };
    print(&text).max(answer.outcome.exit_code())
}

fn explained(cli: &Cli, explain: &Explain, explained: &Explained) -> u8 {
    let text = match (cli.format, explained, explain.graph) {
        (Format::Json, ..) => json(explained),
        (Format::Text, Explained::Questions(explanation), Some(form)) => explanation.graph(form.into()),
        (Format::Text, Explained::Questions(explanation), None) => explanation.to_string(),
        (Format::Text, Explained::Cost(cost), _) => render::cost(cost),
    };
    let code = match explained {
        Explained::Questions(_) => 0,
        Explained::Cost(cost) => cost.exit_code(),
    };
    print(&text).max(code)
}

fn traced(cli: &Cli, traced: &Traced) -> u8 {
    let text = match cli.format {
        Format::Json => json(traced),
        Format::Text => render::traced(traced, cli.colors(std::io::stdout().is_terminal())),
    };
    print(&text).max(traced.exit_code())
}

fn counted(cli: &Cli, repeated: &Repeated) -> u8 {
    let text = match cli.format {
        Format::Json => json(repeated),
        Format::Text => render::repeated(repeated, cli.colors(std::io::stdout().is_terminal())),
    };
    print(&text).max(repeated.exit_code)
}

fn checked(cli: &Cli, check: &Check, report: &Report) -> u8 {
    let text = match cli.format {
        Format::Json => json(report),
        Format::Text => render::report(report, cli.colors(std::io::stdout().is_terminal())),
    };
    let mut code = print(&text);
    if let Some(file) = &check.junit {
        let written = render::junit(report).and_then(|xml| crate::session::write_whole(file, &xml));
        if let Err(error) = written {
            complain(format_args!("error: cannot write {}: {error}", file.display()));
            code = 4;
        }
    }
    code.max(report.exit_code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_before_the_command_of_the_program() {
        let line = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            without_dashes(&line("why foo --at Shop:3 /usr/bin/java -cp x Shop")).as_deref(),
            Some("why foo --at Shop:3 -- /usr/bin/java -cp x Shop")
        );
        assert_eq!(without_dashes(&line("why foo -- java Shop")), None);
        assert_eq!(without_dashes(&line("replay chain.ron")), None);
    }
}
