import { expect, test } from "bun:test";
import { AgentCrashedError } from "../../../../contracts/index.ts";
import { PluginGates } from "../../opencode-settings/plugin-gates.ts";
import { createPluginHooks, EventRouter, type SessionReceiver } from "./opencode-router.ts";

/** A session that records what it receives. */
function createReceiver(): { readonly receiver: SessionReceiver; readonly heard: unknown[] } {
  const heard: unknown[] = [];
  const receiver: SessionReceiver = {
    receive: ({ type }) => void heard.push(type),
    onReconnect: () => void heard.push("reconnected"),
    onServerEnd: ({ ending }) => void heard.push(ending),
    decideCall: async (call) => {
      heard.push(call);
      return { type: "block", reason: "no" };
    },
    prepareSubagent: async (id) => void heard.push(id),
  };
  return { receiver, heard };
}

const PARENTS: Readonly<Record<string, string>> = { child: "own", grandchild: "child", stray: "nobody" };

/** A router with one session, `own`, whose relatives OpenCode knows. */
function createRouter() {
  const asked: string[] = [];
  const router = new EventRouter(async (sessionId) => {
    asked.push(sessionId);
    return PARENTS[sessionId];
  });
  const { receiver, heard } = createReceiver();
  router.register("own", receiver);
  return { router, receiver, heard, asked };
}

test("events go to their session, a sub-agent's to its parent, and those of unknown sessions nowhere", () => {
  const { router, receiver, heard } = createRouter();
  const created = (id: string, parentID: string) =>
    router.route({ type: "session.created", properties: { info: { id, parentID } } });
  const idle = (sessionID: string) => router.route({ type: "session.idle", properties: { sessionID } });
  router.route({ type: "file.edited", properties: {} });
  created("child", "own");
  created("grandchild", "child");
  for (const id of ["own", "child", "grandchild", "stranger"]) idle(id);
  router.reconnected();
  router.end(new AgentCrashedError("opencode", "exit code 1", []));
  router.unregister("own", createReceiver().receiver);
  idle("own");
  router.unregister("own", receiver);
  idle("own");
  expect(heard).toEqual([
    "session.created",
    "session.created",
    "session.idle",
    "session.idle",
    "session.idle",
    "reconnected",
    "exit code 1",
    "session.idle",
  ]);
});

test("a tool call finds its session, also from an unknown sub-agent, which is looked up in OpenCode once", async () => {
  const { router, heard, asked } = createRouter();
  const { tool } = createPluginHooks(router, new PluginGates("opencode"));
  const call = { tool: "bash", callID: "c", args: { command: "ls" }, directory: "/work" };
  for (const sessionID of ["own", "grandchild", "grandchild"]) {
    expect(await tool({ ...call, sessionID })).toEqual({ type: "block", reason: "no" });
  }
  expect(heard).toEqual(
    ["own", "grandchild", "grandchild"].map((sessionId) => ({
      sessionId,
      callId: "c",
      tool: "bash",
      input: call.args,
      directory: "/work",
      isMcp: false,
    })),
  );
  expect(asked).toEqual(["grandchild", "child"]);
});

test.each(["stray", "stranger", ""])("a tool call of an unknown session is blocked: %j", async (sessionID) => {
  const { tool } = createPluginHooks(createRouter().router, new PluginGates("opencode"));
  expect(await tool({ sessionID })).toEqual({
    type: "block",
    reason: "Atomic does not know the session of this call.",
  });
});

test("a session receives its sub-agents' first messages, not its own", async () => {
  const { router, heard } = createRouter();
  const { message } = createPluginHooks(router, new PluginGates("opencode"));
  for (const sessionID of ["own", "child", "stranger"]) await message({ sessionID, directory: "/work" });
  expect(heard).toEqual(["child"]);
});
