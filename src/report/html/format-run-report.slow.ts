import { expect, test } from "bun:test";
import { NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { EVENTS, REPORT, START } from "../fixtures/example-run.ts";
import { createRunReport } from "../model/create-run-report.ts";
import { withoutTexts } from "../model/without-texts.ts";
import { formatRunReport, REPORT_START } from "./format-run-report.ts";

const SOURCES = { report: REPORT, events: EVENTS, moments: [], log: [], createdAt: START + 60_000 };
const VERSION = { version: "1.0.0" };

test("a report is one page without scripts, whose policy allows nothing to be loaded", async () => {
  const text = formatRunReport(await createRunReport(SOURCES), VERSION);
  expect(text).toStartWith(REPORT_START);
  expect(text).toContain(
    `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"`,
  );
  expect(text).not.toMatch(/<script|<iframe|<form|@import|url\((?!#)|https?:/);
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const links = [...text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !ids.includes(id))).toEqual([]);
});

test("what agents write is text in every place of a page", async () => {
  const evil = `</pre><img src=x onerror="alert(1)">'\u001b[31m`;
  const events = EVENTS.map(
    (event) =>
      // The cast is true: every text of the event is another text.
      JSON.parse(
        JSON.stringify(event, (key, value) =>
          /^(type|at|taskId|nodeId|runId|kind|sessionId|status|toolId|subagentId|requestId|id)$/.test(key) ||
          typeof value !== "string"
            ? value
            : evil,
        ),
      ) as RunEvent,
  );
  const changes = {
    files: [{ path: evil, oldPath: evil, status: "renamed", hunks: [{ start: 1, lines: [`+${evil}`] }] }],
    leftOut: [{ path: evil, reason: evil }],
    commits: [{ id: evil, subject: evil }],
  } as const;
  const session = {
    ...REPORT.session,
    workflowName: evil,
    agent: evil,
    model: evil,
    projectDirectory: evil,
    input: { [evil]: evil },
  };
  const graph = { nodes: [{ id: "write", name: evil }], edges: [{ from: "write", to: "write", label: evil }] };
  const page = await createRunReport({
    ...SOURCES,
    report: { ...REPORT, session },
    events,
    changes,
    graph,
    notes: [evil],
  });
  const text = formatRunReport(page, VERSION);
  for (const part of ["<img", 'onerror="', "\u001b"]) expect(text).not.toContain(part);
  expect(text.split("&lt;img src=x").length).toBeGreaterThan(30);
});

test.each([
  { title: "a few very long texts", visits: 3, length: 1_000_000 },
  { title: "very many visits", visits: 1_500, length: 2_000 },
])("a report with $title stays below a megabyte and says what it leaves out", async ({ visits, length }) => {
  const events: RunEvent[] = [];
  for (let index = 0; index < visits; index++) {
    const about = { runId: "0run", at: START + index, nodeId: "write", taskId: `map[${index}]/write` };
    events.push({ ...about, type: "node-start", nodeType: "agent", name: `Write ${index}`, attempt: 1 });
    events.push({ ...about, type: "agent-prompt", message: "<".repeat(length) });
    events.push({ ...about, type: "log", message: "a short line" });
  }
  const text = formatRunReport(await createRunReport({ ...SOURCES, events }), VERSION);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  expect(text).toMatch(/left out here/);
  expect(text).toContain("a short line");
  expect(text).toEndWith("</html>\n");
});

test("without texts a report says so, and has the exit codes", async () => {
  const text = formatRunReport(withoutTexts(await createRunReport(SOURCES)), VERSION);
  expect(text).not.toMatch(/private/i);
  expect(text).toContain("were left out of this report");
  expect(text).toContain("exit 3");
  expect(text).toContain("$0.5000");
});

test("attempts of commands that were stopped are in the steps and the commands, with their times", async () => {
  const about = { runId: "0run", taskId: "build", nodeId: "build" } as const;
  const node = { ...about, type: "node-start", nodeType: "tool", name: "build" } as const;
  const events: readonly RunEvent[] = [
    { type: "run-start", runId: "0run", at: START, workflow: "ship", isResume: false },
    { ...node, at: START, attempt: 1 },
    { type: "run-end", runId: "0run", at: START + 3_000, status: "cancelled", usage: NO_USAGE },
    { type: "run-start", runId: "0run", at: START + 10_000, workflow: "ship", isResume: true },
    { ...node, at: START + 10_000, attempt: 2 },
    { ...about, type: "command-end", at: START + 11_000, command: "make all", exitCode: 0, durationMs: 1_000 },
    { ...about, type: "node-end", at: START + 11_000, durationMs: 1_000, usage: NO_USAGE },
  ];
  const report = { ...REPORT, status: "completed" as const, summary: undefined };
  const page = await createRunReport({ ...SOURCES, report, events });
  const stopped = '<span class="badge halted">stopped</span>';
  const text = formatRunReport(page, VERSION);
  expect(text).toContain("1 succeeded, 0 failed, 1 stopped.");
  expect(text).toContain(`<td>${stopped}</td><td class="number">3s</td><td class="wide"><code>make all</code></td>`);
  expect(text).toContain(`<small>Attempt 1</small> ${stopped} <small>after 3s</small>`);
  const start: RunEvent = { ...about, type: "command-start", at: START + 1_000, command: "make first" };
  const recorded = await createRunReport({ ...SOURCES, report, events: events.toSpliced(2, 0, start) });
  const itself = formatRunReport(recorded, VERSION);
  expect(itself).toContain("1 succeeded, 0 failed, 1 stopped.");
  expect(itself).toContain(
    `<td>${stopped}</td><td class="number">2s</td><td class="wide"><code>make first</code></td>`,
  );
  const redacted = formatRunReport(withoutTexts(page), VERSION);
  expect(redacted).toContain(`<td>${stopped}</td><td class="number">3s</td><td>`);
  expect([text, redacted].map((html) => html.includes("<th>Command</th>"))).toEqual([true, false]);
});

test("the commands are in the order of their times, also where a step began before another one and ran its command later", async () => {
  const base = { runId: "r" } as const;
  const command = (node: string, at: number) => ({
    ...{
      ...base,
      type: "command-end",
      nodeId: node,
      taskId: node,
      at,
      command: `run-${node}`,
      exitCode: 0,
      durationMs: 1,
      output: "",
    },
  });
  const begin = (node: string, at: number) => ({
    ...{ ...base, type: "node-start", nodeId: node, taskId: node, at, attempt: 1, nodeType: "shell" },
  });
  const events = [
    begin("one", START),
    begin("two", START + 1),
    command("two", START + 2),
    command("one", START + 3_000),
  ];
  const page = await createRunReport({ ...SOURCES, events: events as unknown as readonly RunEvent[] });
  const [, section = ""] = formatRunReport(page, VERSION).split('aria-label="Commands"');
  expect([...(section.split("</table>")[0] ?? "").matchAll(/<code>(run-\w+)/g)].map(([, text]) => text)).toEqual([
    "run-two",
    "run-one",
  ]);
});
