import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let model: ModelServer;

beforeAll(async () => {
  // The answer is the task itself, so that the script's next prompts are the same in every process.
  model = await startModelServer({
    script: ({ messages }) => {
      const prompt = messages.findLast(({ role }) => role === "user")?.text ?? "";
      return { type: "message", text: `(${prompt.match(/(?:Look at|Sum up|Find|Judge)[^\n(]*/)?.[0]?.trim()})` };
    },
  });
});

afterAll(async () => {
  await model.stop();
});

test.each(["fan-out", "pipeline"])(
  "the script %s on OpenCode, killed with -9, ends when it is resumed, and repeats no agent that has ended",
  async (name) => {
    const sandbox = await Sandbox.create();
    try {
      const script = await Bun.file(join(import.meta.dir, "fixtures", "scripts", `${name}.js`)).text();
      await sandbox.write({ "README.md": "# Parts\n", [`.claude/workflows/${name}.js`]: script });
      await sandbox.commitAll();
      const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
      await sandbox.writeConfig({ agents: { opencode: { homeDirectory: `${sandbox.root}/agent-home`, endpoint } } });
      const first = sandbox.start(["run", name, "--agent", "opencode", "--trust", "--json"]);
      let ended = 0;
      const killed = await first.waitFor((event) => event.type === "node-end" && ++ended === 3);
      first.kill("SIGKILL");
      const { events } = await first.ended;
      const finished = events.flatMap((event) => (event.type === "node-end" ? [event.taskId] : []));

      const resumed = await sandbox.atomic("runs", "resume", killed.runId, "--json");
      const again = resumed.events.flatMap((event) => (event.type === "node-start" ? [event.taskId] : []));
      expect({ exitCode: resumed.exitCode, repeated: again.filter((id) => finished.includes(id)) }).toEqual({
        exitCode: 0,
        repeated: [],
      });
      expect(resumed.events.at(-1)).toMatchObject({ type: "run-end", status: "completed" });
      expect(await waitForNoProcess(sandbox.mark, 30_000)).toEqual([]);
    } finally {
      await sandbox.remove();
    }
  },
  180_000,
);
