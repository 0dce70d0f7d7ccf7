//! Programs that a dynamic language runs from source: which language, and which classes are its own. The
//! classes that it makes of the script have no class file.

use super::template::Template;
use std::path::Path;

/// A language that runs sources.
#[derive(Debug, PartialEq, Eq)]
pub struct ScriptLanguage {
    /// Its name for people.
    pub name: &'static str,
    /// The commands that run a script.
    commands: &'static [&'static str],
    /// The main classes that do so.
    mains: &'static [&'static str],
    /// The beginnings of the names of jars that do so with `java -jar`.
    jars: &'static [&'static str],
    /// How the names of its sources end.
    extensions: &'static [&'static str],
    /// Patterns of its own classes and of those that it is shipped with, as `--trust` takes them.
    pub classes: &'static [&'static str],
}

/// The languages. To add one, add a row.
const LANGUAGES: [ScriptLanguage; 4] = [
    ScriptLanguage {
        name: "Groovy",
        commands: &["groovy"],
        mains: &["groovy.ui.GroovyMain", "org.codehaus.groovy.tools.GroovyStarter"],
        jars: &[],
        extensions: &["groovy", "gvy", "gy", "gsh"],
        classes: &[
            "groovy.**",
            "org.codehaus.groovy.**",
            "org.apache.groovy.**",
            "groovyjarjarantlr.**",
            "groovyjarjarantlr4.**",
            "groovyjarjarasm.**",
            "groovyjarjarcommonscli.**",
            "groovyjarjarpicocli.**",
            "antlr.**",
            "org.objectweb.asm.**",
            "org.apache.commons.cli.**",
        ],
    },
    ScriptLanguage {
        name: "Clojure",
        commands: &["clojure", "clj"],
        mains: &["clojure.main"],
        jars: &["clojure"],
        extensions: &["clj", "cljc"],
        classes: &["clojure.**"],
    },
    ScriptLanguage {
        name: "JRuby",
        commands: &["jruby"],
        mains: &["org.jruby.Main"],
        jars: &["jruby"],
        extensions: &["rb"],
        classes: &[
            "org.jruby.**",
            "org.joni.**",
            "org.jcodings.**",
            "jnr.**",
            "com.kenai.**",
            "com.headius.**",
            "org.joda.**",
            "org.yaml.**",
            "jay.**",
            "me.qmx.**",
        ],
    },
    ScriptLanguage {
        name: "Jython",
        commands: &["jython"],
        mains: &["org.python.util.jython"],
        jars: &["jython"],
        extensions: &["py"],
        // Not `org.python.pycode`, in which it defines the classes of scripts.
        classes: &[
            "org.python.antlr.**",
            "org.python.bouncycastle.**",
            "org.python.compiler.**",
            "org.python.core.**",
            "org.python.expose.**",
            "org.python.google.**",
            "org.python.icu.**",
            "org.python.indexer.**",
            "org.python.jsr223.**",
            "org.python.modules.**",
            "org.python.netty.**",
            "org.python.objectweb.**",
            "org.python.util.**",
            "com.ziclix.python.**",
            "org.antlr.runtime.**",
            "org.objectweb.asm.**",
            "jline.**",
            "jnr.**",
            "com.kenai.**",
        ],
    },
];

/// A program that runs from source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The language.
    pub language: &'static ScriptLanguage,
    /// The script, as the command names it; `None` if it names a namespace or module, or text.
    pub file: Option<String>,
}

impl Script {
    /// The script that a command runs, if it runs one.
    pub fn of(command: &[String]) -> Option<Script> {
        let (program, arguments) = command.split_first()?;
        let stem = Path::new(program).file_stem()?.to_str()?;
        let runs = |language: &&ScriptLanguage| {
            let is_jar = |jar: &str| {
                let name = Path::new(jar).file_name().and_then(|name| name.to_str()).unwrap_or_default();
                language.jars.iter().any(|begin| name.starts_with(begin))
            };
            let of_jar = arguments
                .windows(2)
                .any(|two| matches!(two, [option, jar] if option == "-jar" && is_jar(jar)));
            language.commands.contains(&stem)
                || stem == "java"
                    && (of_jar || arguments.iter().any(|word| language.mains.contains(&word.as_str())))
        };
        let language = LANGUAGES.iter().find(runs)?;
        let is_script = |word: &&String| {
            let extension = Path::new(word).extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| language.extensions.contains(&extension))
        };
        Some(Script { language, file: arguments.iter().find(is_script).cloned() })
    }

    /// Says whose code is whose.
    pub fn summary(&self) -> String {
        let (file, name) = (self.file.as_deref().unwrap_or("the program"), self.language.name);
        format!("{file}: the classes that {name} makes of it are own code; {name} itself is a library")
    }
}

impl Template {
    /// The script that the debuggee's command runs, if it runs one.
    pub fn script(&self) -> Option<Script> {
        Script::of(&self.settings().command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_known_by_their_commands() {
        let of = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            Script::of(&words).map(|script| (script.language.name, script.file.unwrap_or_default()))
        };
        let is = |name, file: &str| Some((name, file.to_owned()));
        assert_eq!(of("groovy src/Shop.groovy 3"), is("Groovy", "src/Shop.groovy"));
        assert_eq!(of("/usr/bin/jython shop.py"), is("Jython", "shop.py"));
        assert_eq!(of("java -cp clojure.jar:src clojure.main -m shop.core"), is("Clojure", ""));
        assert_eq!(of("java -jar lib/jruby-complete-9.3.jar shop.rb"), is("JRuby", "shop.rb"));
        assert_eq!(of("java -cp groovy.jar:classes Shop"), None);
        assert_eq!(of("java -jar shop.jar report.groovy"), None);
    }
}
