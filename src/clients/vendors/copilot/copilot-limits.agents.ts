import { afterAll, expect, test } from "bun:test";
import path from "node:path";
import { MaxTurnsReachedError, type PermissionPolicy } from "../../../contracts/index.ts";
import { callTools } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import type { ModelToolCall } from "../../../testkit/index.ts";
import { startCopilotBench } from "./fixtures/copilot-bench.ts";

const bench = await startCopilotBench(process.env.PATH ?? "");
const { client, models, workFolder } = bench;
afterAll(() => bench.stop());

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };
const READ: ModelToolCall = { name: "view", input: { path: path.join(workFolder, "README.md") } };
const MISS: ModelToolCall = { name: "view", input: { path: path.join(workFolder, "none.md") } };
const UNKNOWN: ModelToolCall = { name: "no_such_tool", input: {} };

test.each<{ title: string; toolCalls: readonly ModelToolCall[]; permissions: PermissionPolicy }>([
  { title: "runs", toolCalls: [READ], permissions: ALLOW_ALL },
  { title: "fails", toolCalls: [READ, MISS, UNKNOWN], permissions: ALLOW_ALL },
  { title: "is denied", toolCalls: [READ], permissions: { rules: [{ effect: "deny" }] } },
])("a turn whose last call $title calls the model as often as it may", async ({ toolCalls, permissions }) => {
  const asked: number[] = [];
  models.setScript(({ messages }) => {
    asked.push(messages.length);
    return callTools(...toolCalls);
  });
  const session = await client.createSession({ maxTurns: 3, permissions });
  expect(await rejectionOf(session.send("Never stop."))).toEqual(new MaxTurnsReachedError("copilot", 3));
  expect(asked.length).toBe(3);
  models.setScript(() => ({ type: "message", text: "Here." }));
  expect((await session.send("Still there?")).content).toBe("Here.");
});

test("a call that a person allows and then denies when Copilot asks again is no reason for one more model call", async () => {
  // Copilot leaves out each `cd` to where it is already, which makes it another command for Atomic.
  const command = `cd ${workFolder} && cd . && touch a.txt`;
  let modelCalls = 0;
  models.setScript(() => {
    modelCalls += 1;
    return callTools({ name: "bash", input: { command, description: "Touch" } });
  });
  const asked: string[] = [];
  const session = await client.createSession({
    maxTurns: 2,
    onPermissionAsk: async ({ title }) => {
      asked.push(title);
      return title.includes("cd ") ? { type: "allow", scope: "once" } : { type: "deny", reason: "Not now." };
    },
  });
  expect(await rejectionOf(session.send("Never stop."))).toEqual(new MaxTurnsReachedError("copilot", 2));
  expect(asked).toEqual([`bash: ${command}`, "bash: touch a.txt", `bash: ${command}`, "bash: touch a.txt"]);
  expect(modelCalls).toBe(2);
});

test("the calls of a sub-agent do not count", async () => {
  const delegate: ModelToolCall = {
    name: "task",
    input: { description: "look", agent_type: "general-purpose", name: "looker", mode: "sync", prompt: "Look." },
  };
  let lookCount = 0;
  models.setScript(({ body }) => {
    const isOwn = JSON.stringify(body).includes("the-task-of-the-turn");
    if (isOwn) return lookCount === 0 ? callTools(delegate) : { type: "message", text: "Done." };
    lookCount += 1;
    return lookCount < 4 ? callTools(READ) : { type: "message", text: "Seen." };
  });
  const session = await client.createSession({ maxTurns: 2, permissions: ALLOW_ALL });
  expect((await session.send("Do the-task-of-the-turn.")).content).toBe("Done.");
  expect(lookCount).toBe(4);
});
