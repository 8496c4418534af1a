import { expect, test } from "bun:test";
import { parseCopilotHooks } from "./parse-copilot-hooks.ts";

const path = "/p/.github/hooks/a.json";
const place = { path, source: "project" } as const;
const common = {
  type: "command",
  vendor: "copilot",
  shape: "copilot",
  source: "project",
  filePath: path,
  env: {},
  isAsync: false,
  blocksOnFailure: false,
} as const;

const FILE = `{ "version": 1, "hooks": {
  "preToolUse": [{ "type": "command", "bash": "./check.sh", "powershell": "./check.ps1", "cwd": "tools", "env": { "MODE": "$HOME/x" }, "timeoutSec": 5, "matcher": "bash" }],
  "PreToolUse": [{ "type": "command", "bash": "./vscode.sh" }],
  "sessionEnd": [{ "type": "command", "powershell": "./end.ps1" }]
} }`;

test("hooks are read with their folder, environment and limit; events in Claude Code's spelling have its shape", () => {
  expect(parseCopilotHooks(FILE, place)).toEqual({
    hooks: [
      {
        ...common,
        event: "preToolUse",
        line: 2,
        matcher: "bash",
        command: "./check.sh",
        shell: "bash",
        directory: "tools",
        env: { MODE: "$HOME/x" },
        timeoutMs: 5_000,
      },
      {
        ...common,
        shape: "claude",
        event: "PreToolUse",
        line: 3,
        command: "./vscode.sh",
        shell: "bash",
        timeoutMs: 30_000,
      },
    ],
    problems: [
      {
        path,
        line: 4,
        message: 'A hook of "sessionEnd" has no "bash" command, which this system needs',
        remedy: "Add one.",
        severity: "warning",
      },
    ],
  });
});

test("on Windows, the commands are those for PowerShell", () => {
  const { hooks } = parseCopilotHooks(FILE, { ...place, isWindows: true });
  expect(hooks.map(({ event, command, shell }) => [event, command, shell])).toEqual([
    ["preToolUse", "./check.ps1", "powershell"],
    ["sessionEnd", "./end.ps1", "powershell"],
  ]);
});

test.each([
  {
    title: "no version",
    text: '{ "hooks": {} }',
    line: 1,
    message: "It has no version, so none of its hooks run",
    remedy: 'Write "version": 1.',
  },
  {
    title: "another version",
    text: '{ "version": 2 }',
    line: 1,
    message: "Its version is 2, so none of its hooks run",
    remedy: 'Write "version": 1.',
  },
  {
    title: "an unknown event",
    text: '{ "version": 1, "hooks": { "preTool": [] } }',
    line: 1,
    message: 'There is no event "preTool"',
    remedy: expect.any(String),
  },
  {
    title: "a prompt",
    text: '{ "version": 1, "hooks": { "sessionStart": [{ "type": "prompt", "prompt": "Hi" }] } }',
    line: 1,
    message: 'A hook of "sessionStart" has the type "prompt", which only Copilot itself runs',
    remedy: 'Use a hook of the type "command" for other agents.',
  },
])("what does not run is a problem: $title", ({ text, line, message, remedy }) => {
  expect(parseCopilotHooks(text, place)).toEqual({
    hooks: [],
    problems: [{ path, line, message, remedy, severity: "warning" }],
  });
});
