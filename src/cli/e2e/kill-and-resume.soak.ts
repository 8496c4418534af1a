import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { partOfSeed, readSeed } from "../../testkit/conformance/part-of-seed.ts";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import {
  ALLOWED,
  createThreeTaskScript,
  FINISHED_FILES,
  IN_PLACE,
  TASK_IDS,
  taskIdOf,
  VERIFY_COMMAND,
} from "./fixtures/three-task-work.ts";

/** Moments of a run at which its process is killed: the n-th event that fits. */
interface Moment {
  readonly title: string;
  readonly fits: (event: RunEvent) => boolean;
  readonly nth?: number;
}

const isNode =
  (type: "node-start" | "node-end", nodeId: string) =>
  (event: RunEvent): boolean =>
    event.type === type && event.nodeId === nodeId;

const isTool =
  (type: "tool-start" | "tool-end", toolName: string) =>
  (event: RunEvent): boolean =>
    event.type === "agent" && event.event.type === type && event.event.toolName === toolName;

const ALL_MOMENTS: readonly Moment[] = [
  { title: "before the first node", fits: ({ type }) => type === "run-start" },
  { title: "while the agent starts", fits: isNode("node-start", "plan") },
  { title: "when the plan's session is open", fits: ({ type }) => type === "agent-session" },
  { title: "right after the plan", fits: isNode("node-end", "plan") },
  { title: "when the first task is handed out", fits: isNode("node-start", "implement") },
  {
    title: "while the first task's text streams",
    fits: (event) => event.type === "agent" && event.event.type === "text-delta",
  },
  { title: "when the agent has written the first file", fits: isTool("tool-end", "write") },
  { title: "while the second task is committed", fits: isTool("tool-start", "bash"), nth: 2 },
  { title: "right after the second task", fits: isNode("node-end", "implement"), nth: 2 },
  { title: "while the work is verified", fits: isNode("node-start", "verify") },
];

/** Half of the moments, every other one from the start to the end of a run; the others on the next day. */
const MOMENTS = partOfSeed(ALL_MOMENTS, 2, readSeed(process.env));

/** The tasks that are known to be finished by these events, in the order in which they were handed out. */
function finishedTasks(events: readonly RunEvent[]): readonly string[] {
  return TASK_IDS.slice(0, events.filter(isNode("node-end", "implement")).length);
}

let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer({ script: () => ({ type: "error", status: 500, message: "no script yet" }) });
});

afterAll(async () => {
  await model.stop();
});

async function prepare(): Promise<Sandbox> {
  const sandbox = await Sandbox.create();
  await sandbox.write({ "README.md": "# Three parts\n" });
  await sandbox.commitAll();
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  await sandbox.writeConfig({ agents: { opencode: { homeDirectory: `${sandbox.root}/agent-home`, endpoint } } });
  model.setScript(createThreeTaskScript(sandbox.project));
  return sandbox;
}

describe("a run of ralph whose process is killed with SIGKILL", () => {
  test.each(MOMENTS.map((moment) => [moment.title, moment] as const))(
    "%s ends, resumed, in the same tree and repeats no finished task",
    async (_title, { fits, nth = 1 }) => {
      const sandbox = await prepare();
      try {
        const first = sandbox.start([
          "ralph",
          "Write three parts",
          "--verify",
          VERIFY_COMMAND,
          ...IN_PLACE,
          ...ALLOWED,
          "--json",
        ]);
        let count = 0;
        const killed = await first.waitFor((event) => fits(event) && ++count === nth);
        first.kill("SIGKILL");
        const { exitCode, events } = await first.ended;
        expect(exitCode).toBeNull();
        const finished = finishedTasks(events);
        const requestsBefore = model.requests.length;

        const resumed = await sandbox.atomic("runs", "resume", killed.runId, "--json");
        expect({ exitCode: resumed.exitCode, last: resumed.events.at(-1)?.type, stderr: resumed.stderr }).toEqual({
          exitCode: 0,
          last: "run-end",
          stderr: "",
        });

        for (const [path, text] of Object.entries(FINISHED_FILES)) {
          expect(await Bun.file(`${sandbox.project}/${path}`).text()).toBe(text);
          expect(`${await sandbox.shell(`git show HEAD:${path}`)}\n`).toBe(text);
        }
        expect(await sandbox.shell("git status --porcelain")).toBe("");
        const handedOutAgain = model.requests
          .slice(requestsBefore)
          .flatMap(({ messages }) => taskIdOf(messages.findLast(({ role }) => role === "user")?.text ?? "") ?? []);
        expect(handedOutAgain.filter((id) => finished.includes(id))).toEqual([]);
        expect(await waitForNoProcess(sandbox.mark, 30_000)).toEqual([]);
      } finally {
        await sandbox.remove();
      }
    },
  );
});
