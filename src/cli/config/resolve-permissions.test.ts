import { expect, test } from "bun:test";
import { evaluatePermission } from "../../clients/index.ts";
import type { PermissionPolicy, PermissionRequest } from "../../contracts/index.ts";
import { resolvePermissions } from "./resolve-permissions.ts";

const PLACE = { atomicHome: "/home/me/.atomic", workingDirectory: "/work/app" };
const NO_FLAGS = { allow: [], deny: [], isYolo: false };

const CONFIGURED: PermissionPolicy = {
  rules: [
    { effect: "ask", tools: ["shell"] },
    { effect: "deny", paths: [".env"] },
  ],
  otherwise: "deny",
};

test.each([
  {
    title:
      "without settings and flags there is no rule, and calls that clients do not allow themselves require approval",
    configured: undefined,
    flags: { allow: [], deny: [], isYolo: false },
    expected: { rules: [], otherwise: "ask" },
  },
  {
    title: "without settings the rules are those of the flags",
    configured: undefined,
    flags: { allow: ["edit"], deny: ["shell:rm*"], isYolo: false },
    expected: {
      rules: [
        { effect: "allow", tools: ["edit"] },
        { effect: "deny", tools: ["shell"], commands: ["rm*"] },
      ],
      otherwise: "ask",
    },
  },
  {
    title: "the flags' rules are added to the settings', whose `otherwise` stays",
    configured: CONFIGURED,
    flags: { allow: ["edit"], deny: [], isYolo: false },
    expected: { rules: [...CONFIGURED.rules, { effect: "allow", tools: ["edit"] }], otherwise: "deny" },
  },
  {
    title: "the protected files of the settings stay protected",
    configured: { rules: [], protectedPaths: ["deploy/**"] },
    flags: { allow: ["edit"], deny: [], isYolo: false },
    expected: { rules: [{ effect: "allow", tools: ["edit"] }], otherwise: "ask", protectedPaths: ["deploy/**"] },
  },
  {
    title: "--yolo removes the rules that ask; denied calls stay denied",
    configured: CONFIGURED,
    flags: { allow: [], deny: ["fetch"], isYolo: true },
    expected: {
      rules: [
        { effect: "deny", paths: [".env"] },
        { effect: "deny", tools: ["fetch"] },
      ],
      otherwise: "allow",
    },
  },
] as const)("$title", ({ configured, flags, expected }) => {
  expect<unknown>(resolvePermissions({ configured, flags, ...PLACE })).toEqual(expected);
});

test.each([
  { atomicHome: "/home/me/.atomic", protectedPaths: undefined },
  { atomicHome: "/opt/atomic", protectedPaths: ["opt/atomic"] },
  { atomicHome: "/work/app/state", protectedPaths: ["state", "work/app/state"] },
])("Atomic's own folder $atomicHome is protected under any name", ({ atomicHome, protectedPaths }) => {
  const policy = resolvePermissions({ configured: undefined, flags: NO_FLAGS, ...PLACE, atomicHome });
  expect(policy.protectedPaths).toEqual(protectedPaths);
  // A resumed run has the patterns that it was started with.
  const again = resolvePermissions({ configured: policy, flags: NO_FLAGS, ...PLACE, atomicHome });
  expect(again).toEqual(policy);
});

test.each(["allowed-calls.json", "trusted-projects.json", "trusted-projects/0a.json", "config.json"])(
  "an agent that may edit cannot write remembered permissions or trusted projects: %s",
  (name) => {
    const policy = resolvePermissions({
      configured: undefined,
      flags: { ...NO_FLAGS, allow: ["edit"] },
      ...{ atomicHome: "/work/app/state", workingDirectory: "/work/app" },
    });
    const request: PermissionRequest = {
      ...{ id: "p1", sessionId: "s1", kind: "edit", toolName: "write", title: "write" },
      paths: [`/work/app/state/${name}`],
    };
    expect(evaluatePermission(policy, request, { workingDirectory: "/work/app" }).effect).toBe("ask");
  },
);
