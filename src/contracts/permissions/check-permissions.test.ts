import { expect, test } from "bun:test";
import { assertPermissions, PermissionsInvalidError } from "./check-permissions.ts";

test.each([
  { policy: undefined },
  { policy: { rules: [] } },
  {
    policy: {
      rules: [
        { effect: "allow", tools: ["shell"], commands: ["npm test"] },
        { effect: "deny", paths: [".env"] },
        { effect: "deny", exceptTools: [] },
      ],
      otherwise: "ask",
      protectedPaths: ["infra/**"],
    },
  },
])("$policy is a policy", ({ policy }) => {
  assertPermissions(policy);
});

const KNOWN_KEYS = "Known: effect, tools, exceptTools, paths, commands.";
const KINDS = 'Possible: "read", "edit", "shell", "fetch", "mcp", "agent", "other".';
const EFFECTS = 'Possible: "allow", "deny", "ask".';

test.each<{ policy: unknown; problems: readonly string[] }>([
  { policy: "allow", problems: ["permissions: It must be an object with rules."] },
  {
    policy: { rule: [], otherwise: "Deny" },
    problems: [
      'permissions.rule: No such setting. Did you mean "rules"? Known: rules, otherwise, protectedPaths.',
      "permissions.rules: It must be a list.",
      `permissions.otherwise: "Deny" is not possible. Did you mean "deny"? ${EFFECTS}`,
    ],
  },
  {
    policy: { rules: [{ effect: "allow", tool: ["read"] }, { effect: "allow", command: ["npm test"] }, "x"] },
    problems: [
      `permissions.rules[0].tool: No such setting. Did you mean "tools"? ${KNOWN_KEYS}`,
      `permissions.rules[1].command: No such setting. Did you mean "commands"? ${KNOWN_KEYS}`,
      "permissions.rules[2]: It must be an object with an effect.",
    ],
  },
  {
    policy: { rules: [{ tools: ["reed", "bash"] }, { effect: "allow", paths: "src/**" }], protectedPaths: [1] },
    problems: [
      `permissions.rules[0].effect: Nothing is not possible. ${EFFECTS}`,
      `permissions.rules[0].tools[0]: "reed" is not possible. Did you mean "read"? ${KINDS}`,
      `permissions.rules[0].tools[1]: "bash" is not possible. ${KINDS}`,
      "permissions.rules[1].paths: It must be a list of texts.",
      "permissions.protectedPaths: It must be a list of texts.",
    ],
  },
  {
    policy: {
      rules: [
        { effect: "deny", tools: [] },
        { effect: "deny", paths: ["~/.ssh/**"] },
        { effect: "deny", paths: ["a"], commands: ["b"] },
        { effect: "deny", tools: ["read"], commands: ["b"] },
        { effect: "deny", tools: ["shell"], paths: ["a"] },
        { effect: "allow", exceptTools: ["read"] },
        { effect: "deny", exceptTools: "read" },
      ],
    },
    problems: [
      'permissions.rules[0]: "tools" is empty, so the rule would never match. Leave it out to mean all of them.',
      'permissions.rules[1]: "~" is not expanded in "paths". Write the path in full.',
      'permissions.rules[2]: "paths" and "commands" together never match: commands name no files. Write two rules.',
      'permissions.rules[3]: "commands" are those of the kind "shell", which "tools" leaves out.',
      'permissions.rules[4]: "paths" are those of the kinds "read" and "edit", which "tools" leaves out.',
      'permissions.rules[5]: "exceptTools" is for rules that deny or require approval. To allow tools, name their kinds in "tools".',
      "permissions.rules[6].exceptTools: It must be a list of texts.",
    ],
  },
])("$policy is rejected with all its problems", ({ policy, problems }) => {
  expect(() => assertPermissions(policy)).toThrow(new PermissionsInvalidError(problems));
});
