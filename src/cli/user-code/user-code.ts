import { AsyncLocalStorage } from "node:async_hooks";
import type { CodeGuard, NodeScope } from "../../graph/index.ts";
import { ProcessExitError } from "./process-exit-error.ts";
import { UncaughtError } from "./uncaught-error.ts";

/** Receives output or errors that belong to no node. */
export type Listener<Subject> = (subject: Subject) => void;

/**
 * Effects of workflow and tool code on the process. An uncaught error fails the node that caused it, or else the run; output
 * becomes the node's `log`.
 */
export class UserCode implements CodeGuard {
  readonly #scopes = new AsyncLocalStorage<NodeScope>();
  /** Incomplete lines, by the node that writes them. */
  readonly #unfinished = new Map<NodeScope | undefined, string>();
  /** Errors without a run. */
  readonly #left: Error[] = [];
  #onLeftError: Listener<Error> | undefined;
  #failRun: Listener<Error> | undefined;
  #hasBegun = false;
  #say: Listener<string>;

  /** @param say receives output that belongs to no node, one or more lines */
  constructor(say: Listener<string>) {
    this.#say = say;
  }

  async enter<Result>(scope: NodeScope, execute: () => Result | Promise<Result>): Promise<Result> {
    return await this.#scopes.run(scope, async () => {
      try {
        const result = await execute();
        // The process reports an unhandled rejection only after its microtasks.
        await new Promise<void>((resolve) => setImmediate(resolve));
        return result;
      } finally {
        this.#flush(scope);
      }
    });
  }

  attach(failRun: Listener<Error>): () => void {
    this.#failRun = failRun;
    this.#hasBegun = true;
    return () => {
      this.#failRun = undefined;
    };
  }

  /** Takes an uncaught error. Returns false if there was never a run to fail. */
  takeError(thrown: unknown): boolean {
    const scope = this.#scopes.getStore();
    if (!(thrown instanceof ProcessExitError)) return this.#blame(scope, new UncaughtError(thrown));
    // With a scope, `refuseExit` already reported it.
    return scope === undefined ? this.fail(thrown) : this.#hasBegun;
  }

  /** Fails the node that calls `process.exit()`, even if it catches the error. Outside of nodes, the caller gets the error. */
  refuseExit(exitCode?: number | string | null): never {
    const error = new ProcessExitError(exitCode);
    const scope = this.#scopes.getStore();
    if (scope !== undefined) this.#blame(scope, error);
    throw error;
  }

  #blame(scope: NodeScope | undefined, error: Error): boolean {
    return scope?.fail(error) || this.fail(error);
  }

  /** Fails the run with an error of no node. Returns false if there was never a run. */
  fail(error: Error): boolean {
    const take = this.#failRun ?? this.#onLeftError;
    if (take === undefined) this.#left.push(error);
    else take(error);
    return this.#hasBegun;
  }

  /** The next error without a run. Returns each once. */
  leftError(): Error | undefined {
    return this.#left.shift();
  }

  /** Sends errors without a run, past and future, to a listener, once the program has no other place for them. */
  onLeftError(listener: Listener<Error>): void {
    this.#onLeftError = listener;
    for (let error = this.leftError(); error !== undefined; error = this.leftError()) listener(error);
  }

  /** Takes output of the code. */
  write(text: string): void {
    const scope = this.#scopes.getStore();
    const lines = `${this.#unfinished.get(scope) ?? ""}${text}`.split("\n");
    const last = lines.pop() ?? "";
    if (last === "") this.#unfinished.delete(scope);
    else this.#unfinished.set(scope, last);
    if (lines.length > 0) this.#tell(scope, lines.join("\n"));
  }

  /** Sends output that belongs to no node to a listener. */
  sayTo(say: Listener<string>): void {
    this.#say = say;
  }

  #flush(scope: NodeScope | undefined): void {
    const text = this.#unfinished.get(scope);
    this.#unfinished.delete(scope);
    if (text !== undefined) this.#tell(scope, text);
  }

  #tell(scope: NodeScope | undefined, message: string): void {
    if (!scope?.emit({ type: "log", message })) this.#say(message);
  }
}
