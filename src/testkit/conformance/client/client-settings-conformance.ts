import { describe, expect, test } from "bun:test";
import type { ModelRequest } from "../../model-server/model-request.ts";
import type { ClientBench } from "./client-bench.ts";
import { encodedBodyOf, requestsWith, say, script } from "./client-script.ts";
import { openTalk } from "./client-talk.ts";
import { testIfAble } from "./client-world.ts";

/** Settings of a session. */
export function describeSettings(bench: ClientBench): void {
  describe("settings", () => {
    describeModels(bench);
    describePrompts(bench);
    describeTools(bench);
  });
}

/** The protocols' fields for reasoning effort. */
const HIGH_EFFORT = /"(?:reasoning_?effort|effort|thinking_?level)":"(?:high|x-?high|max)"/i;

function describeModels(bench: ClientBench): void {
  test("the model has a name for people", async () => {
    const { model, displayName } = await bench.client.getModelDisplayInfo();
    expect([model, displayName].filter((name) => name === "")).toEqual([]);
  });

  testIfAble(bench, "modelList")("the available models are listed, each with a name for people", async () => {
    const models = await bench.client.listModels();
    expect(models.length).toBeGreaterThan(0);
    expect(models.filter(({ model, displayName }) => model === "" || displayName === "")).toEqual([]);
  });

  testIfAble(bench, "modelList")("a model of the list can be chosen", async () => {
    script(bench, say("Chosen."));
    const model = (await bench.client.listModels())[0]?.model ?? "none";
    const { reply } = await (await openTalk(bench, { model })).complete("Which model, turn-141?");
    expect(reply.content).toBe("Chosen.");
  });

  testIfAble(bench, "reasoningEffort")("the effort reaches the model", async () => {
    script(bench, say("Thought."));
    const isHigh: boolean[] = [];
    for (const reasoningEffort of ["low", "high"] as const) {
      await (await openTalk(bench, { reasoningEffort })).complete(`Think, turn-142-${reasoningEffort}.`);
      const requests = requestsWith(bench, `turn-142-${reasoningEffort}`);
      isHigh.push(...requests.map((request) => HIGH_EFFORT.test(encodedBodyOf(request))));
    }
    expect(isHigh).toEqual([false, true]);
  });
}

/** The system prompt of a request. */
function systemTextOf(request: ModelRequest | undefined): string {
  const messages = request?.messages.filter(({ role }) => role === "system") ?? [];
  return messages.map(({ text }) => text).join("\n");
}

function describePrompts(bench: ClientBench): void {
  const ask = async (marker: string, config: Parameters<typeof openTalk>[1]): Promise<string> => {
    script(bench, say("Yes."));
    await (await openTalk(bench, config)).complete(`Ready, ${marker}?`);
    return systemTextOf(requestsWith(bench, marker)[0]);
  };

  testIfAble(bench, "appendSystemPrompt")("a system prompt is added to the agent's own", async () => {
    const own = await ask("prompt-151", {});
    const short = await ask("prompt-152", { systemPrompt: "Answer like a pirate-152." });
    const long = await ask("prompt-153", { systemPrompt: { mode: "append", text: "Answer like a poet-153." } });
    expect([short.includes("Answer like a pirate-152."), long.includes("Answer like a poet-153.")]).toEqual([
      true,
      true,
    ]);
    expect([short.length >= own.length, long.length >= own.length]).toEqual([true, true]);
  });

  testIfAble(bench, "replaceSystemPrompt")("a system prompt can replace the agent's own", async () => {
    const own = await ask("prompt-154", {});
    const replaced = await ask("prompt-155", { systemPrompt: { mode: "replace", text: "Answer like a parrot-155." } });
    expect([replaced.includes("Answer like a parrot-155."), replaced.length < own.length]).toEqual([true, true]);
  });
}

function describeTools(bench: ClientBench): void {
  testIfAble(bench, "allowedTools")("tools that are not allowed are not offered to the model", async () => {
    script(bench, say("Yes."));
    await (await openTalk(bench, { allowedTools: ["read"] })).complete("What can you do, turn-161?");
    const { calls } = bench;
    const own = [calls.read("x").name, calls.write("x", "").name, calls.bash("x").name];
    expect(requestsWith(bench, "turn-161").map(({ toolNames }) => own.map((name) => toolNames.includes(name)))).toEqual(
      [[true, false, false]],
    );
  });

  testIfAble(bench, "allowedTools")("the vendor's own names of tools work, too", async () => {
    script(bench, say("Yes."));
    const { name } = bench.calls.bash("x");
    await (await openTalk(bench, { allowedTools: [name] })).complete("What can you do, turn-162?");
    const other = bench.calls.write("x", "").name;
    expect(
      requestsWith(bench, "turn-162").map(({ toolNames }) => [toolNames.includes(name), toolNames.includes(other)]),
    ).toEqual([[true, false]]);
  });
}
