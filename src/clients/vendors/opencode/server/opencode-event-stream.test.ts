import { expect, test } from "bun:test";
import { followEventStream } from "./opencode-event-stream.ts";

/** A server whose connections send the given events and then break; the last one stays open until the end. */
function serverOf(connections: readonly (readonly string[])[], signal: AbortSignal) {
  let count = 0;
  return async (): Promise<AsyncIterable<string>> => {
    const events = connections[count++];
    if (events === undefined) throw new Error("refused");
    const isLast = count === connections.length;
    return (async function* () {
      yield* events;
      if (isLast) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      else throw new Error("broken");
    })();
  };
}

test("it waits for the server's first event, and reports every later connection before its events", async () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  await followEventStream({
    subscribe: serverOf([["connected", "a"], [], ["connected", "b"]], controller.signal),
    isConnected: (event) => event === "connected",
    onEvent: (event) => {
      heard.push(String(event));
      if (event === "b") resolve();
    },
    onReconnect: () => heard.push("reconnect"),
    signal: controller.signal,
  });
  expect(heard).toEqual(["connected"]);
  await finished;
  controller.abort();
  expect(heard).toEqual(["connected", "a", "reconnect", "connected", "b"]);
});

test("when the server ends before it is ready, waiting fails with the reason", async () => {
  const controller = new AbortController();
  const following = followEventStream({
    subscribe: () => Promise.reject(new Error("refused")),
    isConnected: () => false,
    onEvent: () => {},
    onReconnect: () => {},
    signal: controller.signal,
  });
  controller.abort(new Error("the server crashed"));
  await expect(following).rejects.toThrow("the server crashed");
});
