import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { addUsage, NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { Chromium } from "./fixtures/chromium.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import {
  ALLOWED,
  BEGINNING,
  CHAINS,
  CONFLICTING,
  createTwelveTaskScript,
  TASK_IDS,
  VERIFY_COMMAND,
} from "./fixtures/twelve-tasks.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  model = await startModelServer({ script: createTwelveTaskScript(2) });
  await useScriptedModel(sandbox, model);
  await sandbox.write(BEGINNING);
  await sandbox.commitAll();
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

/** How long each task took, in milliseconds, from its handing out to its merge. */
function durationsOf(events: readonly RunEvent[]): ReadonlyMap<string, number> {
  const durations = new Map<string, number>();
  const started = new Map<string, RunEvent>();
  for (const event of events) {
    if (event.type === "node-start" && event.nodeId === "implement") started.set(event.taskId, event);
    if (event.type !== "node-end" || event.nodeId !== "implement") continue;
    const start = started.get(event.taskId);
    const id = /^Task (\w+):/.exec(start?.type === "node-start" ? start.name : "")?.[1] ?? "";
    durations.set(id, event.at - (start?.at ?? 0));
  }
  return durations;
}

/** Its report shows each task on a desktop and on a phone, and loads nothing. */
async function lookAtReport(): Promise<void> {
  const path = join(sandbox.root, "report.html");
  await sandbox.atomic("runs", "report", "last", "--output", path);
  const text = await readFile(path, "utf8");
  for (const id of TASK_IDS) expect(text).toContain(`Task ${id}: Part ${id}`);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  const chromium = await Chromium.start();
  try {
    for (const width of [1280, 390]) {
      const { screenshot: _screenshot, ...page } = await chromium.check(path, { width, scheme: "light" });
      const requests = [pathToFileURL(path).href];
      expect(page).toEqual({ title: expect.any(String), problems: [], requests, scrollWidth: width, overflowing: [] });
    }
  } finally {
    await chromium.stop();
  }
}

test("four OpenCode workers do twelve tasks in three chains, in worktrees: each once, none lost, conflicts resolved", async () => {
  const call = ["ralph", "Write the parts", "--verify", VERIFY_COMMAND, "--workers", "4", "--no-review", ...ALLOWED];
  const { exitCode, stderr, events } = await sandbox.atomic(...call, "--json");
  expect({ exitCode, stderr, end: events.at(-1) }).toMatchObject({ exitCode: 0, stderr: "", end: { type: "run-end" } });
  for (const id of TASK_IDS) {
    expect(await readFile(join(sandbox.project, `src/${id}.js`), "utf8")).toBe(`export const part = "${id}";\n`);
  }
  expect((await readFile(join(sandbox.project, "list.txt"), "utf8")).split("\n").toSorted()).toEqual([
    "",
    ...CONFLICTING,
    "begin",
  ]);
  await sandbox.shell(VERIFY_COMMAND);
  const merges = (await sandbox.shell("git log --first-parent --format=%s")).split("\n");
  expect(merges.toSorted()).toEqual([...TASK_IDS.map((id) => `Task ${id}: Part ${id}`), "start"].toSorted());
  const commits = (await sandbox.shell("git log --no-merges --format=%s")).split("\n");
  expect(commits.toSorted()).toEqual(merges.toSorted());
  expect(
    await sandbox.shell("git status --porcelain; git branch --format='%(refname:short)'; git worktree list | wc -l"),
  ).toBe("main\n1");
  await lookAtReport();
  const durations = durationsOf(events);
  const sum = (ids: readonly string[]): number => ids.reduce((total, id) => total + (durations.get(id) ?? 0), 0);
  const first = events.find((event) => event.type === "node-start" && event.nodeId === "implement");
  const last = events.findLast((event) => event.type === "node-end" && event.nodeId === "implement");
  const wallMs = (last?.at ?? 0) - (first?.at ?? 0);
  const critical = Math.max(...CHAINS.map(sum));
  expect([...durations.keys()].toSorted()).toEqual([...TASK_IDS]);
  const ratios = [wallMs / critical, wallMs / sum(TASK_IDS)].map((ratio) => ratio.toFixed(2));
  process.stdout.write(`twelve tasks: ${wallMs} ms, ${ratios[0]} of the critical path, ${ratios[1]} of the sum\n`);
});

test("workers of three vendors share the tasks, and the summary says who did what", async () => {
  const agents = "opencode,claude,copilot";
  const call = ["ralph", "Write the parts", "--agents", agents, "--workers", "3", "--no-review", ...ALLOWED];
  const { exitCode, stderr, events } = await sandbox.atomic(...call, "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const end = events.at(-1);
  const summary = String(end?.type === "run-end" ? end.output : "").split("\n");
  expect(summary[0]).toBe("12 of 12 tasks done");
  const workers = summary.slice(1, 13).map((line) => /^✔ \w+: Part \w+ \((\w+)\)$/.exec(line)?.[1]);
  expect([...new Set(workers)].toSorted()).toEqual(["claude", "copilot", "opencode"]);
  for (const id of TASK_IDS) await readFile(join(sandbox.project, `src/${id}.js`));
  const { usage = NO_USAGE, usageByAgent = {} } = end?.type === "run-end" ? end : {};
  expect(Object.keys(usageByAgent).toSorted()).toEqual(["claude", "copilot", "opencode"]);
  const { costUsd: _costUsd, ...tokens } = usage;
  expect(Object.values(usageByAgent).reduce(addUsage)).toMatchObject(tokens);
  const { stdout } = await sandbox.atomic("runs", "show", end?.runId ?? "");
  const lines = stdout.split("\n");
  const total = lines.findIndex((line) => line.startsWith("Usage     "));
  expect(lines.slice(total + 1, total + 5)).toEqual([
    expect.stringMatching(/^ {2}claude {4}[\d.]+[kM]? tokens(, \$[\d.]+)?$/),
    expect.stringMatching(/^ {2}copilot {3}[\d.]+[kM]? tokens(, \$[\d.]+)?$/),
    expect.stringMatching(/^ {2}opencode {2}[\d.]+[kM]? tokens(, \$[\d.]+)?$/),
    "",
  ]);
});

test("where OpenCode reaches its limit in the middle of a task, Claude finishes it in the same worktree", async () => {
  const id = TASK_IDS[0] ?? "";
  const plan = { tasks: [{ id, name: `Part ${id}`, description: "Write it.", dependencies: [] }] };
  const work = createTwelveTaskScript(0);
  const places: string[] = [];
  model.setScript((request) => {
    const { messages, protocol, toolNames } = request;
    const user = messages.flatMap(({ role, text }) => (role === "user" ? [text] : [])).join("\n");
    if (user.includes("Break the following") && !messages.some(({ role }) => role === "assistant")) {
      const name = toolNames.find((tool) => tool.endsWith("StructuredOutput")) ?? "";
      return { type: "message", toolCalls: [{ name, input: plan }] };
    }
    const shell = toolNames.find((tool) => tool.toLowerCase() === "bash");
    if (!user.includes(`(task ${id})`) || shell === undefined) return work(request);
    const hasActed = messages.some(({ role }) => role === "tool");
    if (protocol.startsWith("openai") && hasActed)
      return { type: "error", status: 429, message: "The quota is used up." };
    if (protocol.startsWith("openai")) {
      return {
        type: "message",
        toolCalls: [{ name: shell, input: { command: "echo half > half.txt", description: "Begin" } }],
      };
    }
    places.push(user.includes("The quota is used up") ? "told" : "not told");
    return hasActed
      ? { type: "message", text: "Done." }
      : {
          type: "message",
          toolCalls: [{ name: shell, input: { command: "cat half.txt > whole.txt", description: "End" } }],
        };
  });
  const call = ["ralph", "Write it", "--agents", "opencode,claude", "--no-review", ...ALLOWED];
  const one = ["--workers", "1", "--setup", "true", "--json"];
  const { exitCode, events } = await sandbox.atomic(...call, ...one);
  const logs = events.flatMap((event) => (event.type === "log" ? [event.message] : []));
  expect({ exitCode, logs }).toMatchObject({
    exitCode: 0,
    logs: expect.arrayContaining([expect.stringMatching(/The agent "claude" takes over\.$/)]),
  });
  expect(await readFile(join(sandbox.project, "whole.txt"), "utf8")).toBe("half\n");
  expect(new Set(places)).toEqual(new Set(["told"]));
  const end = events.at(-1);
  expect(end?.type === "run-end" && end.output).toContain(`✔ ${id}: Part ${id} (claude)`);
  const worked = events.find((event) => event.type === "node-end" && event.nodeId === "implement");
  const used = Object.keys((worked?.type === "node-end" && worked.usageByAgent) || {});
  expect(used.toSorted()).toEqual(["claude", "opencode"]);
});
