import type { UnifiedEntity } from "../../../discovery/index.ts";

/** Which agent receives a task for one of its sub-agents. */
export interface AgentMessageOptions {
  /** The agent of the conversation. */
  readonly agentType: string;
  /** Whether it loads the user's own settings, and with them the user's definitions. */
  readonly hasUserSettings: boolean;
  readonly task: string;
}

/**
 * The message with which an agent of the conversation has one of its sub-agents do a task. An agent that does not load the
 * definition receives its instructions with the task. Pure.
 */
export function agentMessage(entity: UnifiedEntity, options: AgentMessageOptions): string {
  const { name, prompt } = entity;
  const { agentType, task } = options;
  if (!isSubagentOf(entity, options)) {
    return [`Work as the agent "${name}", with these instructions:`, prompt.trim(), `The task: ${task}`].join("\n\n");
  }
  if (agentType !== "opencode") return `Use the Task tool to invoke the ${name} sub-agent for this exact task: ${task}`;
  return `@${name} ${task}\n\nCall the task tool with the sub-agent "${name}" for exactly this task.`;
}

/** Whether the agent of the conversation loads the definition by itself, as a sub-agent. */
function isSubagentOf(
  { source, fields }: UnifiedEntity,
  { agentType, hasUserSettings }: Omit<AgentMessageOptions, "task">,
): boolean {
  if (source.provider !== agentType || source.location === "builtin" || source.isUntrusted === true) return false;
  // OpenCode's primary agents carry out whole conversations only.
  if (fields.mode === "primary") return false;
  return source.location === "project" || hasUserSettings;
}
