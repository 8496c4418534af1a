import type { ContextAction } from "../../../contracts/index.ts";
import type { SessionName } from "../../model/agent-settings.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeResult } from "../../model/node-definition.ts";
import type { BaseState } from "../../state/annotation.ts";
import { findSession, keepSession, resolveSessionName } from "../agents/agent-session.ts";
import {
  assertCapable,
  clientOf,
  defaultAction,
  type KeptSession,
  visitSession,
  warningOf,
} from "../agents/context-window.ts";

/** Settings of a {@link clearContextNode}. */
export interface ClearContextNodeConfig<State extends BaseState, Item = unknown> {
  /** @default "clear-context" */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** The name of the session, as in `agentNode`. */
  readonly session: SessionName<State, Item>;
  /**
   * `summarize`: the agent shortens the conversation; `recreate`: the next node starts a new session; `warn`: only report.
   * @default "summarize" if the agent can, else "recreate"
   */
  readonly action?: ContextAction;
}

/** Executes a {@link clearContextNode}. @throws CapabilityMissingError, MissingServiceError */
export async function clearContext<State extends BaseState, Item>(
  config: ClearContextNodeConfig<State, Item>,
  context: ExecutionContext<State, Item>,
): Promise<NodeResult<State> | undefined> {
  const name = resolveSessionName(config.session, context);
  const ref = findSession(name, context);
  if (ref === undefined) return undefined;
  const client = await clientOf(ref, context);
  const action = config.action ?? defaultAction(client);
  switch (action) {
    case "warn":
      return { signals: [warningOf(name, action, undefined)] };
    case "recreate":
      return { stateUpdate: forget<State>(name), signals: [warningOf(name, action, undefined)] };
    case "summarize": {
      assertCapable(client, "summarize");
      const kept = { client, ref };
      // Once per visit of the node, even if the process dies after this.
      const summary = await context.step("summarize", () => summarize(kept, context));
      // The vendor has lost it: the next node starts a new one.
      if (summary === null) return { stateUpdate: forget<State>(name) };
      return { signals: [warningOf(name, action, summary.usage)] };
    }
  }
}

/** How full the window was, if the agent can report it; `null` if the session no longer exists. */
async function summarize(kept: KeptSession, context: ExecutionContext): Promise<{ readonly usage?: number } | null> {
  const summary = await visitSession(kept, context, async (session) => {
    const usage = kept.client.capabilities.contextUsage ? (await session.getContextUsage()).fraction : undefined;
    await session.summarize();
    return usage === undefined ? {} : { usage };
  });
  return summary ?? null;
}

/** The update that makes the next node of a session start a new one. */
export function forget<State extends BaseState>(name: string): Partial<State> {
  // The cast is true: every state may have this field.
  return keepSession(name, null) as Partial<State>;
}
