import { describe, expect } from "bun:test";
import type { PermissionPolicy, SessionConfig } from "../../../contracts/index.ts";
import type { ModelToolCall } from "../../model-server/model-reply.ts";
import { type ClientBench, can, requireCall } from "./client-bench.ts";
import { stdioServer } from "./client-mcp-conformance.ts";
import { callTools, requestsWith, say, script } from "./client-script.ts";
import { openTalk } from "./client-talk.ts";
import { fileIn, testIfAble } from "./client-world.ts";

/** Policies that deny all tools except those of a list. */
export function describeToolLists(bench: ClientBench): void {
  describe("a list of tools", () => {
    describeOwnTools(bench);
    describeOfferedTools(bench);
  });
}

/** Allows everything that the list does not exclude. */
function only(...exceptTools: readonly string[]): PermissionPolicy {
  return { rules: [{ effect: "deny", exceptTools }], otherwise: "allow" };
}

function describeOwnTools(bench: ClientBench): void {
  const testPermission = testIfAble(bench, "permissions");

  testPermission("lets through the tool that it names, by Atomic's name", async () => {
    const file = fileIn(bench, "listed.txt");
    script(bench, callTools(bench.calls.bash("touch listed.txt")), say("Done."));
    const { reply } = await (await openTalk(bench, { permissions: only("bash") })).complete("Touch, turn-171.");
    expect([file.exists(), reply.deniedPermissions]).toEqual([true, []]);
  });

  testPermission("does not let through another tool, nor offers it where the agent can hide it", async () => {
    const file = fileIn(bench, "unlisted.txt");
    script(bench, callTools(bench.calls.bash("touch unlisted.txt")), say("Understood."));
    const { reply } = await (await openTalk(bench, { permissions: only("read") })).complete("Touch, turn-172.");
    expect(file.exists()).toBe(false);
    if (!can(bench, "allowedTools")) {
      expect(reply.deniedPermissions.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/^Denied: ".+" is not among the tools that may be used here: "read"\.$/),
      ]);
      return;
    }
    const own = [bench.calls.read("x").name, bench.calls.bash("x").name, bench.calls.write("x", "").name];
    for (const { toolNames } of requestsWith(bench, "turn-172")) {
      expect(own.map((name) => toolNames.includes(name))).toEqual([true, false, false]);
    }
  });

  testPermission("limits a tool to the commands of a pattern", async () => {
    const files = ["in-pattern.txt", "beyond-pattern.txt"].map((name) => fileIn(bench, name));
    const commands = ["touch in-pattern.txt", "touch in-pattern.txt; mkdir beyond-pattern.txt"];
    script(bench, ...commands.map((command) => callTools(bench.calls.bash(command))), say("Understood."));
    const { reply } = await (await openTalk(bench, { permissions: only("Bash(touch:*)", "read") })).complete(
      "Touch, turn-173.",
    );
    expect(files.map((file) => file.exists())).toEqual([true, false]);
    expect(reply.deniedPermissions.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^Denied: this call of ".+" goes beyond the tools that may be used here: "Bash\(touch:\*\)", "read"\.$/,
      ),
    ]);
  });
}

function describeOfferedTools(bench: ClientBench): void {
  const complete = async (called: ModelToolCall | undefined, config: SessionConfig) => {
    script(bench, callTools(requireCall(called, "a tool is called")), say("Understood."));
    const { reply } = await (await openTalk(bench, config)).complete("Call it.");
    return reply.deniedPermissions.map(({ kind, reason }) => ({ kind, reason }));
  };
  const denied = (...names: readonly string[]) => ({
    kind: "mcp" as const,
    reason: expect.stringMatching(
      new RegExp(
        `^Denied: ".+" is not among the tools that may be used here: ${names.map((name) => `"${name}"`).join(", ")}\\.$`,
      ),
    ),
  });

  testIfAble(bench, "customTools")("lets through Atomic's own tool by its name, and no other one", async () => {
    const calls: string[] = [];
    const tools = ["listed_tool", "other_tool"].map((name) => ({
      name,
      description: name,
      inputSchema: { type: "object" },
      handler: () => calls.push(name),
    }));
    const config = { tools, permissions: only("read", "Listed_Tool") };
    const reasons = [
      ...(await complete(bench.calls.customTool("listed_tool", {}), config)),
      ...(await complete(bench.calls.customTool("other_tool", {}), config)),
    ];
    expect({ calls, reasons }).toEqual({ calls: ["listed_tool"], reasons: [denied("read", "Listed_Tool")] });
  });

  testIfAble(bench, "mcpServers")("lets through the tool of an MCP server by the names of both", async () => {
    const mcpServers = { murmur: stdioServer(bench) };
    const call = bench.calls.mcpTool("murmur", "whisper", { text: "list-174" });
    const reasons: unknown[] = [];
    for (const name of ["murmur/whisper", "mcp__murmur__whisper", "murmur/*", "murmur/shout", "read"]) {
      reasons.push(await complete(call, { mcpServers, permissions: only(name) }));
    }
    expect(reasons).toEqual([[], [], [], [denied("murmur/shout")], [denied("read")]]);
  });
}
