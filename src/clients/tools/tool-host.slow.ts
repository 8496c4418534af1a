import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import { once } from "node:events";
import { request as httpRequest, Server } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpServerConfig, ToolContext, ToolDefinition } from "../../contracts/index.ts";
import { ToolHost } from "./tool-host.ts";

type Address = Extract<McpServerConfig, { type: "http" }>;

const host = new ToolHost({ progressIntervalMs: 20, maxBodyBytes: 1_000 });
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(() => host.stop());

const GREET: ToolDefinition = {
  name: "greet",
  description: "Greets somebody.",
  inputSchema: { properties: { name: { type: "string" } }, required: ["name"] },
  handler: (input, { sessionID }) => ({ greeted: input, by: sessionID }),
};

function contextOf(sessionID: string, abort: AbortSignal = new AbortController().signal): () => ToolContext {
  return () => ({ sessionID, messageID: "m", agent: "opencode", directory: "/work", abort });
}

async function connect({ url, headers = {} }: Address): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  clients.push(client);
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  // The cast is true: the class has all of the interface; only its optional members may also be `undefined` by name.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

/** A tool that ignores its signal, and the state of the signal of its only call. */
function endlessTool(): { readonly tool: ToolDefinition; readonly called: Promise<AbortSignal> } {
  const { promise: called, resolve } = Promise.withResolvers<AbortSignal>();
  const handler: ToolDefinition["handler"] = (_, { abort }) => {
    resolve(abort);
    return new Promise(() => {});
  };
  return { tool: { ...GREET, name: "wait", inputSchema: {}, handler }, called };
}

async function abortOf(signal: AbortSignal): Promise<unknown> {
  if (!signal.aborted) await once(signal, "abort");
  return String(signal.reason);
}

describe("an agent", () => {
  test("gets an error for a call that was not allowed, and the tool does not run", async () => {
    let runCount = 0;
    const tool: ToolDefinition = { ...GREET, handler: () => `run ${++runCount}` };
    const { server, close } = await host.open({ tools: [tool], context: () => undefined });
    const client = await connect(server);
    expect(await client.callTool({ name: "greet", arguments: { name: "Ada" } })).toEqual({
      isError: true,
      content: [{ type: "text", text: 'This call of "greet" was not allowed, so it did not run.' }],
    });
    expect(runCount).toBe(0);
    await close();
  });

  test("sees the tools of its address, with schemas that say they are objects", async () => {
    const { server, close } = await host.open({ tools: [GREET], context: contextOf("a") });
    const client = await connect(server);
    expect(await client.listTools()).toEqual({
      tools: [
        { name: "greet", description: "Greets somebody.", inputSchema: { ...GREET.inputSchema, type: "object" } },
      ],
    });
    await close();
  });

  test("calls a tool, and gets an error for an invalid call", async () => {
    const { server, close } = await host.open({ tools: [GREET], context: contextOf("a") });
    const client = await connect(server);
    const call = (name: string, args?: Record<string, unknown>) =>
      client.callTool({ name, ...(args === undefined ? {} : { arguments: args }) });
    expect(await call("greet", { name: "Ada" })).toEqual({
      isError: false,
      content: [{ type: "text", text: '{"greeted":{"name":"Ada"},"by":"a"}' }],
    });
    expect(await call("greet")).toEqual({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("must have required property 'name'") }],
    });
    expect(await call("greed")).toEqual({
      isError: true,
      content: [{ type: "text", text: 'No tool named "greed". Known tools: greet.' }],
    });
    await close();
  });

  test("calls in a context that may depend on the call", async () => {
    const { server, close } = await host.open({
      tools: [GREET],
      context: ({ toolName, input }) => contextOf(`${toolName} ${JSON.stringify(input)}`)(),
    });
    const client = await connect(server);
    const answer = await client.callTool({ name: "greet", arguments: { name: "Ada" } });
    const by = JSON.stringify({ greeted: { name: "Ada" }, by: 'greet {"name":"Ada"}' });
    expect(answer).toEqual({ isError: false, content: [{ type: "text", text: by }] });
    await close();
  });

  test("calls in the context of its own address, while another calls in another", async () => {
    const first = await host.open({ tools: [GREET], context: contextOf("first") });
    const second = await host.open({
      tools: [GREET, { ...GREET, handler: () => "replaced" }],
      context: contextOf("second"),
    });
    const callers = await Promise.all([connect(first.server), connect(first.server), connect(second.server)]);
    const replies = await Promise.all(
      callers.map((client) => client.callTool({ name: "greet", arguments: { name: "Ada" } })),
    );
    const text = '{"greeted":{"name":"Ada"},"by":"first"}';
    expect(replies.map(({ content }) => content)).toEqual([
      [{ type: "text", text }],
      [{ type: "text", text }],
      [{ type: "text", text: "replaced" }],
    ]);
    await Promise.all([first.close(), second.close()]);
  });

  test("waits for a slow tool for longer than its own time limit, because it receives progress", async () => {
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const slow: ToolDefinition = { ...GREET, inputSchema: {}, handler: () => enough.then(() => "done") };
    const { server, close } = await host.open({ tools: [slow], context: contextOf("a") });
    const client = await connect(server);
    const startedAt = performance.now();
    const timeout = 1_000;
    const onprogress = () => {
      if (performance.now() - startedAt > timeout) resolve();
    };
    const options = { timeout, resetTimeoutOnProgress: true, onprogress };
    const result = await client.callTool({ name: "greet" }, undefined, options);
    expect(result.content).toEqual([{ type: "text", text: "done" }]);
    await close();
  });
});

describe("a call that runs is aborted", () => {
  test("when the caller cancels it", async () => {
    const { tool, called } = endlessTool();
    const { server, close } = await host.open({ tools: [tool], context: contextOf("a") });
    const client = await connect(server);
    const controller = new AbortController();
    const result = client.callTool({ name: "wait" }, undefined, { signal: controller.signal }).catch(String);
    const signal = await called;
    controller.abort("no longer needed");
    expect(await abortOf(signal)).toBe("no longer needed");
    expect(await result).toContain("no longer needed");
    await close();
  });

  test("when the caller hangs up", async () => {
    const { tool, called } = endlessTool();
    const { server, close } = await host.open({ tools: [tool], context: contextOf("a") });
    const client = await connect(server);
    client.callTool({ name: "wait" }).catch(() => {
      // its connection ends
    });
    const signal = await called;
    await client.close();
    expect(await abortOf(signal)).toBe("AbortError: The caller hung up.");
    await close();
  });

  test("when its context is, and the caller gets the error", async () => {
    const { tool, called } = endlessTool();
    const turn = new AbortController();
    const { server, close } = await host.open({ tools: [tool], context: contextOf("a", turn.signal) });
    const result = (await connect(server)).callTool({ name: "wait" });
    const signal = await called;
    turn.abort(new Error("The turn is over."));
    expect(await abortOf(signal)).toBe("Error: The turn is over.");
    expect(await result).toEqual({ isError: true, content: [{ type: "text", text: "The call was cancelled." }] });
    await close();
  });

  test("when its address is closed, which is gone then, also for sessions that were open", async () => {
    const { tool, called } = endlessTool();
    const { server, close } = await host.open({ tools: [tool], context: contextOf("a") });
    const client = await connect(server);
    client.callTool({ name: "wait" }).catch(() => {
      // its connection ends
    });
    const signal = await called;
    await close();
    expect(signal.aborted).toBe(true);
    await expect(client.listTools()).rejects.toThrow("No tools are offered here.");
    await close();
  });
});

describe("a request", () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  };

  interface RawRequest {
    readonly title: string;
    readonly path?: string;
    readonly headers?: Record<string, string | undefined>;
    readonly body?: string;
    readonly expected: readonly [status: number, body: unknown];
  }

  /** With node:http, because fetch sets `Host` itself. */
  async function send({ url, headers: given = {} }: Address, raw: Partial<RawRequest>): Promise<[number, string]> {
    const { path, headers: changes = {}, body = JSON.stringify(initialize) } = raw;
    const target = new URL(path ?? "", url);
    const all = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...given,
      ...changes,
    };
    const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const outgoing = httpRequest(target, { method: "POST", headers });
    outgoing.end(body);
    const [incoming] = await once(outgoing, "response");
    let text = "";
    for await (const chunk of incoming) text += String(chunk);
    return [incoming.statusCode, text];
  }

  const TOKEN_PROBLEM = "The token is missing or wrong.";
  const HOST_PROBLEM = "This host serves programs on this machine only.";

  test.each<RawRequest>([
    { title: "with the token opens a session", expected: [200, expect.stringContaining('"serverInfo"')] },
    { title: "without a token", headers: { Authorization: undefined }, expected: [401, TOKEN_PROBLEM] },
    { title: "with a wrong token", headers: { Authorization: "Bearer guess" }, expected: [401, TOKEN_PROBLEM] },
    { title: "for a wrong address", path: "/mcp/guess", expected: [404, "No tools are offered here."] },
    { title: "for the root", path: "/", expected: [404, "No tools are offered here."] },
    { title: "under a foreign name", headers: { Host: "evil.example" }, expected: [403, HOST_PROBLEM] },
    { title: "of a web page", headers: { Origin: "https://evil.example" }, expected: [403, HOST_PROBLEM] },
    { title: "of an opaque origin", headers: { Origin: "null" }, expected: [403, HOST_PROBLEM] },
    {
      title: "in an unknown session",
      headers: { "mcp-session-id": "guess" },
      expected: [404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'],
    },
    {
      title: "that opens no session",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      expected: [400, expect.stringContaining("Server not initialized")],
    },
    { title: "that is no JSON", body: "{", expected: [400, expect.stringContaining("Parse error")] },
    { title: "that is too long", body: `"${"x".repeat(1_000)}"`, expected: [413, expect.stringContaining("1000")] },
  ])("$title: $expected.0", async ({ expected, ...raw }) => {
    const { server, close } = await host.open({ tools: [GREET], context: contextOf("a") });
    expect<unknown>(await send(server, raw)).toEqual(expected);
    await close();
  });

  test("with the token of another address is rejected", async () => {
    const first = await host.open({ tools: [], context: contextOf("a") });
    const second = await host.open({ tools: [], context: contextOf("b") });
    expect(await send({ ...first.server, headers: second.server.headers ?? {} }, {})).toEqual([401, TOKEN_PROBLEM]);
    await Promise.all([first.close(), second.close()]);
  });
});

describe("a host", () => {
  test("that is stopped ends its calls, rejects connections and opens nothing", async () => {
    const own = new ToolHost();
    const { tool, called } = endlessTool();
    const { server } = await own.open({ tools: [tool], context: contextOf("a") });
    (await connect(server)).callTool({ name: "wait" }).catch(() => {
      // its connection ends
    });
    const signal = await called;
    await Promise.all([own.stop(), own.stop()]);
    expect(signal.aborted).toBe(true);
    await expect(fetch(server.url)).rejects.toThrow();
    await expect(own.open({ tools: [], context: contextOf("a") })).rejects.toThrow(
      "Tools cannot be offered any more: their host was stopped. Make a new ToolHost.",
    );
  });

  test("that could not listen tries again at the next call, and can be stopped", async () => {
    const own = new ToolHost();
    const listening = spyOn(Server.prototype, "listen").mockImplementation(function (this: Server) {
      setImmediate(() => this.emit("error", new Error("no port is free")));
      return this;
    });
    try {
      const opening = own.open({ tools: [], context: contextOf("a") }).catch(String);
      const other = new ToolHost();
      const failing = other.open({ tools: [], context: contextOf("a") }).catch(String);
      await other.stop();
      expect([await opening, await failing]).toEqual(["Error: no port is free", "Error: no port is free"]);
    } finally {
      listening.mockRestore();
    }
    const { server } = await own.open({ tools: [], context: contextOf("a") });
    expect((await fetch(server.url)).status).toBe(401);
    await own.stop();
  });

  test("that was never used has nothing to stop", async () => {
    await new ToolHost().stop();
  });
});
