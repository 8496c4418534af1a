import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import path from "node:path";
import type { PermissionPolicy } from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import type { ClientOptions } from "../../options/client-options.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

const bench = await startOpenCodeBench(process.env.PATH ?? "");
afterAll(() => bench.stop());

test.skipIf(process.platform !== "linux")(
  "an allowed command finds neither password, token nor key in the environment of any process",
  async () => {
    const { endpoint, ...options } = bench.optionsFor();
    const keyed: ClientOptions = {
      ...options,
      ...(endpoint && { endpoint: { ...endpoint, apiKey: "key-hunter2-701" } }),
    };
    const own = bench.createClient(keyed);
    // Other tests and programs may run at the same time.
    const find =
      `for f in $(grep -slzx "HOME=${bench.homeFolder}" /proc/[0-9]*/environ); do cat $f 2>/dev/null | tr '\\0' '\\n'; done | tee all.txt | ` +
      "grep -aE '^(OPENCODE_SERVER_PASSWORD|OPENCODE_CONFIG_CONTENT)=.|key-hunter2-701'; " +
      "grep -c BUN_INSPECT_PRELOAD all.txt; " +
      "tr '\\0' '\\n' </proc/$PPID/environ | grep -ciE 'password=.|token|hunter2'; env | grep -c hunter2";
    bench.script(call("bash", { command: find, description: "Look" }), call("grep", { pattern: "x" }), say("Done."));
    const events = await collectEvents(await own.createSession({ permissions: ALLOW_ALL }), "Look.");
    const [output = ""] = plainEvents(events, "tool-end").map((event) => String(event.output));
    const [supervised = "", ...rest] = output.split("\n");
    // OpenCode and its supervising shell were inspected, for each of the two servers.
    expect(Number(supervised)).toBeGreaterThan(1);
    expect(rest).toEqual(["0", "0", ""]);
    const files = readdirSync(path.join(bench.homeFolder), { recursive: true, encoding: "utf8" });
    await own.stop();
    expect(files.filter((file) => file.endsWith("secrets.json"))).toEqual([]);
  },
);
