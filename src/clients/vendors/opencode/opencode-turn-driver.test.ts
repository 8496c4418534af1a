import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { MaxTurnsReachedError, type SessionConfig, SessionLimits } from "../../../contracts/index.ts";
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

/** The turn of these events, in a session with these limits. */
async function runTurn(events: readonly OpenCodeEvent[], config: Pick<SessionConfig, "maxTurns" | "maxBudgetUsd">) {
  const driver = new OpenCodeTurnDriver({
    sessionId: events.map(sessionIdOf).find((id) => id !== undefined) ?? "",
    serverPrefix: "atomic-0",
    earlierMessages: new Set(),
    stallTimeoutMs: 10_000,
    outputSchema: { type: "object", properties: { answer: { type: "integer" } }, required: ["answer"] },
    limits: new SessionLimits({ agentType: "opencode", config, pricesEachCall: true }),
    hasEndpoint: false,
    abortVendor: async () => driver.turn.complete(),
    prompt: async () => {},
    // The cast is true: these turns have no requests.
    createRequests: () => ({ receive: () => {} }) as unknown as OpenCodeRequests,
    onEvent: () => {},
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
