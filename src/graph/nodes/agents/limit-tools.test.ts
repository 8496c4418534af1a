import { describe, expect, test } from "bun:test";
import { evaluatePermission } from "../../../clients/index.ts";
import type { PermissionPolicy, ToolKind } from "../../../contracts/index.ts";
import { limitTools } from "./limit-tools.ts";

describe("limiting tools", () => {
  test.each<{ tools: readonly string[]; refused: readonly ToolKind[] }>([
    { tools: ["read", "grep"], refused: ["edit", "shell", "fetch", "agent", "mcp", "other"] },
    { tools: ["Bash(git:*)", "Edit", "WebFetch"], refused: ["read", "agent", "mcp", "other"] },
    { tools: ["mcp__github__search", "Task"], refused: ["read", "edit", "shell", "fetch", "other"] },
    { tools: ["github/search", "TodoWrite"], refused: ["read", "edit", "shell", "fetch", "agent"] },
    { tools: ["github_search", "TodoWrite"], refused: ["read", "edit", "shell", "fetch", "agent"] },
    { tools: ["context7_*", "apply_patch"], refused: ["read", "shell", "fetch", "agent", "other"] },
    { tools: ["plan_exit"], refused: ["read", "edit", "shell", "fetch", "agent", "mcp"] },
    { tools: [], refused: ["read", "edit", "shell", "fetch", "agent", "mcp", "other"] },
  ])("to $tools refuses $refused", ({ tools, refused }) => {
    expect(limitTools(undefined, tools)).toEqual({ rules: [{ effect: "deny", tools: refused }] });
  });

  test("to a tool of the run's own leaves those that Atomic offers to the policy", () => {
    const refused = ["read", "edit", "shell", "fetch", "agent", "other"] as const;
    expect(limitTools(undefined, ["Lint"], ["lint"])).toEqual({ rules: [{ effect: "deny", tools: refused }] });
  });

  test("to a tool that both the run and the vendors have leaves both to the policy", () => {
    const refused = ["read", "edit", "fetch", "agent", "other"] as const;
    expect(limitTools(undefined, ["Bash"], ["bash"])).toEqual({ rules: [{ effect: "deny", tools: refused }] });
  });

  test("to all of them changes nothing", () => {
    const policy: PermissionPolicy = { rules: [{ effect: "ask" }], otherwise: "allow" };
    const everyKind = ["read", "edit", "bash", "webfetch", "task", "mcp", "other"];
    expect([limitTools(policy, ["*"]), limitTools(policy, everyKind), limitTools(undefined, ["*"])]).toEqual([
      policy,
      policy,
      undefined,
    ]);
  });

  test("wins over what the policy allows, and allows nothing itself", () => {
    const policy: PermissionPolicy = { rules: [{ effect: "allow", tools: ["shell"] }], otherwise: "ask" };
    const limited = limitTools(policy, ["read", "edit"]) ?? { rules: [] };
    const effectOf = (kind: ToolKind) =>
      evaluatePermission(
        limited,
        { id: "1", sessionId: "s", kind, toolName: "t", title: "", paths: [], command: "ls" },
        { workingDirectory: "/work" },
      ).effect;
    expect({ shell: effectOf("shell"), edit: effectOf("edit") }).toEqual({ shell: "deny", edit: "ask" });
  });
});
