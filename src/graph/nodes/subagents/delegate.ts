import type { ExecutionContext } from "../../model/execution-context.ts";
import type { MapPlace } from "../../model/map-place.ts";
import type { SubagentSuccess } from "../../model/subagent-runner.ts";
import type { BaseState } from "../../state/annotation.ts";
import { createSessionConfig, withFeedback } from "../agents/ask-agent.ts";
import { defaultsOf, findAgent } from "../agents/named-agent.ts";
import { runSubagent } from "./run-subagent.ts";

/** Who is to do what. What is set here wins over the agent's definition. */
export interface SubagentSettings<State extends BaseState> {
  /** The name of a definition in the run's `agents`. */
  readonly agentName: string;
  readonly task: string | ((state: Readonly<State>, place: MapPlace) => string);
  /** Which vendor's agent. @default that of the definition, else the one the run was started with */
  readonly agentType?: string;
  readonly systemPrompt?: string | ((state: Readonly<State>, place: MapPlace) => string);
  readonly model?: string;
  /**
   * The only kinds of tools the agent may use, each by the name of one of them: `grep` lets through all that read, one of the
   * run's `tools` those of every MCP server. The run's are offered to it. The permissions decide about each call.
   * @default the definition's, else all of the agent's, and none of the run's
   */
  readonly tools?: readonly string[];
  /** How much of the answer the result holds, in characters. @default all */
  readonly maxOutputLength?: number;
  /** Fail after so many milliseconds of work; waiting for a place does not count. */
  readonly timeout?: number;
}

/** Has a sub-agent do something. @param title of its session @throws as {@link runSubagent} */
export async function delegate<State extends BaseState>(
  title: string,
  settings: SubagentSettings<State>,
  context: ExecutionContext<State>,
): Promise<SubagentSuccess> {
  const { agentName, task, systemPrompt, timeout: timeoutMs, maxOutputLength } = settings;
  const defaults = defaultsOf(await findAgent(agentName, context));
  const tools = settings.tools ?? defaults.tools;
  const agentType = settings.agentType ?? defaults.agentType;
  const wishes = {
    title,
    agentType,
    systemPrompt: systemPrompt === undefined ? defaults.systemPrompt : resolve(systemPrompt, context),
    model: settings.model ?? defaults.model,
    tools,
  };
  const order = {
    agentName,
    agentType,
    task: withFeedback(resolve(task, context), context),
    sessionConfig: await createSessionConfig(wishes, context),
    tools,
    timeoutMs,
    maxOutputLength,
  };
  return await runSubagent(order, context);
}

function resolve<State extends BaseState>(
  text: SubagentSettings<State>["task"],
  context: ExecutionContext<State>,
): string {
  return typeof text === "function" ? text(context.state, context) : text;
}
