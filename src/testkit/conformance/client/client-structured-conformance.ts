import { describe, expect, test } from "bun:test";
import { StructuredOutputError } from "../../../contracts/index.ts";
import type { ModelReply } from "../../model-server/model-reply.ts";
import type { ClientBench } from "./client-bench.ts";
import { callTools, holds, say, script, scriptRequests } from "./client-script.ts";
import { openTalk } from "./client-talk.ts";
import { ALLOW_ALL } from "./client-world.ts";

const SCHEMA = {
  type: "object",
  properties: { animal: { type: "string" }, legs: { type: "integer" } },
  required: ["animal", "legs"],
  additionalProperties: false,
};

/** The dialects that schema libraries name: zod the newer one, others the older. */
const DIALECTS = ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"];

/** Answers that match a schema. */
export function describeStructured(bench: ClientBench): void {
  describe("structured output", () => {
    describeValid(bench);
    describeInvalid(bench);
  });
}

/** A reply of the model with a structured answer, in the vendor's way. */
function answerWith(bench: ClientBench, value: unknown): ModelReply {
  const call = bench.calls.structuredOutput(value);
  return call === undefined ? say(JSON.stringify(value)) : callTools(call);
}

function describeValid(bench: ClientBench): void {
  test("the parsed answer is in the reply", async () => {
    script(bench, answerWith(bench, { animal: "newt-111", legs: 4 }), say("Done."));
    const { reply } = await (await openTalk(bench)).complete("Which animal?", { outputSchema: SCHEMA });
    expect(reply.structured).toEqual({ animal: "newt-111", legs: 4 });
  });

  test.each(DIALECTS)("a schema may name its dialect: %s", async ($schema) => {
    script(bench, answerWith(bench, { animal: "emu-116", legs: 2 }), say("Done."));
    const { reply } = await (await openTalk(bench)).complete("Which animal?", { outputSchema: { $schema, ...SCHEMA } });
    expect(reply.structured).toEqual({ animal: "emu-116", legs: 2 });
  });

  test("a schema may contain a tuple; an answer that does not match it is requested again", async () => {
    const pair = { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false };
    const outputSchema = { type: "object", properties: { pair }, required: ["pair"] };
    scriptRequests(bench, (request) => {
      const hasAnswered = holds(request, "wrong-pair-117");
      return answerWith(bench, { pair: hasAnswered ? ["gnu", 4] : [4, "wrong-pair-117"] });
    });
    const { reply } = await (await openTalk(bench)).complete("Which animal?", { outputSchema });
    expect(reply.structured).toEqual({ pair: ["gnu", 4] });
  });

  test("tools may run before the answer", async () => {
    const call = bench.calls.bash("echo counting legs");
    script(bench, callTools(call), answerWith(bench, { animal: "ant-112", legs: 6 }), say("Done."));
    const talk = await openTalk(bench, { permissions: ALLOW_ALL });
    const { reply } = await talk.complete("Which animal?", { outputSchema: SCHEMA });
    expect([reply.structured, reply.toolUses]).toEqual([{ animal: "ant-112", legs: 6 }, 1]);
  });

  test("the next turn is an ordinary one", async () => {
    script(bench, answerWith(bench, { animal: "owl-113", legs: 2 }), say("Done."));
    const talk = await openTalk(bench);
    await talk.complete("Which animal?", { outputSchema: SCHEMA });
    script(bench, say("Just a text."));
    const { reply } = await talk.complete("Thanks.");
    expect([reply.content, "structured" in reply]).toEqual(["Just a text.", false]);
  });
}

function describeInvalid(bench: ClientBench): void {
  test("an invalid answer is requested again", async () => {
    scriptRequests(bench, (request) => {
      const hasAnswered = holds(request, "wrong-animal-114");
      return answerWith(bench, hasAnswered ? { animal: "cow", legs: 4 } : { animal: "wrong-animal-114" });
    });
    const { reply } = await (await openTalk(bench)).complete("Which animal?", { outputSchema: SCHEMA });
    expect(reply.structured).toEqual({ animal: "cow", legs: 4 });
  });

  test("an answer that stays invalid fails the turn with its problems; the session stays usable", async () => {
    let callsLeft = 12;
    scriptRequests(bench, () => {
      callsLeft -= 1;
      return callsLeft > 0 ? answerWith(bench, { animal: "still-wrong-115" }) : say("I give up.");
    });
    const talk = await openTalk(bench);
    const { error } = await talk.fail("Which animal?", { outputSchema: SCHEMA });
    expect(error).toBeInstanceOf(StructuredOutputError);
    expect((error as StructuredOutputError).problems.length).toBeGreaterThan(0); // by the line above
    await talk.expectUsable();
  });

  test("a model that only writes text fails the turn with that text", async () => {
    scriptRequests(bench, () => say("I would rather not."));
    const { error } = await (await openTalk(bench)).fail("Which animal?", { outputSchema: SCHEMA });
    expect(error).toBeInstanceOf(StructuredOutputError);
    expect((error as StructuredOutputError).content).toContain("I would rather not."); // by the line above
  });
}
