/** Files whose changes make code run, or rules change, later. */
export interface ProtectedFile {
  /** A glob, compared without regard to case with the path from the working directory, or with the absolute one outside of it. */
  readonly pattern: string;
  /** What a change of such a file can do, as a clause. */
  readonly reason: string;
}

const AGENT_SETTINGS = "agents read their settings, hooks and plugins from it";
/** Why git folders are protected, those included that only the disk tells. */
export const GIT_RUNS = "git runs hooks and programs that it names";
const ATOMIC = "Atomic reads settings, workflows and tools from it";
const SHELL = "shells and programs run it, or read settings from it, when they start";
const MANIFEST = "package managers and compilers run what it names";
const EDITOR = "editors run tasks that it names";
const HOOKS = "it names commands that run at every commit, or when the folder is entered";

/** Makes one entry for each glob. */
function protect(reason: string, patterns: readonly string[]): readonly ProtectedFile[] {
  return patterns.map((pattern) => ({ pattern, reason }));
}

/**
 * Files whose changes require approval whatever allows `edit`, unless a rule names them (`namesProtectedFile`). A folder's
 * name protects all that is in it. Files outside of the working directory are protected as well, without being listed.
 */
export const PROTECTED_FILES: readonly ProtectedFile[] = [
  ...protect(AGENT_SETTINGS, [
    "**/.claude",
    "**/.claude.json",
    "**/.mcp.json",
    "**/.opencode",
    "**/opencode.json",
    "**/opencode.jsonc",
    "**/.github/hooks",
    "**/.github/agents",
    "**/.github/skills",
    "**/.github/extensions",
    "**/.github/lsp.json",
    "**/.github/mcp.json",
    "**/.copilot",
    "**/.gemini",
    "**/.codex",
    "**/.goose",
    "**/.goosehints",
    "**/.agents",
    "**/.cursor",
    "**/.windsurf",
    "**/.kiro",
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
    "**/.vimrc",
    "**/.gdbinit",
    "**/.lldbinit",
    "**/.psqlrc",
    "**/.sqliterc",
    "**/.pythonrc",
    "**/.pdbrc",
    "**/.Rprofile",
    "**/.ghci",
    "**/.iex.exs",
    "**/.irbrc",
    "**/sitecustomize.py",
    "**/usercustomize.py",
  ]),
  ...protect(MANIFEST, [
    "**/package.json",
    "**/.npmrc",
    "**/.yarnrc",
    "**/.yarnrc.yml",
    "**/.yarn/plugins",
    "**/.yarn/releases",
    "**/.pnpmfile.cjs",
    "**/pnpm-workspace.yaml",
    "**/bunfig.toml",
    "**/deno.json",
    "**/deno.jsonc",
    "**/tsconfig.json",
    "**/tsconfig.*.json",
    "**/jsconfig.json",
    "**/node_modules",
    "**/composer.json",
    "**/Gemfile",
    "**/pyproject.toml",
    "**/setup.py",
    "**/setup.cfg",
    "**/Cargo.toml",
    "**/.cargo",
    "**/build.rs",
    "**/gradle/wrapper",
    "**/.mvn",
    "**/rust-toolchain",
    "**/rust-toolchain.toml",
    "**/.tool-versions",
    "**/.python-version",
    "**/.pnp.*",
    "**/conftest.py",
    "**/mise.toml",
    "**/.mise.toml",
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
    "**/.dir-locals.el",
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
    "**/.envrc",
  ]),
];

/** What stands for files outside of the working directory in the list that people see. */
export const OUTSIDE_FILES: ProtectedFile = {
  pattern: "../**",
  reason: "it is outside of the working directory, where the files of other programs lie",
};
