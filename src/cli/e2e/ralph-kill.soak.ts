import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import {
  ALLOWED,
  BEGINNING,
  CONFLICTING,
  createTwelveTaskScript,
  TASK_IDS,
  taskIdOf,
  VERIFY_COMMAND,
} from "./fixtures/twelve-tasks.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

/** How many runs are killed. CI has time for few; a campaign sets more. */
const KILLS = Number(process.env.ATOMIC_KILLS ?? 2);
/** Events of a whole run, about. */
const EVENTS = 700;

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  model = await startModelServer({ script: createTwelveTaskScript(0.2) });
  await useScriptedModel(sandbox, model);
  await sandbox.write(BEGINNING);
  await sandbox.commitAll();
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

/** The tasks that are merged by these events. */
function finishedTasks(events: readonly RunEvent[]): ReadonlySet<string> {
  const lists = events.flatMap((event) => (event.type === "tasks" ? [event.tasks] : []));
  const passing = lists.at(-1)?.filter(({ status }) => status === "passing") ?? [];
  return new Set(passing.map(({ id }) => id));
}

const moments = Array.from({ length: KILLS }, () => 1 + Math.floor(Math.random() * EVENTS));

test.each(moments)(
  "Ralph with four workers, killed at event %p, ends resumed in the same tree and repeats no finished task",
  async (moment) => {
    const call = ["ralph", "Write the parts", "--verify", VERIFY_COMMAND, "--workers", "4", "--no-review", ...ALLOWED];
    const first = sandbox.start([...call, "--json"]);
    let count = 0;
    const killed = await first.waitFor((event) => ++count === moment || event.type === "run-end");
    first.kill("SIGKILL");
    const { events } = await first.ended;
    const finished = finishedTasks(events);
    const requestsBefore = model.requests.length;
    if (killed.type !== "run-end") {
      const resumed = await sandbox.atomic("ralph", "--resume", killed.runId, "--json");
      expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toEqual({ exitCode: 0, stderr: "" });
    }
    const handedOutAgain = model.requests
      .slice(requestsBefore)
      .flatMap(({ messages }) => taskIdOf(messages.findLast(({ role }) => role === "user")?.text ?? "") ?? []);
    expect(handedOutAgain.filter((id) => finished.has(id))).toEqual([]);
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
    expect(await sandbox.shell("git status --porcelain")).toBe("");
    expect(await waitForNoProcess(sandbox.mark, 30_000)).toEqual([]);
  },
);
