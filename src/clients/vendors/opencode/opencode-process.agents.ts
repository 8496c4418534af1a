import { afterAll, describe, expect, test } from "bun:test";
import type { PermissionPolicy } from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { processesWith } from "../../fixtures/running-processes.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

const bench = await startOpenCodeBench(process.env.PATH ?? "");
const { models, script } = bench;
afterAll(() => bench.stop());

describe("the server's process", () => {
  test("a conversation continues in a new process, and stopping ends everything, including a running command and a session being opened", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const env = { PATH: process.env.PATH ?? "", MARKER: marker };
    const first = bench.createClient({ env });
    script(say("I am Ada."));
    const session = await first.createSession();
    await session.send("Who are you?");
    await first.stop();
    expect(processesWith(marker)).toEqual([]);

    const second = bench.createClient({ env });
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
