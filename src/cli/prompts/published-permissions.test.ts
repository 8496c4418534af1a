import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noRedaction, type PermissionDecision, type PermissionRequest } from "../../contracts/index.ts";
import { type PublishedPermission, PublishedPermissions, readPublished } from "./published-permissions.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-asks-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ONCE: PermissionDecision = { type: "allow", scope: "once", answered: 'with "atomic runs answer"' };
const NEVER = new AbortController().signal;

function requestOf(command: string, changes: Partial<PermissionRequest> = {}): PermissionRequest {
  const about = { id: "p", sessionId: "s", kind: "shell", toolName: "bash", paths: [] } as const;
  return { ...about, title: command, command, ...changes };
}

/** Permissions of a run, and the next request that they publish. */
function create(waitMs = 60_000) {
  const published: PublishedPermission[] = [];
  const arrivals: ((one: PublishedPermission) => void)[] = [];
  const permissions = new PublishedPermissions({
    ...{ waitMs, waitText: "1m", redactor: noRedaction, gatheringMs: 0 },
    onPublish(one) {
      published.push(one);
      arrivals.shift()?.(one);
    },
  });
  permissions.begin(folder);
  const next = (): Promise<PublishedPermission> => new Promise((resolve) => arrivals.push(resolve));
  return { permissions, published, next };
}

test.each([
  { answer: "allow", decision: { type: "allow", scope: "once", answered: 'with "atomic runs answer"' } },
  { answer: "always", decision: { type: "allow", scope: "session", answered: 'with "atomic runs answer"' } },
  { answer: "project", decision: { type: "allow", scope: "project", answered: 'with "atomic runs answer"' } },
  { answer: "deny", decision: { type: "deny", reason: "The user said no.", answered: 'with "atomic runs answer"' } },
])("a published request takes the answer $answer, once", async ({ answer, decision }) => {
  const { permissions, next } = create();
  const arrival = next();
  const decided = permissions.handler(requestOf("rm x"), { signal: NEVER });
  const { id } = await arrival;
  expect(readPublished(folder).map((one) => [one.id, one.request.title])).toEqual([[id, "rm x"]]);
  expect(permissions.take(id, answer)).toBe(true);
  // Also before the agent has got the first answer.
  expect(() => permissions.take(id, "deny")).toThrow(`The permission request "${id}" has been answered: `);
  expect(await decided).toEqual(decision as Awaited<typeof decided>);
  expect(readPublished(folder)).toEqual([]);
  expect(() => permissions.take(id, "allow")).toThrow(
    `The permission request "${id}" has been answered: ${answer === "deny" ? "denied" : "allowed"} with "atomic runs answer".`,
  );
});

test("without an answer a request is denied at its deadline, and a late answer is rejected", async () => {
  const { permissions, next } = create(1);
  const arrival = next();
  const decided = permissions.handler(requestOf("rm x"), { signal: NEVER });
  const { id } = await arrival;
  expect(await decided).toEqual({ type: "deny", reason: "Nobody answered the permission request within 1m." });
  expect(() => permissions.take(id, "allow")).toThrow(
    `The permission request "${id}" was denied after 1m, because nobody had answered.`,
  );
});

test("equal requests of several branches are one, different ones wait side by side", async () => {
  const { permissions, published, next } = create();
  const [first, second] = [next(), next()];
  const same = ["s1", "s2"].map((sessionId) =>
    permissions.handler(requestOf("rm x", { sessionId }), { signal: NEVER }),
  );
  const other = permissions.handler(requestOf("rm y"), { signal: NEVER });
  await Promise.all([first, second]);
  expect(published.map(({ request }) => request.title).toSorted()).toEqual(["rm x", "rm y"]);
  for (const { id } of published) permissions.take(id, "allow");
  expect(await Promise.all([...same, other])).toEqual([ONCE, ONCE, ONCE]);
});

test("what is always allowed is not asked again in this run", async () => {
  const { permissions, published, next } = create();
  const arrival = next();
  const decided = permissions.handler(requestOf("rm x"), { signal: NEVER });
  permissions.take((await arrival).id, "always");
  await decided;
  expect(await permissions.handler(requestOf("rm x", { sessionId: "s9" }), { signal: NEVER })).toEqual({
    type: "allow",
    scope: "session",
  });
  expect(published).toHaveLength(1);
});

test("a request that can be allowed only once takes no always, and no other text either", async () => {
  const { permissions, next } = create();
  const arrival = next();
  const decided = permissions.handler(requestOf("rm x", { isOnce: true }), { signal: NEVER });
  const { id } = await arrival;
  expect(() => permissions.take(id, "always")).toThrow(`"${id}" can only be allowed once: answer allow or deny.`);
  expect(() => permissions.take(id, "yes")).toThrow(`"${id}" takes one of these answers: allow, deny, always.`);
  expect(() => permissions.take("permission-000000", "allow")).toThrow(
    'The run has no permission request "permission-000000".',
  );
  expect(permissions.take("approve", "yes")).toBe(false);
  permissions.take(id, "deny");
  await decided;
});

test("a request whose agent no longer waits is withdrawn", async () => {
  const { permissions, next } = create();
  const arrival = next();
  const turn = new AbortController();
  const decided = permissions.handler(requestOf("rm x"), { signal: turn.signal });
  const { id } = await arrival;
  turn.abort();
  expect(await decided).toEqual({ type: "deny", reason: "The turn was cancelled." });
  expect(readPublished(folder)).toEqual([]);
  expect(() => permissions.take(id, "allow")).toThrow(
    `The permission request "${id}" was withdrawn: the agent no longer waits.`,
  );
});

test("a new process of a run discards what an earlier one has published", async () => {
  const { permissions, next } = create();
  const arrival = next();
  void permissions.handler(requestOf("rm x"), { signal: NEVER });
  await arrival;
  expect(readPublished(folder)).toHaveLength(1);
  create();
  expect(readPublished(folder)).toEqual([]);
});

test.each<{ title: string; forged: unknown }>([
  { title: "null", forged: null },
  { title: "an id alone", forged: { id: "permission-ffffff" } },
  { title: "details of an unknown type", forged: forgedWith({ details: { type: "x" } }) },
  { title: "a title that is an object", forged: forgedWith({ title: {} }) },
  { title: "a path that is null", forged: forgedWith({ paths: [null] }) },
])("a file with $title is left out alone, and named", async ({ forged }) => {
  const { permissions, next } = create();
  const arrival = next();
  void permissions.handler(requestOf("rm x"), { signal: NEVER });
  const { id } = await arrival;
  const path = join(folder, "permission-requests", "permission-ffffff.json");
  await writeFile(path, JSON.stringify(forged));
  const problems: string[] = [];
  expect(readPublished(folder, (text) => problems.push(text)).map((one) => one.id)).toEqual([id]);
  expect(problems).toEqual([
    `Left out: ${path} is no request that Atomic wrote. If another program wrote it, remove it.`,
  ]);
  permissions.take(id, "deny");
});

function forgedWith(change: object): unknown {
  return { id: "permission-ffffff", request: { ...requestOf("rm y"), ...change }, askedAt: 1, deadline: 2 };
}
