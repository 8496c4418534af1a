import { afterEach, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { awaitEndpoint, EndpointUnreachableError, type ProbeOptions, probeEndpoint } from "./probe-endpoint.ts";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(at = 0): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // a server that listens on a TCP port has one
}

/** A port of this machine where nothing listens. */
async function closedPort(): Promise<number> {
  const port = await listen();
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return port;
}

function optionsOf(baseUrl: string, env: ProbeOptions["env"] = {}): ProbeOptions {
  const findPlace = async () => '"agents.opencode.endpoint.baseUrl" in /home/me/.atomic/config.json';
  return { baseUrl, findPlace, env };
}

function probe(baseUrl: string, env?: ProbeOptions["env"]): Promise<void> {
  return probeEndpoint(optionsOf(baseUrl, env));
}

test("an address where something listens is fine", async () => {
  await probe(`http://127.0.0.1:${await listen()}/v1`);
});

test("an address where nothing listens is reported at once, with its setting and its file", async () => {
  const port = await closedPort();
  const probing = probe(`http://127.0.0.1:${port}/v1`, { HTTP_PROXY: "http://proxy.test" });
  await expect(probing).rejects.toBeInstanceOf(EndpointUnreachableError);
  await expect(probing).rejects.toMatchObject({
    code: "ENDPOINT_UNREACHABLE",
    isRetryable: false,
    message: `Nothing answers at 127.0.0.1:${port} (ECONNREFUSED). Start the model's server, or correct "agents.opencode.endpoint.baseUrl" in /home/me/.atomic/config.json.`,
  });
});

test("an address behind a proxy is left to the proxy", async () => {
  await probe("http://nowhere.invalid/v1", { https_proxy: "http://proxy.test" });
});

describe("an endpoint whose connection is refused during a turn", () => {
  const signal = new AbortController().signal;

  test("on this machine has a moment to come back, and is then reported instead of being retried for minutes", async () => {
    const port = await closedPort();
    const options = optionsOf(`http://127.0.0.1:${port}/v1`);
    await expect(awaitEndpoint(options, { signal, patienceMs: 20, intervalMs: 5 })).rejects.toMatchObject({
      address: `127.0.0.1:${port}`,
      isRetryable: false,
    });
  });

  test("on this machine is no error when its server has been restarted", async () => {
    const port = await closedPort();
    const tries: string[] = [];
    const options: ProbeOptions = {
      ...optionsOf(`http://127.0.0.1:${port}/v1`),
      findPlace: async () => {
        tries.push("refused");
        await listen(port);
        return "";
      },
    };
    await awaitEndpoint(options, { signal, intervalMs: 1 });
    expect(tries).toEqual(["refused"]);
  });

  test("elsewhere is left to the agent", async () => {
    await awaitEndpoint(optionsOf("http://nowhere.invalid/v1"), { signal });
  });

  test("is not waited for once the turn has ended", async () => {
    const options = optionsOf(`http://127.0.0.1:${await closedPort()}/v1`);
    const ended = AbortSignal.abort(new Error("over"));
    await expect(awaitEndpoint(options, { signal: ended })).rejects.toThrow("over");
  });
});
