import { type ChildProcess, spawn } from "node:child_process";
import { platform } from "node:os";
import { kill } from "node:process";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcesses, findOutsideGroup, signalProcesses, type TreeProcess } from "./process-tree.ts";
import { superviseCommand } from "./supervised-command.ts";

/** Settings of {@link startProcessGroup}. */
export interface ProcessGroupOptions {
  /** @default the process's */
  readonly workingDirectory?: string | undefined;
  /** The complete environment; nothing else is inherited. @default the process's */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Whether the command has a pipe as its standard input. @default false: its input is empty */
  readonly hasInput?: boolean;
  /** How many more pipes the command has, from descriptor {@link FIRST_EXTRA_PIPE} on. Not on Windows. @default 0 */
  readonly extraPipes?: number;
  /** A descriptor that stays open until the group has ended, even if this process dies; see `withSharedLock`. @default none */
  readonly heldDescriptor?: number | undefined;
  /** How long the group may take to end after SIGTERM before SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** The same for leftover processes of a command that ended by itself, in milliseconds. @default 0 */
  readonly leftoverGraceMs?: number;
  /**
   * Whether `stop()` also ends what the command has started outside of its group, as `setsid` does. What the system has
   * given another parent by then is not found.
   * @default false
   */
  readonly endsDescendants?: boolean;
}

/** The descriptor of the first extra pipe: the supervisor uses those before it. */
export const FIRST_EXTRA_PIPE = 5;

/** The descriptor of the supervisor's life line. */
const LIFE_LINE = 3;

/** How long the killed supervisor may take to disappear, in milliseconds. */
const LIFE_LINE_GRACE_MS = 2_000;

/** The same for the rest of the group. Processes that left the group may keep the outputs open for ever. */
const OUTPUTS_GRACE_MS = 500;

/**
 * A command and everything that it started in its process group.
 *
 * 1. While the command runs, nothing of the group outlives this process, `kill -9` included: see {@link superviseCommand}.
 * 2. However the command ends, the rest of the group ends with it: SIGKILL follows after the grace period.
 * 3. A group that has ended receives no more signals: another program may have its id by then.
 * 4. A stopped group receives one SIGTERM, however often it is stopped: many programs exit at once on a second one.
 */
export class ProcessGroup {
  /** The command's process; its standard output and standard error must be read to their ends. */
  readonly leader: ChildProcess;
  /** Resolves when the command and the rest of its group have closed their pipes. Never rejects. */
  readonly ended: Promise<void>;
  readonly #graceMs: number;
  readonly #endsDescendants: boolean;
  #hasEnded = false;
  #stopped: Promise<void> | undefined;

  constructor(leader: ChildProcess, { graceMs, leftoverGraceMs = 0, endsDescendants = false }: ProcessGroupOptions) {
    this.leader = leader;
    this.#graceMs = graceMs;
    this.#endsDescendants = endsDescendants;
    this.ended = this.#waitForEnd(leftoverGraceMs);
  }

  /** Ends the group. Resolves when it has ended. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    // Before the signal: afterwards nothing says who had started them.
    const outside = this.#endsDescendants ? await this.#findOutside() : [];
    this.#signal("SIGTERM");
    const timer = setTimeout(() => this.#signal("SIGKILL"), this.#graceMs);
    const outsideEnded = signalProcesses(outside, "SIGTERM").then(() =>
      endProcesses(outside, { graceMs: this.#graceMs }),
    );
    await Promise.all([this.ended, outsideEnded]);
    clearTimeout(timer);
  }

  async #findOutside(): Promise<readonly TreeProcess[]> {
    const { pid } = this.leader;
    return pid === undefined || this.#hasEnded ? [] : await findOutsideGroup(pid);
  }

  /** Invariant 2. */
  async #waitForEnd(leftoverGraceMs: number): Promise<void> {
    const { stdout, stderr } = this.leader;
    // Without a free file descriptor Node creates no streams, despite its types.
    const lifeLine = this.leader.stdio?.[LIFE_LINE];
    const outputsClosed = Promise.all([waitForClose(stdout), waitForClose(stderr)]);
    const lifeLineClosed = waitForClose(lifeLine);
    // It carries no data, but a stream that nobody reads never closes.
    if (lifeLine instanceof Readable) lifeLine.resume();
    await waitForLeader(this.leader);
    // The outputs close when the command itself has ended, which can be later than its supervisor.
    const graceMs = this.#stopped === undefined ? leftoverGraceMs : this.#graceMs;
    if (graceMs > 0) await Promise.race([outputsClosed, sleep(graceMs, undefined, { ref: false })]);
    this.#signal("SIGKILL");
    // Only the supervisor's own processes hold the other end of the life line: its close means that they are dead.
    await Promise.all([
      Promise.race([lifeLineClosed, sleep(LIFE_LINE_GRACE_MS, undefined, { ref: false })]),
      Promise.race([outputsClosed, sleep(OUTPUTS_GRACE_MS, undefined, { ref: false })]),
    ]);
    lifeLine?.destroy();
    this.#hasEnded = true;
  }

  /** Invariant 3. */
  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    const { pid } = this.leader;
    if (pid === undefined || this.#hasEnded) return;
    try {
      if (platform() === "win32") this.leader.kill(signal);
      else kill(-pid, signal);
    } catch {
      // No process of the group is left.
    }
  }
}

/**
 * Starts a command in a process group of its own that ends together with this process. A command that cannot be started
 * emits the leader's `error` event and counts as ended.
 *
 * @throws the system's error for invalid arguments, for example too many bytes of them
 */
export function startProcessGroup(
  command: readonly [file: string, ...args: string[]],
  options: ProcessGroupOptions,
): ProcessGroup {
  const { workingDirectory, env, hasInput = false, extraPipes = 0, heldDescriptor } = options;
  const isPosix = platform() !== "win32";
  const [file, ...args] = isPosix ? superviseCommand(command, { isHolding: heldDescriptor !== undefined }) : command;
  const outputs = [hasInput ? "pipe" : "ignore", "pipe", "pipe"] as const;
  const extra = Array.from({ length: extraPipes }, () => "pipe" as const);
  const leader = spawn(file, args, {
    cwd: workingDirectory,
    ...(env === undefined ? {} : { env }),
    detached: isPosix,
    // The fourth pipe is the life line: it is never written to. The supervisor itself uses the fifth descriptor.
    stdio: isPosix ? [...outputs, "pipe", heldDescriptor ?? "ignore", ...extra] : [...outputs],
  });
  return new ProcessGroup(leader, options);
}

/** Never rejects: a command that could not be started has ended, too. */
function waitForLeader(leader: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    leader.once("error", () => resolve());
    leader.once("exit", () => resolve());
  });
}

/** Never rejects; a missing stream counts as closed. */
function waitForClose(stream: ChildProcess["stdio"][number] | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!(stream instanceof Readable) || stream.closed) {
      resolve();
      return;
    }
    stream.on("error", () => {}).once("close", () => resolve());
  });
}
