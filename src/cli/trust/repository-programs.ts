import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { firstExecutable, programsOnPath } from "../../clients/index.ts";
import { AtomicError, messageOf } from "../../contracts/index.ts";
import type { GitSetting } from "../git-settings.ts";

/** Nobody knows which programs git would run in a repository. */
export class GitSettingsUnknownError extends AtomicError {
  constructor(
    readonly workingDirectory: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "GIT_SETTINGS_UNKNOWN",
      `The settings of git in ${workingDirectory} cannot be listed: ${messageOf(options.cause)}. You have not trusted this project, so no agent starts before they can. Look at .git/config.`,
      options,
    );
  }
}

/** Settings of {@link overruleRepositoryPrograms}. */
export interface RepositoryProgramsOptions {
  readonly workingDirectory: string;
  /** The environment that git will run in. */
  readonly env: Readonly<Record<string, string>>;
}

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly isOfRepository: boolean;
}

/** Settings whose value is a program, or has git run one. git writes the first and the last part in small letters. */
const PROGRAMS = [
  /^(?:alias|pager)\./,
  /^protocol\.(?:.+\.)?allow$/,
  /^submodule\..+\.update$/,
  /^filter\..+\.required$/,
  /^(?:browser|difftool|guitool|lfs\..*|man|mergetool)\..+\.path$/,
  /^sendemail\.(?:.+\.)?smtpserver$/,
  /\.(?:alternaterefscommand|askpass|browser|cccmd|clean|cmd|command|defaultkeycommand|difffilter|driver)$/,
  /\.(?:editor|external|headercmd|helper|httpd|packobjectshook|pager|process|program)$/,
  /\.(?:recentobjectshook|sendmailcmd|smudge|sshcommand|textconv|tocmd|tunnel)$/,
];

/** What git calls with seven arguments, the second and the fifth of which are the files. */
const PLAIN_DIFF = 'f() { diff -u "$2" "$5"; true; }; f';

/** What stands for a program of the repository where the user has set none; where nothing does, git runs none or fails. */
const NEUTRAL: readonly (readonly [RegExp, string])[] = [
  [/^core\.pager$|^pager\.|^interactive\.difffilter$|\.textconv$/, "cat"],
  [/^core\.sshcommand$/, "ssh"],
  [/^core\.editor$|^sequence\.editor$/, "false"],
  [/^diff\.(?:external|.+\.command)$/, PLAIN_DIFF],
  [/^filter\..+\.required$/, "false"],
  [/^gpg\.(?:openpgp\.)?program$/, "gpg"],
  [/^gpg\.ssh\.program$/, "ssh-keygen"],
  [/^gpg\.x509\.program$/, "gpgsm"],
  [/^hook\..+\.command$/, "true"],
  [/^merge\..+\.driver$/, "git merge-file %A %O %B"],
  [/^protocol\.ext\.allow$/, "never"],
  [/^protocol\./, "user"],
  [/^submodule\..+\.update$/, "checkout"],
];

/**
 * What overrules each program that a repository's own settings name, included files among them: the user's own setting,
 * or a harmless one. Those of submodules and of repositories further down are not among them, nor those that git takes
 * the first of: the programs at the other end of a remote.
 *
 * @throws GitSettingsUnknownError
 */
export async function overruleRepositoryPrograms(options: RepositoryProgramsOptions): Promise<readonly GitSetting[]> {
  const entries = await listSettings(options);
  const keys = new Set(entries.filter(({ isOfRepository }) => isOfRepository).map(({ key }) => key));
  return [...keys]
    .filter((key) => PROGRAMS.some((pattern) => pattern.test(key)))
    .flatMap((key) => {
      const own = entries.filter((entry) => entry.key === key && !entry.isOfRepository).map(({ value }) => value);
      // Helpers are a list, which an empty one clears.
      if (/^credential\.(?:.+\.)?helper$/.test(key)) return ["", ...own].map((value) => [key, value] as const);
      return [[key, own.at(-1) ?? neutralFor(key, options.env)] as const];
    });
}

function neutralFor(key: string, { VISUAL, EDITOR }: Readonly<Record<string, string>>): string {
  if (key === "core.editor" && (VISUAL ?? EDITOR) !== undefined) return VISUAL ?? EDITOR ?? "";
  return NEUTRAL.find(([pattern]) => pattern.test(key))?.[1] ?? "";
}

async function listSettings({ workingDirectory, env }: RepositoryProgramsOptions): Promise<readonly Entry[]> {
  const git = await firstExecutable(programsOnPath("git", { PATH: env.PATH ?? "" }));
  if (git === undefined) return [];
  try {
    const { stdout } = await promisify(execFile)(git, ["config", "--list", "--null", "--show-scope", "--includes"], {
      cwd: workingDirectory,
      env,
      timeout: 10_000,
      maxBuffer: 16_777_216,
    });
    return parseSettings(stdout);
  } catch (cause) {
    // What git refuses to list, such as settings with a mistake, it refuses to use.
    if (cause instanceof Error && "code" in cause && typeof cause.code === "number") return [];
    throw new GitSettingsUnknownError(workingDirectory, { cause });
  }
}

/** Of each setting: its scope, a zero byte, its name, a line break and its value, a zero byte. */
function parseSettings(text: string): readonly Entry[] {
  const parts = text.split("\0");
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => {
    const [scope = "", setting = ""] = parts.slice(2 * index);
    const [key = "", ...lines] = setting.split("\n");
    return { key, value: lines.join("\n"), isOfRepository: scope === "local" || scope === "worktree" };
  });
}
