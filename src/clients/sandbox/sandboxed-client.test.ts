import { expect, test } from "bun:test";
import { createFakeAgent } from "../fixtures/fake-agent.ts";
import { withRecovery } from "../turn/recovery/with-recovery.ts";
import { sandboxedClient } from "./sandboxed-client.ts";

const OPTIONS = { workingDirectory: "/work/app", env: {} };

test("a client without a sandbox stays as it is", () => {
  const agent = createFakeAgent([]);
  expect(sandboxedClient(agent, OPTIONS)).toBe(agent);
});

test("a client reports that its agent is sandboxed, also in a decorator", () => {
  const client = sandboxedClient(createFakeAgent([]), { ...OPTIONS, sandbox: {} });
  expect([client.isSandboxed, withRecovery(client).isSandboxed]).toEqual([true, true]);
  expect(withRecovery(createFakeAgent([])).isSandboxed).toBe(false);
});

test("sessions work in the sandbox's folders only", async () => {
  const client = sandboxedClient(createFakeAgent([]), { ...OPTIONS, sandbox: { readRoots: ["/data"] } });
  await client.createSession();
  await client.createSession({ workingDirectory: "/work/app/part" });
  await client.createSession({ workingDirectory: "/data" });
  await expect(client.createSession({ workingDirectory: "/work/app2" })).rejects.toThrow(
    'The setting workingDirectory cannot be used: the folder "/work/app2" is not in the agent\'s sandbox. Name it in sandbox.writeRoots, or in sandbox.readRoots.',
  );
  await expect(client.resumeSession("s1", { workingDirectory: "/" })).rejects.toThrow("workingDirectory");
  await expect(client.forkSession("s1", { workingDirectory: "/" })).rejects.toThrow("workingDirectory");
});
