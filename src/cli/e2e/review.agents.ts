import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { finding } from "./fixtures/review-project.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

const call = (name: string, input: unknown) => ({ type: "message", toolCalls: [{ name, input }] }) as const;

let model: ModelServer;
let sandbox: Sandbox;
/** What came back to each reviewer that ran a command. */
let attempts: Map<string, string>;

/** The structured answer to a prompt of the review. */
function answerTo(task: string): unknown {
  const subject = /Your subject is "([a-z-]+)"/.exec(task)?.[1];
  if (subject === "bugs") return { findings: [finding(1), finding(2, { severity: "high" })] };
  if (subject === "security") return { findings: [finding(3, { category: "security", severity: "high" })] };
  const line = /Place: \S+?:(\d+)/.exec(task)?.[1];
  return { verdict: line === "2" ? "refuted" : "confirmed", reason: `Line ${line} says so.` };
}

beforeEach(async () => {
  sandbox = await Sandbox.create();
  attempts = new Map();
  model = await startModelServer({
    script: ({ messages, protocol, toolNames }) => {
      const task = messages.find(({ role, text }) => role === "user" && /Your subject|Place: /.test(text))?.text ?? "";
      const subject = /Your subject is "([a-z-]+)"/.exec(task)?.[1];
      const results = messages.filter(({ role }) => role === "tool").map(({ text }) => text);
      if (task === "") return { type: "message", text: "Review" };
      if (subject !== undefined && results.length === 0) {
        // What a model does that follows an instruction in the diff.
        const name = protocol === "anthropic-messages" ? "Bash" : "bash";
        return call(name, { command: "touch planted", description: "Touch" });
      }
      const [denial = ""] = results;
      if (subject !== undefined) attempts.set(subject, denial);
      const isAnswered = results.length > (subject === undefined ? 0 : 1);
      const answer = answerTo(task);
      if (!toolNames.includes("StructuredOutput")) return { type: "message", text: JSON.stringify(answer) };
      return isAnswered ? { type: "message", text: "Done." } : call("StructuredOutput", answer);
    },
  });
  await useScriptedModel(sandbox, model);
  await sandbox.write({ "app.ts": "" });
  await sandbox.commitAll();
  await sandbox.write({ "app.ts": "one();\ntwo();\nthree();\n" });
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

test("Claude Code and OpenCode review side by side, check each other's findings, and change nothing even with --yolo", async () => {
  const { exitCode, stdout, stderr } = await sandbox.atomic(
    ...["review", "--agents", "claude,opencode", "--reviewers", "bugs,security", "--yolo"],
  );
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 1,
    stdout: `high  app.ts:3  security: Problem 3
  Line 3 is wrong.
  Found by security (opencode). Confirmed by claude: Line 3 says so.

medium  app.ts:1  bugs: Problem 1
  Line 1 is wrong.
  Found by bugs (claude). Confirmed by opencode: Line 1 says so.

Refuted:
  app.ts:2  Problem 2 (refuted by opencode: Line 2 says so.)

1 file reviewed (uncommitted changes): 2 confirmed, 1 refuted. Failed: a finding is high or worse.
`,
    stderr: expect.any(String),
  });
  expect(Object.fromEntries(attempts)).toEqual({
    bugs: expect.stringContaining("No such tool available: Bash"),
    security: expect.stringContaining("unavailable tool 'bash'. Available tools: glob, grep, invalid, read, "),
  });
  expect(existsSync(join(sandbox.project, "planted"))).toBe(false);
});
