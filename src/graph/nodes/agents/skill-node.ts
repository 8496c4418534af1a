import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { required, someText } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";
import { definePromptNode, PROMPT_ADVICE, PROMPT_OPTIONS, type PromptSettings } from "./prompt-node.ts";

/** Settings of a {@link skillNode}. */
export interface SkillNodeConfig<State extends BaseState, Output = unknown, Item = unknown, Update = unknown>
  extends PromptSettings<State, Output, Item, Update> {
  /** The name of a skill in the run's services. */
  readonly skill: string;
}

export const SKILL_NODE: NodeFactory<SkillNodeConfig<BaseState>> = {
  name: "skillNode",
  options: { ...PROMPT_OPTIONS, skill: required(someText, "give it the name of a skill") },
  advice: PROMPT_ADVICE,
};

/**
 * A node that has an agent use a skill. Like {@link agentNode}, it resumes the agent's session after a crash.
 *
 * ```ts
 * skillNode({ skill: "commit", args: (state) => state.summary, outputMapper: (reply) => ({ log: reply.content }) });
 * ```
 */
export function skillNode<State extends BaseState = BaseState, Output = unknown, Item = unknown, Update = unknown>(
  config: SkillNodeConfig<State, Output, Item, Update>,
): NodeDefinition<State, Item> {
  return defineNode(SKILL_NODE, config, (checked) => definePromptNode("skill", checked.skill, checked));
}
