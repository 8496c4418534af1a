import { describe, expect } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { McpServerConfig, SessionConfig } from "../../../contracts/index.ts";
import type { ModelToolCall } from "../../model-server/model-reply.ts";
import { waitUntil } from "../wait-until.ts";
import { type ClientBench, requireCall } from "./client-bench.ts";
import { callTools, requestsWith, say, script, toolResultsOf } from "./client-script.ts";
import { eventsOf, openTalk } from "./client-talk.ts";
import { ALLOW_ALL, testIfAble } from "./client-world.ts";

const SERVER_PROGRAM = fileURLToPath(new URL("../fixtures/mcp-server.ts", import.meta.url));

/** MCP servers of a session. Sessions stay open: agents that need a process per set of servers start it once. */
export function describeMcp(bench: ClientBench): void {
  describe("MCP servers", () => {
    describeMcpTools(bench);
    describeMcpStatus(bench);
  });
}

/** The server `murmur`, with the tool `whisper`. */
export function stdioServer(bench: ClientBench): McpServerConfig {
  return { type: "stdio", command: bench.bunPath, args: [SERVER_PROGRAM], env: { GREETING: "hear-hear" } };
}

/** Starts the server over HTTP. It ends with `stop` or with this process. */
async function startHttpServer(
  bench: ClientBench,
): Promise<{ readonly config: McpServerConfig; stop(): Promise<void> }> {
  const child = spawn(bench.bunPath, [SERVER_PROGRAM, "http"], { stdio: ["pipe", "pipe", "inherit"] });
  // Subscribe at once: after the exit, the event no longer arrives.
  const ended = once(child, "exit");
  const failed = ended.then(([code, signal]) => {
    throw new Error(`The MCP server ended (${code ?? signal}) before it printed its address.`);
  });
  const [url] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), failed]);
  return {
    config: { type: "http", url: String(url), headers: { authorization: "Bearer whisper-token" } },
    async stop() {
      child.kill();
      await ended;
    },
  };
}

function callWhisper(bench: ClientBench, text: string): ModelToolCall {
  return requireCall(bench.calls.mcpTool("murmur", "whisper", { text }), "a tool of an MCP server is called");
}

/** Has the model call a server's tool, and checks the result that it receives. */
async function expectWhisper(bench: ClientBench, config: SessionConfig, answer: string): Promise<void> {
  const call = callWhisper(bench, answer);
  script(bench, callTools(call), say("Done."));
  const talk = await openTalk(bench, { ...config, permissions: ALLOW_ALL });
  const { events, reply } = await talk.complete(`Whisper ${answer}.`);
  expect([reply.content, eventsOf(events, "tool-start").map(({ kind }) => kind)]).toEqual(["Done.", ["mcp"]]);
  expect(eventsOf(events, "tool-end").map(({ isError }) => isError)).toEqual([false]);
  expect(requestsWith(bench, `Whisper ${answer}.`).flatMap(toolResultsOf).join("\n")).toContain(answer);
}

function describeMcpTools(bench: ClientBench): void {
  const testMcp = testIfAble(bench, "mcpServers");

  testMcp("a tool of a program on standard input and output is called, with its own environment", async () => {
    await expectWhisper(bench, { mcpServers: { murmur: stdioServer(bench) } }, "stdio-answer-81");
    expect(requestsWith(bench, "hear-hear stdio-answer-81").length).toBeGreaterThan(0);
  });

  testMcp("a tool of a server over HTTP is called, with its headers", async () => {
    const server = await startHttpServer(bench);
    try {
      await expectWhisper(bench, { mcpServers: { murmur: server.config } }, "http-answer-82");
    } finally {
      await server.stop();
    }
  });

  testMcp("the policy decides about the tools of MCP servers, too", async () => {
    const call = callWhisper(bench, "denied-83");
    script(bench, callTools(call), say("Understood."));
    const talk = await openTalk(bench, { mcpServers: { murmur: stdioServer(bench) } });
    const { reply } = await talk.complete("Whisper denied-83.");
    expect(reply.deniedPermissions.map(({ kind }) => kind)).toEqual(["mcp"]);
    expect(requestsWith(bench, "hear-hear denied-83")).toEqual([]);
  });

  testMcp("another session does not have the server", async () => {
    script(bench, say("Nothing."));
    const talk = await openTalk(bench, { mcpServers: { murmur: stdioServer(bench) } });
    await talk.complete("Have it, session-84.");
    await (await openTalk(bench)).complete("Have it not, session-85.");
    const offered = (text: string): readonly boolean[] =>
      requestsWith(bench, text).map(({ toolNames }) => toolNames.some((name) => name.includes("whisper")));
    expect([offered("session-84"), offered("session-85")]).toEqual([[true], [false]]);
    await talk.session.destroy();
  });
}

function describeMcpStatus(bench: ClientBench): void {
  const testStatus = testIfAble(bench, "mcpStatus");

  testStatus("reports which servers work and which do not", async () => {
    script(bench, say("Ready."));
    const broken: McpServerConfig = { type: "stdio", command: "/nonexistent/mcp-server" };
    const talk = await openTalk(bench, { mcpServers: { murmur: stdioServer(bench), broken } });
    await talk.complete("Connect.");
    let states: readonly (readonly [string, string])[] = [];
    // Servers connect at their own pace, and no event reports it.
    await waitUntil(async () => {
      const servers = await talk.session.getMcpStatus();
      states = servers.flatMap(({ name, status }) => (["murmur", "broken"].includes(name) ? [[name, status]] : []));
      return states.every(([, status]) => status !== "connecting");
    }, "the servers are still connecting");
    expect(states.toSorted()).toEqual([
      ["broken", "failed"],
      ["murmur", "connected"],
    ]);
    await talk.session.destroy();
  });
}
