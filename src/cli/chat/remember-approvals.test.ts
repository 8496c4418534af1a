import { expect, test } from "bun:test";
import type { PermissionDecision, PermissionRequest } from "../../contracts/index.ts";
import { rememberApprovals } from "./remember-approvals.ts";

const { signal } = new AbortController();

function requestFor(command: string, more: Partial<PermissionRequest> = {}): PermissionRequest {
  return { id: "1", sessionId: "1", kind: "shell", toolName: "shell", title: command, command, paths: [], ...more };
}

async function askTwice(decision: PermissionDecision, more: Partial<PermissionRequest> = {}) {
  const asked: string[] = [];
  const allowed: string[] = [];
  const ask = rememberApprovals(
    async ({ title }) => {
      asked.push(title);
      return decision;
    },
    { isAllowed: async ({ title }) => title === "known", allow: async ({ title }) => void allowed.push(title) },
  );
  for (const command of ["ls", "ls", "known"]) await ask(requestFor(command, more), { signal });
  return { asked, allowed };
}

test.each<[PermissionDecision, Partial<PermissionRequest>, string[], string[]]>([
  [{ type: "allow" }, {}, ["ls", "ls"], []],
  [{ type: "allow", scope: "once" }, {}, ["ls", "ls"], []],
  [{ type: "allow", scope: "session" }, {}, ["ls"], []],
  [{ type: "allow", scope: "project" }, {}, ["ls"], ["ls"]],
  [{ type: "deny", reason: "no" }, {}, ["ls", "ls"], []],
  [{ type: "allow", scope: "project" }, { isOnce: true }, ["ls", "ls", "known"], []],
])("after %j with %j, the person is asked about %j and %j is stored", async (decision, more, asked, allowed) => {
  expect(await askTwice(decision, more)).toEqual({ asked, allowed });
});
