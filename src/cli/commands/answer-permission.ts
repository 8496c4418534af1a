import type { HumanRequest, RunStatus } from "../../contracts/index.ts";
import type { NodeSummary } from "../../graph/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import { readVisitTitles } from "../../workflows/run-kit.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { formatPublished } from "../output/format-permission.ts";
import {
  isPermissionId,
  PERMISSION_ANSWERS,
  type PublishedPermission,
  readPublished,
} from "../prompts/published-permissions.ts";
import { answerLiveRun } from "./steer-commands.ts";

/** The run whose permission requests are looked through. */
export interface AskingRun {
  readonly session: WorkflowSession;
  readonly status: RunStatus | "interrupted";
  readonly requests: readonly HumanRequest[];
  readonly visits: readonly NodeSummary[];
}

/** The permission requests of a run that a process executes; others wait for no answer. */
export function openPermissionsOf({ session, status }: Pick<AskingRun, "session" | "status">) {
  return status === "running" ? readPublished(session.sessionDir) : [];
}

/**
 * The id of the permission request that an answer is for: the one of this id, or of this node; without a name, the only
 * thing that the run asks. Undefined if there is none. The process that executes the run knows how earlier ones ended.
 *
 * @throws UsageError if several match, or no process executes the run
 */
export async function findPermission(run: AskingRun, name: string | undefined): Promise<string | undefined> {
  const { session, status, requests } = run;
  const open = openPermissionsOf(run);
  if (name === undefined) return requests.length === 0 && open.length === 1 ? open[0]?.id : undefined;
  if (isPermissionId(name)) {
    if (status === "running") return name;
    const { sessionId } = session;
    throw new UsageError(
      `The run "${sessionId}" has no permission request "${name}": no process executes it. Look at it with: atomic runs show ${sessionId}`,
    );
  }
  const ofNode = open.length === 0 ? [] : await permissionsOfNode(run, open, name);
  if (ofNode.length > 1) {
    const commands = ofNode.flatMap((one) => formatPublished(session.sessionId, one, Number.POSITIVE_INFINITY));
    throw new UsageError(
      [`The node "${name}" has ${ofNode.length} permission requests. Say which one:`, ...commands].join("\n"),
    );
  }
  return ofNode[0]?.id;
}

/** A request names its step by the title that people see, which can be another one than the node's id. */
async function permissionsOfNode(
  { session, visits }: AskingRun,
  open: readonly PublishedPermission[],
  name: string,
): Promise<readonly PublishedPermission[]> {
  const titles = await readVisitTitles(session.sessionDir);
  const ofName = visits.filter(({ nodeId, taskId }) => name === nodeId || name === taskId || name === `${taskId}#1`);
  const names = [name, ...ofName.map(({ taskId, nodeId }) => titles.get(taskId) ?? nodeId)];
  const wanted = new Set(names.map((text) => text.toLowerCase()));
  const isAtWork = ofName.some(({ status }) => status !== "completed");
  return open.filter(({ request: { step } }) => {
    if (step === undefined) return isAtWork;
    // Equal requests of several steps are one, which names them all. A step of a map has its item in parentheses.
    const steps = [step, ...step.split(", ")].map((text) => text.toLowerCase());
    return steps.some((text) => wanted.has(text) || wanted.has(text.replace(/ \(.*\)$/, "")));
  });
}

/** Options that only a process which executes the run could follow, by what the parser calls them. */
const EXECUTION_OPTIONS: Readonly<Record<string, string>> = {
  agent: "--agent",
  model: "--model",
  allow: "--allow",
  deny: "--deny",
  yolo: "--yolo",
  sandbox: "--sandbox",
  maxTokens: "--max-tokens",
  maxCost: "--max-cost",
  detach: "--detach",
  ask: "--ask",
  answers: "--answers",
  alongside: "--alongside",
  record: "--record",
  replay: "--replay",
};

/** Answers a permission request of a run that a process executes. @throws UsageError */
export async function answerPermission(
  environment: CliEnvironment,
  {
    id,
    permission,
    answer = "",
    flags,
  }: {
    readonly id: string;
    readonly permission: string;
    readonly answer: string | undefined;
    readonly flags: RunFlags;
  },
): Promise<ExitCode> {
  const unfit = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : (EXECUTION_OPTIONS[name] ?? []),
  );
  if (unfit.length > 0) {
    throw new UsageError(
      `${unfit.join(" and ")} cannot change a run that another process executes: the answer to a permission request only goes there. Leave ${unfit.length > 1 ? "them" : "it"} out.`,
    );
  }
  if (!PERMISSION_ANSWERS.some((known) => known === answer)) {
    const commands = PERMISSION_ANSWERS.map((known) => `  atomic runs answer ${id} ${known} --request ${permission}`);
    throw new UsageError(["A permission request takes one of these answers:", ...commands].join("\n"));
  }
  return await answerLiveRun(environment, id, { request: permission, value: answer, flags });
}
