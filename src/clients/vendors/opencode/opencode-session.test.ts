import { expect, test } from "bun:test";
import { type SessionConfig, UngatedToolCallError } from "../../../contracts/index.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { ToolHost } from "../../tools/tool-host.ts";
import { OpenCodeSession, type OpenCodeSessionOptions } from "./opencode-session.ts";
import type { OpenCodeConnection } from "./server/opencode-connection.ts";
import type { OpenCodeEvent } from "./server/opencode-wire.ts";

/** The parts of OpenCode's API that a test answers itself. */
interface FakeServer {
  /** The connection of a session to it. */
  readonly connection: OpenCodeConnection;
  /** The sessions with a receiver. */
  readonly registered: ReadonlySet<string>;
}

function fakeServer(calls: object): FakeServer {
  const registered = new Set<string>();
  const connection = {
    // The cast is true for the methods that the tests call.
    sdk: calls as OpenCodeConnection["sdk"],
    isOpen: true,
    loginCommand: "opencode auth login",
    ended: new Promise<void>(() => {}),
    register: (sessionId: string) => void registered.add(sessionId),
    unregister: (sessionId: string) => void registered.delete(sessionId),
    openFolder: async (worktree: string) => ({ worktree }),
    deliver: () => {},
    stop: async () => {},
  };
  return { connection, registered };
}

function createSession(
  connection: OpenCodeConnection,
  config: SessionConfig,
  overrides: Partial<OpenCodeSessionOptions> = {},
): OpenCodeSession {
  return new OpenCodeSession({
    id: "s",
    config,
    workingDirectory: "/work",
    worktree: "/work",
    childEnv: {},
    model: { providerID: "atomic", modelID: "m" },
    stallTimeoutMs: 10_000,
    endpointModels: undefined,
    isFree: false,
    tools: [],
    toolHost: new ToolHost(),
    connect: async () => connection,
    onEvent: () => {},
    onDestroy: () => {},
    ...overrides,
  });
}

/** OpenCode's events for the answer to a user's message. */
function answerEvents(number: number, text: string): readonly OpenCodeEvent[] {
  const sessionID = "s";
  const [user, answer] = [`user${number}`, `answer${number}`];
  const time = { completed: 1 };
  return [
    { type: "message.updated", properties: { sessionID, info: { id: user, role: "user" } } },
    { type: "session.status", properties: { sessionID, status: { type: "busy" } } },
    {
      type: "message.updated",
      properties: { sessionID, info: { id: answer, role: "assistant", parentID: user, time } },
    },
    {
      type: "message.part.updated",
      properties: {
        part: { sessionID, id: `part${number}`, messageID: answer, type: "text", text, time: { end: 1 } },
      },
    },
    { type: "session.idle", properties: { sessionID } },
  ];
}

test("a failed lookup of an effort is repeated for the next message, and a successful one is not", async () => {
  const lookUps: (() => Promise<unknown>)[] = [
    () => Promise.reject(new Error("connection reset")),
    async () => ({ data: { providers: [{ id: "atomic", models: { m: { variants: { high: {} } } } }] } }),
  ];
  const sent: unknown[] = [];
  const { connection } = fakeServer({
    config: { providers: () => lookUps.shift()?.() },
    session: {
      promptAsync: async ({ variant }: { readonly variant?: string }) => {
        sent.push(variant);
        throw new Error("not taken");
      },
    },
  });
  const session = createSession(connection, { reasoningEffort: "high" });
  const errors: string[] = [];
  for (const message of ["1", "2", "3"]) errors.push(String(await rejectionOf(session.send(message))));
  const failed = 'AgentTurnError: The turn of the agent "opencode" failed: ';
  expect(errors).toEqual([`${failed}connection reset`, `${failed}not taken`, `${failed}not taken`]);
  expect(sent).toEqual(["high", "high"]);
});

test("late events of a repeated answer do not end the next turn", async () => {
  const late = answerEvents(1, "no JSON").filter(({ type }) => type !== "message.part.updated");
  const replies = [answerEvents(1, "no JSON"), answerEvents(2, "{}"), [...late, ...answerEvents(3, "third")]];
  const { connection } = fakeServer({
    session: {
      promptAsync: async () => {
        for (const event of replies.shift() ?? []) session.receive(event);
      },
    },
  });
  const session = createSession(connection, {});
  expect((await session.send("1", { outputSchema: { type: "object" } })).structured).toEqual({});
  expect((await session.send("2")).content).toBe("third");
});

test("a session whose MCP servers OpenCode rejects leaves no servers, no routing and no tools", async () => {
  const added: { readonly name: string; readonly config: { readonly url: string } }[] = [];
  const removed: string[] = [];
  const { connection, registered } = fakeServer({
    mcp: {
      add: async (server: (typeof added)[number]) => {
        if (server.name.endsWith("-bad")) throw new Error("bad config");
        added.push(server);
      },
      disconnect: async ({ name }: { readonly name: string }) => void removed.push(name),
    },
  });
  const toolHost = new ToolHost();
  const tools = [{ name: "note", description: "", inputSchema: { type: "object" }, handler: () => "" }];
  const servers = { bad: { type: "stdio", command: "x" }, good: { type: "stdio", command: "x" } } as const;
  const session = createSession(connection, { mcpServers: servers }, { tools, toolHost });
  expect(await rejectionOf(session.open(connection))).toEqual(new Error("bad config"));
  await session.destroy();
  expect([removed, [...registered]]).toEqual([added.map(({ name }) => name), []]);
  const toolServer = added.find(({ config }) => config.url !== undefined);
  expect((await fetch(toolServer?.config.url ?? "", { method: "POST" })).status).toBe(404);
  await toolHost.stop();
});

test("a session that is destroyed while it opens leaves nothing either", async () => {
  const adding = Promise.withResolvers<void>();
  const added = Promise.withResolvers<void>();
  const removed: string[] = [];
  const { connection, registered } = fakeServer({
    mcp: {
      add: () => {
        adding.resolve();
        return added.promise;
      },
      disconnect: async ({ name }: { readonly name: string }) => void removed.push(name),
    },
  });
  const session = createSession(connection, { mcpServers: { good: { type: "stdio", command: "x" } } });
  const opening = rejectionOf(session.open(connection));
  await adding.promise;
  await session.destroy();
  added.resolve();
  expect(String(await opening)).toBe("AbortError: The session was destroyed.");
  expect([removed.length, [...registered]]).toEqual([1, []]);
});

test.each([
  {
    title: "has run",
    event: (start: number): OpenCodeEvent => ({
      type: "message.part.updated",
      properties: {
        part: {
          id: "part",
          sessionID: "s",
          messageID: "answer1",
          type: "tool",
          callID: "call_1",
          tool: "bash",
          state: { status: "completed", input: {}, output: "", time: { start } },
        },
      },
    }),
    replies: [],
  },
  {
    title: "OpenCode asks about",
    event: (): OpenCodeEvent => ({
      type: "permission.asked",
      properties: {
        id: "per_1",
        sessionID: "s",
        permission: "bash",
        patterns: ["ls"],
        metadata: { command: "ls" },
        tool: { callID: "call_1" },
      },
    }),
    replies: ["reject"],
  },
])("a call that $title without a decision ends the turn", async ({ event, replies }) => {
  const replied: string[] = [];
  const { connection } = fakeServer({
    session: {
      promptAsync: async () => {
        for (const told of answerEvents(1, "").slice(0, 2)) session.receive(told);
        session.receive(event(Date.now() + 1));
      },
      abort: async () => {
        for (const told of answerEvents(1, "").slice(2)) session.receive(told);
      },
    },
    permission: { reply: async ({ reply }: { readonly reply: string }) => void replied.push(reply) },
  });
  const session = createSession(connection, { permissions: { rules: [], otherwise: "allow" } });
  expect(await rejectionOf(session.send("Go."))).toEqual(new UngatedToolCallError("opencode", "bash"));
  expect<readonly string[]>(replied).toEqual(replies);
});
