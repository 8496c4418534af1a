import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import {
  type HookPlugin,
  isRecord,
  messageOf,
  type PluginHook,
  stringOf,
  withResolvers,
} from "../../contracts/index.ts";
import { FIRST_EXTRA_PIPE, type ProcessGroup, startProcessGroup } from "../../system/index.ts";

/** The program that imports plugins of OpenCode and calls their hooks. */
export interface PluginProgram {
  readonly command: readonly [string, ...string[]];
  /** Where it has to start. */
  readonly folder: string;
}

/** Settings of {@link PluginHost}. */
export interface PluginHostOptions extends PluginProgram {
  readonly plugins: readonly HookPlugin[];
  /** The session's folder, and the project's. */
  readonly workingDirectory: string;
  readonly projectDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Receives what is wrong with a plugin. */
  readonly onProblem: (message: string) => void;
  /** How long a plugin may take, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
}

/** What the plugins did with a call: the output as they changed it, or why one of them rejected it. */
export type PluginAnswer =
  | { readonly type: "output"; readonly output: Readonly<Record<string, unknown>> }
  | { readonly type: "error"; readonly message: string };

const TIMEOUT_MS = 60_000;

/** How long the plugins may take to clean up, in milliseconds. */
const GRACE_MS = 1_000;

/**
 * The process that runs OpenCode's plugins for other agents, which keeps their state between calls. Started by the first
 * call. Once it has failed, no plugin runs any more, and what asks for a decision is rejected.
 */
export class PluginHost {
  readonly #options: PluginHostOptions;
  readonly #calls = new Map<number, (answer: PluginAnswer) => void>();
  #group: ProcessGroup | undefined;
  #nextId = 0;
  #failure: string | undefined;
  #isStopped = false;

  constructor(options: PluginHostOptions) {
    this.#options = options;
  }

  /** Calls a hook of all plugins, one after the other. @throws the signal's reason */
  async call(
    hook: PluginHook,
    {
      input,
      output,
      signal,
    }: { readonly input: unknown; readonly output: unknown; readonly signal?: AbortSignal | undefined },
  ): Promise<PluginAnswer> {
    signal?.throwIfAborted();
    if (this.#isStopped) return { type: "output", output: {} };
    this.#group ??= this.#failure === undefined ? this.#start() : undefined;
    const message = this.#failure;
    if (message !== undefined || this.#group === undefined)
      return { type: "error", message: message ?? "it did not start" };
    const id = this.#nextId++;
    const { promise, resolve, reject } = withResolvers<PluginAnswer>();
    this.#calls.set(id, resolve);
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const timer = setTimeout(
      () => this.#fail(`A plugin did not finish "${hook}" within ${timeoutMs / 1_000} s`),
      timeoutMs,
    );
    const abort = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#send({ id, hook, input, output });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#calls.delete(id);
    }
  }

  /** Ends the process. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const answer of this.#calls.values()) answer({ type: "error", message: "the client was stopped" });
    await this.#group?.stop();
  }

  #start(): ProcessGroup | undefined {
    const { command, folder, env, plugins, workingDirectory, projectDirectory } = this.#options;
    let group: ProcessGroup;
    try {
      const options = {
        workingDirectory: folder,
        env,
        hasInput: true,
        extraPipes: 1,
        graceMs: GRACE_MS,
        endsDescendants: true,
      };
      group = startProcessGroup(command, options);
    } catch (error) {
      this.#fail(`The process for them cannot be started: ${messageOf(error)}`);
      return undefined;
    }
    const { leader } = group;
    leader.stdout?.resume();
    leader.stderr?.resume();
    leader.stdin?.on("error", () => undefined);
    leader.once("error", (error) => this.#fail(`The process for them cannot be started: ${error.message}`));
    leader.once("exit", () => this.#fail("The process for them has ended"));
    // The type knows the first five only.
    const pipe: unknown = Object.values(leader.stdio)[FIRST_EXTRA_PIPE];
    if (pipe instanceof Readable) createInterface({ input: pipe }).on("line", (line) => this.#onLine(line));
    const start = {
      plugins: plugins.map(({ filePath }) => filePath),
      directory: workingDirectory,
      worktree: projectDirectory,
    };
    leader.stdin?.write(`${JSON.stringify(start)}\n`);
    return group;
  }

  #send(message: unknown): void {
    this.#group?.leader.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #onLine(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return this.#fail("The process for them sent no JSON");
    }
    if (!isRecord(value)) return;
    if (typeof value.problem === "string") this.#options.onProblem(value.problem);
    if (typeof value.id !== "number") return;
    const answer = this.#calls.get(value.id);
    if (typeof value.error === "string") answer?.({ type: "error", message: stringOf(value.error) });
    else answer?.({ type: "output", output: isRecord(value.output) ? value.output : {} });
  }

  /** Every call in progress is rejected, and no further one begins. */
  #fail(message: string): void {
    if (this.#failure !== undefined || this.#isStopped) return;
    this.#failure = `${message}, so OpenCode's plugins do not run any more`;
    this.#options.onProblem(`${this.#failure}.`);
    for (const answer of this.#calls.values()) answer({ type: "error", message: this.#failure });
    void this.#group?.stop();
  }
}
