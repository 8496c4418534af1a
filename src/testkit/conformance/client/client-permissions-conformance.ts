import { describe, expect } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import {
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
  PermissionsInvalidError,
} from "../../../contracts/index.ts";
import { rejectionOf } from "../rejection-of.ts";
import type { ClientBench } from "./client-bench.ts";
import { callTools, requestsWith, say, script } from "./client-script.ts";
import { eventsOf, openTalk } from "./client-talk.ts";
import { fileBeside, fileIn, testIfAble } from "./client-world.ts";

/** Permissions of tool calls. */
export function describePermissions(bench: ClientBench): void {
  describe("permissions", () => {
    describePolicies(bench);
    describeLinks(bench);
    describePeople(bench);
    describeMemory(bench);
    describeFailures(bench);
  });
}

/** A person with a fixed answer, who records the requests. */
function createPerson(decision: PermissionDecision): {
  readonly asked: PermissionRequest[];
  readonly decide: (request: PermissionRequest) => Promise<PermissionDecision>;
} {
  const asked: PermissionRequest[] = [];
  return {
    asked,
    decide: async (request) => {
      asked.push(request);
      return decision;
    },
  };
}

function describePolicies(bench: ClientBench): void {
  const testPermission = testIfAble(bench, "permissions");
  const touching = (effect: "allow" | "deny"): PermissionPolicy => ({
    rules: [{ effect, tools: ["shell"], commands: ["touch *"] }],
    otherwise: effect === "allow" ? "ask" : "allow",
  });

  testPermission("an invalid policy starts no session: it could allow what it seems to deny", async () => {
    // The cast is untrue on purpose: a workflow in JavaScript, or without a type check, can pass this.
    const permissions = { rules: [{ effect: "allow", tool: ["read"] }] } as unknown as PermissionPolicy;
    const error = await rejectionOf(bench.client.createSession({ permissions }));
    expect(error).toEqual(
      new PermissionsInvalidError([
        'permissions.rules[0].tool: No such setting. Did you mean "tools"? Known: effect, tools, exceptTools, paths, commands.',
      ]),
    );
  });

  testPermission("a call that the policy allows runs without a question", async () => {
    const file = fileIn(bench, "policy-allows.txt");
    script(bench, callTools(bench.calls.bash("touch policy-allows.txt")), say("Done."));
    const { events, reply } = await (await openTalk(bench, { permissions: touching("allow") })).complete("Touch.");
    expect([file.exists(), eventsOf(events, "permission-ask"), reply.deniedPermissions]).toEqual([true, [], []]);
  });

  testPermission("a call that the policy denies does not run, whatever a person would say, and is listed", async () => {
    const file = fileIn(bench, "policy-denies.txt");
    const person = createPerson({ type: "allow", scope: "project" });
    script(bench, callTools(bench.calls.bash("touch policy-denies.txt")), say("Understood."));
    const talk = await openTalk(bench, { permissions: touching("deny"), onPermissionAsk: person.decide });
    const { events, reply } = await talk.complete("Touch.");
    expect([file.exists(), person.asked]).toEqual([false, []]);
    expect(reply.deniedPermissions.map(({ kind }) => kind)).toEqual(["shell"]);
    expect(eventsOf(events, "tool-end").every(({ isError }) => isError)).toBe(true);
  });

  testPermission("a command that is chained to an allowed one is not allowed with it", async () => {
    const file = fileIn(bench, "chained.txt");
    script(bench, callTools(bench.calls.bash("touch chained.txt; rm -rf chained.txt")), say("Done."));
    const { reply } = await (await openTalk(bench, { permissions: touching("allow") })).complete("Touch.");
    expect([file.exists(), reply.deniedPermissions.length]).toEqual([false, 1]);
  });

  testPermission("reading inside the working directory needs no approval", async () => {
    script(bench, callTools(bench.calls.read(fileIn(bench, "README.md").path)), say("Read."));
    const { reply } = await (await openTalk(bench)).complete("Read it.");
    expect(reply.deniedPermissions).toEqual([]);
  });

  testPermission(
    "without a person, a call that requires approval is denied, listed, and reported to the agent",
    async () => {
      const file = fileIn(bench, "unattended.txt");
      script(bench, callTools(bench.calls.bash("touch unattended.txt")), say("Understood."));
      const { events, reply } = await (await openTalk(bench)).complete("Touch unattended-5512.");
      expect([file.exists(), reply.deniedPermissions.length, eventsOf(events, "permission-ask")]).toEqual([
        false,
        1,
        [],
      ]);
      expect(eventsOf(events, "permission-denied").map(({ denied }) => denied)).toEqual([...reply.deniedPermissions]);
      if (bench.traits?.hidesDenialReason === true) return;
      expect(requestsWith(bench, reply.deniedPermissions[0]?.reason ?? "no reason").length).toBeGreaterThan(0);
    },
  );
}

/** A link is judged by its target. */
function describeLinks(bench: ClientBench): void {
  const testPermission = testIfAble(bench, "permissions");

  testPermission("reading through a link that leads out of the working directory requires approval", async () => {
    const secret = fileBeside(bench, "secret-behind-a-link.txt");
    const link = fileIn(bench, "link-to-a-secret.txt");
    await writeFile(secret.path, "the secret-4471");
    await symlink(secret.path, link.path);
    script(bench, callTools(bench.calls.read(link.path)), say("Understood."));
    const { reply } = await (await openTalk(bench)).complete("Read the link.");
    expect(reply.deniedPermissions.map(({ kind }) => kind)).toEqual(["read"]);
    expect(requestsWith(bench, "the secret-4471")).toEqual([]);
  });

  testPermission("writing through a linked folder is not writing in the folder that the policy allows", async () => {
    const elsewhere = fileBeside(bench, "elsewhere");
    await mkdir(elsewhere.path);
    await mkdir(fileIn(bench, "allowed").path);
    await symlink(elsewhere.path, fileIn(bench, "allowed/linked").path);
    const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["edit"], paths: ["allowed/**"] }] };
    const calls = ["allowed/plain.txt", "allowed/linked/escaped.txt"].map((name) =>
      bench.calls.write(fileIn(bench, name).path, "written"),
    );
    script(bench, ...calls.map((call) => callTools(call)), say("Understood."));
    const { reply } = await (await openTalk(bench, { permissions })).complete("Write both.");
    expect([fileIn(bench, "allowed/plain.txt").exists(), fileBeside(bench, "elsewhere/escaped.txt").exists()]).toEqual([
      true,
      false,
    ]);
    expect(reply.deniedPermissions.map(({ kind }) => kind)).toEqual(["edit"]);
  });
}

function describePeople(bench: ClientBench): void {
  const testPermission = testIfAble(bench, "permissions");

  testPermission("a person is asked about the command, and allowing once means once", async () => {
    const person = createPerson({ type: "allow" });
    const call = bench.calls.bash("touch asked-once.txt");
    script(bench, callTools(call), callTools(call), say("Done."));
    const talk = await openTalk(bench, { onPermissionAsk: person.decide });
    const { events, reply } = await talk.complete("Touch it twice.");
    expect([fileIn(bench, "asked-once.txt").exists(), reply.deniedPermissions]).toEqual([true, []]);
    expect(person.asked.map(({ kind, command, sessionId }) => [kind, command, sessionId])).toEqual(
      Array(2).fill(["shell", "touch asked-once.txt", talk.id]),
    );
    expect(eventsOf(events, "permission-ask").map(({ request }) => request)).toEqual(person.asked);
  });

  testPermission("a call that a person denies does not run, and the agent receives the reason", async () => {
    const person = createPerson({ type: "deny", reason: "not on a Sunday-6613" });
    script(bench, callTools(bench.calls.bash("touch person-denies.txt")), say("Understood."));
    const { reply } = await (await openTalk(bench, { onPermissionAsk: person.decide })).complete("Touch.");
    expect(fileIn(bench, "person-denies.txt").exists()).toBe(false);
    expect(reply.deniedPermissions.map(({ kind, reason }) => [kind, reason])).toEqual([
      ["shell", "not on a Sunday-6613"],
    ]);
    expect(reply.content).toBe(bench.traits?.endsTurnOnDenial === true ? "" : "Understood.");
    if (bench.traits?.hidesDenialReason === true) return;
    expect(requestsWith(bench, "not on a Sunday-6613").length).toBeGreaterThan(0);
  });

  testPermission("a file outside the working directory requires approval, whatever applies inside it", async () => {
    const file = fileBeside(bench, "outside-of-work.txt");
    const person = createPerson({ type: "deny", reason: "stay inside" });
    script(bench, callTools(bench.calls.write(file.path, "escaped")), say("Understood."));
    const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["edit"], paths: ["**"] }] };
    const talk = await openTalk(bench, { permissions, onPermissionAsk: person.decide });
    await talk.complete("Write it.");
    expect([file.exists(), person.asked.length > 0]).toEqual([false, true]);
    expect(person.asked[0]?.paths.some((path) => path.endsWith("outside-of-work.txt"))).toBe(true);
  });
}

function describeMemory(bench: ClientBench): void {
  const testPermission = testIfAble(bench, "permissions");

  testPermission("allowing for the session covers the same call again, but no other session", async () => {
    const person = createPerson({ type: "allow", scope: "session" });
    const call = bench.calls.bash("touch for-session.txt");
    script(bench, callTools(call), callTools(call), say("Done."));
    const talk = await openTalk(bench, { onPermissionAsk: person.decide });
    await talk.complete("Touch it twice.");
    await talk.complete("And again.");
    expect(person.asked.length).toBe(1);
    await (await openTalk(bench, { onPermissionAsk: person.decide })).complete("Touch it twice.");
    expect(person.asked.length).toBe(2);
  });

  testPermission("allowing for the project is stored and applies to other sessions, too", async () => {
    const remembered: PermissionRequest[] = [];
    const permissionMemory = {
      isAllowed: async ({ command }: PermissionRequest) => remembered.some((known) => known.command === command),
      allow: async (request: PermissionRequest) => {
        remembered.push(request);
      },
    };
    const person = createPerson({ type: "allow", scope: "project" });
    const config = { onPermissionAsk: person.decide, permissionMemory };
    script(bench, callTools(bench.calls.bash("touch for-project.txt")), say("Done."));
    await (await openTalk(bench, config)).complete("Touch it.");
    const { reply } = await (await openTalk(bench, config)).complete("Touch it again.");
    expect([remembered.map(({ command }) => command), person.asked.length, reply.deniedPermissions]).toEqual([
      ["touch for-project.txt"],
      1,
      [],
    ]);
  });
}

function describeFailures(bench: ClientBench): void {
  const testPermission = testIfAble(bench, "permissions");

  testPermission("a failed question counts as a denial", async () => {
    script(bench, callTools(bench.calls.bash("touch asking-fails.txt")), say("Understood."));
    const talk = await openTalk(bench, {
      onPermissionAsk: async () => {
        throw new Error("the terminal is gone");
      },
    });
    const { reply } = await talk.complete("Touch.");
    expect([fileIn(bench, "asking-fails.txt").exists(), reply.deniedPermissions.map(({ reason }) => reason)]).toEqual([
      false,
      ["Asking for permission failed: the terminal is gone"],
    ]);
  });

  testPermission("an abort ends the wait for a person and aborts the question", async () => {
    script(bench, callTools(bench.calls.bash("touch asking-aborted.txt")), say("Done."));
    const controller = new AbortController();
    const gaveUp = Promise.withResolvers<unknown>();
    const talk = await openTalk(bench, {
      onPermissionAsk: (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            gaveUp.resolve(signal.aborted);
            reject(signal.reason);
          });
          controller.abort(new Error("enough"));
        }),
    });
    expect(await rejectionOf(talk.session.send("Touch.", { signal: controller.signal }))).toEqual(new Error("enough"));
    expect(await gaveUp.promise).toBe(true);
    await talk.expectUsable();
    expect(fileIn(bench, "asking-aborted.txt").exists()).toBe(false);
  });

  testPermission("a person may think for longer than the stall time", async () => {
    script(bench, callTools(bench.calls.bash("touch slow-person.txt")), say("Done."));
    const talk = await openTalk(bench, {
      onPermissionAsk: (_request, { signal }) =>
        new Promise((resolve) => {
          const timer = setTimeout(() => resolve({ type: "allow" }), 3_500);
          signal.addEventListener("abort", () => clearTimeout(timer));
        }),
    });
    const { reply } = await talk.complete("Touch.", { stallTimeoutMs: 3_000 });
    expect([reply.content, fileIn(bench, "slow-person.txt").exists()]).toEqual(["Done.", true]);
  });

  testPermission("two denied calls of one message are both listed", async () => {
    const calls = ["touch two-a.txt", "touch two-b.txt"].map((command) => bench.calls.bash(command));
    script(bench, callTools(...calls), say("Understood."));
    const { reply } = await (await openTalk(bench)).complete("Touch both.");
    expect(reply.deniedPermissions.map(({ kind }) => kind)).toEqual(["shell", "shell"]);
  });
}
