import { HARMLESS, namesIn, type RiskyProgram, risky } from "./risky-program.ts";

const RUNS = "it runs a program";
const PACKAGE_OPTIONS = risky(
  "it decides which programs or settings the package manager uses",
  "--script-shell --shell --prefix --node-options --globalconfig --userconfig --git --editor --viewer --browser --init-module --location --registry --node-gyp --global-dir --cwd --dir --shell-emulator --use-node-version --npmrc-auth-file -C --pnpmfile --global-pnpmfile --use-yarnrc --logs-dir --cache",
);
const INITIALIZES = { everything: { reason: "it runs an initializer", exempt: /^(?:|-y|--yes)$/ } };
/** npm accepts abbreviations of its commands. */
const PACKAGE_COMMANDS = {
  pattern:
    /^(?:x|c|ex(?!pla).*|ed.*|in|ini|inn.*|cr|cre|crea|creat|co|con|conf|confi|pk|se|set|dlx|patch|env|node|shell|fund|docs|bugs|repo|home|plugin)$/,
  reason: "it runs another program, or changes the settings",
};
/** Script names that nearly every package has; others may be programs. */
const SCRIPT_NAMES =
  "bench|build|check|ci|clean|codegen|coverage|dev|docs|e2e|format|generate|lint|migrate|prepare|preview|release|seed|serve|start|storybook|test|typecheck|types";
const PNPM_COMMANDS = {
  pattern: new RegExp(
    `^(?!(?:${SCRIPT_NAMES}|t|tst|add|audit|bin|dedupe|fetch|i|import|install|la|licenses|link|list|ll|ls|outdated|pack|prune|publish|rb|rebuild|remove|rm|root|run|store|un|uninstall|unlink|up|update|upgrade|why|config|init|create|pkg|(?:build|check|lint|test|format)-[a-z:-]+|[a-z0-9]+:[a-z0-9:-]+)$)`,
  ),
  reason: "what is no command of pnpm may be any program",
};
const BUN_SCRIPTS = {
  pattern: new RegExp(
    `^(?!(?:${SCRIPT_NAMES}|(?:build|check|lint|test|format)-[a-z:-]+|[a-z0-9]+:[a-z0-9:-]+|[A-Za-z0-9_@./-]+\\.[cm]?[jt]sx?)$)`,
  ),
  reason: "what is no script may be any program",
};
/** `--config.NAME` sets anything. */
const PNPM_SETTINGS = { pattern: /^--config\./, reason: "it changes the settings", isWithinOptions: true };
/** A command follows the name of a workspace. */
const YARN_PROGRAMS = {
  pattern: /^(?:exec|node|dlx|create|config|set|plugin)$/,
  reason: "it runs another program, or changes the settings",
};

/** Package managers. */
export const PACKAGE_PROGRAMS: readonly RiskyProgram[] = [
  {
    names: ["npm"],
    options: { ...PACKAGE_OPTIONS, ...risky(RUNS, "-c --call") },
    subcommands: {
      run: { ...HARMLESS, options: PACKAGE_OPTIONS },
      init: INITIALIZES,
      create: INITIALIZES,
      config: { everything: { reason: "it changes the settings", exempt: /^(?:get(?: [\w.@/:-]+)*|ls|list)$/ } },
      pkg: { commands: { pattern: /^(?:set|fix|delete)$/, reason: "it changes scripts" } },
    },
    commands: PACKAGE_COMMANDS,
    valuedBefore: namesIn("-w --workspace --loglevel --omit --include --tag --otp --access --depth"),
    flagsBefore: namesIn(
      "-s --silent -q --quiet -d -dd -ddd --verbose -g --global -f --force -y --yes -v --version -h --help -l --long --json --no-color --no-progress --no-audit --no-fund --no-save --no-update-notifier --no-workspaces -ws --workspaces --include-workspace-root --if-present --ignore-scripts --offline --prefer-offline --prefer-online --dry-run --legacy-peer-deps --foreground-scripts -D --save-dev -E --save-exact",
    ),
    harmless: ["--global", "--loglevel"],
  },
  {
    names: ["yarn"],
    options: { ...PACKAGE_OPTIONS, ...risky(RUNS, "-c --call") },
    subcommands: {
      run: { options: PACKAGE_OPTIONS, commands: { pattern: /^(?:exec|node|env)$/, reason: RUNS } },
      init: INITIALIZES,
      create: INITIALIZES,
      config: { everything: { reason: "it changes the settings", exempt: /^(?:get(?: [\w.@/:-]+)*|ls|list)$/ } },
      workspace: { options: PACKAGE_OPTIONS, commands: YARN_PROGRAMS, groups: /^/ },
      workspaces: { options: PACKAGE_OPTIONS, commands: YARN_PROGRAMS, groups: /^/ },
    },
    commands: PACKAGE_COMMANDS,
    flagsBefore: namesIn(
      "-s --silent -v --version -h --help --verbose --json --offline --prefer-offline --frozen-lockfile --immutable --non-interactive --ignore-scripts --no-progress --no-lockfile",
    ),
    harmless: ["--global", "--loglevel"],
  },
  {
    names: ["pnpm"],
    options: { ...PACKAGE_OPTIONS, ...risky(RUNS, "-c --call --shell-mode") },
    subcommands: {
      init: INITIALIZES,
      create: INITIALIZES,
      config: { everything: { reason: "it changes the settings", exempt: /^(?:get(?: [\w.@/:-]+)*|ls|list)$/ } },
      run: { options: PACKAGE_OPTIONS, operands: PNPM_SETTINGS },
    },
    commands: PNPM_COMMANDS,
    operands: PNPM_SETTINGS,
    valuedBefore: namesIn("--loglevel --filter -F --filter-prod --reporter --workspace-concurrency"),
    flagsBefore: namesIn(
      "-r --recursive -s --silent -w --workspace-root -g --global -v --version -h --help -D --dev -P --prod --offline --prefer-offline --frozen-lockfile --no-frozen-lockfile --if-present --parallel --stream --aggregate-output --color --no-color --bail --no-bail --sort --no-sort --use-stderr --include-workspace-root --fail-if-no-match",
    ),
    harmless: ["--global", "--loglevel"],
  },
  {
    names: ["bun"],
    subcommands: { run: { commands: BUN_SCRIPTS } },
    otherSubcommands: {},
    valuedBefore: ["--filter", "-F"],
    flagsBefore: namesIn("-b --bun --silent --watch --hot --smol --if-present --no-install -v --version -h --help"),
  },
  {
    // Words after the package's name belong to the package.
    stopsAtScript: true,
    names: ["npx", "bunx", "pnpx"],
    options: { ...PACKAGE_OPTIONS, ...risky(RUNS, "-c --call -n --node-arg") },
    harmless: ["--no"],
  },
];
