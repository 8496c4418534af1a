import { expect, test } from "bun:test";
import { toVendorCall } from "./vendor-call.ts";

const OPENCODE_EDIT = { toolName: "edit", input: { filePath: "/a", oldString: "x", newString: "y", replaceAll: true } };

test.each([
  {
    title: "OpenCode's edit",
    call: OPENCODE_EDIT,
    vendor: "claude",
    toolName: "Edit",
    input: { file_path: "/a", old_string: "x", new_string: "y", replace_all: true },
  },
  {
    title: "OpenCode's edit",
    call: OPENCODE_EDIT,
    vendor: "copilot",
    toolName: "edit",
    input: { path: "/a", old_str: "x", new_str: "y", replace_all: true },
  },
  {
    title: "Copilot's create",
    call: { toolName: "create", input: { path: "/a", file_text: "x" } },
    vendor: "claude",
    toolName: "Write",
    input: { file_path: "/a", content: "x" },
  },
  {
    title: "Copilot's view",
    call: { toolName: "view", input: { path: "/a", view_range: [1, 2] } },
    vendor: "claude",
    toolName: "Read",
    input: { file_path: "/a", view_range: [1, 2] },
  },
  {
    title: "Claude's Bash",
    call: { toolName: "Bash", input: { command: "ls", description: "List" } },
    vendor: "copilot",
    toolName: "bash",
    input: { command: "ls", description: "List" },
  },
  {
    title: "Claude's Agent",
    call: { toolName: "Agent", input: { prompt: "x", subagent_type: "Explore" } },
    vendor: "copilot",
    toolName: "task",
    input: { prompt: "x", agent_type: "Explore" },
  },
  {
    title: "the scripted agent's file",
    call: { toolName: "edit_file", input: { path: "a", content: "x" } },
    vendor: "claude",
    toolName: "Write",
    input: { file_path: "a", content: "x" },
  },
  {
    title: "an MCP server's tool",
    call: { toolName: "mcp__x__read", input: { path: "a" } },
    vendor: "claude",
    toolName: "mcp__x__read",
    input: { path: "a" },
  },
  {
    title: "a call without an input",
    call: { toolName: "bash", input: undefined },
    vendor: "claude",
    toolName: "Bash",
    input: undefined,
  },
] as const)("$title is spelled as $vendor does", ({ call, vendor, toolName, input }) => {
  const translated = toVendorCall(call, vendor);
  expect([translated.toolName, translated.input]).toEqual([toolName, input]);
});

test("a changed input returns in the spelling of the agent, with new fields as they are", () => {
  const { restore } = toVendorCall(OPENCODE_EDIT, "claude");
  expect(restore({ file_path: "/b", old_string: "1", new_string: "2", other: 3 })).toEqual({
    filePath: "/b",
    oldString: "1",
    newString: "2",
    other: 3,
  });
});

test("matchers may use earlier names and the agent's own", () => {
  expect(toVendorCall({ toolName: "task", input: {} }, "claude").aliases).toEqual(["Task", "task"]);
});
