import { afterEach, expect, test } from "bun:test";
import { renderUi } from "../fixtures/render-ui.tsx";
import type { RunSummary } from "../host/runs-port.ts";
import { type MainView, UiStore } from "../ui/ui-store.ts";
import { FakeRuns } from "./fixtures/fake-runs.ts";
import { RunsView } from "./runs-view.tsx";

const NOW = 100_000_000;
const base = { projectDirectory: "/work/shop", agent: "claude" } as const;
const RUNS: readonly RunSummary[] = [
  {
    ...base,
    id: "0vr8z8579gzr",
    workflow: "ralph",
    state: "running",
    prompt: "Repair the cart",
    startedAt: NOW - 250_000,
  },
  {
    ...base,
    id: "0vr711111111",
    workflow: "review",
    state: "suspended",
    prompt: "",
    agent: "opencode",
    startedAt: NOW - 7e6,
  },
  {
    ...base,
    id: "0vr611111111",
    workflow: "ralph",
    state: "failed",
    prompt: "Round\u202e prices",
    startedAt: NOW - 9e7,
  },
];

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open(runs: FakeRuns, { width = 80, height = 8 } = {}, view: MainView = { type: "runs" }) {
  const store = new UiStore();
  store.show(view);
  const ui = await renderUi(<RunsView pollMs={200} />, { width, height, host: { runs }, ui: store, now: () => NOW });
  opened.push(ui.close);
  return { ...ui, store };
}

test("the list has a line for each run, with its state as a sign and a word", async () => {
  const ui = await open(new FakeRuns({ runs: RUNS }));
  expect(await ui.until(/ralph/)).toBe(
    [
      "  Runs  3",
      "",
      "  › ● ralph   0vr8z8579gzr  Repair the cart        running      claude      4m",
      "    ? review  0vr711111111                         suspended    opencode    1h",
      "    ✗ ralph   0vr611111111  Round prices           failed       claude      1d",
      "",
      "",
      "  enter open · / filter · i inbox · esc leave",
    ].join("\n"),
  );
});

test("a narrow screen leaves out ids and agents", async () => {
  const ui = await open(new FakeRuns({ runs: RUNS }), { width: 40 });
  expect((await ui.until(/ralph/)).split("\n").slice(2, 5)).toEqual([
    " › ● ralph   Repair the c… running   4m",
    "   ? review              suspended   1h",
    "   ✗ ralph   Round prices   failed   1d",
  ]);
});

test("the run that was open is selected when the list is back", async () => {
  const { store, ...ui } = await open(new FakeRuns({ runs: RUNS }), {}, { type: "runs", runId: "0vr711111111" });
  expect((await ui.until(/ralph/)).split("\n").slice(2, 5)).toEqual([
    "    ● ralph   0vr8z8579gzr  Repair the cart        running      claude      4m",
    "  › ? review  0vr711111111                         suspended    opencode    1h",
    "    ✗ ralph   0vr611111111  Round prices           failed       claude      1d",
  ]);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(store.snapshot().view).toEqual({ type: "run", runId: "0vr711111111", from: "runs" });
});

test("the list is filtered as it was before a run was opened, until Escape", async () => {
  const view: MainView = { type: "runs", runId: "0vr611111111", filter: "ralph" };
  const ui = await open(new FakeRuns({ runs: RUNS }), {}, view);
  expect((await ui.until(/2 of 3/)).split("\n").slice(0, 4)).toEqual([
    "  Runs  2 of 3",
    "    / ralph",
    "    ● ralph  0vr8z8579gzr  Repair the cart           running      claude    4m",
    "  › ✗ ralph  0vr611111111  Round prices              failed       claude    1d",
  ]);
  await ui.act(() => ui.mockInput.pressEscape());
  expect(await ui.until(/Runs {2}3/)).toContain("review");
});

test("typing filters the list, Enter opens a run, and Escape clears the filter before it leaves", async () => {
  const ui = await open(new FakeRuns({ runs: RUNS }));
  await ui.until(/ralph/);
  await ui.type("/");
  await ui.type("ralph pric");
  const screen = await ui.until(/1 of 3/);
  expect(screen.split("\n").slice(0, 3)).toEqual([
    "  Runs  1 of 3",
    "    / ralph pric",
    "  › ✗ ralph  0vr611111111  Round prices              failed       claude    1d",
  ]);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.store.snapshot().view).toEqual({ type: "run", runId: "0vr611111111", from: "runs", filter: "ralph pric" });
  await ui.act(() => ui.mockInput.pressEscape());
  expect(await ui.until(/Runs {2}3/)).toContain("review");
  await ui.act(() => ui.mockInput.pressEscape());
  expect(ui.store.snapshot().view).toEqual({ type: "chat" });
});

test("the list is read again from time to time, and keeps the selected run", async () => {
  const runs = new FakeRuns({ runs: RUNS });
  const ui = await open(runs);
  await ui.until(/ralph/);
  await ui.act(() => ui.mockInput.pressArrow("down"));
  const [first] = RUNS;
  runs.runs = [{ ...RUNS[0], ...first, id: "0vr911111111", workflow: "write" } as RunSummary, ...RUNS];
  expect(await ui.until(/write/)).toContain("› ? review");
});

test("without runs the list says so, and an error is a line", async () => {
  const empty = await open(new FakeRuns());
  expect(await empty.until(/no runs/)).toContain("  There are no runs yet.");
  const broken = await open(new FakeRuns({ failures: { list: "The folder is gone." } }));
  expect(await broken.until(/gone/)).toContain("The folder is gone.");
});

test.each([100, 60, 40])("in %i columns a list that is cut says how many runs are not visible", async (width) => {
  const runs = Array.from({ length: 12 }, (_, index) => ({ ...RUNS[0], id: `0vr${index}` }) as RunSummary); // RUNS has one
  const ui = await open(new FakeRuns({ runs }), { width });
  expect((await ui.until(/ralph/)).split("\n")[0]).toMatch(/^ {1,2}Runs {2}12 +… 7 more$/);
});

test("of more than 500 runs the newest are listed, and the title says so", async () => {
  const runs = Array.from({ length: 500 }, (_, index) => ({ ...RUNS[0], id: `0vr${index}` }) as RunSummary); // RUNS has one
  const ui = await open(new FakeRuns({ runs }));
  expect((await ui.until(/ralph/)).split("\n")[0]).toMatch(/^ {2}Runs {2}500, the newest 500 +… 495 more$/);
});
