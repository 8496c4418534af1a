import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

/** Two agents write at the same time, then a third one. */
const WORKFLOW = `import { annotation, defineState, graph, nodes } from "@bastani/atomic/graph";
const State = defineState({ prompt: annotation("the sea") });
const { agentNode, parallelNode } = nodes(State);
const write = (id: string) => agentNode({ id, buildMessage: ({ prompt }) => "Write " + id + ".txt about " + prompt });
const both = parallelNode({ id: "both", branches: [write("one"), write("two")] });
export default () => graph(State).start(both).then(write("three")).end().compile();
`;
const RECORDING = "recordings/work.jsonl";

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  model = await startModelServer({
    script: ({ messages }) => {
      const asked = JSON.stringify(messages);
      const name = /Write (\w+)\.txt/.exec(asked)?.[1];
      if (name === undefined) return { type: "message", text: "A title" };
      if (messages.at(-1)?.role === "tool") return { type: "message", text: `Wrote ${name}.` };
      const input = { filePath: join(sandbox.project, `${name}.txt`), content: `${name}\n` };
      return { type: "message", text: "", toolCalls: [{ name: "write", input }] };
    },
  });
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/work.ts": WORKFLOW, ".gitignore": "recordings\n", "kept.txt": "kept\n" });
  await sandbox.commitAll();
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

const tree = () => sandbox.shell("for file in *.txt; do echo $file: $(cat $file); done");

test("a run of OpenCode is replayed without OpenCode and without a model, to the same tree; a changed prompt is named", async () => {
  await useScriptedModel(sandbox, model);
  const args = ["run", "work", "--trust", "--allow", "edit"];
  const recorded = await sandbox.atomic(...args, "--agent", "opencode", "--record", RECORDING);
  expect({ exitCode: recorded.exitCode, stderr: recorded.stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
  const written = await tree();
  expect(written).toBe("kept.txt: kept\none.txt: one\nthree.txt: three\ntwo.txt: two");

  await sandbox.shell("git clean -fdq && git status --porcelain");
  const requests = model.requests.length;
  await model.stop();
  const replayed = await sandbox.start([...args, "--replay", RECORDING], { PATH: "/usr/bin:/bin" }).ended;
  expect({ exitCode: replayed.exitCode, tree: await tree() }).toEqual({ exitCode: 0, tree: written });
  expect(model.requests.length).toBe(requests);

  await sandbox.shell("git clean -fdq");
  const other = await sandbox.atomic("run", "work", "the hills", "--replay", RECORDING);
  expect(other.exitCode).toBe(1);
  expect(other.stdout).toMatch(/The prompt of "both\[(one|two)\]\/(one|two)" is not the one in the recording/);
  expect(await tree()).toBe("kept.txt: kept");
});
