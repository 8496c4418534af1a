import { describe, expect, test } from "bun:test";
import { normalizeModel } from "./normalize-model.ts";
import { normalizeExclusions, normalizeTools } from "./normalize-tools.ts";

test.each([
  ["opus", "opus"],
  ["sonnet", "sonnet"],
  ["haiku", "haiku"],
  ["Sonnet", "sonnet"],
  ["sonnet[1m]", "sonnet"],
  ["inherit", "inherit"],
  ["anthropic/claude-opus-4-5", "opus"],
  ["anthropic/claude-3-sonnet", "sonnet"],
  ["anthropic/claude-3-5-haiku", "haiku"],
  ["claude-opus-4-5", "opus"],
  ["Claude Sonnet 4.5 (copilot)", "sonnet"],
  ["gpt-4o", "inherit"],
  ["gemini-1.5-pro", "inherit"],
  ["openrouter/opus-clone", "inherit"],
  ["", "inherit"],
] as const)("the model %p is %p", (model, family) => {
  expect(normalizeModel(model)).toBe(family);
});

describe("tools", () => {
  test.each([
    { title: "a list", value: ["bash", "edit"], tools: { tools: ["bash", "edit"], vendorTools: ["bash", "edit"] } },
    { title: "an empty list allows none", value: [], tools: { tools: [], vendorTools: [] } },
    {
      title: "an object of yes and no",
      value: { bash: true, edit: true, write: false },
      tools: { tools: ["bash", "edit"], vendorTools: ["bash", "edit"], deniedTools: ["write"] },
    },
    {
      title: "an object that only switches off limits nothing else",
      value: { write: false, edit: "deny" },
      tools: { deniedTools: ["write", "edit"] },
    },
    {
      title: "an object that switches off all",
      value: { "*": false },
      tools: { tools: [], vendorTools: [], deniedTools: ["*"] },
    },
    {
      title: "a text with patterns",
      value: "Bash(git:*), Edit",
      tools: { tools: ["bash", "edit"], vendorTools: ["Bash(git:*)", "Edit"] },
    },
    {
      title: "patterns with commas and spaces in them",
      value: "Bash(git add:*, git rm:*), Bash(npm test), Read",
      tools: { tools: ["bash", "read"], vendorTools: ["Bash(git add:*, git rm:*)", "Bash(npm test)", "Read"] },
    },
    {
      title: "a text with spaces between the names",
      value: "Bash(git status) Read",
      tools: { tools: ["bash", "read"], vendorTools: ["Bash(git status)", "Read"] },
    },
    ...[
      "Read, Grep Glob",
      "Read Grep, Glob",
      "- Read\n- Grep\n- Glob\n",
      "Read, Grep\n  Glob",
      ["Read Grep", "Glob"],
    ].map((value) => ({
      title: `commas and spaces as Claude Code reads them: ${JSON.stringify(value)}`,
      value,
      tools: { tools: ["read", "grep", "glob"], vendorTools: ["Read", "Grep", "Glob"] },
    })),
    {
      title: "a space before a pattern, and in the name of a server",
      value: "Bash (git:*), Azure MCP/search",
      tools: { tools: ["bash", "azure mcp/search"], vendorTools: ["Bash(git:*)", "Azure MCP/search"] },
    },
    {
      title: "a pattern with a space and a slash after another name",
      value: ["Read Bash(git add src/x)"],
      tools: { tools: ["read", "bash"], vendorTools: ["Read", "Bash(git add src/x)"] },
    },
    { title: "one name", value: "Read", tools: { tools: ["read"], vendorTools: ["Read"] } },
    {
      title: "names of MCP tools keep their servers",
      value: ["mcp__github__search", "github/*"],
      tools: { tools: ["mcp__github__search", "github/*"], vendorTools: ["mcp__github__search", "github/*"] },
    },
    {
      title: "an allowed entry without its closing parenthesis stays one entry, which covers nothing",
      value: "Bash(git:*, Write",
      tools: { tools: ["bash"], vendorTools: ["Bash(git:*, Write"] },
    },
    {
      title: "an exclusion without its closing parenthesis takes off the whole tool",
      value: ["*", "!Bash(rm:*, Write"],
      tools: { tools: ["*", "!bash", "!write"], vendorTools: ["*", "!Bash", "!Write"] },
    },
    {
      title: "a switch that is no clear yes is a no",
      value: { read: true, glob: "allow", grep: "ask", a: "no", b: "off", c: "false", d: null, e: 1, f: "true" },
      tools: {
        tools: ["read", "glob", "grep", "f"],
        vendorTools: ["read", "glob", "grep", "f"],
        deniedTools: ["a", "b", "c", "d", "e"],
      },
    },
    { title: "anything else is no list", value: 5, tools: {} },
    { title: "nothing is no list", value: null, tools: {} },
  ])("$title", ({ value, tools }) => {
    expect(normalizeTools(value)).toEqual(tools);
  });
});

describe("tools that may not be used", () => {
  test.each<{ value: unknown; excluded: readonly string[] }>([
    { value: "Bash(rm:*), Write", excluded: ["Bash(rm:*)", "Write"] },
    { value: "Bash(git add:*, git rm:*) Read", excluded: ["Bash(git add:*, git rm:*)", "Read"] },
    { value: "Bash(rm:*, Write", excluded: ["Bash", "Write"] },
    { value: "Bash(rm:*, Write(a), Edit", excluded: ["Bash", "Write(a)", "Edit"] },
    { value: "Bash(rm -rf", excluded: ["Bash"] },
    { value: "Write)", excluded: ["Write"] },
    { value: "Bash(rm:*)), Edit", excluded: ["Bash(rm:*)", "Edit"] },
    { value: "Write Edit, Read", excluded: ["Write", "Edit", "Read"] },
    { value: ["Bash(rm:*", "Write)", "Edit, Read", 5], excluded: ["Bash", "Write", "Edit", "Read"] },
    { value: "Read, Grep and Glob", excluded: ["Read", "Grep", "Glob"] },
    { value: ["Bash Write", "Azure MCP/search"], excluded: ["Bash", "Write", "Azure MCP/search"] },
    { value: ["Read Bash(git add src/x)"], excluded: ["Read", "Bash(git add src/x)"] },
    { value: "Bash (rm:*), Edit", excluded: ["Bash(rm:*)", "Edit"] },
    { value: { write: true, edit: "no", read: false }, excluded: ["write", "edit"] },
    { value: null, excluded: [] },
  ])("are $excluded in $value", ({ value, excluded }) => {
    expect(normalizeExclusions(value)).toEqual(excluded);
  });
});

test("an entry of many words is split at once", () => {
  const startedAt = performance.now();
  expect(normalizeTools(["a ".repeat(30_000)])).toEqual({ tools: ["a"], vendorTools: Array(30_000).fill("a") });
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
