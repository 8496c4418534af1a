import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { AgentCrashedError, type PermissionPolicy } from "../../contracts/index.ts";
import { call, processesWith, rejectionOf, say, startOpenCodeTestBench } from "./fixtures/opencode-test-bench.ts";
import { createOpenCodeClient } from "./opencode-client.ts";

setDefaultTimeout(30_000);

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

const bench = await startOpenCodeTestBench(process.env.PATH ?? "");
const { models, script } = bench;
afterAll(() => bench.stop());

describe("the server's process", () => {
  test("a conversation goes on in a new one, and stopping leaves nothing behind, a running command included", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const options = bench.optionsFor({ env: { PATH: process.env.PATH ?? "", MARKER: marker } });
    const first = createOpenCodeClient(options);
    script(say("I am Ada."));
    const session = await first.createSession();
    await session.send("Who are you?");
    await first.stop();
    expect(processesWith(marker)).toEqual([]);

    const second = createOpenCodeClient(options);
    const resumed = await second.resumeSession(session.id, { permissions: ALLOW_ALL });
    script(say("Still Ada."));
    expect((await resumed.send("And now?")).content).toBe("Still Ada.");
    expect(JSON.stringify(models.requests.at(-1)?.body)).toContain("I am Ada.");

    script(call("bash", { command: "echo begun; sleep 300", description: "Sleep" }));
    const sending = rejectionOf(resumed.send("Sleep."));
    await new Promise<void>((resolve) => {
      second.on("vendor", (event) => {
        if (JSON.stringify(event.data).includes("begun")) resolve();
      });
    });
    await second.stop();
    expect(String(await sending)).toBe("AbortError: The client was stopped.");
    expect(processesWith(marker)).toEqual([]);
  });

  test("when it dies in the middle of a turn, the turn fails within a second and the next one starts a new server", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const crashing = createOpenCodeClient(bench.optionsFor({ env: { PATH: process.env.PATH ?? "", MARKER: marker } }));
    const session = await crashing.createSession();
    script({ type: "message", text: "word ".repeat(200), deltaDelayMs: 30 });
    let killedAt = 0;
    crashing.on("text-delta", () => {
      if (killedAt > 0) return;
      killedAt = Date.now();
      const server = processesWith(marker).find(({ commandLine }) => commandLine[1] === "serve");
      process.kill(server?.pid ?? Number.NaN, "SIGKILL");
    });
    const error = await rejectionOf(session.send("Talk."));
    expect(Date.now() - killedAt).toBeLessThan(1_000);
    expect(error).toBeInstanceOf(AgentCrashedError);
    expect((error as AgentCrashedError).ending).toBe("signal SIGKILL");
    script(say("back again"));
    expect((await session.send("Are you there?")).content).toBe("back again");
    await crashing.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test("start and stop may be called again", async () => {
    const other = createOpenCodeClient(bench.optionsFor());
    await Promise.all([other.start(), other.start()]);
    await other.stop();
    await other.stop();
  });
});
