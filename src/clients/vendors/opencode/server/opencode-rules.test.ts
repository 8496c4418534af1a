import { expect, test } from "bun:test";
import { sessionRules } from "./opencode-rules.ts";

const KNOWN = [
  "invalid",
  "question",
  "bash",
  "read",
  "edit",
  "write",
  "apply_patch",
  "webfetch",
  "todowrite",
  "theirs",
];

/** The action of the last matching rule. */
function actionFor(permission: string, ...lists: readonly (readonly string[])[]): string | undefined {
  const rules = sessionRules({ serverPrefix: "atomic-1", lists, knownTools: KNOWN });
  return rules.findLast((rule) => new RegExp(`^${rule.permission.replaceAll("*", ".*")}$`).test(permission))?.action;
}

test("a session requires approval for tools with effects, whatever else applies, and allows the conversation's own tools", () => {
  expect(["bash", "edit", "read", "theirs", "server_tool"].map((name) => actionFor(name))).toEqual(
    ["bash", "edit", "read", "theirs", "server_tool"].map(() => "ask"),
  );
  expect(["question", "todowrite", "skill", "lsp"].map((name) => actionFor(name))).toEqual([
    "allow",
    "allow",
    "ask",
    "ask",
  ]);
});

test("the servers of other sessions are denied, and the session's own require approval", () => {
  expect([actionFor("atomic-2_add"), actionFor("atomic-2-files_read")]).toEqual(["deny", "deny"]);
  expect([actionFor("atomic-1_add"), actionFor("atomic-1-files_read")]).toEqual(["ask", "ask"]);
});

test.each([
  { allowedTools: ["read"], others: ["bash", "edit", "question", "theirs", "todowrite", "webfetch"] },
  { allowedTools: ["write"], others: ["bash", "question", "read", "theirs", "todowrite", "webfetch"] },
  { allowedTools: ["todo", "theirs"], others: ["bash", "edit", "question", "read", "webfetch"] },
  { allowedTools: [], others: ["bash", "edit", "question", "read", "theirs", "todowrite", "webfetch"] },
])("only $allowedTools: the rest is denied, MCP servers stay", ({ allowedTools, others }) => {
  const rules = sessionRules({ serverPrefix: "atomic-1", lists: [allowedTools], knownTools: KNOWN });
  const denied = rules.filter(({ action }) => action === "deny").map(({ permission }) => permission);
  expect(denied.toSorted()).toEqual(["atomic-*", ...others].toSorted());
  expect([actionFor("server_tool", allowedTools), actionFor("atomic-1_add", allowedTools)]).toEqual(["ask", "ask"]);
});
