import { expect, test } from "bun:test";
import { findMisspelledTools } from "../../../contracts/index.ts";
import { CLAUDE_TOOLS } from "../../vendors/claude-settings/claude-tool-table.ts";
import { COPILOT_TOOLS } from "../../vendors/copilot/runtime/copilot-tool-table.ts";
import { OPENCODE_TOOLS } from "../../vendors/opencode-settings/opencode-tools.ts";

test.each([
  { agent: "Claude Code", tools: CLAUDE_TOOLS },
  { agent: "Copilot", tools: COPILOT_TOOLS },
  { agent: "OpenCode", tools: OPENCODE_TOOLS },
])("no tool of $agent is taken for a misspelled one", ({ tools }) => {
  expect(findMisspelledTools([...tools.keys()])).toEqual([]);
});
