import { isGitRefusal, runGit } from "../../clients/index.ts";
import { AtomicError, messageOf } from "../../contracts/index.ts";
import type { GitSetting } from "../agents/git-settings.ts";
import { includedFile, listGitFolders, refuseChangeableSettings } from "./changeable-settings.ts";
import { findSubmodules, type RootedRepository, withRoot } from "./find-submodules.ts";

/** The programs that git would run in a repository cannot be determined. */
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
  /** The environment of git. */
  readonly env: Readonly<Record<string, string>>;
}

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly isOfRepository: boolean;
}

/**
 * Settings whose value is a program, or that make git run one, write a file for a server, or trust a different server. Git
 * prints the first and the last part in lower case.
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

/** Git calls it with seven arguments; the second and the fifth are the files. */
const PLAIN_DIFF = 'f() { diff -u "$2" "$5"; true; }; f';

/** Replacements for programs of the repository, if the user has set none. Without one, git runs none or fails. */
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
  // A denied transport. Its name is part of a program's name and may lead into the project.
  [/^remote\..+\.vcs$/, "ext"],
  [/^http\..*\bdelegation$/, "none"],
  [/\.savecookies$/, "false"],
  [/\.sslverify$/, "true"],
];

/**
 * Settings that no later one overrides, and the transports that run their programs. Git uses the first program for the
 * other end of a remote, and a partial clone fetches from its remote while it reads.
 */
const TRANSPORTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^remote\..+\.(?:receivepack|uploadpack)$/, ["file", "ssh"]],
  [/^extensions\.partialclone$|^remote\..+\.promisor$/, ["file"]],
];

/** Settings files that git includes, conditionally and always. */
const CONDITIONAL = /^includeif\..+\.path$/s;
const INCLUDING = /^include(?:if\..+)?\.path$/s;

/** A condition on the repository's own folder. All others can become true without a change of settings: on a checkout. */
const ON_FOLDER = /^includeif\.gitdir(?:\/i)?:/;

/**
 * Overrides for each program in a repository's own settings, included files and submodules: the user's own setting, or a
 * harmless one. Does not cover nested repositories that are not submodules.
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
      // An empty value clears the list of helpers.
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
async function listAllSettings(options: RepositoryProgramsOptions): Promise<readonly Entry[]> {
  try {
    const place = await withRoot(options);
    // An agent waits for this, so git looks at both at once.
    const [own, ofSubmodules] = await Promise.all([listSettings(place, undefined), listSubmoduleSettings(place)]);
    return [...own, ...ofSubmodules];
  } catch (cause) {
    throw new GitSettingsUnknownError(options.workingDirectory, { cause });
  }
}

async function listSubmoduleSettings(outer: RootedRepository): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const submodule of findSubmodules(outer)) {
    const within = await listSettings(submodule, outer.root);
    entries.push(...within.filter(({ isOfRepository }) => isOfRepository));
  }
  return entries;
}

/** The settings in effect, and the repository's settings for its other working trees. */
async function listSettings(place: RootedRepository, outerTree: string | undefined): Promise<readonly Entry[]> {
  const [entries, gitFolders] = await Promise.all([
    // Invalid settings are an error: an included file may be corrected later.
    list(place, ["--includes"]).catch(noneIf(isNoRepository)),
    listGitFolders(place),
  ]);
  const inclusions = entries.filter(({ key, isOfRepository }) => isOfRepository && INCLUDING.test(key));
  await refuseChangeableSettings({ ...place, gitFolders, outerTree, inclusions });
  const conditional = inclusions.filter(({ key }) => CONDITIONAL.test(key));
  const included = conditional.map((entry) => listIncluded(place, entry));
  return [...entries, ...(await Promise.all(included)).flat()];
}

/** Throws if the included settings cannot be determined. */
async function listIncluded(place: RepositoryProgramsOptions, { key, value }: Entry): Promise<readonly Entry[]> {
  const unclear = new AtomicError("GIT_SETTINGS_UNKNOWN", `"${key}" includes settings that may hold later`);
  if (!ON_FOLDER.test(key)) throw unclear;
  const file = includedFile(value, place.env);
  // Git does not use settings that it cannot list, such as invalid ones.
  const entries = await list(place, ["--file", file]).catch(noneIf(isGitRefusal));
  if (entries.some((entry) => INCLUDING.test(entry.key))) throw unclear;
  return entries.map((entry) => ({ ...entry, isOfRepository: true }));
}

async function list(
  { workingDirectory, env }: RepositoryProgramsOptions,
  source: readonly string[],
): Promise<readonly Entry[]> {
  const args = ["config", "--list", "--null", "--show-scope", ...source];
  // `isNoRepository` needs git's messages in English.
  return parseSettings((await runGit(args, { cwd: workingDirectory, env: { ...env, LC_ALL: "C" } })) ?? "");
}

/** Whether a file `.git` points nowhere. Git then rejects the folder, whatever its settings are. */
function isNoRepository(error: unknown): boolean {
  return error instanceof Error && "stderr" in error && String(error.stderr).startsWith("fatal: not a git repository");
}

function noneIf(isExpected: (error: unknown) => boolean): (error: unknown) => readonly Entry[] {
  return (error) => {
    if (isExpected(error)) return [];
    throw error;
  };
}

/** Each setting is: scope, zero byte, name, line break, value, zero byte. */
function parseSettings(text: string): readonly Entry[] {
  const parts = text.split("\0");
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => {
    const [scope = "", setting = ""] = parts.slice(2 * index);
    const [key = "", ...lines] = setting.split("\n");
    return { key, value: lines.join("\n"), isOfRepository: scope === "local" || scope === "worktree" };
  });
}
