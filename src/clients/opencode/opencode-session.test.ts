import { expect, test } from "bun:test";
import type { SessionConfig } from "../../contracts/index.ts";
import { ToolHost } from "../tools/tool-host.ts";
import { rejectionOf } from "./fixtures/opencode-test-bench.ts";
import type { OpenCodeConnection } from "./opencode-connection.ts";
import { OpenCodeSession } from "./opencode-session.ts";

/** What of OpenCode's interface a test answers itself. */
interface FakeServer {
  /** The connection of a session to it. */
  readonly connection: OpenCodeConnection;
  /** The sessions whose events go somewhere. */
  readonly registered: ReadonlySet<string>;
}

function fakeServer(calls: object): FakeServer {
  const registered = new Set<string>();
  const connection = {
    // The cast is true as far as the tests call it.
    sdk: calls as OpenCodeConnection["sdk"],
    isOpen: true,
    register: (sessionId: string) => void registered.add(sessionId),
    unregister: (sessionId: string) => void registered.delete(sessionId),
    deliver: () => {},
    stop: async () => {},
  };
  return { connection, registered };
}

function createSession(connection: OpenCodeConnection, config: SessionConfig): OpenCodeSession {
  return new OpenCodeSession({
    id: "s",
    config,
    workingDirectory: "/work",
    worktree: "/work",
    model: { providerID: "atomic", modelID: "m" },
    stallTimeoutMs: 10_000,
    tools: [],
    toolHost: new ToolHost(),
    connect: async () => connection,
    onEvent: () => {},
    onDestroy: () => {},
  });
}

test("an effort that could not be looked up is looked up again for the next message, and then no more", async () => {
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
