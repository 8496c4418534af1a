/**
 * Imports what nodes else import when they are executed. Whoever minds the order in which nodes of different branches
 * end, and has nothing that takes time but that, does so first: an import that is done takes the same few turns always.
 */
export async function loadNodes(): Promise<void> {
  await Promise.all([
    import("./call-tool.ts"),
    import("./check-criteria.ts"),
    import("./clear-context.ts"),
    import("./delegate.ts"),
    import("./monitor-context.ts"),
    import("./named-agent.ts"),
    import("./run-agent-node.ts"),
    import("./run-task-round.ts"),
  ]);
}
