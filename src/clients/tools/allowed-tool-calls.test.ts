import { expect, test } from "bun:test";
import { startManualTurn } from "../turn/fixtures/manual-turn.ts";
import { AllowedToolCalls } from "./allowed-tool-calls.ts";

test("a call runs once for each time that it was allowed, in its turn only", () => {
  const calls = new AllowedToolCalls();
  const [{ turn }, { turn: other }] = [startManualTurn(), startManualTurn()];
  const deploy = { name: "atomic_deploy", input: { to: "test", dry: undefined } };
  calls.allow(turn, deploy);
  calls.allow(turn, { name: "atomic_list", input: undefined });
  expect([
    calls.take(undefined, deploy),
    calls.take(other, deploy),
    calls.take(turn, { ...deploy, input: { to: "production" } }),
    calls.take(turn, { ...deploy, name: "other_deploy" }),
    calls.take(turn, { ...deploy, input: { to: "test" } }),
    calls.take(turn, deploy),
    calls.take(turn, { name: "atomic_list", input: {} }),
  ]).toEqual([false, false, false, false, true, false, true]);
  turn.complete();
  other.complete();
});
