import { expect, test } from "bun:test";
import type { DiscoveryProblem } from "../contracts/index.ts";
import type { WorkflowFile } from "./discover-workflow-files.ts";
import { findWorkflowFile } from "./find-workflow-file.ts";
import type { WorkflowHeader } from "./metadata/read-workflow-header.ts";

function header(path: string, names: readonly string[] | undefined): WorkflowHeader {
  const source = path.startsWith("/home") ? "global" : "local";
  return { file: { path, realPath: path, source }, names, metadata: undefined };
}

const PROBLEM: DiscoveryProblem = { path: "/p/broken.ts", message: "Broken.", remedy: "Mend it.", severity: "error" };

/** The names that files have when they are executed. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  "/p/computed.ts": ["deploy", "ship"],
  "/home/computed.ts": ["clean"],
};

async function find(name: string, headers: readonly WorkflowHeader[], computed = COMPUTED) {
  const checked: string[] = [];
  const check = async ({ path, source }: WorkflowFile) => {
    checked.push(path);
    const [own, ...aliases] = computed[path] ?? [];
    if (own === undefined) return { problems: [PROBLEM] };
    return { workflow: { metadata: { name: own, description: "", aliases, source }, path }, problems: [] };
  };
  const { found, rivals, knownNames, problems } = await findWorkflowFile(name, {
    headers,
    builtIns: [["ralph", "loop"]],
    check,
  });
  const paths = rivals.map(({ path }) => path);
  return { found: typeof found === "object" ? found.path : found, rivals: paths, knownNames, problems, checked };
}

const HEADERS = [
  header("/p/broken.ts", undefined),
  header("/p/computed.ts", undefined),
  header("/p/review.ts", ["Review", "loop", "clean"]),
  header("/home/computed.ts", undefined),
  header("/home/review.ts", ["review"]),
  header("/home/tidy.ts", ["tidy", "ralph"]),
];

test.each([
  { title: "a name in the nearest scope, whatever its case", name: "REVIEW", found: "/p/review.ts", checked: [] },
  { title: "a computed name", name: "deploy", found: "/p/computed.ts", checked: ["/p/broken.ts", "/p/computed.ts"] },
  { title: "a name of the user's", name: "tidy", found: "/home/tidy.ts", checked: ["/p/broken.ts", "/p/computed.ts"] },
  {
    title: "a computed name before a nearer alias",
    name: "clean",
    found: "/home/computed.ts",
    checked: ["/p/broken.ts", "/p/computed.ts", "/home/computed.ts"],
  },
  {
    title: "a built-in name before an alias",
    name: "ralph",
    found: "ralph",
    checked: ["/p/broken.ts", "/p/computed.ts", "/home/computed.ts"],
  },
  {
    title: "an alias before a built-in one",
    name: "loop",
    found: "/p/review.ts",
    checked: ["/p/broken.ts", "/p/computed.ts", "/home/computed.ts"],
  },
])("a name means $title; only files that could have it are checked", async ({ name, found, checked }) => {
  expect(await find(name, HEADERS)).toMatchObject({ found, checked });
});

test("for an unknown name, all known ones and the problems of the checked files are returned", async () => {
  expect(await find("nothing", HEADERS)).toEqual({
    found: undefined,
    rivals: [],
    knownNames: ["Review", "loop", "clean", "deploy", "ship", "review", "tidy", "ralph"],
    problems: [PROBLEM],
    checked: ["/p/broken.ts", "/p/computed.ts", "/home/computed.ts"],
  });
});

test.each([
  { title: "of one scope are rivals, a computed name included", name: "deploy", rivals: ["/p/a.ts", "/p/computed.ts"] },
  { title: "of two scopes are none", name: "review", rivals: [] },
])("files with the same name $title", async ({ name, rivals }) => {
  const headers = [header("/p/computed.ts", undefined), header("/p/a.ts", undefined), ...HEADERS.slice(2)];
  const named = { ...COMPUTED, "/p/a.ts": ["Deploy"] };
  expect((await find(name, headers, named)).rivals.toSorted()).toEqual([...rivals]);
});
