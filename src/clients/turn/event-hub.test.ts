import { expect, test } from "bun:test";
import type { AgentEvent } from "../../contracts/index.ts";
import { EventHub } from "./event-hub.ts";

const START: AgentEvent = { type: "turn-start", sessionId: "s", at: 1 };
const COMPACTED: AgentEvent = { type: "compacted", sessionId: "s", at: 1 };

test("listeners of a type hear its events, listeners of all hear every one, after those of the type", () => {
  const hub = new EventHub();
  const heard: string[] = [];
  hub.on("*", ({ type }) => void heard.push(`all: ${type}`));
  hub.on("compacted", ({ type }) => void heard.push(`own: ${type}`));
  hub.publish(START);
  hub.publish(COMPACTED);
  expect(heard).toEqual(["all: turn-start", "own: compacted", "all: compacted"]);
});

test("the same function may listen twice, and each subscription ends by itself", () => {
  const hub = new EventHub();
  let count = 0;
  const listener = (): void => {
    count += 1;
  };
  const first = hub.on("turn-start", listener);
  hub.on("turn-start", listener);
  hub.publish(START);
  first();
  first();
  hub.publish(START);
  expect(count).toBe(3);
});

test("a subscriber that leaves during an event does not receive it; one that joins receives the next event", () => {
  const hub = new EventHub();
  const heard: string[] = [];
  const leave = { it: (): void => {} };
  hub.on("turn-start", () => {
    heard.push("first");
    leave.it();
    hub.on("turn-start", () => void heard.push("joined"));
  });
  leave.it = hub.on("turn-start", () => void heard.push("left"));
  hub.publish(START);
  expect(heard).toEqual(["first"]);
  hub.publish(START);
  expect(heard).toEqual(["first", "first", "joined"]);
});
