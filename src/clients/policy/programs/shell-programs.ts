import { type RiskyProgram, risky } from "./risky-program.ts";

function always(names: string, reason: string, exempt?: RegExp): RiskyProgram {
  return { names: names.split(" "), everything: { reason, ...(exempt === undefined ? {} : { exempt }) } };
}

const EVALUATES = "shells evaluate its arguments";
const SETS = "it sets a variable or an option of the shell, which later commands obey";
const RUNS = "it runs what its arguments say";
const CODE = "its value is code";
const LOADS = "it loads code";

/** Builtins of sh, bash, zsh and fish that run or evaluate their arguments, or change how the shell runs others. */
export const SHELL_PROGRAMS: readonly RiskyProgram[] = [
  always(
    "eval source . fc r history compgen complete compopt compdef trap bind bindkey funced psub enable let sched vared zle",
    RUNS,
  ),
  always(
    "zargs zmv zcp zln zmodload zstyle zcompile zsystem ztcp zpty zformat zparseopts ztie strftime argparse",
    RUNS,
  ),
  always("alias unalias abbr functions function funcsave hash rehash autoload emulate setopt unsetopt shopt set", SETS),
  always("export declare typeset local readonly integer float nameref private unset setenv unsetenv", SETS),
  always("read readarray mapfile getopts getln env_parallel fish_config fish_add_path set_color", SETS),
  always("event emit block status bg fg disown", RUNS, /^(?:%?\d+|is-interactive|filename|current-filename)$/),
  { names: ["jobs"], options: risky(RUNS, "-x") },
  { names: ["wait"], options: risky(SETS, "-p") },
  { names: ["print"], options: risky(EVALUATES, "-P -v -z -s -f -C -x -X -u -p -D -e -S") },
  always("exit return break continue logout bye shift", EVALUATES, /^(?:[-+]?\d+|\$[?#])$/),
  { names: ["printf"], script: "printf" },
  { names: ["test", "["], script: "test" },
];

/** Interpreters: code on the command line, code loaded before a script, and configuration that names code. */
export const INTERPRETER_PROGRAMS: readonly RiskyProgram[] = [
  {
    stopsAtScript: true,
    names: "sh bash dash zsh fish ksh mksh ash csh tcsh rbash yash nu elvish xonsh".split(" "),
    options: risky(CODE, "-c -C -i -l -s -o -O --init-file --rcfile --command --init-command --login --interactive"),
    // `+c` means the same as `-c`.
    operands: { pattern: /^\+/, reason: CODE },
  },
  {
    stopsAtScript: true,
    names: ["node", "nodejs"],
    options: {
      ...risky(CODE, "-e -p -i --eval --print --interactive"),
      ...risky(
        LOADS,
        "-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --openssl-config --snapshot-blob --build-snapshot --experimental-config-file --experimental-default-config-file --experimental-sea-config --test-reporter --test-global-setup --run",
      ),
      ...risky(
        "it writes a file of any name",
        "--logfile --test-reporter-destination --cpu-prof-name --cpu-prof-dir --heap-prof-name --heap-prof-dir --trace-event-file-pattern --redirect-warnings --report-filename --report-directory --diagnostic-dir",
      ),
      ...risky("it runs code in the program", "--inspect --inspect-brk --inspect-port"),
    },
    harmless: ["--experimental-strip-types", "--experimental-vm-modules", "--test", "--cpu-prof", "--heap-prof"],
    commands: { pattern: /^(?:inspect|debug)$|^data:/, reason: "it runs code in the program" },
  },
  {
    names: ["bun"],
    options: {
      ...risky(CODE, "-e -p --eval --print"),
      ...risky(LOADS, "-r --preload --require --import --env-file --config -c"),
      ...risky("it runs there", "--cwd --shell"),
    },
    commands: { pattern: /^(?:x|exec|repl|create)$/, reason: RUNS },
  },
  {
    names: ["deno"],
    options: {
      ...risky(LOADS, "--preload --import --config -c --import-map --env-file"),
      ...risky("it may run programs", "--allow-all -A --allow-run --allow-ffi"),
    },
    commands: { pattern: /^(?:eval|repl|x)$/, reason: CODE },
  },
  {
    stopsAtScript: true,
    names: ["tsx", "ts-node", "esno", "swc-node"],
    options: {
      ...risky(CODE, "-e -p --eval --print"),
      ...risky(LOADS, "-r --require --import --loader -C --compiler"),
    },
  },
  {
    stopsAtScript: true,
    names: ["python", "pypy", "ipython", "jython"],
    options: { ...risky(CODE, "-c -i"), ...risky("it runs any module", "-m"), ...risky(LOADS, "-X") },
    valued: "W",
  },
  {
    stopsAtScript: true,
    names: ["perl"],
    options: { ...risky(CODE, "-e -E -n -p -i -d -s -x"), ...risky(LOADS, "-M -m -I") },
  },
  {
    stopsAtScript: true,
    names: ["ruby", "jruby"],
    options: { ...risky(CODE, "-e -n -p -i -s -x"), ...risky(LOADS, "-r -I -C --require") },
  },
  {
    stopsAtScript: true,
    names: ["php"],
    options: {
      ...risky(CODE, "-r -B -R -E -a --run --process-begin --process-code --process-end --interactive"),
      ...risky(LOADS, "-d -c -z -F --define --php-ini --zend-extension --process-file"),
    },
  },
  { stopsAtScript: true, names: ["lua", "luajit"], options: { ...risky(CODE, "-e -i"), ...risky(LOADS, "-l -b -j") } },
  { stopsAtScript: true, names: ["r", "rscript"], options: risky(CODE, "-e -f --file --args") },
  {
    stopsAtScript: true,
    names: ["julia"],
    options: { ...risky(CODE, "-e -E --eval --print"), ...risky(LOADS, "-L --load -J --sysimage") },
  },
  {
    names: ["java", "javac", "jshell"],
    options: risky(
      LOADS,
      "-agentlib -agentpath -javaagent -XX -J -Xlog -Xloggc -Xrun -Xbootclasspath -Xbootclasspath/a -Xbootclasspath/p -processor -processorpath --processor-path --module-path -p --patch-module",
    ),
    hasOnlyWords: true,
    operands: { pattern: /^@/, reason: LOADS },
  },
  {
    names: [
      "tclsh",
      "wish",
      "guile",
      "racket",
      "sbcl",
      "clisp",
      "ghci",
      "ghc",
      "scala",
      "groovy",
      "elixir",
      "iex",
      "erl",
      "swift",
      "osascript",
      "ocaml",
      "gjs",
      "qjs",
    ],
    options: risky(CODE, "-e -c -s -eval --eval -run --load -l --expr --command"),
  },
  {
    names: ["awk", "gawk", "mawk", "nawk", "original-awk"],
    options: {
      ...risky(
        LOADS,
        "-f -i -l -E -e -D -o -p -W --file --include --load --exec --source --debug --profile --pretty-print --dump-variables",
      ),
    },
    valued: "Fv",
    script: "awk",
  },
  { names: ["sed", "gsed"], options: risky(LOADS, "-f --file"), valued: "el", script: "sed" },
];
