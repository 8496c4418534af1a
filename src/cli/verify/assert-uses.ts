import { AtomicError } from "../../contracts/index.ts";
import type { CompiledGraph } from "../../graph/index.ts";
import { safeLine } from "../../view/index.ts";
import { formatAdvice } from "../loading/workflow-errors.ts";
import { type CallPlace, findCallProblems } from "./check-calls.ts";
import { findUseProblems, type UsePlace, type UseProblem } from "./use-checker.ts";

/** Nodes use what does not exist, or in a way that cannot work: no run was started. */
export class NodeUseError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly workflowName: string,
    readonly problems: readonly UseProblem[],
  ) {
    super(
      "NODE_USE_INVALID",
      [
        `The workflow "${workflowName}" was not started, because these steps could not work:`,
        ...problems.map((problem) => safeLine(formatAdvice(problem), Number.MAX_SAFE_INTEGER)),
      ].join("\n  - "),
    );
  }
}

/** Where {@link assertUses} looks. */
export interface StartPlace extends UsePlace {
  /** Finds a workflow as a step of the run does. @throws AtomicError */
  readonly findWorkflow: CallPlace["find"];
}

/** Checks the names that the nodes of a graph use. Warnings do not prevent a run. @throws NodeUseError */
export async function assertUses(graph: CompiledGraph, workflowName: string, place: StartPlace): Promise<void> {
  const calls = await findCallProblems(graph, { name: workflowName, find: place.findWorkflow });
  const uses = await findUseProblems(graph, place);
  const problems = [...calls, ...uses].filter(({ severity }) => severity === "error");
  if (problems.length > 0) throw new NodeUseError(workflowName, problems);
}
