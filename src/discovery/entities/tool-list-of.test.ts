import { expect, test } from "bun:test";
import type { EntityType, ProviderType } from "./entity.ts";
import { createEntity } from "./parse-definition.ts";
import { toolListOf } from "./tool-list-of.ts";

test.each<{
  type?: EntityType;
  provider: ProviderType;
  fields: Readonly<Record<string, unknown>>;
  expected: readonly string[] | undefined;
}>([
  { provider: "claude", fields: {}, expected: undefined },
  { provider: "claude", fields: { tools: "Read, Bash(git:*)" }, expected: ["Read", "Bash(git:*)"] },
  { provider: "claude", fields: { tools: [] }, expected: [] },
  { provider: "claude", fields: { disallowedTools: "Write, Bash(rm:*)" }, expected: ["*", "!Write", "!Bash(rm:*)"] },
  {
    provider: "claude",
    fields: { tools: ["Read", "Write"], "disallowed-tools": ["Write"] },
    expected: ["Read", "Write", "!Write"],
  },
  { provider: "claude", fields: { permissionMode: "plan" }, expected: ["*", "!edit", "!write", "!bash"] },
  ...["permissionmode", "permission mode", "permission_mode", "PermissionMode"].map((key) => ({
    provider: "claude" as const,
    fields: { [key]: ["Plan"] },
    expected: ["*", "!edit", "!write", "!bash"],
  })),
  { provider: "claude", fields: { permissionMode: "acceptEdits" }, expected: undefined },
  {
    type: "command",
    provider: "copilot",
    fields: { mode: "ask", tools: ["search"] },
    expected: ["search", "!edit", "!write", "!bash"],
  },
  { type: "command", provider: "copilot", fields: { mode: "agent" }, expected: undefined },
  { type: "command", provider: "copilot", fields: { agent: "ask" }, expected: ["*", "!edit", "!write", "!bash"] },
  { type: "command", provider: "copilot", fields: { agent: "Plan" }, expected: ["*", "!edit", "!write", "!bash"] },
  { type: "command", provider: "copilot", fields: { agent: "agent" }, expected: undefined },
  { type: "command", provider: "claude", fields: { "allowed-tools": "Bash(git:*)" }, expected: undefined },
  { type: "skill", provider: "claude", fields: { tools: "Read" }, expected: ["Read"] },
  { type: "skill", provider: "atomic", fields: { "allowed-tools": "Read" }, expected: ["Read"] },
  {
    provider: "opencode",
    fields: { tools: { write: false, bash: false } },
    expected: ["*", "!edit", "!write", "!bash"],
  },
  { provider: "opencode", fields: { tools: { patch: false } }, expected: ["*", "!edit", "!write"] },
  {
    provider: "claude",
    fields: { tools: { Read: true, Grep: "yes", Bash: false } },
    expected: ["Read", "Grep", "!Bash"],
  },
  { provider: "atomic", fields: { tools: { bash: false } }, expected: ["*", "!bash"] },
  { provider: "opencode", fields: { tools: { write: true, bash: false } }, expected: ["*", "!bash"] },
  { provider: "opencode", fields: { tools: { write: true } }, expected: undefined },
  {
    provider: "opencode",
    fields: { tools: { "*": false, read: true, "github_*": true } },
    expected: ["read", "github_*"],
  },
  { provider: "opencode", fields: { tools: { "*": false } }, expected: [] },
  {
    provider: "opencode",
    fields: { permission: { edit: "deny", bash: "ask", webfetch: "deny" } },
    expected: ["*", "!edit", "!write", "!webfetch"],
  },
  { provider: "opencode", fields: { permission: { "*": "deny", read: "allow" } }, expected: ["read"] },
  { provider: "opencode", fields: { permission: { "*": "deny", edit: "ask" } }, expected: ["edit", "write"] },
  { provider: "opencode", fields: { permission: "deny" }, expected: [] },
  { provider: "opencode", fields: { permission: { "*": "deny", bash: { "*": "deny" } } }, expected: [] },
  { provider: "opencode", fields: { permission: { bash: { "*": "deny" } } }, expected: ["*", "!bash"] },
  {
    provider: "opencode",
    fields: { permission: { bash: { "*": "deny", "git *": "allow" }, edit: { "*": "deny" } } },
    expected: ["*", "!bash", "!edit", "!write"],
  },
  {
    provider: "opencode",
    fields: { tools: { bash: "no", write: "off", edit: "false" } },
    expected: ["*", "!bash", "!edit", "!write"],
  },
  {
    provider: "opencode",
    fields: { tools: { "*": false, read: true, bash: true }, permission: { "*": "deny", read: "allow" } },
    expected: ["read"],
  },
  ...(
    [
      [{ bash: { "*": "ask", "git push*": "deny" } }, ["*", "!bash(git push*)"]],
      [
        { bash: { "*": "allow", "git push *": "deny", "npm run test:*": "deny" } },
        ["*", "!bash(git push:*)", "!bash(npm run test:**)"],
      ],
      [{ bash: { "git push*": "deny", "*": "ask" } }, undefined],
      [{ bash: { "git *": "deny", "git log": "allow" } }, ["*", "!bash(git:*)"]],
      [{ bash: { "a\\b": "deny", "git push*": "deny" } }, ["*", "!bash"]],
      [{ edit: { "src/*": "deny" } }, ["*", "!edit(**/src/**)", "!write(**/src/**)"]],
      [{ read: { "*.env": "deny" } }, ["*", "!read(**.env)"]],
      [{ read: { "~/*": "deny" }, webfetch: { "*evil*": "deny" } }, ["*", "!read", "!webfetch"]],
      [{ "*": "deny", bash: { "git *": "allow" }, read: { "*": "allow", "*.env": "deny" } }, ["read", "!read(**.env)"]],
      [{ "*": { "rm *": "deny" }, read: "allow" }, ["read"]],
    ] as const
  ).map(([permission, expected]) => ({ provider: "opencode" as const, fields: { permission }, expected })),
  {
    provider: "copilot",
    fields: { tools: ["read", "edit", "github/*"] },
    expected: ["read", "edit", "write", "github/*"],
  },
  { provider: "copilot", fields: { tools: ["*"] }, expected: ["*"] },
])("$provider $type $fields limits its agent to $expected", ({ type = "agent", provider, fields, expected }) => {
  const file = { type, path: "/work/a.md", name: "a", provider, location: "project" } as const;
  expect(toolListOf(createEntity(file, fields, "Work."))).toEqual(expected);
});
