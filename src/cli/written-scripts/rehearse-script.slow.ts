import { expect, test } from "bun:test";
import { fillSchema } from "./fill-schema.ts";
import { rehearseScript } from "./rehearse-script.ts";

const FILES = `{ schema: { type: "object", required: ["files", "more"], properties: {
  files: { type: "array", items: { type: "string" }, maxItems: 8 }, more: { type: "boolean" } } } }`;

const { signal } = new AbortController();

const rehearse = (text: string, maxAgents = 20, timeoutMs?: number) =>
  rehearseScript({ path: "script.js", text }, { maxAgents, signal }, timeoutMs);

const TOO_MANY =
  "With made-up answers it calls more than 20 agents, which is the limit. Bound its lists and loops: files.slice(0, 5), for (let round = 0; round < 3; round++).";

test("lists are filled as far as their schemas allow, so that the largest number of agents is seen", async () => {
  const text = `const { files } = await agent("list", ${FILES}); await parallel(files.map((file) => () => agent("read " + file)));`;
  expect(await rehearse(text)).toEqual({ agentCount: 9 });
});

test.each([
  { title: "a list without a limit", text: FILES.replace(", maxItems: 8", ""), loop: "" },
  { title: "a loop until an agent is content", text: FILES, loop: "let more = true; while (more) more = " },
  { title: "a loop until an agent finds nothing", text: FILES, loop: "let done = false; while (!done) done = !" },
])("$title is over the limit", async ({ text, loop }) => {
  const script =
    loop === ""
      ? `const { files } = await agent("list", ${text}); await parallel(files.map((file) => () => agent("read " + file)));`
      : `${loop}(await agent("go", ${text})).more;`;
  expect((await rehearse(script)).problem).toBe(TOO_MANY);
});

test("a limit that the script catches is seen as well", async () => {
  const text = 'for (;;) { try { await agent("go"); } catch (error) { throw new Error(error.message); } }';
  expect((await rehearse(text)).problem).toBe(TOO_MANY);
});

test("mistakes fail the rehearsal, and what the script throws itself does not", async () => {
  const { problem } = await rehearse('const text = await agent("go");\nreturn text.files.length;');
  expect(problem).toMatch(/^With made-up answers that fit its schemas it failed: TypeError: .*script\.js:2/);
  expect(await rehearse('await agent("go"); throw new Error("Nothing to do.");')).toEqual({ agentCount: 1 });
});

test("agents with a definition are rehearsed as others", async () => {
  expect(await rehearse('await agent("look", { agentType: "Explore" });')).toEqual({ agentCount: 1 });
});

test("commands, questions and workflows are not executed", async () => {
  const text = `
    const { exitCode } = await shell("touch /tmp/atomic-rehearsal-ran");
    const answer = await ask("Go on?", ["yes", "no"]);
    await workflow("other");
    return agent(answer + exitCode);
  `;
  expect(await rehearse(text)).toEqual({ agentCount: 1 });
  expect(await Bun.file("/tmp/atomic-rehearsal-ran").exists()).toBe(false);
});

test("a call that cannot work fails it, also in a parallel", async () => {
  const { problem } = await rehearse('await parallel([() => agent("go", { efort: "max" })]);');
  expect(problem).toMatch(/^With made-up answers .* failed: agent\(\) has no option "efort"/);
});

test("a schema's lists are filled and its flags are set, inside of objects and alternatives", () => {
  const schema = {
    type: "object",
    properties: {
      list: { type: "array", items: { type: "boolean" }, minItems: 1 },
      flag: { type: "boolean", enum: [false] },
      other: { anyOf: [{ type: "array", maxItems: 500 }, { type: "null" }] },
      text: { type: "string" },
    },
  };
  expect(fillSchema(schema, true)).toEqual({
    type: "object",
    properties: {
      list: { type: "array", items: { type: "boolean", const: true }, minItems: 25 },
      flag: { type: "boolean", enum: [false] },
      other: { anyOf: [{ type: "array", maxItems: 500, minItems: 100 }, { type: "null" }] },
      text: { type: "string", minLength: 1 },
    },
  });
  const { text, ...others } = schema.properties;
  expect(fillSchema(schema, false)).toEqual({ ...schema, properties: { ...others, text: { ...text, minLength: 1 } } });
});

test("one that never returns is ended, and so is one that fills the memory", async () => {
  const didNotEnd = "With made-up answers it did not end within 5 s. Look for a loop that never ends.";
  expect(await rehearse("for (;;) {}", 5, 5_000)).toEqual({ agentCount: 0, problem: didNotEnd });
  const { problem } = await rehearse('for (;;) { try { await agent("go"); } catch {} }', 5, 5_000);
  expect(problem).toBe(didNotEnd);
  const filled = "const kept = []; for (;;) kept.push(new Uint8Array(50_000_000).fill(1));";
  expect(await rehearse(filled)).toEqual({
    agentCount: 0,
    problem: "With made-up answers: The process of the script ended (SIGKILL). It may use 1 GB of memory.",
  });
}, 60_000);

test("a rehearsal that is cancelled ends with the reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stop");
  setTimeout(() => controller.abort(reason), 500);
  const endless = { path: "script.js", text: "for (;;) {}" };
  await expect(rehearseScript(endless, { maxAgents: 5, signal: controller.signal })).rejects.toBe(reason);
}, 60_000);
