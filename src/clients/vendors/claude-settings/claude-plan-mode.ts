import { recordOf } from "../../../contracts/index.ts";
import { PLAN_MODE_DENIAL } from "../../policy/describe-denial.ts";

/** The tool with which the agent asks for approval of its plan. */
export const EXIT_PLAN_TOOL = "ExitPlanMode";

const STAYS =
  "Denied: this session stays in plan mode, and no plan is approved in it. Give the plan as your answer, and end there.";

/** Tools of the kind `other` that change files, git repositories or memories, or run code. */
const CHANGING_TOOLS: ReadonlySet<string> = new Set([
  "AppifactRepl",
  "EnterWorktree",
  "ExitWorktree",
  "PlaceFiles",
  "REPL",
  "memory_write",
  "self_hosted_runner_spawn_local",
]);

/** Why a call that is neither an edit nor a command is denied in plan mode; undefined where the policy decides. Pure. */
export function whyNotInPlanMode(vendorName: string, input: unknown): string | undefined {
  if (vendorName === EXIT_PLAN_TOOL) return STAYS;
  if (CHANGING_TOOLS.has(vendorName)) return PLAN_MODE_DENIAL;
  // An isolated sub-agent gets a checkout and a branch of its own.
  const isAgent = vendorName === "Agent" || vendorName === "Task";
  return isAgent && recordOf(input).isolation !== undefined ? PLAN_MODE_DENIAL : undefined;
}
