import { AsyncLocalStorage } from "node:async_hooks";
import { messageOf, withResolvers } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import type { ScriptApi } from "./script-api.ts";
import { ScriptLimitError } from "./script-errors.ts";
import type { Element, Handle, ScriptMessage, ScriptSaying } from "./script-messages.ts";
import type { ThrownParts } from "./script-prelude.ts";

/** A value that stays in the script's process. */
class Kept {
  constructor(readonly handle: Handle) {}
}

/** A function of the script that is at work. */
interface Invocation {
  readonly done: (value: Kept) => void;
  readonly fail: (error: Error) => void;
}

/**
 * So many functions a script may pass to `parallel` and `pipeline`, each stage counted for each item. Each takes about 2 kB of
 * Atomic's memory until the script ends.
 */
const MAX_FUNCTIONS = 100_000;

/** A message without what every message has. */
type Part<Message> = Message extends ScriptMessage ? Omit<Message, "spent"> : never;

/** Calls the functions of a script for its process, each in the branch that the call belongs to. */
export class ScriptExecution {
  readonly #api: ScriptApi;
  readonly #send: (message: ScriptMessage) => void;
  /** Runs something in a branch, by the number that the process knows. */
  readonly #branches = [AsyncLocalStorage.snapshot()];
  readonly #invocations = new Map<number, Invocation>();
  #lastInvocation = 0;
  #functionCount = 0;
  readonly #result = withResolvers<string | undefined>();
  readonly #failure = withResolvers<never>();

  constructor(api: ScriptApi, send: (message: ScriptMessage) => void) {
    this.#api = api;
    this.#send = send;
    // The process can fail before anybody waits for it.
    this.#failure.promise.catch(() => undefined);
  }

  /** What the script returned, as JSON. */
  get result(): Promise<string | undefined> {
    return this.#result.promise;
  }

  /** Rejects with what the script threw, also after its result, where it has not awaited something. */
  get failure(): Promise<never> {
    return this.#failure.promise;
  }

  /** Rejects {@link failure}. */
  fail(error: Error): void {
    this.#failure.reject(error);
  }

  /** Does what the process says. @throws RangeError for numbers that it was not given */
  take(said: ScriptSaying): void {
    switch (said.type) {
      case "call":
        return this.#call(said);
      case "fork":
        return this.#fork(said);
      case "phase":
        return this.#inBranch(said.branch, () => this.#api.phase(said.text));
      case "log":
        return this.#api.log(said.text);
      case "returned":
        return this.#invocation(said.id).done(new Kept(said.handle));
      case "threw":
        return this.#invocation(said.id).fail(errorOf(said.thrown));
      case "done":
        return this.#result.resolve(said.json);
      case "failed":
        return this.fail(errorOf(said.thrown));
    }
  }

  /** Sends a message. */
  tell(message: Part<ScriptMessage>): void {
    // The cast is true: a part and what it lacks.
    this.#send({ ...message, spent: this.#api.budget.spent() } as ScriptMessage);
  }

  #call({ id, branch, name, args }: Extract<ScriptSaying, { readonly type: "call" }>): void {
    const { agent, shell, ask, workflow } = this.#api;
    // The functions check their arguments themselves.
    const call = { agent, shell, ask, workflow }[name] as (...values: unknown[]) => Promise<unknown>;
    const values = args.map((value) => value ?? undefined);
    this.#inBranch(branch, () => call(...values)).then(
      (value) => this.tell({ type: "answer", id, json: value === undefined ? undefined : JSON.stringify(value) }),
      (error: unknown) => this.#reject(id, error),
    );
  }

  #fork({ id, branch, name, list, stages }: Extract<ScriptSaying, { readonly type: "fork" }>): void {
    const { parallel, pipeline } = this.#api;
    this.#functionCount += 1 + (Array.isArray(list) ? list.length : 0) * Math.max(1, stages.length);
    if (this.#functionCount > MAX_FUNCTIONS) {
      const most = MAX_FUNCTIONS.toLocaleString("en");
      const problem = `The script passed more than ${most} functions to parallel() and pipeline(). Look for a loop without an end.`;
      return this.#reject(id, new ScriptLimitError(problem));
    }
    // The functions check their arguments themselves.
    const fork = { parallel, pipeline }[name] as (...values: unknown[]) => Promise<readonly unknown[]>;
    const first = Array.isArray(list) ? list.map(this.#valueOf) : this.#valueOf(list as Element);
    this.#inBranch(branch, () => fork(first, ...stages.map(this.#valueOf))).then(
      (results) => this.tell({ type: "forked", id, results: results.map(handleOf) }),
      (error: unknown) => this.#reject(id, error),
    );
  }

  readonly #valueOf = (element: Element): unknown => {
    switch (element.type) {
      case "work":
        return (...values: readonly unknown[]) => this.#invoke(element.handle, values);
      case "value":
        return new Kept(element.handle);
      case "promise":
        return Promise.resolve();
      case "other":
        return element.json === undefined ? undefined : JSON.parse(element.json);
    }
  };

  #invoke(work: Handle, values: readonly unknown[]): Promise<Kept> {
    return new Promise((done, fail) => {
      const id = ++this.#lastInvocation;
      this.#invocations.set(id, { done, fail });
      const branch = this.#branches.push(AsyncLocalStorage.snapshot()) - 1;
      const passed = values.map((value) =>
        value instanceof Kept ? { handle: value.handle } : { plain: typeof value === "number" ? value : null },
      );
      this.tell({ type: "invoke", id, branch, work, values: passed });
    });
  }

  #invocation(id: number): Invocation {
    const found = this.#invocations.get(id);
    if (found === undefined) throw new RangeError(`No function ${id} is at work.`);
    this.#invocations.delete(id);
    return found;
  }

  #inBranch<Result>(branch: number, work: () => Result): Result {
    const run = this.#branches[branch];
    if (run === undefined) throw new RangeError(`There is no branch ${branch}.`);
    return run(work);
  }

  #reject(id: number, error: unknown): void {
    this.tell({ type: "reject", id, message: messageOf(error), code: codeOf(error) });
  }
}

function handleOf(value: unknown): Handle | null {
  return value instanceof Kept ? value.handle : null;
}

/** What a script threw, as an error of Atomic's own. */
function errorOf({ isError, message, name, stack, code }: ThrownParts): Error {
  const error = new Error(isError ? message : `It threw ${message}`);
  if (isError) Object.assign(error, given({ name, stack, code }));
  return error;
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
