import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { MAX_HOOK_BODY_BYTES, startHookHost, startHookServer } from "./hook-server.ts";

const calls = { count: 0 };
const server = await startHookServer({
  echo: async (body) => {
    calls.count += 1;
    return { heard: body };
  },
  nothing: async () => undefined,
  broken: async () => {
    throw new Error("it broke");
  },
});
afterAll(() => server.stop());

async function ask(path: string, { token = server.token, body = "{}" } = {}): Promise<readonly [number, unknown]> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
  return [response.status, await response.json()];
}

test("a hook gets the body and returns its answer, on this machine only", async () => {
  expect(await ask("/echo", { body: '{"a":[1]}' })).toEqual([200, { heard: { a: [1] } }]);
  expect(await ask("/nothing")).toEqual([200, {}]);
  expect(new URL(server.url).hostname).toBe("127.0.0.1");
});

test.each([
  { title: "without the token", path: "/echo", options: { token: "guessed" }, status: 401 },
  { title: "by an unknown name", path: "/toString", options: {}, status: 404 },
  { title: "with a body that is no JSON", path: "/echo", options: { body: "{" }, status: 500 },
  { title: "whose handler fails", path: "/broken", options: {}, status: 500 },
])("a call $title is rejected with $status", async ({ path, options, status }) => {
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
  const headers = { authorization: `Bearer ${other.token}`, "content-type": "application/json" };
  const waiting = fetch(`${other.url}/wait`, { method: "POST", headers, body: "{}" }).then(
    () => "answered",
    () => "ended",
  );
  await asked.promise;
  await other.stop();
  await other.stop();
  expect(await waiting).toBe("ended");
});

const raw = new URL(server.url);

/** Sends any request. Returns the first line of the answer, or how the connection ended. */
function send(lines: readonly string[], body = ""): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(raw.port), raw.hostname);
  socket.once("data", (data) => {
    resolve(data.toString().split("\r\n", 1)[0] ?? "");
    socket.destroy();
  });
  socket.once("error", () => resolve("closed")).once("close", () => resolve("closed"));
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  return promise;
}

const AUTHORIZED = `authorization: Bearer ${server.token}`;
const JSON_TYPE = "content-type: application/json";
const HOST = `host: ${raw.host}`;
const LENGTH = "content-length: 2";

test("what the attacks below change one line of is answered", async () => {
  const before = calls.count;
  expect(await send(["POST /echo HTTP/1.1", HOST, AUTHORIZED, JSON_TYPE, LENGTH], "{}")).toBe("HTTP/1.1 200 OK");
  expect(calls.count).toBe(before + 1);
});

test.each([
  { title: "no token", lines: ["POST /echo HTTP/1.1", HOST, JSON_TYPE, LENGTH], status: 401 },
  {
    title: "the token in another form",
    lines: ["POST /echo HTTP/1.1", HOST, `authorization: Basic ${server.token}`, JSON_TYPE, LENGTH],
    status: 401,
  },
  {
    title: "the token in the address",
    lines: [`POST /echo?token=${server.token} HTTP/1.1`, HOST, JSON_TYPE, LENGTH],
    status: 401,
  },
  {
    title: "the name of another host, as after DNS rebinding",
    lines: ["POST /echo HTTP/1.1", `host: evil.example:${raw.port}`, AUTHORIZED, JSON_TYPE, LENGTH],
    status: 403,
  },
  {
    title: "no host",
    lines: ["POST /echo HTTP/1.0", AUTHORIZED, JSON_TYPE, LENGTH],
    status: 403,
  },
  {
    title: "an origin, as a web page's",
    lines: ["POST /echo HTTP/1.1", HOST, "origin: http://127.0.0.1", AUTHORIZED, JSON_TYPE, LENGTH],
    status: 403,
  },
  { title: "GET", lines: ["GET /echo HTTP/1.1", HOST, AUTHORIZED], status: 405 },
  { title: "OPTIONS", lines: ["OPTIONS /echo HTTP/1.1", HOST, AUTHORIZED], status: 405 },
  {
    title: "a type that a form can send",
    lines: ["POST /echo HTTP/1.1", HOST, AUTHORIZED, "content-type: text/plain", LENGTH],
    status: 415,
  },
  {
    title: "no type",
    lines: ["POST /echo HTTP/1.1", HOST, AUTHORIZED, LENGTH],
    status: 415,
  },
  ...["/../echo", "/./echo", "//echo", "/echo/", "/echo?x", "/%65cho", "/", "/__proto__", "http://evil/echo"].map(
    (path) => ({
      title: `the path ${path}`,
      lines: [`POST ${path} HTTP/1.1`, HOST, AUTHORIZED, JSON_TYPE, LENGTH],
      status: 404,
    }),
  ),
])("a call with $title reaches no hook: $status", async ({ lines, status }) => {
  const before = calls.count;
  const answer = await send(lines, "{}");
  expect([answer === "closed" || answer.startsWith(`HTTP/1.1 ${status} `), calls.count]).toEqual([true, before]);
});

test("a token is good for its own server only", async () => {
  const other = await startHookServer({ echo: async () => ({}) });
  expect(await ask("/echo", { token: other.token })).toEqual([401, { error: expect.any(String) }]);
  await other.stop();
});

test("a body without end is cut off, and reaches no hook", async () => {
  const before = calls.count;
  const chunk = "x".repeat(1_000_000);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += chunk.length;
      controller.enqueue(Buffer.from(chunk));
    },
  });
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const status = await fetch(`${server.url}/echo`, { method: "POST", headers, body }).then(
    (response) => response.status,
    () => "closed",
  );
  expect([413, "closed"]).toContain(status);
  expect([calls.count, sent < 4 * MAX_HOOK_BODY_BYTES]).toEqual([before, true]);
});

test("a caller that sends its request too slowly is cut off; one whose hook waits for a person is not", async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<unknown>();
  const other = await startHookServer(
    {
      wait: () => {
        asked.resolve();
        return answered.promise;
      },
    },
    { receiveTimeoutMs: 50 },
  );
  const { port, hostname } = new URL(other.url);
  const endOf = (text: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect(Number(port), hostname);
    let heard = "";
    socket.on("data", (data) => {
      heard += data.toString();
    });
    socket.once("close", () => resolve(heard.split("\r\n", 1)[0] ?? "")).once("error", () => undefined);
    socket.write(text);
    return promise;
  };
  const head = `POST /wait HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${other.token}\r\n${JSON_TYPE}\r\n`;
  const patient = endOf(`${head}connection: close\r\n${LENGTH}\r\n\r\n{}`);
  await asked.promise;
  expect(await endOf(`${head}content-length: 9\r\n\r\n{`)).toBe("HTTP/1.1 408 Request Timeout");
  answered.resolve({ heard: true });
  expect(await patient).toBe("HTTP/1.1 200 OK");
  await other.stop();
});

test("after its end a server answers nobody, whatever the token", async () => {
  const other = await startHookServer({ echo: async () => ({}) });
  await other.stop();
  const headers = { authorization: `Bearer ${other.token}`, "content-type": "application/json" };
  const asked = fetch(`${other.url}/echo`, { method: "POST", headers, body: "{}" });
  expect(
    await asked.then(
      () => "answered",
      () => "refused",
    ),
  ).toBe("refused");
});

test("of the programs that call one port each reaches its own hooks, until these are closed", async () => {
  const host = await startHookHost();
  const [first, second] = ["first", "second"].map((name) =>
    host.open({ who: async () => name, [name]: async () => 1 }),
  );
  const ask = async (token: string | undefined, hook = "who") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
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
  const headers = { authorization: `Bearer ${hooks.token}`, "content-type": "application/json" };
  const waiting = fetch(`${host.url}/wait`, { method: "POST", headers, body: "{}" }).then(
    () => "answered",
    () => "ended",
  );
  await asked.promise;
  hooks.close();
  expect(await waiting).toBe("ended");
  await host.stop();
});
