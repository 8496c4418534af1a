import { mergeToolLists } from "../../../contracts/index.ts";
import type { AgentWork } from "../../model/agent-settings.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { PromptDefinition } from "../../model/named-definitions.ts";
import { resolveNamed } from "../../model/resolve-named.ts";
import type { BaseState } from "../../state/annotation.ts";
import { resolveText } from "../shared/resolve-text.ts";
import { expandArguments } from "./expand-arguments.ts";
import { type AgentDefaults, defaultsOf, findAgent, modelOf } from "./named-agent.ts";

/** A message, and defaults for the agent that receives it. */
export interface AgentBrief {
  readonly message: string;
  readonly defaults: AgentDefaults;
}

/** What a node asks of whom. */
export interface AgentOrder<State extends BaseState, Item> {
  readonly work: AgentWork<State, Item>;
  /** The agent that the node names. */
  readonly agentType?: string;
}

/** Looks up names and builds the message. @throws MissingServiceError, UnknownNameError, and what a definition's `expand` throws */
export async function prepareWork<State extends BaseState, Item>(
  { work, agentType }: AgentOrder<State, Item>,
  context: ExecutionContext<State, Item>,
): Promise<AgentBrief> {
  const defaultsFor = async (agent: string | undefined): Promise<AgentDefaults> =>
    agent === undefined ? {} : defaultsOf(await findAgent(agent, context), agentType);
  if (work.type === "message") {
    const message = resolveText(work.message, context, "buildMessage");
    return { message, defaults: await defaultsFor(work.agent) };
  }
  const { args, kind, name } = work;
  const prompt = await findPrompt(kind, name, context);
  const base = await defaultsFor(work.agent ?? prompt.agent);
  const given = resolveText(args, context, "args");
  return {
    message: await expand(prompt, { kind, given, signal: context.signal }),
    defaults: {
      ...base,
      model: modelOf(prompt, agentType ?? prompt.agentType ?? base.agentType) ?? base.model,
      tools: mergeToolLists(base.tools, prompt.tools),
      agentType: prompt.agentType ?? base.agentType,
    },
  };
}

async function findPrompt<State extends BaseState>(
  kind: "command" | "skill",
  name: string,
  { services, nodeId }: ExecutionContext<State>,
): Promise<PromptDefinition> {
  return await resolveNamed(kind === "skill" ? services.skills : services.commands, { kind, name, nodeId });
}

async function expand(
  definition: PromptDefinition,
  about: { readonly kind: "command" | "skill"; readonly given: string; readonly signal: AbortSignal },
): Promise<string> {
  const { prompt, directory } = definition;
  const { kind, given, signal } = about;
  const text =
    definition.expand === undefined
      ? expandArguments(prompt, given, kind === "skill" ? "[no arguments]" : "")
      : await definition.expand(given, { signal });
  return directory === undefined ? text : `The files of this skill are in: ${directory}\n\n${text}`;
}
