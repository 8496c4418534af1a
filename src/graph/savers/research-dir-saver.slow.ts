import { afterAll, describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkpointerConformance } from "../../testkit/conformance/saver/checkpointer-conformance.ts";
import { graph } from "../builder.ts";
import { SaverPlaces } from "../fixtures/saver-places.ts";
import { failing, logs, node, TestState } from "../fixtures/test-nodes.ts";
import { cancelRun } from "../journal/cancel-run.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { ResearchDirSaver } from "./research-dir-saver.ts";

const places = new SaverPlaces();
afterAll(() => places.cleanUp());

checkpointerConformance("ResearchDirSaver", () => places.create("research"), {
  startProcess: (saver, action, runId) => places.startProcess(saver, action, runId),
});

/** A project whose graph notes something, asks, and ends. */
async function createProject() {
  const root = await places.createFolder();
  const checkpointer = new ResearchDirSaver(root);
  const ask = waitNode<TestState>({
    id: "ask",
    prompt: 'Is it "so"?\n---',
    inputMapper: (answer) => ({ value: answer }),
  });
  const compiled = graph(TestState)
    .start(node("a", () => logs("```\nfence\u2028")))
    .then(ask)
    .end()
    .compile({ checkpointer, name: "study: 1" });
  const folder = join(root, "research/checkpoints");
  return { root, checkpointer, compiled, folder, page: () => readFile(join(folder, "r.md"), "utf8") };
}

describe("the page of a run", () => {
  test("shows the run's status and state each time a process ends its part", async () => {
    const { compiled, folder, page, root } = await createProject();
    await compiled.run({}, { runId: "r", now: () => 0 });
    const waiting = `---
runId: "r"
workflow: "study: 1"
status: suspended
updated: 1970-01-01T00:00:00.000Z
nodes: 2
waitingFor:
  - "Is it \\"so\\"?\\n---"
---

\`\`\`json
{
  "log": [
    "\`\`\`\\nfence\\u2028"
  ],
  "total": 0,
  "value": "",
  "isDone": false,
  "outputs": {},
  "executionId": "r",
  "lastUpdated": "1970-01-01T00:00:00.000Z"
}
\`\`\`
`;
    expect(await page()).toBe(waiting);
    await compiled.resume("r", { ask: "yes" }, { now: () => 1_000 });
    expect(await page()).toBe(
      waiting
        .replace("suspended", "completed")
        .replaceAll("00:00:00", "00:00:01")
        .replace(/waitingFor:\n.*\n/, "")
        .replace('"value": ""', '"value": "yes"'),
    );
    expect((await readdir(folder)).toSorted()).toEqual(["r.journal", "r.md"]);
    expect((await stat(join(folder, "r.md"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, "research"))).mode & 0o777).not.toBe(0o700);
  });

  test("names the error of a run that failed", async () => {
    const root = await places.createFolder();
    const compiled = graph(TestState).start(failing("x", "no\nway")).end().compile();
    await compiled.run({}, { runId: "r", checkpointer: new ResearchDirSaver(root) });
    const page = await readFile(join(root, "research/checkpoints/r.md"), "utf8");
    expect(page).toContain("\nstatus: failed\n");
    expect(page).toContain('\nerror: "no\\nway"\n');
  });

  test("keeps the state it showed when the run is cancelled without its graph", async () => {
    const { compiled, checkpointer, page } = await createProject();
    await compiled.run({}, { runId: "r" });
    const before = await page();
    await cancelRun(checkpointer, "r");
    const after = await page();
    expect(after).toContain("status: cancelled");
    expect(after.slice(after.indexOf("```json"))).toBe(before.slice(before.indexOf("```json")));
  });

  test("is left alone by who only looks, and goes with what it shows", async () => {
    const { compiled, checkpointer, folder, page } = await createProject();
    await compiled.run({}, { runId: "r" });
    const before = await page();
    const journal = await checkpointer.open("r", "resume");
    await journal.load();
    await journal.close();
    expect(await page()).toBe(before);
    await checkpointer.truncate("r", 2);
    expect(await readdir(folder)).toEqual(["r.journal"]);
    await compiled.resume("r");
    expect((await readdir(folder)).toSorted()).toEqual(["r.journal", "r.md"]);
    await checkpointer.delete("r");
    expect(await readdir(folder)).toEqual([]);
  });

  test("that cannot be written does not harm the run", async () => {
    const { compiled, folder } = await createProject();
    await mkdir(join(folder, "r.md"), { recursive: true });
    await chmod(folder, 0o700);
    expect((await compiled.run({}, { runId: "r" })).status).toBe("suspended");
    expect((await compiled.resume("r", { ask: "yes" })).status).toBe("completed");
    expect((await readdir(folder)).toSorted()).toEqual(["r.journal", "r.md"]);
  });

  test("shows dates, maps and large numbers in a form that people read", async () => {
    const root = await places.createFolder();
    const values = { at: new Date(0), map: new Map([["a", 1n]]), set: new Set([1]), bytes: new Uint8Array([1]) };
    const noting = { id: "n", type: "tool" as const, execute: () => ({ stateUpdate: { outputs: values } }) };
    await graph()
      .start(noting)
      .end()
      .compile()
      .run({}, { runId: "r", checkpointer: new ResearchDirSaver(root) });
    const page = await readFile(join(root, "research/checkpoints/r.md"), "utf8");
    expect(JSON.parse(page.split("```json\n")[1]?.split("\n```")[0] ?? "").outputs).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      map: [["a", "1"]],
      set: [1],
      bytes: "AQ==",
    });
  });
});

describe("a ResearchDirSaver", () => {
  test("uses the working directory by default", async () => {
    expect(await new ResearchDirSaver().list()).toEqual([]);
  });

  test("rejects a project root that is not a path", () => {
    // The cast makes the mistake that the types prevent.
    expect(() => new ResearchDirSaver({ projectRoot: "." } as unknown as string)).toThrow(
      `new ResearchDirSaver() was called with options that cannot be right:
  - new ResearchDirSaver() has projectRoot {"projectRoot":"."}; it must be a path
Correct the call.`,
    );
  });
});
