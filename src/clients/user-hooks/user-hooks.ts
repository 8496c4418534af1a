import {
  type AgentCapabilities,
  type AgentPrompt,
  AtomicError,
  type HookCommand,
  type InterceptedToolCall,
  messageOf,
  NO_USAGE,
  type PermissionHandler,
  type SessionConfig,
  type ToolInterceptor,
  type ToolVerdict,
} from "../../contracts/index.ts";
import type { HookFact } from "../hooks/hook-context.ts";
import type { HookAudience, HookedPlace } from "../hooks/hooked-client.ts";
import { whyNotApproved } from "./approve-call.ts";
import { joinHookTexts } from "./bound-effect.ts";
import type { ContinueTurn } from "./continued-turns.ts";
import { firstOf, type HookEffect } from "./hook-effect.ts";
import { listHookPrograms, protectFiles } from "./hook-programs.ts";
import { HookSession, type PendingText } from "./hook-session.ts";
import type { PluginHost } from "./plugin-host.ts";
import { runHooks } from "./run-hooks.ts";

/** A hook of the user's files has blocked what was about to happen. */
export class HookBlockedError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly what: "message" | "compaction",
    readonly reason: string,
  ) {
    super(
      "HOOK_BLOCKED",
      `A hook has blocked this ${what}: ${reason.replace(/\.$/, "")}. See which hooks run with "atomic hooks list"; "--no-hooks" runs none.`,
    );
  }
}

/** What the hooks of one client's sessions run with. */
export interface UserHooksSettings {
  readonly agentType: string;
  readonly capabilities: AgentCapabilities;
  readonly commands: readonly HookCommand[];
  readonly plugins?: PluginHost | undefined;
  /** The folder of sessions that name none. */
  readonly workingDirectory: string;
  readonly projectDirectory: string;
  /** The complete environment of the commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives what hooks say to the user, and what is wrong with them. Must not throw. */
  readonly tell: (message: string) => void;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** How often hooks may continue a turn. */
const MAX_CONTINUATIONS = 8;

/** The vendors' names of some events. */
const BEFORE_TOOLS: ReadonlySet<string> = new Set(["PreToolUse", "preToolUse"]);
const APPROVALS: ReadonlySet<string> = new Set(["PermissionRequest", "permissionRequest"]);
/** What ends a turn, or has feedback that continues one. */
const ENDINGS: ReadonlySet<string> = new Set(["Stop", "agentStop", "PostToolUse", "PostToolUseFailure"]);

/**
 * Calls the hooks of users' files for what happens in a client.
 *
 * 1. A hook never allows anything: it can deny a call, require a person's approval for it, or change it, and a changed
 *    call passes the policy as any other.
 * 2. A hook that fails or takes too long is reported once, and changes nothing unless its vendor's rules say so.
 * 3. Nothing waits for hooks about what has happened, but the end of the turn. What they say reaches the agent during the
 *    turn if it can be steered, otherwise with the next message; a rejected tool call continues the turn.
 */
export class UserHooks implements HookAudience {
  readonly #settings: UserHooksSettings;
  readonly #sessions = new Map<string, HookSession>();
  readonly #told = new Set<string>();
  readonly #closing = new AbortController();
  readonly #async = new Set<Promise<void>>();
  #protected: readonly string[] | undefined;

  constructor(settings: UserHooksSettings) {
    this.#settings = settings;
  }

  /** Whether turns must pass `continueTurn`. */
  get continuesTurns(): boolean {
    return this.#settings.commands.some(({ event }) => ENDINGS.has(event));
  }

  /** Whether hooks decide before tools. */
  get decidesCalls(): boolean {
    return this.#has(BEFORE_TOOLS);
  }

  async tell(place: HookedPlace, fact: HookFact): Promise<void> {
    const session = this.#sessionOf(place.sessionId);
    session.place = place;
    switch (fact.event) {
      case "session.start": {
        const opening = this.#report(session, fact, { isOpening: true });
        session.track(opening);
        return opening;
      }
      case "session.end":
        if (fact.data.reason === "idle") return session.track(this.#report(session, fact));
        await session.end();
        this.#sessions.delete(place.sessionId);
        return this.#report(session, fact);
      // These are decided elsewhere; `message.after` by `continueTurn`.
      case "tool.before":
      case "message.before":
      case "message.after":
      case "permission.request":
      case "compact.before":
        return;
      case "tool.error":
        // A blocked call has not run.
        if (session.blockedCalls.delete(fact.data.toolId)) return;
        session.track(this.#report(session, fact));
        return;
      default:
        session.track(this.#report(session, fact));
    }
  }

  prepare(config: SessionConfig): SessionConfig {
    const { capabilities, commands, projectDirectory } = this.#settings;
    this.#protected ??= listHookPrograms(
      commands.filter(({ source }) => source === "project"),
      projectDirectory,
    );
    const permissions = protectFiles(config.permissions, this.#protected);
    const ask = config.onPermissionAsk;
    const decides = capabilities.interceptTools && this.#has(BEFORE_TOOLS);
    return {
      ...config,
      ...(permissions === undefined ? {} : { permissions }),
      ...(decides ? { beforeTool: this.#interceptorFor(config) } : {}),
      ...(ask === undefined || !this.#has(APPROVALS) ? {} : { onPermissionAsk: this.#permissionHandlerFor(ask) }),
    };
  }

  async beforeMessage(
    place: HookedPlace,
    prompt: AgentPrompt,
    options: { readonly signal: AbortSignal },
  ): Promise<AgentPrompt> {
    const session = this.#sessionOf(place.sessionId);
    session.place = place;
    const effects = await this.#run(session, { event: "message.before", data: { prompt } }, options);
    const reason = firstOf(effects, "block") ?? firstOf(effects, "stop");
    if (reason !== undefined) throw new HookBlockedError("message", reason);
    const changed = effects.findLast((effect) => effect.prompt !== undefined)?.prompt;
    const texts = [...session.takeTexts(), ...effects.flatMap(({ context }) => context ?? [])];
    return withText(withPrompt(prompt, changed), this.#join(texts));
  }

  async beforeCompaction(place: HookedPlace): Promise<void> {
    const session = this.#sessionOf(place.sessionId);
    const effects = await this.#run(session, { event: "compact.before", data: { trigger: "manual" } });
    const reason = firstOf(effects, "block") ?? firstOf(effects, "stop");
    if (reason !== undefined) throw new HookBlockedError("compaction", reason);
  }

  /** Decides whether a completed turn continues. */
  readonly continueTurn: ContinueTurn = async ({ sessionId, content, continuations, signal }) => {
    const session = this.#sessionOf(sessionId);
    await session.whenIdle();
    const data = { outcome: "completed", content, usage: NO_USAGE, toolUses: 0 } as const;
    const effects = await this.#run(
      session,
      { event: "message.after", data },
      { signal, isContinued: continuations > 0 },
    );
    if (firstOf(effects, "stop") !== undefined) return;
    const reason = firstOf(effects, "block");
    if (reason === undefined && !session.hasFeedback) return;
    if (continuations >= MAX_CONTINUATIONS) {
      this.#tellUser(`Hooks have continued a turn ${MAX_CONTINUATIONS} times, so it ends now.`);
      return;
    }
    return [this.#join(session.takeTexts()), reason ?? ""].filter((text) => text !== "").join("\n\n");
  };

  /** Ends the commands that nobody waits for, and the plugins. */
  async close(): Promise<void> {
    this.#closing.abort(new DOMException("The client was stopped.", "AbortError"));
    await Promise.all([...this.#async, this.#settings.plugins?.stop()]);
  }

  /** Runs hooks about what has happened. Never rejects. */
  async #report(
    session: HookSession,
    fact: HookFact,
    { isOpening = false }: { readonly isOpening?: boolean } = {},
  ): Promise<void> {
    try {
      // The end of a session is the last that its hooks hear.
      const effects = await this.#run(session, fact, fact.event === "session.end" ? {} : session);
      const texts = effects.flatMap(pendingOf);
      if (isOpening) session.keep(texts);
      else await this.#deliver(session, texts);
      const reason = firstOf(effects, "stop");
      if (reason === undefined) return;
      this.#tellUser(`A hook stopped the turn: ${reason}`);
      await session.place?.session?.abort();
    } catch (error) {
      if (!session.signal.aborted) this.#tellUser(`A hook failed: ${messageOf(error)}`);
    }
  }

  /** Invariant 3. */
  async #deliver(session: HookSession, texts: readonly PendingText[]): Promise<void> {
    if (texts.length === 0) return;
    const { session: open } = session.place ?? {};
    try {
      if (open === undefined || !this.#settings.capabilities.steer) return session.keep(texts);
      await open.steer(this.#join(texts.map(({ text }) => text)));
    } catch {
      // The turn is over: the next message contains them.
      session.keep(texts);
    }
  }

  /** Whether there are hooks for these events; plugins may have all. */
  #has(events: ReadonlySet<string>): boolean {
    const { commands, plugins } = this.#settings;
    return plugins !== undefined || commands.some(({ event }) => events.has(event));
  }

  #interceptorFor({ beforeTool: own, onPermissionAsk: ask }: SessionConfig): ToolInterceptor {
    return async (call, options) => {
      const first: ToolVerdict = (await own?.(call, options)) ?? { type: "continue" };
      if (first.type === "block") return first;
      const seen = "input" in first ? { ...call, input: first.input } : call;
      return await this.#decide(seen, { first, ask, ...options });
    };
  }

  /** Invariant 1. */
  async #decide(
    call: InterceptedToolCall,
    {
      first,
      ask,
      signal,
    }: { readonly first: ToolVerdict; readonly ask: PermissionHandler | undefined; readonly signal: AbortSignal },
  ): Promise<ToolVerdict> {
    const session = this.#sessionOf(call.sessionId);
    const { sessionId: _, ...data } = call;
    const effects = await this.#run(session, { event: "tool.before", data }, { signal });
    const stop = firstOf(effects, "stop");
    if (stop !== undefined) {
      this.#tellUser(`A hook stopped the turn: ${stop}`);
      session.track(this.#abort(session));
    }
    const blocked = firstOf(effects, "block") ?? stop;
    const input = effects.findLast((effect) => effect.input !== undefined)?.input;
    const wish = firstOf(effects, "ask");
    const changed = input === undefined ? call : { ...call, input };
    const reason =
      blocked ?? (wish === undefined ? undefined : await whyNotApproved(changed, { reason: wish, ask, signal }));
    session.track(this.#deliver(session, effects.flatMap(pendingOf)));
    if (reason === undefined) return input === undefined ? first : { type: "continue", input };
    session.blockedCalls.add(call.toolId);
    return { type: "block", reason };
  }

  async #abort({ place }: HookSession): Promise<void> {
    await place?.session
      ?.abort()
      .catch((error: unknown) => this.#tellUser(`The turn did not stop: ${messageOf(error)}`));
  }

  /** A hook may deny a call before it asks a person for approval. */
  #permissionHandlerFor(ask: PermissionHandler): PermissionHandler {
    return async (request, options) => {
      const session = this.#sessionOf(request.sessionId);
      const effects = await this.#run(session, { event: "permission.request", data: { request } }, options);
      const reason = firstOf(effects, "block");
      return reason === undefined ? await ask(request, options) : { type: "deny", reason };
    };
  }

  async #run(
    session: HookSession,
    fact: HookFact,
    { signal, isContinued = false }: { readonly signal?: AbortSignal; readonly isContinued?: boolean } = {},
  ): Promise<readonly HookEffect[]> {
    const { commands, plugins, workingDirectory, projectDirectory, env, now = Date.now } = this.#settings;
    const { sessionId } = session;
    const { config = {} } = session.place ?? {};
    const { workingDirectory: own = workingDirectory, permissionMode = "default", model } = config;
    const occasion = {
      ...{ fact, sessionId, permissionMode, isContinued },
      workingDirectory: own,
      now: now(),
      ...(model === undefined ? {} : { model }),
    };
    return await runHooks(occasion, {
      ...{ commands, plugins, projectDirectory, env, signal },
      onAsync: (work) => this.#trackAsync(work),
      onEffect: (hook, effect) => this.#onEffect(hook, effect),
      closing: this.#closing.signal,
    });
  }

  #trackAsync(work: Promise<void>): void {
    const counted = work.finally(() => this.#async.delete(counted));
    this.#async.add(counted);
  }

  #onEffect(hook: string, { problem, notice }: HookEffect): void {
    if (notice !== undefined) this.#settings.tell(notice);
    if (problem !== undefined) this.#tellUser(`${hook} ${problem}`);
  }

  /** One text of several hooks, as long as it may be. */
  #join(texts: readonly string[]): string {
    const { text, cut } = joinHookTexts(texts);
    if (cut !== undefined) this.#tellUser(cut);
    return text;
  }

  /** Says the same thing once. */
  #tellUser(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#settings.tell(message);
  }

  #sessionOf(sessionId: string): HookSession {
    const known = this.#sessions.get(sessionId) ?? new HookSession(sessionId);
    this.#sessions.set(sessionId, known);
    return known;
  }
}

function pendingOf(effect: HookEffect): readonly PendingText[] {
  const { context, feedback } = effect;
  return [
    ...(feedback === undefined ? [] : [{ type: "feedback", text: feedback } as const]),
    ...(context === undefined ? [] : [{ type: "context", text: context } as const]),
  ];
}

/** Only the text of a message changes: its images and files stay. */
function withPrompt(prompt: AgentPrompt, text: string | undefined): AgentPrompt {
  if (text === undefined) return prompt;
  if (typeof prompt === "string") return text;
  return [{ type: "text", text }, ...prompt.filter(({ type }) => type !== "text")];
}

function withText(prompt: AgentPrompt, text: string): AgentPrompt {
  if (text === "") return prompt;
  return typeof prompt === "string" ? `${prompt}\n\n${text}` : [...prompt, { type: "text", text }];
}
