import type { ExecutionContext } from "../../model/execution-context.ts";
import type { MapPlace } from "../../model/map-place.ts";
import type { SubagentSuccess } from "../../model/subagent-runner.ts";
import type { BaseState } from "../../state/annotation.ts";
import { createSessionConfig, withFeedback } from "../agents/ask-agent.ts";
import { defaultsOf, findAgent } from "../agents/named-agent.ts";
import { resolveText } from "../shared/resolve-text.ts";
import { runSubagent } from "./run-subagent.ts";

/** A task and the sub-agent that does it. These settings override the agent's definition. */
export interface SubagentSettings<State extends BaseState> {
  /** The name of a definition in the run's `agents`. */
  readonly agentName: string;
  readonly task: string | ((state: Readonly<State>, place: MapPlace) => string);
  /** The vendor's agent. @default the definition's, else the run's */
  readonly agentType?: string;
  readonly systemPrompt?: string | ((state: Readonly<State>, place: MapPlace) => string);
  readonly model?: string;
  /**
   * The only tools that the agent may call, as in `AgentSettings.tools`. The run's tools in the list are offered to the agent.
   * Permissions still decide about each call.
   * @default the definition's, else all of the agent's own tools and none of the run's
   */
  readonly tools?: readonly string[];
  /** The longest answer in the result, in characters. @default no limit */
  readonly maxOutputLength?: number;
  /** Fail after this many milliseconds of work. Waiting for `maxConcurrency` does not count. */
  readonly timeout?: number;
}

/** Delegates a task to a sub-agent. @param title of its session @throws as {@link runSubagent} */
export async function delegate<State extends BaseState>(
  title: string,
  settings: SubagentSettings<State>,
  context: ExecutionContext<State>,
): Promise<SubagentSuccess> {
  const { agentName, task, systemPrompt, timeout: timeoutMs, maxOutputLength } = settings;
  const defaults = defaultsOf(await findAgent(agentName, context), settings.agentType);
  const tools = settings.tools ?? defaults.tools;
  const agentType = settings.agentType ?? defaults.agentType;
  const wishes = {
    title,
    agentType,
    systemPrompt:
      systemPrompt === undefined ? defaults.systemPrompt : resolveText(systemPrompt, context, "systemPrompt"),
    model: settings.model ?? defaults.model,
    tools,
  };
  const order = {
    agentName,
    agentType,
    task: withFeedback(resolveText(task, context, "task"), context),
    sessionConfig: await createSessionConfig(wishes, context),
    tools,
    timeoutMs,
    maxOutputLength,
  };
  return await runSubagent(order, context);
}
