import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { type ChatModel, EMPTY_CHAT } from "./chat-model.ts";
import { initialChatState } from "./chat-state.ts";
import { ChatStore } from "./chat-store.ts";

const CLOCK = { now: 0 };

beforeEach(() => {
  CLOCK.now = 0;
  jest.useFakeTimers();
});

afterEach(() => void jest.useRealTimers());

/** Each subscriber draws for so long. */
function storeWith({ drawMs }: { readonly drawMs: number }) {
  const choice = { agentType: "scripted", model: undefined, effort: undefined, mode: "default" } as const;
  const store = new ChatStore({ ...initialChatState(choice), model: EMPTY_CHAT }, () => CLOCK.now);
  const notifiedAt: number[] = [];
  store.subscribe(() => {
    notifiedAt.push(CLOCK.now);
    CLOCK.now += drawMs;
  });
  return { store, notifiedAt };
}

function change(store: ChatStore): void {
  store.reduce((model): ChatModel => ({ ...model, entryCount: model.entryCount + 1 }));
}

/** Changes something in each of so many milliseconds. */
function changeFor(store: ChatStore, durationMs: number): void {
  for (let passed = 0; passed < durationMs; passed++) {
    change(store);
    jest.advanceTimersByTime(1);
    CLOCK.now++;
  }
}

test("many changes notify once in 50 ms, and the last one is not lost", () => {
  const { store, notifiedAt } = storeWith({ drawMs: 0 });
  changeFor(store, 160);
  expect(notifiedAt.length).toBe(4);
  jest.advanceTimersByTime(50);
  expect(notifiedAt.length).toBe(5);
  jest.advanceTimersByTime(1_000);
  expect(notifiedAt.length).toBe(5);
});

test("after drawing that took long, as much time is left to the agent", () => {
  const { store, notifiedAt } = storeWith({ drawMs: 100 });
  changeFor(store, 320);
  // Each time 100 ms to draw, 50 ms for a frame, and 100 ms of rest.
  expect(notifiedAt.slice(0, 3)).toEqual([0, 250, 500].map((at) => at + (notifiedAt[0] ?? 0)));
});

test("the time that is left is at most 250 ms", () => {
  const { store, notifiedAt } = storeWith({ drawMs: 10_000 });
  changeFor(store, 310);
  expect(notifiedAt.slice(0, 2)).toEqual([0, 10_300].map((at) => at + (notifiedAt[0] ?? 0)));
});

test("flush() notifies at once when a change waits, and only then", () => {
  const { store, notifiedAt } = storeWith({ drawMs: 0 });
  store.flush();
  expect(notifiedAt).toEqual([]);
  change(store);
  store.flush();
  store.flush();
  expect(notifiedAt).toEqual([0]);
});
