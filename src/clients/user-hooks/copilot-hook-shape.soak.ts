import { afterEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ALL, copilot, HookedProject, running } from "./fixtures/hooked-project.ts";

const projects: HookedProject[] = [];
afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove();
});

async function createProject(files: Readonly<Record<string, string | object>>): Promise<HookedProject> {
  const project = await HookedProject.create(files);
  projects.push(project);
  return project;
}

describe("the hooks of Copilot", () => {
  test("receive the events of another agent in Copilot's shape", async () => {
    const events = [
      "sessionStart",
      "userPromptSubmitted",
      "preToolUse",
      "postToolUse",
      "postToolUseFailure",
      "agentStop",
      "sessionEnd",
    ];
    const project = await createProject(
      copilot(Object.fromEntries(events.map((event) => [event, "cat >> notes.jsonl"]))),
    );
    const { client } = await project.open(() => ({
      actions: [
        { type: "run-command", command: "echo hi" },
        { type: "read-file", path: "missing.txt" },
      ],
      text: "Done.",
    }));
    const session = await client.createSession({ permissions: ALL });
    await session.send("Say hi.");
    await session.destroy();
    const common = { sessionId: session.id, timestamp: expect.any(Number), cwd: project.folder };
    const seen = await project.notes();
    expect(seen.filter(({ prompt, source, reason }) => prompt ?? source ?? reason)).toEqual([
      { ...common, source: "new" },
      { ...common, prompt: "Say hi." },
      { ...common, reason: "complete" },
    ]);
    expect(seen.filter(({ toolName }) => toolName === "bash")).toEqual([
      { ...common, toolName: "bash", toolArgs: { command: "echo hi" } },
      {
        ...common,
        toolName: "bash",
        toolArgs: { command: "echo hi" },
        toolResult: { resultType: "success", textResultForLlm: "hi\n" },
      },
    ]);
    expect(seen.filter(({ toolName }) => toolName === "view")).toEqual([
      { ...common, toolName: "view", toolArgs: { path: "missing.txt" } },
      { ...common, toolName: "view", toolArgs: { path: "missing.txt" }, error: expect.stringContaining("missing.txt") },
    ]);
  });

  test.each([
    {
      title: "its decision",
      bash: `echo '{"permissionDecision":"deny","permissionDecisionReason":"no"}'`,
      runs: false,
    },
    { title: "any failure", bash: "echo no >&2; exit 1", runs: false },
    { title: "other output", bash: "echo hello", runs: true },
    { title: "permission to run", bash: `echo '{"permissionDecision":"allow"}'`, runs: true },
  ])("decide about a call by $title", async ({ bash, runs }) => {
    const project = await createProject(copilot({ preToolUse: bash }));
    const { client } = await project.open(running("touch made.txt"));
    await (await client.createSession({ permissions: ALL })).send("Touch it.");
    expect(existsSync(join(project.folder, "made.txt"))).toBe(runs);
  });

  test("run in their own folder with their own environment, and change what is sent", async () => {
    const project = await createProject({
      "tools/say.sh": `#!/bin/bash\necho "{\\"modifiedPrompt\\":\\"$MODE in $(basename "$PWD")\\",\\"additionalContext\\":\\"More.\\"}"\n`,
      ".github/hooks/a.json": {
        version: 1,
        hooks: {
          userPromptSubmitted: [
            { type: "command", bash: "./say.sh", cwd: "tools", env: { MODE: "$BASE-x", BASE: "y" } },
          ],
        },
      },
    });
    const { client, agent } = await project.open(() => "Hello.");
    await (await client.createSession()).send("Hi.");
    expect(agent.turns.map(({ prompt }) => prompt)).toEqual(["-x in tools\n\nMore."]);
  });
});
