import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { firstExecutable, programsOnPath, startProcessGroup } from "../../system/index.ts";
import { GitFailedError, GitMissingError, GitStuckError, GitTooOldError } from "./worktree-errors.ts";

/** The first git with every command that is used here, `git add --sparse` being the newest. */
const OLDEST: readonly [number, number] = [2, 34];

/** The first git whose `worktree list` ends its lines with zero bytes. */
const LISTS_WITH_ZEROS: readonly [number, number] = [2, 36];

/** Variables that point git to another repository: a hook of git that starts Atomic sets them. */
const ELSEWHERE = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_DIR",
  "GIT_INDEX_FILE",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_WORK_TREE",
];

const SETTINGS = [
  "core.fsmonitor=false",
  "core.quotePath=false",
  "core.checkStat=default",
  "core.trustctime=true",
  "gc.auto=0",
  "maintenance.auto=false",
  "merge.autoStash=false",
  // A resolution that git remembers would look like one that nobody has made.
  "rerere.enabled=false",
  "submodule.recurse=false",
].flatMap((setting) => ["-c", setting]);

const NO_HOOKS = ["-c", "core.hooksPath=/dev/null"];

/** How long git may take to clean up after SIGTERM, in milliseconds. */
const GRACE_MS = 5_000;

/** Settings of {@link Git.open}. */
export interface GitOptions {
  /**
   * The complete environment of git; git is searched on its `PATH`. In a project that is not trusted, it must contain the
   * settings that keep git from running the repository's programs.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Its abort stops what is in progress; the error is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings of {@link Git.run}. */
export interface GitCallOptions {
  readonly cwd: string;
  readonly input?: string;
  /** More variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the repository's hooks run, in the user's language. @default false */
  readonly runHooks?: boolean;
  /**
   * Whether git ends with this process, `kill -9` included, and when the signal aborts. Otherwise it completes what it
   * began: for a change of the user's own files. @default false
   */
  readonly isStoppable?: boolean;
  /** How long git may take, in milliseconds; only with `isStoppable`. @default for ever */
  readonly timeoutMs?: number;
  /** How the output is decoded. File names need not be UTF-8. @default "utf8" */
  readonly encoding?: "utf8" | "latin1";
}

/**
 * For commands that read all files of a worktree. They can be stopped without harm, and end at last where a worker has put a
 * named pipe in place of a file that git reads.
 */
export const READING = { isStoppable: true, timeoutMs: 10 * 60_000 } as const;

interface StoppableOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
}

interface GitSettings extends GitOptions {
  readonly program: string;
  readonly version: readonly [number, number];
  /** Descriptors that every git inherits. */
  readonly locks: readonly number[];
  /** See {@link Git.knowing}. */
  readonly gitFolder?: string | undefined;
}

/** The end of a git process. */
export interface GitResult {
  /** Above 128 if a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Git, for commands that may write. No shell, no prompt, no pager, no editor, no file monitor, English messages, and hooks
 * only on request.
 */
export class Git {
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal | undefined;
  readonly #version: readonly [number, number];
  readonly #locks: readonly number[];
  readonly #gitFolder: string | undefined;

  private constructor({ program, version, env, signal, locks, gitFolder }: GitSettings) {
    this.#program = program;
    this.#version = version;
    this.#env = env;
    this.#signal = signal;
    this.#locks = locks;
    this.#gitFolder = gitFolder;
  }

  /** @throws GitMissingError, GitTooOldError */
  static async open({ env, signal }: GitOptions): Promise<Git> {
    const program = await firstExecutable(programsOnPath("git", env));
    if (program === undefined) throw new GitMissingError();
    const own = withoutElsewhere(env);
    const { stdout } = await collect(spawn(program, ["--version"], { env: own, stdio: ["ignore", "pipe", "pipe"] }));
    const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
    const version = [Number(major ?? 0), Number(minor ?? 0)] as const;
    if (isOlder(version, OLDEST)) {
      const found = stdout.trim().replace(/^git version /, "") || "of an unknown version";
      throw new GitTooOldError(program, { found, oldest: OLDEST.join(".") });
    }
    return new Git({ program, version, env: own, signal, locks: [] });
  }

  get #settings(): GitSettings {
    return {
      program: this.#program,
      version: this.#version,
      env: this.#env,
      signal: this.#signal,
      locks: this.#locks,
      gitFolder: this.#gitFolder,
    };
  }

  get signal(): AbortSignal | undefined {
    return this.#signal;
  }

  /** The same git that nothing aborts, for cleaning up. */
  withoutSignal(): Git {
    return new Git({ ...this.#settings, signal: undefined });
  }

  /**
   * The same git, which may run in a repository's own folder, such as `.git`: with `safe.bareRepository=explicit` git
   * takes no folder for one that was not named as such, because anybody could have made it.
   */
  knowing(gitFolder: string): Git {
    return new Git({ ...this.#settings, gitFolder });
  }

  /** The same git whose processes have one more lock: see `withSharedLock`. */
  withLock(descriptor: number | undefined): Git {
    return descriptor === undefined ? this : new Git({ ...this.#settings, locks: [...this.#locks, descriptor] });
  }

  /** The standard output of a command. @throws GitFailedError if it fails; the signal's reason */
  async run(args: readonly string[], options: GitCallOptions): Promise<string> {
    const result = await this.try(args, options);
    if (result.exitCode !== 0) throw new GitFailedError(commandOf(args), options.cwd, result);
    return result.stdout;
  }

  /** The result of a command that may fail. @throws the signal's reason */
  async try(args: readonly string[], options: GitCallOptions): Promise<GitResult> {
    this.#signal?.throwIfAborted();
    const { cwd, input, runHooks = false, isStoppable = false, timeoutMs, encoding } = options;
    const place = cwd === this.#gitFolder ? ["--git-dir", cwd] : [];
    const words = [...SETTINGS, ...(runHooks ? [] : NO_HOOKS), ...place, ...args];
    const env = { ...this.#env, ...(runHooks ? {} : { LC_ALL: "C" }), ...NO_PROMPTS, ...options.env };
    if (isStoppable) return await this.#runStoppable(words, { cwd, env, timeoutMs });
    // Its own process group, so that Ctrl+C in a terminal does not interrupt it.
    const stdio = ["pipe" as const, "pipe" as const, "pipe" as const, ...this.#locks];
    const child = spawn(this.#program, words, { cwd, env, detached: true, stdio });
    // A git that exits early closes its input; its result says why.
    child.stdin?.on("error", () => {}).end(input ?? "");
    return await collect(child, encoding);
  }

  async #runStoppable(words: readonly string[], { cwd, env, timeoutMs }: StoppableOptions): Promise<GitResult> {
    const group = startProcessGroup([this.#program, ...words], {
      workingDirectory: cwd,
      env,
      // The innermost lock is that of the worktree, in which everything that can be stopped works.
      heldDescriptor: this.#locks.at(-1),
      graceMs: GRACE_MS,
    });
    const stop = (): void => void group.stop();
    this.#signal?.addEventListener("abort", stop, { once: true });
    let isLate = false;
    const end = (): void => {
      isLate = true;
      stop();
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
    try {
      const result = await collect(group.leader);
      await group.ended;
      this.#signal?.throwIfAborted();
      if (isLate) throw new GitStuckError(commandOf(words), cwd);
      return result;
    } finally {
      clearTimeout(timer);
      this.#signal?.removeEventListener("abort", stop);
    }
  }

  /** The attributes of all worktrees of a repository, the main one first. */
  async listRegistered(cwd: string): Promise<readonly RegisteredWorktree[]> {
    const hasZeros = !isOlder(this.#version, LISTS_WITH_ZEROS);
    const text = await this.run(["worktree", "list", "--porcelain", ...(hasZeros ? ["-z"] : [])], { cwd });
    const end = hasZeros ? "\0" : "\n";
    return text
      .split(end + end)
      .filter((block) => block !== "")
      .map((block) => parseRegistered(block.split(end)));
  }
}

const NO_PROMPTS: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_PAGER: "cat",
};

/** A worktree as git knows it. */
export interface RegisteredWorktree {
  readonly path: string;
  /** Full name, for example `refs/heads/main`; undefined with a detached head. */
  readonly branch: string | undefined;
  readonly isBare: boolean;
  readonly isLocked: boolean;
}

function parseRegistered(lines: readonly string[]): RegisteredWorktree {
  const attribute = (name: string): string | undefined =>
    lines.find((line) => line === name || line.startsWith(`${name} `))?.slice(name.length + 1);
  return {
    path: attribute("worktree") ?? "",
    branch: attribute("branch"),
    isBare: attribute("bare") !== undefined,
    isLocked: attribute("locked") !== undefined,
  };
}

/** The environment without the variables that point git to another repository. */
export function withoutElsewhere(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ELSEWHERE.includes(name)));
}

async function collect(child: ChildProcess, encoding: BufferEncoding = "utf8"): Promise<GitResult> {
  const outputs = [child.stdout, child.stderr].map(async (stream) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream ?? []) chunks.push(chunk);
    return Buffer.concat(chunks).toString(encoding);
  });
  const closed = once(child, "close");
  const [[code], stdout = "", stderr = ""] = await Promise.all([closed, ...outputs]);
  return { exitCode: typeof code === "number" ? code : 137, stdout, stderr };
}

function isOlder(version: readonly [number, number], than: readonly [number, number]): boolean {
  return version[0] === than[0] ? version[1] < than[1] : version[0] < than[0];
}

/** The first words of a command, up to its options and operands. */
function commandOf(args: readonly string[]): string {
  const start = args.findIndex((word, index) => !word.startsWith("-") && args[index - 1] !== "-c");
  const words = args.slice(Math.max(0, start));
  return words[0] === "worktree" || words[0] === "submodule" ? words.slice(0, 2).join(" ") : (words[0] ?? "");
}

/** The parts of an output with a zero byte after each. */
export function splitZeros(text: string): readonly string[] {
  return text.split("\0").filter((part) => part !== "");
}
