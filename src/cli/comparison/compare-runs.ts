import type { ComparedNode, ComparedRun } from "./compared-run.ts";

/** Two runs. */
export type Pair<T> = readonly [first: T, second: T];

/** A node of two runs; `undefined` where a run has none of that name. */
export interface NodeComparison {
  readonly nodeId: string;
  readonly nodes: Pair<ComparedNode | undefined>;
  /** Prompts that differ. Empty where the prompts of a run are unknown. */
  readonly prompts: readonly PromptDifference[];
}

/** A prompt of a node that differs; `undefined` where a run has no such prompt. */
export interface PromptDifference {
  /** From 1, within the node. */
  readonly number: number;
  readonly prompts: Pair<string | undefined>;
}

/** Two runs side by side. */
export interface RunComparison {
  readonly runs: Pair<ComparedRun>;
  /** In the order of the first run, then those of the second one alone. */
  readonly nodes: readonly NodeComparison[];
}

/**
 * Compares two runs.
 * @param normalise takes out of a prompt what differs between equal runs
 */
export function compareRuns(
  runs: Pair<ComparedRun>,
  normalise: (prompt: string, run: ComparedRun) => string,
): RunComparison {
  const [first, second] = runs;
  const isKnown = first.hasPrompts && second.hasPrompts;
  const ids = [...new Set([...first.nodes, ...second.nodes].map(({ nodeId }) => nodeId))];
  const nodes = ids.map((nodeId): NodeComparison => {
    const pair: Pair<ComparedNode | undefined> = [findNode(first, nodeId), findNode(second, nodeId)];
    const isSame = ([a, b]: Pair<string | undefined>): boolean =>
      a !== undefined && b !== undefined && normalise(a, first) === normalise(b, second);
    const prompts = isKnown ? pairPrompts(pair).filter((difference) => !isSame(difference.prompts)) : [];
    return { nodeId, nodes: pair, prompts };
  });
  return { runs, nodes };
}

function findNode({ nodes }: ComparedRun, nodeId: string): ComparedNode | undefined {
  return nodes.find((node) => node.nodeId === nodeId);
}

function pairPrompts([first, second]: Pair<ComparedNode | undefined>): readonly PromptDifference[] {
  const [left, right] = [first?.prompts ?? [], second?.prompts ?? []];
  const count = Math.max(left.length, right.length);
  return Array.from({ length: count }, (_, index) => ({ number: index + 1, prompts: [left[index], right[index]] }));
}
