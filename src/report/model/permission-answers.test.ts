import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PermissionDecision } from "../../contracts/index.ts";
import { agentNode, graph } from "../../graph/index.ts";
import { createScriptedAgent } from "../../testkit/index.ts";
import { createSessionStore, createWorkflowRuns, EVENTS_FILE, readEvents } from "../../workflows/index.ts";
import { createRunReport } from "./create-run-report.ts";

const REQUEST = "The agent asks for permission: Run true";

test.each<{ title: string; decision: PermissionDecision; lines: string[] }>([
  {
    title: "was allowed",
    decision: { type: "allow", scope: "once", answered: 'with "atomic runs answer"' },
    lines: [REQUEST, 'Allowed once with "atomic runs answer": Run true'],
  },
  {
    title: "was denied",
    decision: { type: "deny", reason: "The user said no.", answered: "at the terminal" },
    lines: [REQUEST, "Denied at the terminal: Run true", "Denied: Run true (The user said no.)"],
  },
])("the log and the report of a run say that a call $title, and where", async ({ decision, lines }) => {
  const root = await mkdtemp(join(tmpdir(), "atomic-permission-answers-"));
  const agent = createScriptedAgent({
    workingDirectory: root,
    evaluatePermission: () => "ask",
    script: () => ({ actions: [{ type: "run-command", command: "true" }], text: "done" }),
  });
  try {
    const owner = { pid: process.pid, startedAt: new Date(0).toISOString() };
    const runs = createWorkflowRuns({ store: createSessionStore({ root: join(root, "sessions") }), owner });
    const { runId } = await runs.start({
      graph: graph()
        .start(agentNode({ id: "work", buildMessage: () => "Work" }))
        .end()
        .compile(),
      metadata: { name: "w", description: "", aliases: [], source: "local" },
      services: {
        clients: () => agent,
        workingDirectory: root,
        sessionConfig: { onPermissionAsk: async () => decision },
      },
      signal: new AbortController().signal,
      input: {},
      projectDirectory: root,
    });
    const log = await runs.log(runId);
    const said = log.filter(({ taskId }) => taskId === "work").map(({ message }) => message);
    expect(said).toEqual(lines);
    const report = await runs.report(runId);
    const events = readEvents(join(report.session.sessionDir, EVENTS_FILE));
    const { visits } = await createRunReport({ report, events, moments: [], log, createdAt: 0 });
    const shown = visits[0]?.parts.flatMap((part) =>
      part.type === "log" ? [part.message] : part.type === "denied" ? [`Denied: ${part.title} (${part.reason})`] : [],
    );
    expect(shown).toEqual(lines);
  } finally {
    await agent.stop();
    await rm(root, { recursive: true, force: true });
  }
});
