/**
 * Files whose changes make code run, or rules change, later.
 *
 * A file belongs here if a change of it by an editing tool becomes code or permission without further approval: because an
 * agent, an editor, git, a shell, CI or an interpreter reads it by itself, or because installing dependencies, or
 * formatting the edited file, runs what it names.
 *
 * | file | listed | because |
 * | --- | --- | --- |
 * | settings of linters and formatters that are code, or load code | yes | editors, and OpenCode, run them after each edit |
 * | lock files, lists of requirements | yes | the next install runs the scripts of packages in them; a command changes them |
 * | `build.gradle*`, `pom.xml`, `*.csproj` and similar | yes | language servers evaluate them when the folder is opened |
 * | `.env` | yes | runtimes and agents take their environment from it |
 * | `Makefile`, `Dockerfile`, `CMakeLists.txt`, `vite.config.*` | no | they run when somebody calls them, as source files do |
 * | `go.mod`, `go.sum` | no | fetching modules runs none of their code |
 * | `AGENTS.md`, `CLAUDE.md`, `README.md` | no | text for models and people: calls that result from it are evaluated as usual |
 */
export interface ProtectedFile {
  /** A glob. Ignores case. Compared with the path from the working directory, or outside it with the absolute path. */
  readonly pattern: string;
  /** What a change of such a file can do, as a clause. */
  readonly reason: string;
}

const AGENT_SETTINGS = "agents read their settings, hooks and plugins from it";
/** Why git folders are protected, including those that only the disk shows. */
export const GIT_RUNS = "git runs hooks and programs that it names";
const ATOMIC = "Atomic reads settings, workflows and tools from it";
const SHELL = "shells and programs run it, or read settings from it, when they start";
const MANIFEST = "package managers and compilers run what it names";
const EDITOR = "editors run tasks that it names";
const CI = "CI runs what it names after the next push, often with secrets";
const LINTER = "editors and agents run linters and formatters by themselves, with the code that it names";
const ENVIRONMENT = "programs and agents take their environment from it";
const HOOKS = "it names commands that run at every commit, or when the folder is entered";

/** Makes one entry for each glob. */
function protect(reason: string, patterns: readonly string[]): readonly ProtectedFile[] {
  return patterns.map((pattern) => ({ pattern, reason }));
}

/**
 * Files whose changes require approval, whatever allows `edit`, unless a rule names them (`namesProtectedFile`). A folder's
 * name protects everything in it. Files outside the working directory are protected without an entry.
 */
export const PROTECTED_FILES: readonly ProtectedFile[] = [
  ...protect(AGENT_SETTINGS, [
    "**/.claude",
    "**/.claude.json",
    "**/.mcp.json",
    "**/.lsp.json",
    "**/.opencode",
    "**/opencode.json",
    "**/opencode.jsonc",
    "**/.github/hooks",
    "**/.github/agents",
    "**/.github/skills",
    "**/.github/prompts",
    "**/.github/chatmodes",
    "**/.github/instructions",
    "**/.github/extensions",
    "**/.github/lsp.json",
    "**/.github/mcp.json",
    "**/.github/plugin",
    "**/.github/copilot",
    "**/.copilot",
    "**/.gemini",
    "**/.codex",
    "**/.goose",
    "**/.goosehints",
    "**/.agents",
    "**/.cursor",
    "**/.windsurf",
    "**/.kiro",
    "**/.roo",
    "**/.continue",
    "**/.amazonq",
    "**/.junie",
    "**/.qwen",
    "**/crush.json",
    "**/.crush.json",
    "**/.aider.conf.yml",
  ]),
  ...protect(ATOMIC, ["**/.atomic"]),
  ...protect(GIT_RUNS, [
    "**/.git",
    "**/.gitconfig",
    "**/.gitmodules",
    "**/.gitattributes",
    "**/.config/git",
    "**/.hg",
    "**/.jj",
    "**/.sl",
  ]),
  ...protect(SHELL, [
    "**/.bash_aliases",
    "**/.bash_login",
    "**/.bash_logout",
    "**/.bash_profile",
    "**/.bashrc",
    "**/.cshrc",
    "**/.tcshrc",
    "**/.kshrc",
    "**/.login",
    "**/.logout",
    "**/.profile",
    "**/.xprofile",
    "**/.xinitrc",
    "**/.xsessionrc",
    "**/.zlogin",
    "**/.zlogout",
    "**/.zprofile",
    "**/.zshenv",
    "**/.zshrc",
    "**/.config/fish",
    "**/.config/autostart",
    "**/.config/environment.d",
    "**/.config/systemd",
    "**/.inputrc",
    "**/.ssh",
    "**/.gnupg",
    "**/.netrc",
    "**/.ripgreprc",
    "**/.exrc",
    "**/.nvimrc",
    "**/.nvim.lua",
    "**/.vim",
    "**/.vimrc",
    "**/.emacs.d",
    "**/.gdbinit",
    "**/.lldbinit",
    "**/.psqlrc",
    "**/.sqliterc",
    "**/.pythonrc",
    "**/.pdbrc",
    "**/.pdbrc.py",
    "**/.Rprofile",
    "**/.ghci",
    "**/.iex.exs",
    "**/.irbrc",
    "**/.pryrc",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/*.pth",
    "**/.venv",
  ]),
  ...protect(MANIFEST, [
    "**/package.json",
    "**/.npmrc",
    "**/.yarnrc",
    "**/.yarnrc.yml",
    "**/.yarn/plugins",
    "**/.yarn/releases",
    "**/.pnpmfile.cjs",
    "**/.pnpmfile.mjs",
    "**/pnpm-workspace.yaml",
    "**/bunfig.toml",
    "**/deno.json",
    "**/deno.jsonc",
    "**/tsconfig.json",
    "**/tsconfig.*.json",
    "**/jsconfig.json",
    "**/node_modules",
    "**/package-lock.json",
    "**/npm-shrinkwrap.json",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/bun.lock",
    "**/bun.lockb",
    "**/deno.lock",
    "**/composer.json",
    "**/composer.lock",
    "**/Gemfile",
    "**/Gemfile.lock",
    "**/.bundle",
    "**/pyproject.toml",
    "**/requirements*.txt",
    "**/Pipfile",
    "**/Pipfile.lock",
    "**/poetry.lock",
    "**/pdm.lock",
    "**/uv.lock",
    "**/setup.py",
    "**/setup.cfg",
    "**/Cargo.toml",
    "**/Cargo.lock",
    "**/.cargo",
    "**/build.rs",
    "**/mix.exs",
    "**/mix.lock",
    "**/gradle/wrapper",
    "**/build.gradle*",
    "**/settings.gradle*",
    "**/.mvn",
    "**/pom.xml",
    "**/*.csproj",
    "**/*.fsproj",
    "**/*.vbproj",
    "**/Directory.Build.*",
    "**/rust-toolchain",
    "**/rust-toolchain.toml",
    "**/.tool-versions",
    "**/.python-version",
    "**/.pnp.*",
    "**/conftest.py",
    "**/mise.toml",
    "**/.mise.toml",
    "**/mise.*.toml",
    "**/.mise.*.toml",
    "**/.mise",
    "**/mise/config.toml",
    "**/.config/mise",
  ]),
  ...protect(EDITOR, [
    "**/.vscode",
    "**/.idea",
    "**/.zed",
    "**/.fleet",
    "**/.devcontainer",
    "**/.devcontainer.json",
    "**/*.code-workspace",
    "**/.helix",
    "**/.gitpod.yml",
    "**/.dir-locals.el",
    "**/.dir-locals-2.el",
  ]),
  ...protect(CI, [
    "**/.github/workflows",
    "**/.github/actions",
    "**/.gitlab-ci.yml",
    "**/.forgejo/workflows",
    "**/.gitea/workflows",
    "**/.circleci",
    "**/.buildkite",
    "**/.travis.yml",
    "**/azure-pipelines.yml",
    "**/bitbucket-pipelines.yml",
    "**/Jenkinsfile",
  ]),
  ...protect(LINTER, [
    "**/eslint.config.*",
    "**/.eslintrc*",
    "**/prettier.config.*",
    "**/.prettierrc*",
    "**/stylelint.config.*",
    "**/.stylelintrc*",
    "**/.pylintrc",
    "**/.rubocop.yml",
    "**/.formatter.exs",
  ]),
  ...protect(ENVIRONMENT, [
    "**/.env",
    "**/.env.local",
    "**/.env.development",
    "**/.env.production",
    "**/.env.test",
    "**/.env.*.local",
  ]),
  ...protect(HOOKS, [
    "**/.husky",
    "**/.githooks",
    "**/githooks",
    "**/.git-hooks",
    "**/git-hooks",
    "**/.pre-commit-config.y*ml",
    "**/lefthook*.y*ml",
    "**/lefthook*.toml",
    "**/.lefthook*",
    "**/.lintstagedrc*",
    "**/lint-staged.config.*",
    "**/simple-git-hooks.*",
    "**/.simple-git-hooks.*",
    "**/.huskyrc*",
    "**/husky.config.*",
    "**/.overcommit.yml",
    "**/.envrc",
    "**/.envrc.*",
    "**/.direnvrc",
  ]),
];

/** Represents files outside the working directory in the list that people see. */
export const OUTSIDE_FILES: ProtectedFile = {
  pattern: "../**",
  reason: "it is outside of the working directory, where the files of other programs lie",
};
