import { AtomicError, nearestName } from "../../contracts/index.ts";
import { visibleLine } from "../../view/index.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { Workspace } from "../workspace.ts";
import { loadWorkflowOfRun } from "./load-workflow-of-run.ts";

/** A node of a run, as the user named it. */
interface NamedNode {
  readonly runId: string;
  readonly node: string;
}

/** Sends a command to a node. @throws UsageError for a name that is of no node of the run, instead of what the run says */
export async function withKnownNodes<T>(
  environment: CliEnvironment,
  workspace: Workspace,
  { named, send }: { readonly named: NamedNode; readonly send: () => Promise<T> },
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof AtomicError) || error.code !== "NODE_NOT_UNDER_WAY") throw error;
    const { runId, node } = named;
    const known = await knownNodes(environment, workspace, runId);
    // Without the workflow, only the nodes are known that have started: another one may exist.
    if (known === undefined || known.has(node)) throw error;
    const names = [...known];
    const nearest = nearestName(node, names);
    const hint = nearest === undefined ? "" : ` Did you mean "${visibleLine(nearest)}"?`;
    throw new UsageError(
      `There is no node "${visibleLine(node)}" in the run "${runId}".${hint} Its nodes: ${names.map(visibleLine).join(", ")}.`,
    );
  }
}

/** The nodes of the run's workflow, and the visits of its journal; `undefined` where the workflow cannot be loaded. */
async function knownNodes(
  environment: CliEnvironment,
  workspace: Workspace,
  runId: string,
): Promise<ReadonlySet<string> | undefined> {
  const { session, summary } = await workspace.runs.report(runId);
  // The command has failed already, and says why.
  const loaded = await loadWorkflowOfRun(environment, workspace, session).catch(() => undefined);
  if (loaded === undefined) return undefined;
  const visits = (summary?.nodes ?? []).flatMap(({ nodeId, taskId }) => [nodeId, taskId]);
  return new Set([...loaded.graph.nodes.keys(), ...visits]);
}
