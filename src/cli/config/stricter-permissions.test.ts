import { expect, test } from "bun:test";
import type { PermissionPolicy, PermissionRule } from "../../contracts/index.ts";
import { stricterPermissions } from "./stricter-permissions.ts";

const SHELL: PermissionRule = { effect: "allow", tools: ["shell"] };
const EDIT: PermissionRule = { effect: "allow", tools: ["edit"] };
const ASK: PermissionRule = { effect: "ask", tools: ["fetch"] };
const DENY: PermissionRule = { effect: "deny", paths: [".env"] };

test.each<{ title: string; one: PermissionPolicy; other: PermissionPolicy; expected: PermissionPolicy }>([
  {
    title: "calls that both allow are allowed",
    one: { rules: [SHELL, EDIT], otherwise: "allow" },
    other: { rules: [{ tools: ["shell"], effect: "allow" }], otherwise: "allow" },
    expected: { rules: [SHELL], otherwise: "allow" },
  },
  {
    title:
      "calls that one of them denies are denied, and calls for which one of them requires approval require approval",
    one: { rules: [DENY] },
    other: { rules: [ASK, DENY] },
    expected: { rules: [DENY, ASK], otherwise: "ask" },
  },
  {
    title: "unmatched calls require approval when only one of them allows these",
    one: { rules: [], otherwise: "allow" },
    other: { rules: [] },
    expected: { rules: [], otherwise: "ask" },
  },
  {
    title: "unmatched calls are denied when either denies these",
    one: { rules: [], otherwise: "deny" },
    other: { rules: [], otherwise: "allow" },
    expected: { rules: [], otherwise: "deny" },
  },
  {
    title: "the protected files of both are protected",
    one: { rules: [], protectedPaths: ["a", "b"] },
    other: { rules: [], protectedPaths: ["b", "c"] },
    expected: { rules: [], otherwise: "ask", protectedPaths: ["a", "b", "c"] },
  },
])("$title", ({ one, other, expected }) => {
  expect(stricterPermissions(one, other)).toEqual(expected);
});
