import { afterAll, expect, test } from "bun:test";
import { startHookHost, startHookServer } from "./hook-server.ts";

const server = await startHookServer({
  echo: async (body) => ({ heard: body }),
  nothing: async () => undefined,
  broken: async () => {
    throw new Error("it broke");
  },
});
afterAll(() => server.stop());

async function ask(path: string, { token = server.token, body = "{}" } = {}): Promise<readonly [number, unknown]> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
  return [response.status, await response.json()];
}

test("a hook gets the body and gives its answer, on this machine only", async () => {
  expect(await ask("/echo", { body: '{"a":[1]}' })).toEqual([200, { heard: { a: [1] } }]);
  expect(await ask("/nothing")).toEqual([200, {}]);
  expect(new URL(server.url).hostname).toBe("127.0.0.1");
});

test.each([
  { title: "without the token", path: "/echo", options: { token: "guessed" }, status: 401 },
  { title: "by an unknown name", path: "/toString", options: {}, status: 404 },
  { title: "with a body that is no JSON", path: "/echo", options: { body: "{" }, status: 500 },
  { title: "whose handler fails", path: "/broken", options: {}, status: 500 },
])("a call $title is refused with $status", async ({ path, options, status }) => {
  expect(await ask(path, options)).toEqual([status, { error: expect.any(String) }]);
});

test("stopping ends the calls that wait, and may be repeated", async () => {
  const asked = Promise.withResolvers<void>();
  const other = await startHookServer({
    wait: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const headers = { authorization: `Bearer ${other.token}` };
  const waiting = fetch(`${other.url}/wait`, { method: "POST", headers, body: "{}" }).then(
    () => "answered",
    () => "ended",
  );
  await asked.promise;
  await other.stop();
  await other.stop();
  expect(await waiting).toBe("ended");
});

test("of the programs that call one port each reaches its own hooks, until these are closed", async () => {
  const host = await startHookHost();
  const [first, second] = ["first", "second"].map((name) =>
    host.open({ who: async () => name, [name]: async () => 1 }),
  );
  const ask = async (token: string | undefined, hook = "who") => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${host.url}/${hook}`, { method: "POST", headers, body: "{}" });
    return [response.status, await response.json()];
  };
  expect([await ask(first?.token), await ask(second?.token)]).toEqual([
    [200, "first"],
    [200, "second"],
  ]);
  expect(await ask(first?.token, "second")).toEqual([404, { error: "No such hook." }]);
  first?.close();
  expect(await ask(first?.token)).toEqual([401, { error: "The token is missing or wrong." }]);
  expect(await ask(second?.token)).toEqual([200, "second"]);
  await host.stop();
});

test("hooks that are closed end their calls that wait", async () => {
  const host = await startHookHost();
  const asked = Promise.withResolvers<void>();
  const hooks = host.open({
    wait: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const headers = { authorization: `Bearer ${hooks.token}` };
  const waiting = fetch(`${host.url}/wait`, { method: "POST", headers, body: "{}" }).then(
    () => "answered",
    () => "ended",
  );
  await asked.promise;
  hooks.close();
  expect(await waiting).toBe("ended");
  await host.stop();
});
