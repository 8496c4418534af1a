import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Chromium, type PageCheck } from "./fixtures/chromium.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

/** A map of 50, a question, commands, a failure, and texts that would harm a page if they were not escaped. */
const RICH = `import { annotation, defineState, graph, nodes } from "@bastani/atomic/graph";
const EVIL = "</pre></details><script>document.title = 'owned'</script><img src=https://example.invalid/x>";
const State = defineState({ list: annotation<string[]>(Array.from({ length: 50 }, (_, index) => "part " + index)) });
const { agentNode, askUserNode, shellNode, toolNode } = nodes(State);
export default () =>
  graph(State)
    .start(toolNode({ id: "prepare", name: "Prepare " + EVIL, execute: (_, { emit }) => emit({ type: "log", message: EVIL }) }))
    .map((state: { list: string[] }) => state.list, agentNode({
      id: "write",
      name: "Write a part with a name that is too long for one line of a narrow phone",
      buildMessage: (_, { item }) => "Write " + item + EVIL + "x".repeat(30_000),
    }))
    .then(askUserNode({ id: "ask", options: { question: "Ship it? " + EVIL, options: [{ label: "yes" }, { label: "no" }] } }))
    .then(shellNode({ id: "test", command: "seq 1 400; echo " + "y".repeat(300) }))
    .then(shellNode({ id: "deploy", command: "echo no host >&2; exit 3" }))
    .then(toolNode({ id: "publish", execute: () => 1 }))
    .end()
    .compile();
`;

const VIEWS = [
  { width: 1280, scheme: "light" },
  { width: 390, scheme: "light" },
  { width: 390, scheme: "dark" },
] as const;

let sandbox: Sandbox;
let chromium: Chromium;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  chromium = await Chromium.start();
});
afterEach(async () => {
  await chromium.stop();
  await sandbox.remove();
});

async function look(path: string): Promise<readonly Omit<PageCheck, "screenshot">[]> {
  const checks: Omit<PageCheck, "screenshot">[] = [];
  for (const view of VIEWS) {
    const { screenshot: _screenshot, ...check } = await chromium.check(path, view);
    checks.push(check);
  }
  return checks;
}

const clean = (path: string) =>
  VIEWS.map(({ width }) => ({
    ...{ title: expect.stringContaining(" · run "), problems: [], overflowing: [] },
    ...{ requests: [pathToFileURL(path).href], scrollWidth: width },
  }));

test("a report of a rich run loads nothing, runs nothing and fits every screen", async () => {
  await sandbox.write({ ".atomic/workflows/rich.ts": RICH, "kept.txt": "one\n" });
  await sandbox.commitAll();
  await sandbox.atomic("run", "rich", "--agent", "scripted", "--trust");
  const waiting = join(sandbox.root, "waiting.html");
  expect(await sandbox.atomic("runs", "report", "last", "--output", waiting)).toMatchObject({
    exitCode: 0,
    stderr: "",
  });
  await sandbox.write({ "kept.txt": "two\n", "new.txt": "</script><b>new</b>\n", ".env": "TOKEN=abc" });
  expect((await sandbox.atomic("runs", "answer", "last", "yes")).exitCode).toBe(1);
  const failed = join(sandbox.root, "failed.html");
  const redacted = join(sandbox.root, "redacted.html");
  await sandbox.atomic("runs", "report", "last", "--output", failed);
  await sandbox.atomic("runs", "report", "last", "--output", redacted, "--redact");
  for (const path of [waiting, failed, redacted]) {
    expect(await look(path)).toEqual(clean(path));
    expect((await readFile(path)).length).toBeLessThan(1_000_000);
  }
  const text = await readFile(failed, "utf8");
  for (const part of [
    "exit 3",
    "no host",
    "characters are left out here",
    "&lt;b&gt;new&lt;/b&gt;",
    "-one",
    "+two",
    ">yes<",
  ])
    expect(text).toContain(part);
  expect(text).not.toContain("TOKEN=abc");
  expect(await readFile(redacted, "utf8")).not.toMatch(/owned|no host|two|seq/);
}, 300_000);
