import { describe, expect, test } from "bun:test";
import { evaluatePermission } from "../../../clients/index.ts";
import type { PermissionPolicy, ToolDefinition, ToolKind } from "../../../contracts/index.ts";
import { limitTools, withoutUnnamed } from "./limit-tools.ts";

describe("limiting tools", () => {
  test("denies all others, and leaves the named ones to the policy", () => {
    const policy: PermissionPolicy = { rules: [{ effect: "allow", tools: ["shell", "read"] }], otherwise: "ask" };
    const limited = limitTools(policy, ["Read", "edit", "Lint"], ["lint"]) ?? { rules: [] };
    expect(limited).toEqual({
      rules: [...policy.rules, { effect: "deny", exceptTools: ["Read", "edit", "Lint", "lint"] }],
      otherwise: "ask",
    });
    const effectOf = (kind: ToolKind, toolName: string) =>
      evaluatePermission(
        limited,
        {
          id: "1",
          sessionId: "s",
          kind,
          toolName,
          title: "",
          paths: ["a"],
          ...(kind === "shell" ? { command: "ls" } : {}),
        },
        { workingDirectory: "/work" },
      ).effect;
    expect([
      effectOf("read", "view"),
      effectOf("read", "grep"),
      effectOf("edit", "Edit"),
      effectOf("shell", "bash"),
      effectOf("mcp", "lint"),
      effectOf("mcp", "deploy"),
    ]).toEqual(["allow", "deny", "ask", "deny", "ask", "deny"]);
  });

  test("to none denies every call", () => {
    expect(limitTools(undefined, [])).toEqual({ rules: [{ effect: "deny", exceptTools: [] }] });
  });

  test("to all of them changes nothing, unless some are taken off", () => {
    const policy: PermissionPolicy = { rules: [{ effect: "ask" }], otherwise: "allow" };
    expect([limitTools(policy, ["*"]), limitTools(undefined, ["*"]), limitTools(undefined, ["*", "!write"])]).toEqual([
      policy,
      undefined,
      { rules: [{ effect: "deny", exceptTools: ["*", "!write"] }] },
    ]);
  });
});

test.each<{ names: readonly string[] | undefined; kept: readonly string[] }>([
  { names: undefined, kept: ["lint", "git_log"] },
  { names: ["Lint", "read"], kept: ["lint"] },
  { names: ["git_*"], kept: ["lint", "git_log"] },
  { names: ["Bash(git:*)"], kept: [] },
  { names: [], kept: [] },
])("of a session's own tools the list $names may name $kept", ({ names, kept }) => {
  const tools = ["lint", "git_log"].map(
    (name): ToolDefinition => ({ name, description: name, inputSchema: {}, handler: () => "" }),
  );
  expect(withoutUnnamed(tools, names).map(({ name }) => name)).toEqual([...kept]);
});
