import { HARMLESS, namesIn, type RiskyArguments, type RiskyProgram, risky } from "./risky-program.ts";

const RUNS = "it runs a program";
const ON_THE_OTHER_SIDE = "it names the program that runs at the repository";
const ELSEWHERE = "the configuration of another repository can run programs";
const WRITES = "it writes a file of any name";
const CONFIGURED = "it runs programs that the configuration names";
const HOOKS = "it installs hooks, which are programs";

const ADDRESS = {
  pattern: /(?:^|=)[A-Za-z0-9+.-]+::|:\/\/-/,
  reason: "the address names a program to reach the repository",
  isWithinOptions: true,
};
const LEAVES = "it writes files out of the project, or in a git folder";
/** Paths that lead, or may lead, out of the project or into a git folder. */
const LEAVING = /^[~/]|^[A-Za-z]:[\\/]|(?:^|[\\/])(?:\.\.|\.git|\.[^\\/]*[*?[{][^\\/]*)(?:[\\/]|$)|[$`]/i;
const COMPARING: RiskyArguments = {
  options: { "--output": WRITES, "--ext-diff": CONFIGURED, "--textconv": CONFIGURED },
  harmless: ["--text"],
};
const FETCHING: RiskyArguments = {
  options: { "--upload-pack": ON_THE_OTHER_SIDE, "--exec": ON_THE_OTHER_SIDE },
  operands: ADDRESS,
};
/** A strategy that git does not provide is a program. */
const STRATEGIES = {
  options: ["-s", "--strategy"],
  harmless: /^(?:ours|ort|recursive|resolve|octopus|subtree)$/,
  isValue: true,
  reason: "a strategy is a program",
};
const INITIALIZING: RiskyArguments = {
  operands: ADDRESS,
  options: { "--template": HOOKS, "--separate-git-dir": WRITES },
};
const ALL_OF_IT: RiskyArguments = { everything: { reason: "the subcommand runs other programs" } };

/** Options that read the configuration. Any other option, and a name with a value, writes. */
const READS_CONFIGURATION =
  /^(?:(?:--(?:global|local|system|worktree|show-origin|show-scope|name-only|null|includes|type=[a-z-]+|bool|int)|-z) )*(?:(?:--(?:get|get-all|get-regexp)|get)(?: (?:--show-origin|--show-scope|--all|[^-\s]\S*))+|(?:--list|-l|list)(?: --(?:show-origin|show-scope|name-only|global|local))*|[^-\s]\S*)$/;

const SUBCOMMANDS: Readonly<Record<string, RiskyArguments>> = {
  ...Object.fromEntries(
    "add branch check-attr check-ignore check-mailmap check-ref-format checkout cherry clean column commit commit-tree count-objects describe for-each-ref fsck gc hash-object ls-files ls-tree merge-base merge-tree name-rev notes pack-refs patch-id prune rerere reset restore rev-parse rm show-branch show-ref sparse-checkout status stripspace switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version write-tree"
      .split(" ")
      .map((name) => [name, HARMLESS]),
  ),
  ...Object.fromEntries(
    "diff log show whatchanged diff-tree diff-index diff-files range-diff reflog rev-list stash shortlog"
      .split(" ")
      .map((name) => [name, COMPARING]),
  ),
  ...Object.fromEntries(
    "filter-branch filter-repo for-each-repo shell remote-ext remote-fd hook daemon instaweb send-email web--browse p4 svn credential mergetool citool gui http-backend cvsserver imap-send maintenance lfs"
      .split(" ")
      .map((name) => [name, ALL_OF_IT]),
  ),
  "cherry-pick": { ...COMPARING, settings: { ...STRATEGIES, options: ["--strategy"] } },
  revert: { ...COMPARING, settings: { ...STRATEGIES, options: ["--strategy"] } },
  "format-patch": { ...COMPARING, options: { ...COMPARING.options, ...risky(WRITES, "-o --output-directory") } },
  apply: { options: risky(WRITES, "--unsafe-paths --build-fake-ancestor") },
  archive: {
    options: { "--exec": ON_THE_OTHER_SIDE, "--remote": ON_THE_OTHER_SIDE, "--output": WRITES, "-o": WRITES },
  },
  bisect: { commands: { pattern: /^(?:run|visualize|view|replay)$/, reason: RUNS } },
  blame: COMPARING,
  "cat-file": { options: { "--textconv": CONFIGURED, "--filters": CONFIGURED } },
  clone: {
    operands: { ...ADDRESS, pattern: new RegExp(`${ADDRESS.pattern.source}|${LEAVING.source}`, "i") },
    options: {
      ...risky(ON_THE_OTHER_SIDE, "--upload-pack -u"),
      ...risky("it sets configuration that can run programs", "--config -c"),
      "--template": HOOKS,
      "--separate-git-dir": WRITES,
    },
    valued: "bj",
  },
  config: {
    everything: { reason: "it changes the configuration, which can run programs", exempt: READS_CONFIGURATION },
  },
  difftool: { everything: { reason: RUNS } },
  fetch: FETCHING,
  "fetch-pack": FETCHING,
  "ls-remote": FETCHING,
  grep: {
    options: { ...risky(RUNS, "-O --open-files-in-pager"), ...risky(CONFIGURED, "--textconv --ext-grep") },
    valued: "efABCm",
  },
  help: { options: risky(RUNS, "-w --web") },
  init: INITIALIZING,
  "init-db": INITIALIZING,
  merge: { settings: STRATEGIES, valued: "mFX" },
  mv: { operands: { pattern: LEAVING, reason: LEAVES } },
  repack: { options: risky(WRITES, "--filter-to --expire-to") },
  pull: {
    operands: ADDRESS,
    options: risky(ON_THE_OTHER_SIDE, "--upload-pack"),
    settings: STRATEGIES,
  },
  push: { operands: ADDRESS, options: risky(ON_THE_OTHER_SIDE, "--receive-pack --exec") },
  "send-pack": { operands: ADDRESS, options: risky(ON_THE_OTHER_SIDE, "--receive-pack --exec") },
  rebase: {
    options: risky(RUNS, "-x --exec"),
    settings: STRATEGIES,
    valued: "XC",
  },
  remote: { operands: ADDRESS },
  submodule: { operands: ADDRESS, commands: { pattern: /^foreach$/, reason: RUNS }, options: { "--template": HOOKS } },
  worktree: { operands: { pattern: LEAVING, reason: LEAVES } },
};

/** `git`: aliases, hooks, pagers, helpers and transports are programs. */
export const GIT_PROGRAM: RiskyProgram = {
  names: ["git"],
  options: {
    ...risky("it names the folder of git's own programs", "--exec-path"),
    ...risky("it sets configuration that can run programs", "--config-env"),
    ...risky(ELSEWHERE, "-C --git-dir --work-tree --bare"),
  },
  // Bare repositories in the project are harmless: agents' git uses only those that the command names.
  folderOption: "-C",
  valuedBefore: namesIn("-C -c --git-dir --work-tree --namespace --config-env --attr-source --super-prefix"),
  flagsBefore: namesIn(
    "-P --no-pager -p --paginate --no-replace-objects --no-optional-locks --no-lazy-fetch --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --bare --exec-path --html-path --man-path --info-path -v --version -h --help",
  ),
  settings: {
    options: ["-c"],
    harmless:
      /^(?:advice|color)\.[\w.-]+$|^(?:user\.(?:name|email)|core\.(?:quotepath|autocrlf|eol|abbrev|longpaths)|commit\.gpgsign|tag\.gpgsign|init\.defaultbranch|log\.date|diff\.renames|pull\.rebase|rebase\.autosquash|push\.default|fetch\.prune)$/i,
    reason: "it sets configuration that can run programs",
  },
  subcommands: SUBCOMMANDS,
  // Others run programs, write files of any name, or are programs: `git a/b` runs a file of the project.
  otherSubcommands: { everything: { reason: "not every subcommand of git is known to run no other program" } },
};
