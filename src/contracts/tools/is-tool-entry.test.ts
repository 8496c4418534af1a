import { expect, test } from "bun:test";
import { isToolEntry } from "./is-tool-entry.ts";

test.each([
  ...["read", "Read", " !write ", "! write", "*", "write*", "Bash(git:*)", "!Bash(rm:*)", "Agent(scout, critic)"],
  ...["mcp__github", "github/*", "github_search", "Azure MCP/search", "edit/createFile", "WebFetch(domain:a.org)"],
])("%p has the form of a name", (entry) => {
  expect(isToolEntry(entry)).toBe(true);
});

test.each([
  "Bash(git",
  "Bash; Write",
  "(Bash)",
  "`Bash`",
  "Bash:rm",
  "!",
  "!!read",
  "read, write",
  "Grep Glob",
  "Read)",
])("%p has not", (entry) => {
  expect(isToolEntry(entry)).toBe(false);
});
