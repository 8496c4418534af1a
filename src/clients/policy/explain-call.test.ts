import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PermissionPolicy, PermissionRequest, ToolKind } from "../../contracts/index.ts";
import { startManualTurn } from "../turn/fixtures/manual-turn.ts";
import { explainCall } from "./explain-call.ts";
import { PermissionGate } from "./permission-gate.ts";

let folder = "";

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-explain-")));
  await mkdir(path.join(folder, "src"));
  for (const name of ["src/a.ts", ".env", "package.json"]) await writeFile(path.join(folder, name), "text");
  await symlink("/etc/hosts", path.join(folder, "hosts"));
});
afterAll(() => rm(folder, { recursive: true }));

function call(kind: ToolKind, details: Partial<PermissionRequest> = {}): PermissionRequest {
  return { id: "1", sessionId: "s", kind, toolName: kind, title: kind, paths: [], ...details };
}

function search(details: Partial<PermissionRequest> = {}): PermissionRequest {
  return call("read", { paths: ["."], search: {}, ...details });
}

const ALLOW_ALL: PermissionPolicy = { rules: [{ effect: "allow" }], otherwise: "allow" };
const DENY_ENV: PermissionPolicy = { rules: [{ effect: "deny", tools: ["read"], paths: ["**/.env"] }] };

/** What the gate does with the call, and what it leaves out of a search. */
async function decide(policy: PermissionPolicy, request: PermissionRequest) {
  const asked: PermissionRequest[] = [];
  const gate = new PermissionGate({
    workingDirectory: folder,
    config: {
      permissions: policy,
      async onPermissionAsk(one) {
        asked.push(one);
        return { type: "deny", reason: "no" };
      },
    },
  });
  const decision = await gate.decide(request, { turn: startManualTurn().turn });
  const [first] = asked;
  if (first !== undefined) return { effect: "ask", isOnce: first.isOnce ?? false, leftOut: [] };
  return { effect: decision.type, leftOut: decision.type === "allow" ? (decision.exclude ?? []) : [] };
}

test.each<{ readonly title: string; readonly policy?: PermissionPolicy; readonly request: PermissionRequest }>([
  { title: "a command", request: call("shell", { command: "ls" }) },
  { title: "a file in the project", request: call("read", { paths: ["src/a.ts"] }) },
  { title: "a file with secrets", request: call("read", { paths: [".env"] }) },
  { title: "a link that leads out", request: call("read", { paths: ["hosts"] }) },
  { title: "a protected file", policy: ALLOW_ALL, request: call("edit", { paths: ["package.json"] }) },
  {
    title: "a protected file where a rule allows edits",
    policy: { rules: [{ effect: "allow", tools: ["edit"] }] },
    request: call("edit", { paths: ["package.json"] }),
  },
  {
    title: "what each process sees differently",
    policy: ALLOW_ALL,
    request: call("read", { paths: ["/proc/self/environ"] }),
  },
  {
    title: "a call with more files than can be checked",
    policy: ALLOW_ALL,
    request: call("read", { paths: Array.from({ length: 1_001 }, (_, index) => `a${index}`) }),
  },
  { title: "a path that is too long", policy: ALLOW_ALL, request: call("edit", { paths: ["a/".repeat(3_000)] }) },
  { title: "a search", request: search() },
  { title: "a search that leaves files out", request: search({ search: { canExclude: true } }) },
  { title: "a search that a rule denies a file", policy: DENY_ENV, request: search() },
  {
    title: "a search that leaves out what a rule denies",
    policy: DENY_ENV,
    request: search({ search: { canExclude: true } }),
  },
  { title: "a search outside", request: search({ paths: ["/etc"], search: { canExclude: true } }) },
  { title: "a search of some files", request: search({ search: { include: "*.ts" } }) },
])("$title is explained as it is decided", async ({ policy = { rules: [] }, request }) => {
  const { effect, isOnce, leftOut } = await explainCall(request, { policy, workingDirectory: folder });
  const explained = effect === "ask" ? { effect, isOnce, leftOut } : { effect, leftOut };
  expect<unknown>(explained).toEqual(await decide(policy, request));
});

test("a search says what it reaches, or leaves out", async () => {
  const options = { policy: { rules: [] }, workingDirectory: folder };
  const whole = await explainCall(search(), options);
  const blocked = [path.join(folder, ".env"), path.join(folder, "hosts")];
  expect([whole.reached, whole.leftOut]).toEqual([blocked, []]);
  expect(whole.reason).toBe(
    `No rule matches, and ${JSON.stringify(blocked[0])} may hold secrets, by its name, so it requires approval (the default).`,
  );
  const narrowed = await explainCall(search({ search: { canExclude: true } }), options);
  expect([narrowed.reached, narrowed.leftOut]).toEqual([[], [".env", "hosts"]]);
});

test("a search that reaches too much says so instead of what would allow it, whichever folder the disk lists first", async () => {
  for (const name of ["large", "small"]) await mkdir(path.join(folder, name));
  await writeFile(path.join(folder, "small/.env"), "");
  await Promise.all(Array.from({ length: 300 }, (_, index) => writeFile(path.join(folder, "large", `${index}`), "")));
  const options = { policy: DENY_ENV, workingDirectory: folder, maxEntries: 1 };
  for (let time = 0; time < 20; time++) {
    const { effect, isOnce, reason } = await explainCall(search({ paths: ["large", "small"] }), options);
    expect({ effect, isOnce, reason }).toEqual({
      effect: "ask",
      isOnce: true,
      reason: "The search reaches more files than are checked, so it requires approval.",
    });
  }
  for (const name of ["large", "small"]) await rm(path.join(folder, name), { recursive: true });
});

test("a path that each process sees differently is named", async () => {
  const request = call("read", { paths: ["/proc/self/environ"] });
  const { effect, rule, reason } = await explainCall(request, { policy: ALLOW_ALL, workingDirectory: folder });
  expect({ effect, rule, reason }).toEqual({
    effect: "deny",
    rule: undefined,
    reason: '"/proc/self/environ" means another file to each process. Name the file itself.',
  });
});
