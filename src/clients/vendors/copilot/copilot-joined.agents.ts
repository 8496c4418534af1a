import { afterAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import type { PermissionPolicy } from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { createCopilotClient } from "./copilot-client.ts";
import { startCopilotBench } from "./fixtures/copilot-bench.ts";
import { findCopilot } from "./runtime/find-copilot.ts";

const TOKEN = "the-token-of-the-runtime";
const bench = await startCopilotBench(process.env.PATH ?? "");
const { models, script, workFolder, homeFolder, optionsFor } = bench;
const runtime = await startRuntime();
const { homeDirectory: _, ...joining } = optionsFor({ cliUrl: runtime.cliUrl, cliToken: TOKEN, projectSettings: true });
afterAll(async () => {
  runtime.child.kill("SIGKILL");
  await bench.stop();
});

/** A runtime that another program started with everything allowed. */
async function startRuntime() {
  const program = await findCopilot(optionsFor());
  const home = path.join(homeFolder, "joined");
  await mkdir(home, { recursive: true });
  const env = { PATH: process.env.PATH ?? "", HOME: home, COPILOT_CONNECTION_TOKEN: TOKEN, COPILOT_OFFLINE: "true" };
  const args = ["--headless", "--no-auto-update", "--no-auto-login", "--port", "0"];
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /listening on port (\d+)/.exec(line)?.[1];
    if (port !== undefined) return { child, cliUrl: `127.0.0.1:${port}` };
  }
  throw new Error("The runtime ended before it listened.");
}

test("the policy applies in a joined runtime, which continues when the client is stopped", async () => {
  const client = createCopilotClient(joining);
  const [denied, made] = [path.join(workFolder, "denied.txt"), path.join(workFolder, "made.txt")];
  const permissions: PermissionPolicy = {
    rules: [{ effect: "deny", commands: [`touch ${denied}`] }],
    otherwise: "allow",
  };
  const session = await client.createSession({ permissions });
  script(
    call("bash", { command: `touch ${denied}`, description: "Run it" }),
    call("bash", { command: `touch ${made}`, description: "Run it" }),
    say("Done."),
  );
  const { content, deniedPermissions } = await session.send("Make both.");
  expect([content, deniedPermissions.map(({ kind }) => kind)]).toEqual(["Done.", ["shell"]]);
  expect([existsSync(denied), existsSync(made)]).toEqual([false, true]);
  await client.stop();
  expect(runtime.child.exitCode).toBeNull();
});

test("a runtime that does not call Atomic's hooks is abandoned before the model is called", async () => {
  const relay = createServer((socket) => {
    const upstream = connect(Number(runtime.cliUrl.split(":")[1]), "127.0.0.1");
    socket.on("data", (chunk) => {
      upstream.write(chunk.toString("latin1").replaceAll('"hooks":true', '"hookz":true'), "latin1");
    });
    upstream.pipe(socket);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on("error", () => {}).once("close", () => other.destroy());
    }
  });
  const listening = Promise.withResolvers<void>();
  relay.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = relay.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const client = createCopilotClient({ ...joining, cliUrl: `127.0.0.1:${port}` });
  models.forgetRequests();
  const session = await client.createSession({ permissions: { rules: [], otherwise: "allow" } });
  script(say("Done."));
  expect(await rejectionOf(session.send("Do it, turn-701."))).toMatchObject({ code: "PERMISSION_GATE_MISSING" });
  await client.stop();
  relay.close();
});

test("a wrong token is reported as one", async () => {
  const client = createCopilotClient({ ...joining, cliToken: "wrong" });
  expect(await rejectionOf(client.start())).toMatchObject({
    code: "SERVER_NOT_JOINED",
    reason: expect.stringContaining("COPILOT_CONNECTION_TOKEN"),
  });
});

test("a runtime that ends fails the turn", async () => {
  const other = await startRuntime();
  const client = createCopilotClient({ ...joining, cliUrl: other.cliUrl });
  const session = await client.createSession();
  models.setScript(() => {
    other.child.kill("SIGKILL");
    return { type: "stall" };
  });
  expect(await rejectionOf(session.send("Wait."))).toMatchObject({
    code: "AGENT_CRASHED",
    ending: `the connection to ${other.cliUrl} was closed`,
  });
  await client.stop();
});
