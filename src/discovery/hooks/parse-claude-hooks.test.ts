import { expect, test } from "bun:test";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import { parseClaudeHooks } from "./parse-claude-hooks.ts";

const path = "/p/.claude/settings.json";
const place = { path, source: "project" } as const;
const common = { type: "command", vendor: "claude", shape: "claude", source: "project", filePath: path } as const;

test("hooks are read with their matchers, lines, limits and defaults", () => {
  const text = `{
  // comments are allowed
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash|Edit", "hooks": [
        { "type": "command", "command": "check.sh", "timeout": 5, "onFailure": "block" },
        { "type": "command", "command": "node", "args": ["x.js"], "async": true }
      ] }
    ],
    "SessionEnd": [{ "type": "command", "command": "bye.sh" }],
    "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "prompt.sh", "shell": "powershell" }] }],
  }
}`;
  const plain = { env: {}, shell: "sh", isAsync: false, blocksOnFailure: false } as const;
  expect(parseClaudeHooks(text, place)).toEqual({
    hooks: [
      {
        ...common,
        ...plain,
        event: "PreToolUse",
        matcher: "Bash|Edit",
        line: 6,
        command: "check.sh",
        timeoutMs: 5_000,
        blocksOnFailure: true,
      },
      {
        ...common,
        ...plain,
        event: "PreToolUse",
        matcher: "Bash|Edit",
        line: 7,
        command: "node",
        args: ["x.js"],
        timeoutMs: 600_000,
        isAsync: true,
      },
      { ...common, ...plain, event: "SessionEnd", line: 10, command: "bye.sh", timeoutMs: 60_000 },
      {
        ...common,
        ...plain,
        event: "UserPromptSubmit",
        line: 11,
        command: "prompt.sh",
        shell: "powershell",
        timeoutMs: 30_000,
      },
    ],
    problems: [],
  });
});

test("what does not run is a problem with its line", () => {
  const text = `{ "hooks": {
  "PreToolUs": [],
  "WorktreeCreate": [],
  "Stop": [{ "hooks": [
    { "type": "prompt", "prompt": "Is it done?" },
    { "type": "command" },
    { "type": "command", "command": "x", "if": "Bash(git *)" } ] }],
  "PostToolUse": [{ "matcher": "[", "hooks": [{ "command": "x" }] }],
  "Notification": "say"
} }`;
  const problem = (line: number, message: string, remedy: string): DiscoveryProblem => ({
    path,
    line,
    message,
    remedy,
    severity: "warning",
  });
  expect(parseClaudeHooks(text, place)).toEqual({
    hooks: [],
    problems: [
      problem(2, 'There is no event "PreToolUs"', 'Did you mean "PreToolUse"?'),
      problem(
        3,
        'Hooks for "WorktreeCreate" do not run here: other agents have no such event',
        "They still run where their own agent runs them.",
      ),
      problem(
        5,
        'A hook of "Stop" has the type "prompt", which only Claude Code itself runs',
        'Use a hook of the type "command" for other agents.',
      ),
      problem(6, 'A hook of "Stop" has no command', 'Add "command".'),
      problem(
        7,
        'A hook of "Stop" has the condition "if", which only Claude Code itself checks',
        "Use a matcher, and check the input in the command.",
      ),
      problem(8, 'The matcher "[" is no valid regular expression', "Correct it. The hook does not run."),
      problem(9, 'The hooks of "Notification" are no list', 'Write [{ "hooks": [{ "type": "command", … }] }].'),
    ],
  });
});

test.each([
  { title: "a missing bracket", text: '{\n  "hooks": {\n', line: 2, message: 'It is no valid JSON: "}" is missing' },
  {
    title: "a missing comma",
    text: '{\n "a": 1\n "b": 2 }',
    line: 3,
    message: 'It is no valid JSON: "," or a closing bracket is missing',
  },
  { title: "an empty file", text: "", line: 1, message: "It is no valid JSON: a value is missing" },
])("broken JSON is an error with its line: $title", ({ text, line, message }) => {
  const remedy = "Correct it. None of its hooks run.";
  expect(parseClaudeHooks(text, place)).toEqual({
    hooks: [],
    problems: [{ path, line, message, remedy, severity: "error" }],
  });
});

test("a file without hooks has none, and one can turn off those of other files", () => {
  const off = JSON.stringify({ disableAllHooks: true, hooks: { Stop: [{ hooks: [{ command: "x" }] }] } });
  const none = { hooks: [], problems: [] };
  expect(["{}", "[]", off].map((text) => parseClaudeHooks(text, place))).toEqual([
    none,
    none,
    { ...none, disablesAll: true },
  ]);
});
