import { AsyncLocalStorage } from "node:async_hooks";
import type { CodeGuard, NodeScope } from "../../graph/index.ts";
import { ProcessExitError } from "./process-exit-error.ts";
import { UncaughtError } from "./uncaught-error.ts";

/** Takes what was said or has failed beside any node. */
export type Listener<Subject> = (subject: Subject) => void;

/**
 * What the code of workflows and tools does to the process rather than to the run: errors that nothing catches fail the
 * node that they come from, or else the run; text becomes the node's `log`.
 */
export class UserCode implements CodeGuard {
  readonly #scopes = new AsyncLocalStorage<NodeScope>();
  /** Lines that are not complete yet, by who writes them. */
  readonly #unfinished = new Map<NodeScope | undefined, string>();
  /** Errors that came while there was no run. */
  readonly #left: Error[] = [];
  #onLeftError: Listener<Error> | undefined;
  #failRun: Listener<Error> | undefined;
  #hasBegun = false;
  #say: Listener<string>;

  /** @param say takes text that no node wrote, a line or several */
  constructor(say: Listener<string>) {
    this.#say = say;
  }

  async enter<Result>(scope: NodeScope, execute: () => Result | Promise<Result>): Promise<Result> {
    return await this.#scopes.run(scope, async () => {
      try {
        const result = await execute();
        // The process tells of a rejection that nothing handles only when its microtasks are done.
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

  /** An error that nothing caught; false when there is no run that it could fail, nor was one. */
  takeError(thrown: unknown): boolean {
    const scope = this.#scopes.getStore();
    if (!(thrown instanceof ProcessExitError)) return this.#blame(scope, new UncaughtError(thrown));
    // With a scope it was told when it was thrown.
    return scope === undefined ? this.fail(thrown) : this.#hasBegun;
  }

  /** Fails the node that calls `process.exit()`, also if it catches this; outside of nodes whoever calls the code hears of it. */
  refuseExit(exitCode?: number | string | null): never {
    const error = new ProcessExitError(exitCode);
    const scope = this.#scopes.getStore();
    if (scope !== undefined) this.#blame(scope, error);
    throw error;
  }

  #blame(scope: NodeScope | undefined, error: Error): boolean {
    return scope?.fail(error) || this.fail(error);
  }

  /** Something failed that no node is to blame for: so does the run. False as above. */
  fail(error: Error): boolean {
    const take = this.#failRun ?? this.#onLeftError;
    if (take === undefined) this.#left.push(error);
    else take(error);
    return this.#hasBegun;
  }

  /** An error that no run has taken; each is given once. */
  leftError(): Error | undefined {
    return this.#left.shift();
  }

  /** From now on errors that no run takes go there; the program has no other place to tell of them any more. */
  onLeftError(listener: Listener<Error>): void {
    this.#onLeftError = listener;
    for (let error = this.leftError(); error !== undefined; error = this.leftError()) listener(error);
  }

  /** Something that code wrote for people to read. */
  write(text: string): void {
    const scope = this.#scopes.getStore();
    const lines = `${this.#unfinished.get(scope) ?? ""}${text}`.split("\n");
    const last = lines.pop() ?? "";
    if (last === "") this.#unfinished.delete(scope);
    else this.#unfinished.set(scope, last);
    if (lines.length > 0) this.#tell(scope, lines.join("\n"));
  }

  /** From now on text that no node wrote goes there. */
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
