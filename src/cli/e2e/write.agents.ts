import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const META = 'export const meta = { name: "greet", description: "Greets three people" };';
const FILES =
  "{ type: 'object', required: ['names'], properties: { names: { type: 'array', items: { type: 'string' } } } }";
const GOOD = `${META}
const first = await agent("Greet Ada");
const others = await parallel(["Bob", "Eve"].map((name) => () => agent("Greet " + name)));
return [first, ...others].join(" ");
`;

/** The drafts of the model, by what its prompt says: the first is broken, the second calls too many agents. */
function draftFor(prompt: string): string {
  if (prompt.includes("more than 3 agents")) return GOOD;
  if (!prompt.includes("cannot run")) return `${META}\nreturn await agnet("Greet Ada");`;
  return `${META}\nconst { names } = await agent("List", { schema: ${FILES} });\nawait parallel(names.map((name) => () => agent(name)));\n`;
}

let model: ModelServer;
let sandbox: Sandbox;
/** What the writer's attempt to change something came to. */
let attempt = "";
/** The greetings that agents were asked for. */
let greeted: string[] = [];

beforeEach(async () => {
  sandbox = await Sandbox.create();
  attempt = "";
  greeted = [];
  model = await startModelServer({
    script: ({ messages, toolNames }) => {
      const prompt = messages.findLast(({ role }) => role === "user")?.text ?? "";
      const results = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
      const answers = results.filter(({ role }) => role === "tool");
      if (!/workflow script|cannot run/.test(prompt)) {
        const name = /Greet (\w+)/.exec(prompt)?.[1];
        if (name === undefined) return { type: "message", text: "Title" };
        greeted.push(name);
        return { type: "message", text: `Hello ${name}.` };
      }
      if (!toolNames.includes("StructuredOutput")) return { type: "message", text: "Title" };
      if (answers.length === 0 && attempt === "") {
        attempt = "made";
        const input = { command: "touch planted", description: "Touch" };
        return { type: "message", toolCalls: [{ name: "bash", input }] };
      }
      if (attempt === "made" && answers.length > 0) attempt = answers[0]?.text ?? "";
      return { type: "message", toolCalls: [{ name: "StructuredOutput", input: { script: draftFor(prompt) } }] };
    },
  });
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  await sandbox.write({ "README.md": "# People\n" });
  await sandbox.commitAll();
  await sandbox.writeConfig({ agents: { opencode: { homeDirectory: `${sandbox.root}/agent-home`, endpoint } } });
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

test("OpenCode writes a broken, a too wide and a good script; it runs after approval, continues after kill -9, and is kept", async () => {
  const written = await sandbox.atomic(
    ...["write", "Greet three people", "--max-agents", "3", "--agent", "opencode", "--yolo", "--json"],
  );
  const logs = written.events.flatMap((event) => (event.type === "log" ? [event.message] : []));
  expect({ exitCode: written.exitCode, logs }).toEqual({
    exitCode: 3,
    logs: [
      'Draft 1: Line 2: A script has no "agnet". Did you mean "agent"?',
      "Draft 2: With made-up answers it calls more than 3 agents, which is the limit. Bound its lists and loops: files.slice(0, 5), for (let round = 0; round < 3; round++).",
    ],
  });
  const runId = written.events[0]?.runId ?? "";
  expect([attempt, existsSync(join(sandbox.project, "planted"))]).toEqual([
    expect.stringContaining("unavailable tool 'bash'"),
    false,
  ]);
  const shown = await sandbox.atomic("runs", "show", runId);
  expect(shown.stdout).toContain("At most 3 agents:");

  const running = sandbox.start(["runs", "answer", runId, "run", "--json"]);
  const isGreeting = (taskId: string): boolean => taskId.startsWith("run-script[");
  await running.waitFor((event) => event.type === "node-end" && isGreeting(event.taskId));
  running.kill("SIGKILL");
  await running.ended;
  const before = [...greeted];
  const resumed = await sandbox.atomic("runs", "resume", runId, "--json");
  expect([resumed.exitCode, greeted.filter((name) => name === "Ada").length]).toEqual([3, 1]);
  expect(before).toContain("Ada");

  const kept = await sandbox.atomic("runs", "answer", runId, "keep");
  expect({ exitCode: kept.exitCode, stdout: kept.stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining(
      "\n\nHello Ada. Hello Bob. Hello Eve.\n\nKept as .atomic/workflows/greet.js. Run it: atomic run greet (a project that you have not trusted needs --trust)\n",
    ),
  });
  expect(await Bun.file(join(sandbox.project, ".atomic/workflows/greet.js")).text()).toBe(GOOD);
  const again = await sandbox.atomic("run", "greet", "--agent", "opencode", "--trust");
  expect([again.exitCode, again.stdout]).toEqual([
    0,
    expect.stringContaining("\n\nHello Ada. Hello Bob. Hello Eve.\n"),
  ]);
}, 240_000);
