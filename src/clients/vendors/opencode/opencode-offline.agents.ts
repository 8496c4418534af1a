import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { say } from "../../../testkit/conformance/client/client-script.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";
import { createOpenCodeClient } from "./opencode-client.ts";

const bench = await startOpenCodeBench(process.env.PATH ?? "");
afterAll(() => bench.stop());

test("with an endpoint OpenCode connects to nothing else, even with the user's own home and settings", async () => {
  const asked: string[] = [];
  // All requests to other machines use the proxy, including the list of models and the package registry.
  const proxy = createServer((socket) => {
    socket
      .on("error", () => {})
      .once("data", (data) => {
        asked.push(String(data).split("\r\n", 1)[0] ?? "");
        socket.destroy();
      });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  // The cast is true: it listens on TCP.
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const home = path.join(path.dirname(bench.workFolder), "own-home");
  const folder = path.join(home, ".config", "opencode");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ dependencies: { "left-pad": "1.3.0" } }));
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, address]);
  const env = { PATH: process.env.PATH ?? "", HOME: home, ...Object.fromEntries(proxies) };
  const { homeDirectory: _, ...options } = bench.optionsFor({ env });
  const own = createOpenCodeClient(options);
  try {
    bench.script(say("Hello."));
    expect((await (await own.createSession()).send("Hello?")).content).toBe("Hello.");
    expect(asked).toEqual([]);
  } finally {
    await own.stop();
    proxy.close();
  }
});
