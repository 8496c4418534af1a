import {
  type CodingAgentClient,
  type InterceptedToolCall,
  messageOf,
  type ToolInterceptor,
  type ToolVerdict,
  type Unsubscribe,
} from "../../contracts/index.ts";
import { missingCapability } from "../options/capabilities.ts";
import type {
  HookContext,
  HookContextOf,
  HookFact,
  HookHandler,
  HookInterceptor,
  UnifiedHookEvent,
} from "./hook-context.ts";
import { HookedClient, type HookedPlace } from "./hooked-client.ts";

/** Settings of a {@link HookManager}. */
export interface HookManagerOptions {
  /** Receives what a handler or an interceptor threw or rejected with. Must not throw. */
  readonly onHandlerError: (error: unknown, context: HookContext) => void;
  /** @default the system's clock */
  readonly now?: () => Date;
}

type AnyHandler = (context: HookContext) => void | Promise<void>;

/**
 * One set of hooks for every vendor's agent. `attach` does for all of them what other designs do in a method for each
 * vendor (`applyToClaudeClient`, `applyToCopilotClient`, `applyToOpenCodeClient`): the hooks are derived from Atomic's own
 * events, so each of them is called for each vendor, even if the vendor has no hook of that name.
 *
 * | event | called when | Claude | Copilot | OpenCode |
 * | --- | --- | --- | --- | --- |
 * | `session.start` | a session was created, resumed or forked; opening it waits for the handlers | `SessionStart` | `session.start`, `session.resume` | `session.created` |
 * | `session.end` | `idle` after each turn; `destroy` once it is freed, by `destroy` or `stop`; `delete` | `SessionEnd` is `destroy` | `session.idle` is `idle` | `session.status` is `idle`, `session.deleted` is `delete` |
 * | `session.error` | a turn failed | a failed `result` | `session.error` | `session.error` |
 * | `tool.before` | a tool starts | `PreToolUse` | `tool.execution_start` | `tool.execute.before` |
 * | `tool.after` | a tool succeeded | `PostToolUse` | `tool.execution_complete` | `tool.execute.after` |
 * | `tool.error` | a tool failed, or was denied | `PostToolUseFailure` | `tool.execution_complete` | a tool part's error |
 * | `message.before` | a message is about to be sent; sending waits for the handlers. Not called for a message that steers a turn | `UserPromptSubmit` | `userPromptSubmitted` | `chat.message` |
 * | `message.after` | a turn is over, however it ended | `Stop` | `assistant.message` | `chat.message` |
 * | `permission.request` | a person is asked for approval | `PermissionRequest` | `onPermissionRequest` | `permission.ask` |
 * | `notification` | the agent waits for a person or a limit, or hangs; or its vendor sends a notification | `Notification` | `system.notification`, `session.warning` | |
 * | `subagent.start`, `subagent.end` | a sub-agent begins, ends | `SubagentStart`, `SubagentStop` | `subagent.started`, `.completed` | a child session |
 * | `compact.before` | the program compacts a session, which waits for the handlers | `PreCompact` | `session.compaction_start` | |
 * | `compact.after` | a session was compacted, by the program or by its agent | `PostCompact` | `session.compaction_complete` | `session.compacted` |
 *
 * 1. Handlers are called at once and in the order of the events; those of one event run concurrently. Only opening a
 *    session, sending a message, `summarize`, `destroy` and `stop` wait for them.
 * 2. A handler never breaks a turn: what it throws goes to `onHandlerError`.
 * 3. A message that does not become a turn (the session was busy, or the message was aborted before the handlers were done)
 * has a `message.before` and no `message.after`; a tool call during which a turn is aborted may have a `tool.before`
 * only.
 * 4. If the client lacks the capability `subagents` or `permissions`, the hooks about these are not called.
 *
 * ```ts
 * const hooks = new HookManager({ onHandlerError: (error) => log(error) });
 * hooks.on("tool.after", ({ data }) => log(`${data.toolName}: ${data.output.length} characters`));
 * hooks.intercept("tool.before", ({ data }) =>
 *   data.kind === "fetch" ? { type: "block", reason: "Work offline." } : undefined,
 * );
 * const client = hooks.attach(createOpenCodeClient(options));
 * ```
 */
export class HookManager {
  readonly #options: HookManagerOptions;
  readonly #handlers = new Map<UnifiedHookEvent, Set<AnyHandler>>();
  readonly #interceptors = new Set<HookInterceptor>();
  readonly #running = new Set<Promise<void>>();
  /** The attached agents that do not support interceptors. */
  readonly #deafAgents = new Set<string>();

  constructor(options: HookManagerOptions) {
    this.#options = options;
  }

  /** Calls a handler for an event of every attached client. The same handler may be added several times. */
  on<E extends UnifiedHookEvent>(event: E, handler: HookHandler<NoInfer<E>>): Unsubscribe {
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers);
    // The cast is true: handlers are called only with contexts of the event under which they are registered.
    const known = handler as HookHandler<never> as AnyHandler;
    const subscription: AnyHandler = (context) => known(context);
    handlers.add(subscription);
    return () => handlers.delete(subscription);
  }

  /**
   * Lets a handler decide about tool calls, before the permission policy does. The first one that blocks wins; changed
   * inputs are passed from one to the next, after the session's own `beforeTool`. Applies to sessions opened afterwards,
   * until it is removed.
   *
   * @throws CapabilityMissingError when the agent of an attached client does not support interceptors
   */
  intercept(_event: "tool.before", handler: HookInterceptor): Unsubscribe {
    for (const agentType of this.#deafAgents) throw missingCapability(agentType, "interceptTools");
    const subscription: HookInterceptor = (context, options) => handler(context, options);
    this.#interceptors.add(subscription);
    return () => this.#interceptors.delete(subscription);
  }

  /**
   * The same client. Sessions opened through it call the hooks.
   *
   * @throws CapabilityMissingError when there is an interceptor and the client's agent does not support it
   */
  attach(client: CodingAgentClient): CodingAgentClient {
    const { agentType, capabilities } = client;
    if (!capabilities.interceptTools) {
      if (this.#interceptors.size > 0) throw missingCapability(agentType, "interceptTools");
      this.#deafAgents.add(agentType);
    }
    const tell = ({ sessionId }: HookedPlace, fact: HookFact): Promise<void> =>
      this.#tell(this.#contextOf(fact, { sessionId, agentType }));
    return new HookedClient(client, {
      tell,
      prepare: (config) => {
        const beforeTool = this.#interceptorFor(config.beforeTool, agentType);
        return beforeTool === undefined ? config : { ...config, beforeTool };
      },
      beforeMessage: async (place, prompt) => {
        await tell(place, { event: "message.before", data: { prompt } });
        return prompt;
      },
      beforeCompaction: (place) => tell(place, { event: "compact.before", data: { trigger: "manual" } }),
    });
  }

  /** Resolves when all handlers have finished. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #contextOf<Fact extends HookFact>(
    fact: Fact,
    where: { readonly sessionId: string; readonly agentType: string },
  ): Fact & HookContext {
    const { now = () => new Date() } = this.#options;
    // The cast is true: the context of an event consists of a fact and these three fields.
    return { ...fact, ...where, timestamp: now() } as Fact & HookContext;
  }

  async #tell(context: HookContext): Promise<void> {
    const calls = [...(this.#handlers.get(context.event) ?? [])].map((handler) => this.#call(handler, context));
    await Promise.all(calls);
  }

  #call(handler: AnyHandler, context: HookContext): Promise<void> {
    const call = (async () => handler(context))()
      .catch((error: unknown) => this.#options.onHandlerError(error, context))
      .finally(() => this.#running.delete(call));
    this.#running.add(call);
    return call;
  }

  #interceptorFor(own: ToolInterceptor | undefined, agentType: string): ToolInterceptor | undefined {
    const interceptors = [...this.#interceptors];
    if (interceptors.length === 0) return undefined;
    return async (call, options) => {
      const first = (await own?.(call, options)) ?? { type: "continue" };
      return first.type === "block" ? first : this.#intercept(call, { agentType, interceptors, first, ...options });
    };
  }

  async #intercept(
    call: InterceptedToolCall,
    {
      agentType,
      interceptors,
      first,
      signal,
    }: {
      readonly agentType: string;
      readonly interceptors: readonly HookInterceptor[];
      readonly first: ToolVerdict & { type: "continue" };
      readonly signal: AbortSignal;
    },
  ): Promise<ToolVerdict> {
    const { sessionId, ...own } = call;
    let verdict = first;
    for (const interceptor of interceptors.filter((known) => this.#interceptors.has(known))) {
      const data = { ...own, ...("input" in verdict ? { input: verdict.input } : {}) };
      const context = this.#contextOf({ event: "tool.before", data }, { sessionId, agentType });
      const next = await this.#ask(interceptor, { context, signal });
      if (next?.type === "block") return next;
      if (next !== undefined && "input" in next) verdict = next;
    }
    return verdict;
  }

  async #ask(
    interceptor: HookInterceptor,
    { context, signal }: { readonly context: HookContextOf<"tool.before">; readonly signal: AbortSignal },
  ): Promise<ToolVerdict | undefined> {
    try {
      return await interceptor(context, { signal });
    } catch (error) {
      signal.throwIfAborted();
      this.#options.onHandlerError(error, context);
      return { type: "block", reason: `A hook failed: ${messageOf(error)}` };
    }
  }
}
