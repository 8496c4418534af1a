import { expect, test } from "bun:test";
import type { DiscoveryProblem } from "../../../contracts/index.ts";
import { createWorkflowRegistry } from "../../../workflows/run-kit.ts";
import type { ChatWorkflow } from "./workflow-commands.ts";
import { WorkflowList, type WorkflowListOptions } from "./workflow-list.ts";

type Workspace = WorkflowListOptions["workspace"];
type Loaded = Awaited<ReturnType<Workspace["loadProject"]>>;

const PROBLEM: DiscoveryProblem = { path: "/p/x.ts", message: "Broken", remedy: "Repair it.", severity: "error" };

function open(loading: Promise<Partial<Loaded>>, graceMs: number) {
  const told: string[] = [];
  const nothing = { overridden: [], problems: [], untrusted: [], claudeScripts: [] };
  const workspace: Pick<Workspace, "projectDirectory" | "loadProject"> & { readonly trust: unknown } = {
    projectDirectory: "/p",
    loadProject: async () => ({ ...nothing, registry: createWorkflowRegistry([]), ...(await loading) }),
    trust: { isTrusted: async () => false },
  };
  const list = new WorkflowList({
    workspace: workspace as Workspace, // the list only asks whether the project is trusted
    tell: (line) => told.push(line),
    graceMs,
  });
  const namesOf = (workflows: readonly ChatWorkflow[]) => workflows.map(({ metadata }) => metadata.name);
  const slow = Promise.withResolvers<readonly string[]>();
  const names = async () =>
    namesOf(await list.load(new AbortController().signal, (known) => slow.resolve(namesOf(known))));
  return { names, told, slow: slow.promise };
}

const BUILT_IN = createWorkflowRegistry([]).workflows.map(({ metadata }) => metadata.name);
const SCRIPT = { name: "mine", description: "", phases: [], path: "/home/mine.js" };

test("scripts that are trusted are listed after the workflows, and problems are shown", async () => {
  const claudeScripts: Loaded["claudeScripts"] = [
    { ...SCRIPT, source: "global" },
    { ...SCRIPT, name: "planted", source: "local" },
  ];
  const problems = [...Array.from({ length: 7 }, () => PROBLEM), { ...PROBLEM, severity: "warning" as const }];
  const { names, told } = open(
    Promise.resolve({ claudeScripts, problems, untrusted: ["/p/.atomic/workflows/a.ts"] }),
    20_000,
  );
  expect(await names()).toEqual([...BUILT_IN, "mine"]);
  expect(told).toEqual([
    ...Array.from({ length: 5 }, () => "/p/x.ts: Broken. Repair it."),
    "2 more files cannot be used. See all of them: atomic doctor",
    "Not loaded, because this project is not trusted: .atomic/workflows/a.ts. You can work without them. To use them: leave the chat, look at them with `atomic trust`, enter `atomic trust add`, and continue with `atomic chat -c`.",
  ]);
});

test("while files are checked, the list has the built-in workflows, and the others follow", async () => {
  const loading = Promise.withResolvers<Partial<Loaded>>();
  const { names, slow } = open(loading.promise, 1);
  const all = names();
  expect(await slow).toEqual(BUILT_IN);
  loading.resolve({ claudeScripts: [{ ...SCRIPT, source: "global" }] });
  expect(await all).toEqual([...BUILT_IN, "mine"]);
});

test("a list that cannot be read is a line, and the built-in workflows stay", async () => {
  const { names, told } = open(Promise.reject(new Error("broken trust")), 20_000);
  expect(await names()).toEqual(BUILT_IN);
  expect(told).toEqual(["The workflows cannot be listed: broken trust"]);
});
