import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { AgentCrashedError, ServerNotJoinedError } from "../../../../contracts/index.ts";
import { rejectionOf } from "../../../../testkit/conformance/rejection-of.ts";
import { createCopilotClient } from "../copilot-client.ts";
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
  { settings: { sandbox: {} }, reason: "a running runtime cannot be put into a sandbox. Leave cliUrl out" },
  {
    settings: { homeDirectory: "/h" },
    reason: "a running runtime has its own home. Leave homeDirectory or cliUrl out",
  },
  {
    settings: { binaryPath: "/bin/copilot" },
    reason: "a running runtime is not started from a program. Leave binaryPath or cliUrl out",
  },
  {
    settings: { projectSettings: false },
    reason:
      'a running runtime has its own environment, so a program that an untrusted project names, as in .git/config, could run there. Trust the project ("atomic trust add", or projectSettings: true in a program), or leave cliUrl out',
  },
])("a runtime is not joined with $settings", async ({ settings, reason }) => {
  const client = createCopilotClient({ ...OPTIONS, ...settings });
  expect(await rejectionOf(client.start())).toEqual(new ServerNotJoinedError("copilot", "127.0.0.1:1", reason));
});

test.each([
  { cliUrl: "4321", reason: "this is not an address of the form 127.0.0.1:PORT" },
  { cliUrl: "127.0.0.1", reason: "this is not an address of the form 127.0.0.1:PORT" },
  { cliUrl: "https://127.0.0.1:1", reason: "this is not an address of the form 127.0.0.1:PORT" },
  { cliUrl: "copilot.example:4321", reason: "Atomic judges the files of this machine" },
  { cliUrl: "http://10.0.0.2:4321", reason: "Atomic judges the files of this machine" },
  { cliUrl: "127.0.0.1:1", reason: "nothing answers there (" },
  { cliUrl: "http://LocalHost:80/", reason: "nothing answers there (" },
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

test("a connection reset by the runtime counts as closed", async () => {
  const accepted = once(server, "connection");
  const runtime = await joinCopilotRuntime({ cliUrl: `127.0.0.1:${port}`, timeoutMs: 5_000 });
  const [socket]: Socket[] = await accepted;
  socket?.resetAndDestroy();
  const reason = `the connection to 127.0.0.1:${port} was closed`;
  expect(await runtime.ended).toEqual(new AgentCrashedError("copilot", reason, []));
  expect(runtime.isAlive()).toBe(false);
  await runtime.stop();
});

test("stopping a client ends its wait for a runtime that does not answer", async () => {
  const accepted = once(server, "connection");
  const client = createCopilotClient({ ...OPTIONS, cliUrl: `127.0.0.1:${port}`, startTimeoutMs: 2 ** 30 });
  const starting = rejectionOf(client.start());
  const [socket]: Socket[] = await accepted;
  if (socket !== undefined) await once(socket, "data"); // the SDK's first request
  await client.stop();
  expect(String(await starting)).toBe("AbortError: The client was stopped.");
});

test("a connection aborted while it is made rejects with the reason, and leaves nothing open", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  const joining = joinCopilotRuntime({ cliUrl: `127.0.0.1:${port}`, timeoutMs: 5_000, signal });
  expect(await rejectionOf(joining)).toEqual(new Error("enough"));
});

/** The framed answer to the SDK's first request, whose id is 0. */
function answerOf(body: string): string {
  return `Content-Length: ${body.length}\r\n\r\n${body}`;
}

test.each([
  { title: "is silent", answer: "", detail: "no connection within 300 ms" },
  { title: "sends no messages", answer: "SSH-2.0-OpenSSH_9.9\r\n\r\n", detail: "was closed" },
  { title: "sends a message without an end", answer: "Content-Length: 99999999999\r\n\r\nx", detail: "was closed" },
  {
    title: "speaks another protocol",
    answer: answerOf('{"jsonrpc":"2.0","id":0,"result":{}}'),
    detail: "SDK protocol version mismatch",
    remedy: "Update that program if it is a Copilot. Otherwise correct",
  },
])(
  "a server that $title is not joined, and the error names the setting",
  async ({ answer, detail, remedy = "Correct" }) => {
    server.once("connection", (socket) => socket.on("data", () => socket.write(answer)));
    const cliUrl = `127.0.0.1:${port}`;
    const client = createCopilotClient({ ...OPTIONS, cliUrl, startTimeoutMs: answer === "" ? 300 : 20_000 });
    expect(await rejectionOf(client.start())).toMatchObject({
      code: "SERVER_NOT_JOINED",
      url: cliUrl,
      reason: expect.stringMatching(new RegExp(`${detail}.*${remedy} agents.copilot.cliUrl`)),
    });
    await client.stop();
  },
);
