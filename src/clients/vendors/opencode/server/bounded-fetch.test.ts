import { expect, test } from "bun:test";
import { TurnStalledError } from "../../../../contracts/index.ts";
import { boundedFetch } from "./bounded-fetch.ts";

const SILENT = (): Promise<Response> => new Promise(() => {});

test("a call that the server never answers ends by the stall timeout", async () => {
  const call = boundedFetch(1, SILENT)(new Request("http://127.0.0.1/session"));
  expect(await call.catch((error: unknown) => error)).toEqual(new TurnStalledError("opencode", 1));
});

test.each(["/global/event", "/session/s/summarize"])("%s may take longer", async (path) => {
  const answer = Promise.withResolvers<Response>();
  const slow = boundedFetch(1, () => answer.promise)(new Request(`http://127.0.0.1${path}`));
  // By then, a bounded call has failed.
  await boundedFetch(1, SILENT)(new Request("http://127.0.0.1/path")).catch(() => {});
  const response = new Response("late");
  answer.resolve(response);
  expect(await slow).toBe(response);
});
