import { isGitRefusal, runGit } from "../../clients/index.ts";
import { AtomicError, messageOf } from "../../contracts/index.ts";
import type { GitSetting } from "../agents/git-settings.ts";
import { includedFile, refuseChangeableSettings } from "./changeable-settings.ts";
import { findRoot, findSubmodules } from "./find-submodules.ts";

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

/**
 * Settings whose value is a program, or has git run one, write a file for a server, or trust a server that is another. git
 * writes the first and the last part in small letters.
 */
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
  /^remote\..+\.vcs$/,
  /^http\.(?:.+\.)?(?:delegation|savecookies|sslcainfo|sslcapath|sslverify)$/,
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
  // A transport that is not allowed. Its name is part of a program's, and may lead into the project.
  [/^remote\..+\.vcs$/, "ext"],
  [/^http\..*\bdelegation$/, "none"],
  [/\.savecookies$/, "false"],
  [/\.sslverify$/, "true"],
];

/**
 * Settings that no later one overrules, and the transports that run what they name: git takes the first program for the
 * other end of a remote, and a partial clone fetches from its remote while it reads.
 */
const TRANSPORTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^remote\..+\.(?:receivepack|uploadpack)$/, ["file", "ssh"]],
  [/^extensions\.partialclone$|^remote\..+\.promisor$/, ["file"]],
];

/** Files of settings that git includes only while a condition holds, and those that it includes always. */
const CONDITIONAL = /^includeif\..+\.path$/s;
const INCLUDING = /^include(?:if\..+)?\.path$/s;

/** A condition on the repository's own folder. All others come true without a change of settings: on a checkout. */
const ON_FOLDER = /^includeif\.gitdir(?:\/i)?:/;

/**
 * What overrules each program that a repository's own settings name, included files and submodules among them: the user's
 * own setting, or a harmless one. Those of repositories further down that are no submodules are not among them.
 *
 * @throws GitSettingsUnknownError
 */
export async function overruleRepositoryPrograms(options: RepositoryProgramsOptions): Promise<readonly GitSetting[]> {
  const entries = await listAllSettings(options);
  const keys = new Set(entries.filter(({ isOfRepository }) => isOfRepository).map(({ key }) => key));
  const programs = [...keys]
    .filter((key) => PROGRAMS.some((pattern) => pattern.test(key)))
    .flatMap((key) => {
      const own = entries.filter((entry) => entry.key === key && !entry.isOfRepository).map(({ value }) => value);
      // Helpers are a list, which an empty one clears.
      if (/^credential\.(?:.+\.)?helper$/.test(key)) return ["", ...own].map((value) => [key, value] as const);
      return [[key, own.at(-1) ?? neutralFor(key, options.env)] as const];
    });
  const transports = TRANSPORTS.filter(([pattern]) => [...keys].some((key) => pattern.test(key)));
  const denied = new Set(transports.flatMap(([, names]) => names));
  return [...programs, ...[...denied].map((name) => [`protocol.${name}.allow`, "never"] as const)];
}

function neutralFor(key: string, { VISUAL, EDITOR }: Readonly<Record<string, string>>): string {
  if (key === "core.editor" && (VISUAL ?? EDITOR) !== undefined) return VISUAL ?? EDITOR ?? "";
  return NEUTRAL.find(([pattern]) => pattern.test(key))?.[1] ?? "";
}

/** The settings of the repository, and of the submodules that git enters for a mere `git status`. */
async function listAllSettings({ workingDirectory, env }: RepositoryProgramsOptions): Promise<readonly Entry[]> {
  try {
    const entries = [...(await listSettings({ workingDirectory, env }, undefined))];
    const outerTree = await findRoot({ workingDirectory, env });
    for await (const submodule of findSubmodules({ workingDirectory, env })) {
      const within = await listSettings(submodule, outerTree);
      entries.push(...within.filter(({ isOfRepository }) => isOfRepository));
    }
    return entries;
  } catch (cause) {
    throw new GitSettingsUnknownError(workingDirectory, { cause });
  }
}

/** The settings that hold now, and those of the repository that hold in another working tree of it. */
async function listSettings(
  place: RepositoryProgramsOptions,
  outerTree: string | undefined,
): Promise<readonly Entry[]> {
  // A mistake in the settings is an error: one in an included file may be mended later.
  const entries = await list(place, ["--includes"]).catch(noneIf(isNoRepository));
  const inclusions = entries.filter(({ key, isOfRepository }) => isOfRepository && INCLUDING.test(key));
  await refuseChangeableSettings({ ...place, outerTree, inclusions });
  const conditional = inclusions.filter(({ key }) => CONDITIONAL.test(key));
  const included = conditional.map((entry) => listIncluded(place, entry));
  return [...entries, ...(await Promise.all(included)).flat()];
}

/** Throws where nobody can tell which settings the condition will bring. */
async function listIncluded(place: RepositoryProgramsOptions, { key, value }: Entry): Promise<readonly Entry[]> {
  const unclear = new AtomicError("GIT_SETTINGS_UNKNOWN", `"${key}" includes settings that may hold later`);
  if (!ON_FOLDER.test(key)) throw unclear;
  const file = includedFile(value, place.env);
  // What git refuses to list, such as settings with a mistake, it refuses to use.
  const entries = await list(place, ["--file", file]).catch(noneIf(isGitRefusal));
  if (entries.some((entry) => INCLUDING.test(entry.key))) throw unclear;
  return entries.map((entry) => ({ ...entry, isOfRepository: true }));
}

async function list(
  { workingDirectory, env }: RepositoryProgramsOptions,
  source: readonly string[],
): Promise<readonly Entry[]> {
  const args = ["config", "--list", "--null", "--show-scope", ...source];
  // What git says has to be in English, see `isNoRepository`.
  return parseSettings((await runGit(args, { cwd: workingDirectory, env: { ...env, LC_ALL: "C" } })) ?? "");
}

/** Whether a file `.git` leads nowhere: git refuses the folder, whatever its settings are. */
function isNoRepository(error: unknown): boolean {
  return error instanceof Error && "stderr" in error && String(error.stderr).startsWith("fatal: not a git repository");
}

function noneIf(isExpected: (error: unknown) => boolean): (error: unknown) => readonly Entry[] {
  return (error) => {
    if (isExpected(error)) return [];
    throw error;
  };
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
