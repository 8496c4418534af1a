import { messageOf } from "../../../contracts/index.ts";
import { toRunError } from "../../decide/records/failure.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { CallEnd } from "../../model/node-calls.ts";
import { defaultScriptLimits, type ScriptLimits } from "../../model/script-limits.ts";
import { addSpent, NOTHING_SPENT, type Spent } from "../../model/spent.ts";
import { showValue } from "../../options/show-value.ts";
import type { CallSpec } from "./call-spec.ts";
import { agentCall, askCall, jsonOf, phaseName, shellCall, workflowCall } from "./check-call.ts";
import { Places } from "./places.ts";
import type { ScriptApi } from "./script-api.ts";
import { ScriptBranches } from "./script-branches.ts";
import { ScriptCallError, ScriptLimitError, ScriptUsageError } from "./script-errors.ts";
import type { ScriptHost } from "./script-host.ts";
import { type ClaimedCall, ScriptJournal } from "./script-journal.ts";

/** Settings of {@link ScriptRun}. */
export interface ScriptRunOptions {
  readonly context: ExecutionContext;
  readonly args: unknown;
  /** Changes with the text of the script. */
  readonly version: string;
  readonly limits: ScriptLimits;
}

/** Errors that a `parallel` or `pipeline` does not turn into null: the script itself is wrong, or over its limit. */
function isFatal(error: unknown): boolean {
  // A script with a context of its own has errors of its own, with the same codes.
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return code === "SCRIPT_USAGE" || code === "SCRIPT_LIMIT";
}

/** One attempt of a script: what its functions do. */
export class ScriptRun {
  readonly #options: ScriptRunOptions;
  readonly #branches = new ScriptBranches();
  readonly #journal: ScriptJournal;
  readonly #places: Places;
  readonly #maxAgents: number;
  readonly #open = new Set<Promise<unknown>>();
  #agentCount = 0;
  #spent: Spent = NOTHING_SPENT;
  readonly api: ScriptApi;

  constructor(options: ScriptRunOptions) {
    this.#options = options;
    const { context, version, limits, args } = options;
    this.#journal = new ScriptJournal({
      calls: context.calls,
      version,
      warn: (message) => context.emit({ type: "warning", message }),
    });
    const allowed = { ...defaultScriptLimits(), ...context.services.scriptLimits };
    const { maxConcurrency = Number.POSITIVE_INFINITY, maxAgents = Number.POSITIVE_INFINITY } = limits;
    this.#places = new Places(Math.min(maxConcurrency, allowed.maxConcurrency));
    this.#maxAgents = Math.min(maxAgents, allowed.maxAgents);
    this.api = {
      args,
      budget: { total: this.#total, spent: () => this.#tokens, remaining: () => this.#remaining },
      agent: (prompt, given) => this.#track(this.#agent(prompt, given)) as Promise<never>,
      parallel: (works) => this.#parallel(works) as Promise<never>,
      pipeline: (items: readonly unknown[], ...stages: readonly unknown[]) =>
        this.#pipeline(items, stages) as Promise<never>,
      phase: (name) => this.#phase(name),
      log: (message) => this.#log(String(message)),
      shell: (command, given) => this.#track(this.#shell(command, given)) as Promise<never>,
      ask: (question, given) => this.#track(this.#ask(question, given)) as Promise<never>,
      workflow: (name, given) => this.#track(this.#workflow(name, given)) as Promise<never>,
    };
  }

  get host(): ScriptHost {
    const { signal, calls, emit } = this.#options.context;
    return {
      signal,
      warn: (message) => emit({ type: "warning", message }),
      holdCalls: () => calls.hold(),
      settle: (idle) => this.settle(idle),
    };
  }

  /** Waits for the calls that the body has made and not awaited. Their failures are the script's. See {@link ScriptHost.settle}. */
  async settle(idle?: () => Promise<void>): Promise<void> {
    do {
      await Promise.all(this.#open);
      await idle?.();
    } while (this.#open.size > 0);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#open.add(work);
    const forget = (): void => void this.#open.delete(work);
    work.then(forget, forget);
    // Another promise, so that a failure that the script does not handle counts as unhandled.
    return work.then((value) => value);
  }

  get #total(): number | null {
    return this.#options.context.config.budget?.maxTokens ?? null;
  }

  get #tokens(): number {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = this.#spent.usage;
    return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  }

  get #remaining(): number {
    const total = this.#total;
    return total === null ? Number.POSITIVE_INFINITY : Math.max(0, total - this.#tokens);
  }

  async #agent(prompt: unknown, given: unknown): Promise<unknown> {
    const branch = this.#branches.current;
    const spec = agentCall(prompt, given, branch.phase);
    if (++this.#agentCount > this.#maxAgents) {
      throw new ScriptLimitError(
        `The script called more than ${this.#maxAgents} agents, which is its limit. Look for a loop without an end, or raise the limit.`,
      );
    }
    if (this.#remaining <= 0) {
      throw new ScriptLimitError(
        `The script has spent the ${this.#total} tokens of its budget. Raise it with --max-tokens, then resume the run.`,
      );
    }
    const claimed = this.#journal.claim(branch, spec);
    const end = await this.#inPlace(claimed);
    if (end.type === "completed") return answerIn(end);
    this.#report(`"${spec.title}" failed, so the script gets null: ${messageOf(end.error)}`);
    return null;
  }

  /** An agent takes a place; one that is over needs none, and one in progress has its place already. */
  async #inPlace(claimed: ClaimedCall): Promise<CallEnd> {
    if (claimed.state === "over") return await this.#end(claimed);
    if (claimed.state === "started") this.#places.takeAnyway();
    else await this.#places.take();
    try {
      return await this.#end(claimed);
    } finally {
      this.#places.free();
    }
  }

  async #end(claimed: ClaimedCall): Promise<CallEnd> {
    const end = await claimed.start();
    this.#spent = addSpent(this.#spent, end.spent);
    return end;
  }

  async #call(spec: CallSpec, name: string): Promise<unknown> {
    const end = await this.#end(this.#journal.claim(this.#branches.current, spec));
    if (end.type === "failed") throw new ScriptCallError(name, end.error);
    return answerIn(end);
  }

  async #shell(command: unknown, given: unknown): Promise<unknown> {
    const spec = shellCall(command, given);
    return await this.#call(spec, `shell(${JSON.stringify(spec.title)})`);
  }

  async #ask(question: unknown, given: unknown): Promise<unknown> {
    const spec = askCall(question, given);
    return await this.#call(spec, `ask(${JSON.stringify(spec.title)})`);
  }

  async #workflow(name: unknown, args: unknown): Promise<unknown> {
    const spec = workflowCall(name, args);
    const { context } = this.#options;
    if (context.calls.isWithinCall) {
      throw new ScriptUsageError(
        `This script was started by another one, so it cannot call workflow("${spec.title}"): workflows nest one level deep.`,
      );
    }
    return await this.#call(spec, `workflow("${spec.title}")`);
  }

  async #parallel(works: unknown): Promise<readonly unknown[]> {
    if (!Array.isArray(works)) {
      throw new ScriptUsageError(
        `parallel() was given ${showValue(works)}. Pass a list: parallel([() => agent("…")]).`,
      );
    }
    for (const [index, work] of works.entries()) {
      if (typeof work === "function") continue;
      const isPromise = typeof work === "object" && work !== null && "then" in work;
      const what = isPromise ? "a promise, which has started already" : showValue(work);
      throw new ScriptUsageError(`Element ${index} of parallel() is ${what}. Pass functions: () => agent("…").`);
    }
    return await this.#branches.fork(works.map((work) => () => this.#orNull("parallel", async () => await work())));
  }

  async #pipeline(items: unknown, stages: readonly unknown[]): Promise<readonly unknown[]> {
    if (!Array.isArray(items)) {
      throw new ScriptUsageError(`The items of pipeline() are ${showValue(items)}. Pass a list.`);
    }
    const functions = stages.map((stage, index) => {
      if (typeof stage === "function") return stage;
      throw new ScriptUsageError(`Stage ${index + 1} of pipeline() is ${showValue(stage)}. Pass a function.`);
    });
    const send = async (item: unknown, index: number): Promise<unknown> => {
      let value = item;
      for (const stage of functions) value = await stage(value, item, index);
      return value;
    };
    return await this.#branches.fork(
      items.map((item, index) => () => this.#orNull("pipeline", async () => await send(item, index))),
    );
  }

  async #orNull(name: string, work: () => Promise<unknown>): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      if (isFatal(error)) throw error;
      this.#report(`A branch of ${name}() failed, so its result is null: ${describe(error)}`);
      return null;
    }
  }

  #phase(name: unknown): void {
    const phase = phaseName(name);
    this.#branches.current.ownPhase = phase;
    this.#report(`Phase: ${phase}`);
  }

  #log(message: string): void {
    this.#report(message);
  }

  /** Reports something, unless an earlier attempt has. */
  #report(message: string): void {
    if (!this.#journal.isReplaying) this.#options.context.emit({ type: "log", message });
  }
}

function answerIn(end: Extract<CallEnd, { readonly type: "completed" }>): unknown {
  // The script may change its copy.
  return jsonOf(end.state.value, "The answer");
}

function describe(error: unknown): string {
  const isError = typeof error === "object" && error !== null && "message" in error && "name" in error;
  const { name, message } = isError ? { name: String(error.name), message: String(error.message) } : toRunError(error);
  return name === "Error" || name === "" ? message : `${name}: ${message}`;
}
