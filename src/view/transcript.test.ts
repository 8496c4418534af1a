import { expect, test } from "bun:test";
import { agentEventOf } from "../cli/fixtures/run-events.ts";
import { reduceTranscript, type Transcript } from "./transcript.ts";

/** The agent's event of a type. */
function eventOf(...[type, changes]: Parameters<typeof agentEventOf>) {
  return agentEventOf(type, changes).event;
}

function said(...texts: readonly string[]): Transcript {
  return texts.reduce<Transcript>((before, text) => reduceTranscript(before, eventOf("text-delta", { text })), []);
}

test("text that comes in pieces is one text, until a tool is called", () => {
  const called = reduceTranscript(said("Let me ", "see."), eventOf("tool-start"));
  expect(reduceTranscript(called, eventOf("text-delta", { text: "Done." }))).toEqual([
    { type: "text", text: "Let me see." },
    { type: "tool", toolId: "t1", call: "bash: npm test", status: "running" },
    { type: "text", text: "Done." },
  ]);
});

test("the text of an answer that starts again is gone, and what was before it stays", () => {
  const called = reduceTranscript(said("Let me see."), eventOf("tool-start"));
  const cut = reduceTranscript(called, eventOf("text-delta", { text: "Half of" }));
  expect([reduceTranscript(cut, eventOf("text-restart")), reduceTranscript(called, eventOf("text-restart"))]).toEqual([
    called,
    called,
  ]);
});

test("a transcript stays of bounded length, however much an agent says and does", () => {
  let transcript: Transcript = said(...Array.from({ length: 1_000 }, () => "word ".repeat(20)));
  expect(transcript).toHaveLength(1);
  const [entry] = transcript;
  expect(entry?.type === "text" && entry.text.length).toBeLessThanOrEqual(8_000);
  for (let count = 0; count < 200; count++)
    transcript = reduceTranscript(transcript, eventOf("tool-start", { toolId: `t${count}` }));
  expect(transcript).toHaveLength(40);
});
