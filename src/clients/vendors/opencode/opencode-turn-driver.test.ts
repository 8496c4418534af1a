import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type AgentEvent, MaxTurnsReachedError, type SessionConfig, SessionLimits } from "../../../contracts/index.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import type { OpenCodeRequests } from "./opencode-requests.ts";
import { OpenCodeTurnDriver } from "./opencode-turn-driver.ts";
import { type OpenCodeEvent, parseOpenCodeEvent, sessionIdOf } from "./server/opencode-wire.ts";

/** What OpenCode sent in a real turn. */
function recorded(turn: string): readonly OpenCodeEvent[] {
  return readFileSync(new URL("./fixtures/recorded-events.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((line) => line.turn === turn)
    .flatMap((line) => parseOpenCodeEvent(line) ?? []);
}

interface TurnSettings extends Pick<SessionConfig, "maxTurns" | "maxBudgetUsd"> {
  readonly isStructured?: boolean;
  readonly onEvent?: (event: AgentEvent) => void;
}

/** The turn of these events, in a session with these limits, after a turn with the message `earlier`. */
async function runTurn(
  events: readonly OpenCodeEvent[],
  { isStructured = true, onEvent = () => {}, ...config }: TurnSettings,
) {
  const schema = { type: "object", properties: { answer: { type: "integer" } }, required: ["answer"] };
  const driver = new OpenCodeTurnDriver({
    sessionId: events.map(sessionIdOf).find((id) => id !== undefined) ?? "",
    serverPrefix: "atomic-0",
    isFree: false,
    earlierMessages: new Set(["earlier"]),
    stallTimeoutMs: 10_000,
    outputSchema: isStructured ? schema : undefined,
    limits: new SessionLimits({ agentType: "opencode", config, pricesEachCall: true }),
    endpointModels: undefined,
    abortVendor: async () => driver.turn.complete(),
    prompt: async () => {},
    // The cast is true: these turns have no requests.
    createRequests: () => ({ receive: () => {} }) as unknown as OpenCodeRequests,
    onEvent,
  });
  const begun = Promise.withResolvers<void>();
  driver.turn.start(() => driver.begin(async () => {}).finally(begun.resolve));
  await begun.promise;
  for (const event of events) driver.receive(event);
  await driver.turn.settled;
  return driver.turn.result();
}

test.each([{ maxTurns: 1 }, { maxBudgetUsd: 0.000_01 }])(
  "a structured answer is the end of its turn, so it is in the reply with %j",
  async (config) => {
    expect((await runTurn(recorded("structured"), config)).structured).toEqual({ answer: 42 });
  },
);

test("an answer that OpenCode does not accept is not the end: the model would be called again", async () => {
  const refused = recorded("structured").map(
    // The cast is true: the value was parsed from JSON.
    (event) => JSON.parse(JSON.stringify(event).replace('"completed","input"', '"error","input"')) as OpenCodeEvent,
  );
  expect(await rejectionOf(runTurn(refused, { maxTurns: 1 }))).toEqual(new MaxTurnsReachedError("opencode", 1));
});

test("what OpenCode still reports of a turn that was stopped is no part of the next one", async () => {
  const events = recorded("tools");
  const sessionID = events.map(sessionIdOf).find((id) => id !== undefined);
  const call = { id: "p", messageID: "earlier", sessionID, type: "tool", callID: "c", tool: "bash" };
  const late: readonly OpenCodeEvent[] = [
    { type: "message.part.updated", properties: { part: { ...call, state: { status: "running", input: {} } } } },
    {
      type: "message.part.delta",
      properties: { sessionID, messageID: "earlier", partID: "t", field: "text", delta: "!" },
    },
    { type: "message.updated", properties: { info: { id: "earlier", sessionID, role: "assistant" } } },
  ];
  const replyAndEvents = async (received: readonly OpenCodeEvent[]) => {
    const heard: unknown[] = [];
    const reply = await runTurn(received, {
      isStructured: false,
      onEvent: ({ at: _varies, ...event }) => heard.push(event),
    });
    return { reply, heard };
  };
  const [first, ...rest] = events;
  if (first === undefined) throw new Error("Nothing was recorded.");
  const mixed = [...late, first, ...late, ...rest.flatMap((event) => [event, ...late])];
  expect(await replyAndEvents(mixed)).toEqual(await replyAndEvents(events));
});
