import { AtomicError, messageOf } from "../../../contracts/index.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import { immediate } from "../../errors/promise-returned-error.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { SubagentSuccess } from "../../model/subagent-runner.ts";
import type {
  OpenedWorktree,
  WorktreeConflict,
  WorktreeMerge,
  WorktreeService,
  WorktreeTask,
} from "../../model/worktree-service.ts";
import type { BaseState } from "../../state/annotation.ts";
import { NOT_THE_WORKS_FAULT } from "../shared/agent-retry.ts";
import { resolveText } from "../shared/resolve-text.ts";
import { shorten } from "../shared/shorten.ts";
import { type DelegatedWork, delegate } from "./delegate.ts";
import { verifyWork } from "./verify-work.ts";

/** The work of a sub-agent is on a branch, and could not be merged into the project's. */
export class WorktreeNotMergedError extends AtomicError {
  /** A person has to clear the way first. */
  readonly isRetryable = false;

  constructor(
    readonly agentName: string,
    readonly branch: string,
    reason: string,
  ) {
    super(
      "WORKTREE_NOT_MERGED",
      `The work of the sub-agent "${agentName}" is on the branch "${branch}" and was not merged: ${reason} Merge it yourself: git merge ${branch}`,
    );
  }
}

/** A merge that left the work on its branch. */
type UnmergedWork = Extract<WorktreeMerge, { readonly type: "conflict" | "blocked" }>;

/** How often a branch may change between the verification and the merge. */
const MAX_CHANGES = 2;

/** Why a merge left the work on its branch. */
function describeUnmerged(merge: UnmergedWork): string {
  const files = merge.files.map((file) => JSON.stringify(file)).join(", ");
  if (merge.type === "conflict") return `${files} was changed on both sides, and the conflict is not resolved.`;
  const reason = merge.reason.replace(/\.?$/, ".");
  return files === "" ? reason : `${reason} It concerns ${files}.`;
}

/** A worktree of a sub-agent, as its result names it. */
export type WorktreeOfResult = NonNullable<SubagentSuccess["worktree"]>;

/**
 * Delegates a task to a sub-agent, in a worktree of its own where the settings ask for one, and verifies the work. What it
 * changes there is committed on a branch, which the result names. A later attempt of the visit does not repeat what has ended.
 *
 * @param title of the session
 * @throws MissingServiceError, VerificationFailedError, and as {@link delegate} and the service
 */
export async function delegateApart<State extends BaseState>(
  title: string,
  settings: DelegatedWork<State>,
  context: ExecutionContext<State>,
  { subject: wanted }: { readonly subject?: string } = {},
): Promise<SubagentSuccess> {
  const { isolation } = settings;
  const command = settings.verify === undefined ? "" : resolveText(settings.verify, context, "verify").trim();
  const wish =
    typeof isolation === "function"
      ? immediate(isolation(context.state, context), "isolation", context.nodeId)
      : isolation;
  if (wish === undefined) {
    return await delegateHere(title, settings, { context, command });
  }
  const worktrees = worktreesOf(context);
  const { runId, signal } = context;
  const { worktreeName } = settings;
  const taskId = worktreeName === undefined ? context.taskId : resolveText(worktreeName, context, "worktreeName");
  const task = { runId, taskId, signal };
  const subject = wanted === undefined ? titleOf(settings, context) : shorten(wanted);
  const setupCommand = resolveText(settings.worktreeSetup ?? "", context, "worktreeSetup").trim() || undefined;
  const targetBranch = resolveText(settings.worktreeBranch ?? "", context, "worktreeBranch") || undefined;
  const { workingDirectory, environment, ...result } = await context.step("sub-agent", async () => {
    const tree = await worktrees.open(task, given({ setupCommand, targetBranch }));
    for (const message of tree.warnings) context.emit({ type: "log", message });
    const ended = tree.isMergedByHand
      ? takeMerged(tree, context)
      : await delegate(title, inWorktree(settings, tree, context), context, { checkout: tree.workingDirectory });
    const worktree = { runId, taskId, branch: tree.branch, title: subject };
    return { ...ended, worktree, workingDirectory: tree.workingDirectory, environment: tree.environment };
  });
  const own = { ...task, runId: result.worktree.runId };
  const save = async (): Promise<string | undefined> => (await worktrees.commit(own, subject)).commit;
  const { saved } = await context.step("commit", async () => given({ saved: await save() }));
  if (command === "") return result;
  const work = { command, workingDirectory, environment, save, saved };
  const { saved: commit, ...verification } = await context.step("verify", () => verifyWork(work, context));
  return { ...result, verification, worktree: { ...result.worktree, ...given({ commit }) } };
}

/** The result of an earlier attempt whose work somebody has merged. */
function takeMerged({ branch }: OpenedWorktree, { taskId, emit }: Pick<ExecutionContext, "taskId" | "emit">) {
  const output = `${branch} has been merged since the last attempt: no agent works on it again.`;
  emit({ type: "log", message: output });
  return { success: true as const, agentId: taskId, output, toolUses: 0, durationMs: 0 };
}

/** Without isolation. */
async function delegateHere<State extends BaseState>(
  title: string,
  settings: DelegatedWork<State>,
  { context, command }: { readonly context: ExecutionContext<State>; readonly command: string },
): Promise<SubagentSuccess> {
  if (command === "") return await delegate(title, settings, context);
  const result = await context.step("sub-agent", () => delegate(title, settings, context));
  return { ...result, verification: await context.step("verify", () => verifyWork({ command }, context)) };
}

/**
 * Merges the worktree of a sub-agent into the project's branch. If that conflicts, an agent with the same settings gets both
 * sides first. Then it removes the worktree, unless something in it would be lost. A later attempt of the visit does not
 * repeat a merge.
 *
 * @throws WorktreeNotMergedError, MissingServiceError, and as the service
 */
export async function mergeApart<State extends BaseState>(
  worktree: WorktreeOfResult,
  settings: DelegatedWork<State>,
  context: ExecutionContext<State>,
): Promise<void> {
  const worktrees = worktreesOf(context);
  const { runId, taskId, branch, title: message } = worktree;
  const task = { runId, taskId, signal: context.signal };
  const type = await context.step(`merge ${taskId}`, () =>
    mergeVerified({ worktrees, task, worktree }, settings, context),
  );
  if (type === "merged") context.emit({ type: "log", message: `Merged ${branch}: ${message}` });
  await close(task, { worktrees, context, branch });
}

interface Merging {
  readonly worktrees: WorktreeService;
  readonly task: WorktreeTask;
  readonly worktree: WorktreeOfResult;
}

/** Merges the commit that was verified. Where the branch has another one by now, that is verified first. */
async function mergeVerified<State extends BaseState>(
  { worktrees, task, worktree }: Merging,
  settings: DelegatedWork<State>,
  context: ExecutionContext<State>,
): Promise<"merged" | "unchanged"> {
  const { agentName } = settings;
  const { taskId, branch, title: message } = worktree;
  let { commit } = worktree;
  for (let changes = 0; ; changes++) {
    const merged = await worktrees.merge(task, {
      message,
      ...given({ commit }),
      resolveConflict: (conflict) => resolveConflict(conflict, { settings, context, taskId, message }),
    });
    if (merged.type === "merged" || merged.type === "unchanged") return merged.type;
    if (merged.type !== "changed") throw new WorktreeNotMergedError(agentName, branch, describeUnmerged(merged));
    if (changes === MAX_CHANGES)
      throw new WorktreeNotMergedError(agentName, branch, "somebody commits there each time after the verification.");
    context.emit({ type: "log", message: `${branch} has changed after the verification, which is repeated.` });
    const command = resolveText(settings.verify ?? "", context, "verify").trim();
    const save = async (): Promise<string | undefined> => (await worktrees.commit(task, message)).commit;
    const { workingDirectory, environment } = merged;
    const work = { command, workingDirectory, environment, save, saved: await save() };
    commit = (await verifyWork(work, context)).saved;
  }
}

interface Closing {
  readonly worktrees: WorktreeService;
  readonly context: Pick<ExecutionContext, "emit">;
  readonly branch: string;
}

/** Removes a worktree. What keeps it must not fail the work, which is merged. */
async function close(task: WorktreeTask, { worktrees, context, branch }: Closing): Promise<void> {
  const reasons = await worktrees.close(task).catch((error: unknown) => {
    task.signal.throwIfAborted();
    return [messageOf(error)];
  });
  if (reasons.length === 0) return;
  context.emit({ type: "log", message: `The worktree of ${branch} is kept: ${reasons.join("; ")}` });
}

/** @throws MissingServiceError */
function worktreesOf({ services, nodeId }: Pick<ExecutionContext, "services" | "nodeId">): WorktreeService {
  if (services.worktrees === undefined) throw new MissingServiceError("worktrees", nodeId);
  return services.worktrees;
}

/** The subject of the commits. */
function titleOf<State extends BaseState>(
  { agentName, task }: DelegatedWork<State>,
  context: ExecutionContext<State>,
): string {
  return shorten(`${agentName}: ${resolveText(task, context, "task")}`);
}

function inWorktree<State extends BaseState>(
  settings: DelegatedWork<State>,
  { workingDirectory, branch, ports }: OpenedWorktree,
  context: ExecutionContext<State>,
): DelegatedWork<State> {
  const [first, last] = [ports[0], ports.at(-1)];
  const range = first === undefined ? "" : ` For servers, use the ports ${first} to ${last}, which nobody else has.`;
  const note = `Your working folder is a git worktree of its own, on the branch ${branch}. Stay in it and on the branch. What you change is committed and merged for you.${range}`;
  return {
    ...settings,
    task: `${resolveText(settings.task, context, "task")}\n\n(${note})`,
    sessionConfig: { ...settings.sessionConfig, workingDirectory },
  };
}

interface Resolving<State extends BaseState> {
  readonly settings: DelegatedWork<State>;
  readonly context: ExecutionContext<State>;
  readonly taskId: string;
  readonly message: string;
}

/** Has an agent resolve conflicts. A failure leaves the conflicts, and the work on its branch. */
async function resolveConflict<State extends BaseState>(
  { workingDirectory, files, projectFolder, environment, snapshot: save }: WorktreeConflict,
  { settings, context, taskId, message }: Resolving<State>,
): Promise<boolean> {
  const list = files.map((file) => `- ${file}`).join("\n");
  context.emit({ type: "log", message: `Conflicts in ${files.join(", ")}: an agent resolves them.` });
  const task = [
    `This folder is in the middle of "git merge". One side is the work "${message}"; the other is what was merged into the project's branch meanwhile. Both are wanted.`,
    `Resolve the conflicts in these files, so that both changes keep their purpose, and leave no conflict marker:\n${list}`,
    "Add with `git add` or remove with `git rm` a file that one side deleted. Change nothing else. Do not commit.",
  ].join("\n\n");
  const { outputSchema: _answer, ...others } = settings;
  const resolver = { ...others, task, sessionConfig: { ...settings.sessionConfig, workingDirectory } };
  try {
    await delegate(settings.agentName, resolver, context, { agentId: `${taskId}/conflict`, checkout: projectFolder });
    const command = resolveText(settings.verify ?? "", context, "verify").trim();
    if (command !== "")
      await verifyWork({ command, workingDirectory: projectFolder, environment, save, saved: await save() }, context);
    return true;
  } catch (error) {
    context.signal.throwIfAborted();
    // Without an account or a model, nobody has tried.
    if (error instanceof AtomicError && NOT_THE_WORKS_FAULT.has(error.code)) throw error;
    context.emit({ type: "log", message: `The agent did not resolve the conflicts: ${messageOf(error)}` });
    return false;
  }
}
