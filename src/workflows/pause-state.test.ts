import { expect, test } from "bun:test";
import { pauseStateOf } from "./pause-state.ts";

const PAUSED = { pauseRequestedAt: "2026-01-01T00:00:00.000Z" };

test.each([
  { title: "a live run pauses", session: PAUSED, status: "running", state: "pausing" },
  { title: "a suspended run is paused", session: PAUSED, status: "suspended", state: "paused" },
  { title: "an interrupted run is not paused", session: PAUSED, status: "interrupted", state: undefined },
  { title: "a completed run is not paused", session: PAUSED, status: "completed", state: undefined },
  { title: "a run that nobody paused is not paused", session: {}, status: "suspended", state: undefined },
] as const)("$title", ({ session, status, state }) => {
  expect(pauseStateOf(session, status)).toBe(state);
});
