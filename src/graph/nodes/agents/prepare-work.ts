import type { AgentWork } from "../../model/agent-settings.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { PromptDefinition } from "../../model/named-definitions.ts";
import { resolveNamed } from "../../model/resolve-named.ts";
import type { BaseState } from "../../state/annotation.ts";
import { expandArguments } from "./expand-arguments.ts";
import { type AgentDefaults, defaultsOf, findAgent, givenModel } from "./named-agent.ts";

/** A message, and defaults for the agent that receives it. */
export interface AgentBrief {
  readonly message: string;
  readonly defaults: AgentDefaults;
}

/** Looks up names and builds the message. @throws MissingServiceError, UnknownNameError */
export async function prepareWork<State extends BaseState, Item>(
  work: AgentWork<State, Item>,
  context: ExecutionContext<State, Item>,
): Promise<AgentBrief> {
  if (work.type === "message") {
    const message = typeof work.message === "function" ? work.message(context.state, context) : work.message;
    return { message, defaults: await defaultsFor(work.agent, context) };
  }
  const { args, kind, name } = work;
  const prompt = await findPrompt(kind, name, context);
  const base = await defaultsFor(work.agent ?? prompt.agent, context);
  const given = typeof args === "function" ? args(context.state, context) : args;
  return {
    message: kind === "skill" ? expandSkill(prompt, given) : expandArguments(prompt.prompt, given),
    defaults: {
      ...base,
      model: givenModel(prompt.model) ?? base.model,
      tools: prompt.tools ?? base.tools,
      agentType: prompt.agentType ?? base.agentType,
    },
  };
}

async function defaultsFor<State extends BaseState>(
  agent: string | undefined,
  context: ExecutionContext<State>,
): Promise<AgentDefaults> {
  return agent === undefined ? {} : defaultsOf(await findAgent(agent, context));
}

async function findPrompt<State extends BaseState>(
  kind: "command" | "skill",
  name: string,
  { services, nodeId }: ExecutionContext<State>,
): Promise<PromptDefinition> {
  return await resolveNamed(kind === "skill" ? services.skills : services.commands, { kind, name, nodeId });
}

function expandSkill({ prompt, directory }: PromptDefinition, given: string): string {
  const text = expandArguments(prompt, given, "[no arguments]");
  return directory === undefined ? text : `The files of this skill are in: ${directory}\n\n${text}`;
}
