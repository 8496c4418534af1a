import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { EndpointUnreachableError, type ProbeOptions, probeEndpoint } from "./probe-endpoint.ts";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // a server that listens on a TCP port has one
}

/** A port of this machine where nothing listens. */
async function closedPort(): Promise<number> {
  const port = await listen();
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return port;
}

function probe(baseUrl: string, env: ProbeOptions["env"] = {}): Promise<void> {
  return probeEndpoint({
    baseUrl,
    setting: "agents.opencode.endpoint.baseUrl",
    findFile: async () => "/home/me/.atomic/config.json",
    env,
  });
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
