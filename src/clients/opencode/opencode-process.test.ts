import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { PermissionPolicy } from "../../contracts/index.ts";
import { call, processesWith, rejectionOf, say, startOpenCodeTestBench } from "./fixtures/opencode-test-bench.ts";
import { createOpenCodeClient } from "./opencode-client.ts";

setDefaultTimeout(30_000);

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

const bench = await startOpenCodeTestBench(process.env.PATH ?? "");
const { models, script } = bench;
afterAll(() => bench.stop());

describe("the server's process", () => {
  test("a conversation goes on in a new one, and stopping leaves nothing behind, a running command and a session that is being opened included", async () => {
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
    const opening = rejectionOf(second.createSession());
    await second.stop();
    const stopped = "AbortError: The client was stopped.";
    expect([String(await sending), String(await opening)]).toEqual([stopped, stopped]);
    expect(processesWith(marker)).toEqual([]);
  });
});
