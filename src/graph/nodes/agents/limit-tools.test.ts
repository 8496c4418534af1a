import { describe, expect, test } from "bun:test";
import { evaluatePermission } from "../../../clients/index.ts";
import type { PermissionPolicy, ToolKind } from "../../../contracts/index.ts";
import { limitTools } from "./limit-tools.ts";

describe("limiting tools", () => {
  test.each<{ tools: readonly string[]; denied: readonly ToolKind[] }>([
    { tools: ["read", "grep"], denied: ["edit", "shell", "fetch", "agent", "mcp", "other"] },
    { tools: ["Bash(git:*)", "Edit", "WebFetch"], denied: ["read", "agent", "mcp", "other"] },
    { tools: ["mcp__github__search", "Task"], denied: ["read", "edit", "shell", "fetch", "other"] },
    { tools: ["github/search", "TodoWrite"], denied: ["read", "edit", "shell", "fetch", "agent"] },
    { tools: ["github_search", "TodoWrite"], denied: ["read", "edit", "shell", "fetch", "agent"] },
    { tools: ["context7_*", "apply_patch"], denied: ["read", "shell", "fetch", "agent", "other"] },
    { tools: ["plan_exit"], denied: ["read", "edit", "shell", "fetch", "agent", "mcp"] },
    { tools: [], denied: ["read", "edit", "shell", "fetch", "agent", "mcp", "other"] },
  ])("to $tools denies $denied", ({ tools, denied }) => {
    expect(limitTools(undefined, tools)).toEqual({ rules: [{ effect: "deny", tools: denied }] });
  });

  test("to a tool of the run's own leaves those that Atomic offers to the policy", () => {
    const denied = ["read", "edit", "shell", "fetch", "agent", "other"] as const;
    expect(limitTools(undefined, ["Lint"], ["lint"])).toEqual({ rules: [{ effect: "deny", tools: denied }] });
  });

  test("to a tool that both the run and the vendors have leaves both to the policy", () => {
    const denied = ["read", "edit", "fetch", "agent", "other"] as const;
    expect(limitTools(undefined, ["Bash"], ["bash"])).toEqual({ rules: [{ effect: "deny", tools: denied }] });
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

  test("overrides what the policy allows, and allows nothing itself", () => {
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
