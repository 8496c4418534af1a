import { AtomicError, type Json } from "../../contracts/index.ts";
import { smallestSchemaValue } from "../json-schema/smallest-schema-value.ts";
import type { NodeDefinition, RequestSpec } from "../model/node-definition.ts";
import { toJsonSchema } from "../state/standard-schema.ts";
import { ownValue } from "./own-value.ts";
import type { PlanOptions } from "./plan-options.ts";
import type { PlanQuestion } from "./plan-report.ts";

/** A dry run reached a question without an answer in `answers`, and cannot make one up. */
export class UnansweredQuestionError extends AtomicError {
  constructor(
    readonly questionId: string,
    readonly question: string,
  ) {
    super(
      "PLAN_UNANSWERED",
      `The dry run has no answer to "${questionId}" ("${question}") and cannot derive one from the question's schema. Add it to "answers".`,
    );
  }
}

/** An answer and its source. */
export interface ChosenAnswer {
  readonly value: unknown;
  readonly source: PlanQuestion["source"];
}

/** A question and the node that asks it. */
export interface AskedQuestion {
  readonly id: string;
  readonly node: NodeDefinition;
  readonly request: RequestSpec;
}

/**
 * Chooses the answer to a question in a dry run.
 *
 * @throws UnansweredQuestionError, UnsupportedSchemaError when there is none and none can be made up
 */
export function chooseAnswer({ id, node, request }: AskedQuestion, answers: PlanOptions["answers"]): ChosenAnswer {
  const { question, options, autoApprove } = request;
  const schema = node.answerSchema && toJsonSchema(node.answerSchema);
  const given =
    typeof answers === "function"
      ? answers({
          id,
          nodeId: node.id,
          question,
          ...(options === undefined ? {} : { options }),
          ...(schema === undefined ? {} : { schema }),
        })
      : (ownValue(answers, id) ?? ownValue(answers, node.id));
  if (given !== undefined) return { value: given, source: "given" };
  const first = options?.[0]?.label;
  if (autoApprove !== undefined) return { value: autoApprove.value ?? first ?? "yes", source: "automatic" };
  if (first !== undefined) return { value: first, source: "first-option" };
  if (schema !== undefined) return { value: smallestSchemaValue(schema), source: "made-up" };
  if (node.answerSchema === undefined) return { value: "yes", source: "made-up" };
  throw new UnansweredQuestionError(id, question);
}

/** The question, made to answer itself: at once, or after its own delay. */
export function answerItself(request: RequestSpec, { value, source }: ChosenAnswer): RequestSpec {
  if (source === "automatic") return request;
  // The cast is nearly true: the engine checks later that a journal can store the answer.
  return { ...request, autoApprove: { afterMs: 0, value: value as Json } };
}
