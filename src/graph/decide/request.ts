import type { HumanRequest } from "../../contracts/index.ts";
import { InvalidAnswerError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import type { NodeDefinition, RequestSpec } from "../model/node-definition.ts";
import { ownValue } from "../state/owned-value.ts";
import { toJsonSchema, validateWith } from "../state/standard-schema.ts";
import type { Task } from "./records/run-state.ts";
import { itemOf } from "./records/task-title.ts";

/** The open question of a task. It has the task's id, which is unique in the run and the same after a restart. */
export function createRequest(task: Task, spec: RequestSpec, now: number): HumanRequest {
  const { question, header, options, autoApprove } = spec;
  const schema = task.node.answerSchema === undefined ? undefined : toJsonSchema(task.node.answerSchema);
  const { item } = itemOf(task);
  return {
    id: task.id,
    nodeId: task.node.id,
    ...given({ item }),
    question,
    askedAt: now,
    ...given({ header, options, schema }),
    ...(autoApprove === undefined ? {} : { autoApproveAt: now + autoApprove.afterMs }),
    ...(autoApprove?.value === undefined ? {} : { autoApproveValue: autoApprove.value }),
  };
}

/**
 * The value to journal for an answer (E6): the label of the chosen option, or the value that the node's schema returns.
 *
 * @throws InvalidAnswerError; UnserializableValueError when a journal cannot keep it
 */
export async function validateAnswer(request: HumanRequest, node: NodeDefinition, answer: unknown): Promise<unknown> {
  if (node.answerSchema !== undefined) {
    const result = await validateWith(node.answerSchema, answer);
    if (result.type === "valid") return ownValue(result.value, ["answer"]);
    throw new InvalidAnswerError(request.id, result.problems.join("; "), labelsOf(request));
  }
  if (request.options === undefined) return ownValue(answer, ["answer"]);
  const text = (typeof answer === "object" ? JSON.stringify(answer) : String(answer)).trim();
  const labels = labelsOf(request);
  const chosen =
    labels.find((label) => label === answer) ??
    labels.find((label) => label.trim() === text) ??
    labels.find((label) => label.trim().toLowerCase() === text.toLowerCase());
  if (chosen !== undefined) return chosen;
  throw new InvalidAnswerError(
    request.id,
    `${typeof answer === "object" ? text : `"${text}"`} is not one of the options`,
    labels,
  );
}

function labelsOf(request: HumanRequest): string[] {
  return (request.options ?? []).map((option) => option.label);
}
