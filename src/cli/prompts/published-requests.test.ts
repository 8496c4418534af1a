import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noRedaction } from "../../contracts/index.ts";
import { type PublishedRequest, PublishedRequests } from "./published-requests.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-requests-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Text extends PublishedRequest {
  readonly text: string;
}

function create() {
  const published: Text[] = [];
  const requests = new PublishedRequests<Text, string>(
    { waitMs: 60_000, waitText: "1m", redactor: noRedaction, onPublish: (one) => published.push(one) },
    { folder: "asks", idPrefix: "ask-", late: { answer: "late", end: "was late" }, cancelled: "cancelled" },
  );
  requests.begin(folder);
  const ask = (text: string, { key, signal = NEVER }: { key?: string; signal?: AbortSignal } = {}) =>
    requests.ask({ signal, complete: (one) => ({ ...one, text }), ...(key === undefined ? {} : { key }) });
  return { requests, published, ask };
}

const NEVER = new AbortController().signal;

test("equal requests are one, which stays while one of their askers waits", async () => {
  const { requests, published, ask } = create();
  const first = ask("one", { key: "same" });
  const leaving = new AbortController();
  const second = ask("one", { key: "same", signal: leaving.signal });
  // It leaves before the request is stored.
  leaving.abort();
  expect(await second).toBe("cancelled");
  expect(requests.waiting()).toEqual(published);
  const [{ id } = { id: "" }] = published;
  expect(await readdir(join(folder, "asks"))).toEqual([`${id}.json`]);
  requests.answer(id, "yes", "was answered");
  expect(await first).toBe("yes");
  expect([requests.waiting(), requests.endOf(id), await readdir(join(folder, "asks"))]).toEqual([
    [],
    "was answered",
    [],
  ]);
});

test("a request that cannot be stored fails, and waits for nobody", async () => {
  const { requests, ask } = create();
  await writeFile(join(folder, "asks"), "a file in the place of the folder");
  await expect(ask("one")).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(requests.waiting()).toEqual([]);
});
