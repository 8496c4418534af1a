import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { ServerNotJoinedError } from "../../contracts/index.ts";
import { rejectionOf } from "../../testkit/conformance/rejection-of.ts";
import { createCopilotClient } from "./copilot-client.ts";
import type { CopilotOptions } from "./copilot-options.ts";
import { joinCopilotRuntime } from "./join-runtime.ts";

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port; // a server on a port has such an address
});
afterAll(() => server.close());

const OPTIONS: CopilotOptions = {
  workingDirectory: "/work",
  env: {},
  projectSettings: true,
  cliUrl: "127.0.0.1:1",
};

test.each<{ settings: Partial<CopilotOptions>; reason: string }>([
  { settings: { sandbox: {} }, reason: "a runtime that runs already cannot be put into a sandbox. Leave cliUrl out" },
  { settings: { homeDirectory: "/h" }, reason: "its home is its own. Leave homeDirectory or cliUrl out" },
  {
    settings: { binaryPath: "/bin/copilot" },
    reason: "it is not started from a program. Leave binaryPath or cliUrl out",
  },
  {
    settings: { projectSettings: false },
    reason:
      'its environment is its own, so a program that an untrusted project names, as in .git/config, could run there. Trust the project ("atomic trust add", or projectSettings: true in a program), or leave cliUrl out',
  },
])("a runtime is not joined with $settings", async ({ settings, reason }) => {
  const client = createCopilotClient({ ...OPTIONS, ...settings });
  expect(await rejectionOf(client.start())).toEqual(new ServerNotJoinedError("copilot", "127.0.0.1:1", reason));
});

test.each([
  { cliUrl: "4321", reason: "this is no address of the form 127.0.0.1:PORT" },
  { cliUrl: "copilot.example:4321", reason: "Atomic judges the files of this machine" },
  { cliUrl: "http://10.0.0.2:4321", reason: "Atomic judges the files of this machine" },
  { cliUrl: "127.0.0.1:1", reason: "nothing answers there (" },
])("a runtime at $cliUrl is not joined", async ({ cliUrl, reason }) => {
  const error = await rejectionOf(joinCopilotRuntime({ cliUrl, timeoutMs: 5_000 }));
  expect(error).toMatchObject({ code: "SERVER_NOT_JOINED", url: cliUrl, reason: expect.stringContaining(reason) });
});

test.each(["127.0.0.1", "http://127.0.0.1"])(
  "a connection to %s ends alone, and says when it is closed",
  async (host) => {
    const cliUrl = `${host}:${port}`;
    const runtime = await joinCopilotRuntime({ cliUrl, timeoutMs: 5_000 });
    expect(runtime.isAlive()).toBe(true);
    await runtime.stop();
    expect([runtime.isAlive(), (await runtime.ended).message]).toEqual([
      false,
      `The process of the agent "copilot" ended unexpectedly (the connection to ${cliUrl} was closed). Run it again.`,
    ]);
    expect(server.listening).toBe(true);
  },
);
