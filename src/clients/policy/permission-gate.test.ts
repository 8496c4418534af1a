import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type {
  PermissionDecision,
  PermissionMemory,
  PermissionPolicy,
  PermissionRequest,
  PermissionSearch,
  SessionConfig,
} from "../../contracts/index.ts";
import { rejectionOf } from "../../testkit/conformance/rejection-of.ts";
import { startManualTurn } from "../turn/fixtures/manual-turn.ts";
import { PermissionGate } from "./permission-gate.ts";

const SHELL: PermissionRequest = {
  id: "1",
  sessionId: "s",
  kind: "shell",
  toolName: "bash",
  title: "bash: make",
  paths: [],
  command: "make",
};
const READ: PermissionRequest = {
  id: "1",
  sessionId: "s",
  kind: "read",
  toolName: "read",
  title: "read: a",
  paths: ["/work/a"],
};
const QUERY: PermissionRequest = {
  id: "1",
  sessionId: "s",
  kind: "mcp",
  toolName: "db",
  title: "db: query",
  paths: [],
};
const NOBODY = "and nobody can approve it here.";

function createGate(config: SessionConfig = {}): PermissionGate {
  return new PermissionGate({ config, workingDirectory: "/work" });
}

/** A person who always says the same, and what this person was asked. */
function createPerson(decision: PermissionDecision) {
  const asked: PermissionRequest[] = [];
  const onPermissionAsk = async (request: PermissionRequest): Promise<PermissionDecision> => {
    asked.push(request);
    return decision;
  };
  return { asked, onPermissionAsk };
}

function deny(reason: string): PermissionDecision {
  return { type: "deny", reason };
}

test("a denial is published so that it is listed in the reply; a leave is not", async () => {
  const { turn, heard } = startManualTurn();
  const gate = createGate({ permissions: { rules: [{ effect: "allow", commands: ["make"] }] } });
  expect(await gate.decide(SHELL, { turn })).toEqual({ type: "allow" });
  const other = { ...SHELL, title: "bash: rm -rf .", command: "rm -rf ." };
  const reason = `Denied: no rule allows the command "rm -rf .", ${NOBODY} Allowed without approval: "make".`;
  expect(await gate.decide(other, { turn })).toEqual(deny(reason));
  const title = "bash: rm -rf .";
  const denied = {
    toolName: "bash",
    kind: "shell",
    title,
    reason,
    allowedBy: "shell:rm -rf .",
    isUnasked: true,
  } as const;
  expect(heard.slice(1)).toEqual([{ type: "permission-denied", sessionId: "s", at: 7, denied }]);
  turn.complete();
  expect(turn.result().deniedPermissions).toEqual([denied]);
});

test("nobody overrules a policy's deny, not even what was allowed for good", async () => {
  const { asked, onPermissionAsk } = createPerson({ type: "allow", scope: "project" });
  const permissionMemory: PermissionMemory = { isAllowed: async () => true, allow: async () => {} };
  const gate = createGate({
    permissions: { rules: [{ effect: "deny", tools: ["shell"] }] },
    onPermissionAsk,
    permissionMemory,
  });
  const { turn } = startManualTurn();
  expect(await gate.decide(SHELL, { turn })).toEqual(deny('Denied by the rule "shell".'));
  expect(asked).toEqual([]);
});

test("ordinary reading in the working directory needs nobody's leave, unless a rule says so", async () => {
  const { turn } = startManualTurn();
  const strict = createGate({ permissions: { rules: [{ effect: "ask", tools: ["read"] }] } });
  expect(await createGate().decide(READ, { turn })).toEqual({ type: "allow" });
  expect(await createGate().decide({ ...READ, paths: ["/work/.env"] }, { turn })).toEqual(
    deny(`Denied: no rule allows reading ".env", ${NOBODY}`),
  );
  expect(await createGate().decide({ ...READ, paths: ["/etc/passwd"] }, { turn })).toEqual(
    deny(`Denied: no rule allows reading "/etc/passwd", ${NOBODY}`),
  );
  expect(await strict.decide(READ, { turn })).toEqual(
    deny(`Denied: approval is required by the rule "read", ${NOBODY}`),
  );
});

test("a change of a protected file requires approval although rules allow changes, and is denied if nobody can approve it", async () => {
  const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["edit"] }] };
  const edit: PermissionRequest = {
    ...READ,
    kind: "edit",
    toolName: "edit",
    title: "edit: package.json",
    paths: ["package.json"],
  };
  const why = "package.json is protected: package managers and compilers run what it names";
  const { turn } = startManualTurn();
  expect(await createGate({ permissions }).decide(edit, { turn })).toEqual(deny(`Denied: ${why}, ${NOBODY}`));
  const { asked, onPermissionAsk } = createPerson({ type: "allow" });
  expect(await createGate({ permissions, onPermissionAsk }).decide(edit, { turn })).toEqual({ type: "allow" });
  expect(asked).toEqual([{ ...edit, title: `edit: package.json (${why})`, isOnce: true }]);
});

test("a call with too many paths, or too long ones, is denied before they are looked at", async () => {
  const gate = createGate({ permissions: { rules: [{ effect: "allow" }], otherwise: "allow" } });
  const decide = (paths: readonly string[]) => gate.decide({ ...READ, paths }, { turn: startManualTurn().turn });
  const many = Array.from({ length: 20_000 }, (_, index) => `a/b/c${index}`);
  const reason = "This call names 20,000 files. At most 1,000 can be checked: use several calls.";
  expect(await decide(many)).toEqual(deny(reason));
  const long = "A path of this call is longer than 4,096 characters. Use a shorter one.";
  expect(await decide(["a", "a/".repeat(100_000)])).toEqual(deny(long));
  expect(await decide(many.slice(0, 1_000))).toEqual({ type: "allow" });
});

test.each<{ readonly title: string; readonly rules: PermissionPolicy["rules"] }>([
  { title: "nothing allows changes", rules: [] },
  { title: "a rule asks about changes", rules: [{ effect: "ask", tools: ["edit"] }] },
])("a yes to a change of a protected file holds once, also where $title", async ({ rules }) => {
  const edit: PermissionRequest = {
    ...READ,
    ...{ kind: "edit", toolName: "edit", title: "edit: package.json", paths: ["package.json"] },
  };
  const remembered: PermissionRequest[] = [];
  const permissionMemory: PermissionMemory = {
    isAllowed: async () => true,
    allow: async (request) => void remembered.push(request),
  };
  const { asked, onPermissionAsk } = createPerson({ type: "allow", scope: "project" });
  const gate = createGate({ permissions: { rules }, onPermissionAsk, permissionMemory });
  const { turn } = startManualTurn();
  for (const _time of [1, 2]) await gate.decide(edit, { turn });
  expect({ asked: asked.map(({ isOnce }) => isOnce), remembered }).toEqual({ asked: [true, true], remembered: [] });
});

test.each(["/proc/self/cwd/.env", "/proc/1/environ", "/proc/thread-self", "/x/../dev/fd/3", "/dev/stdin"])(
  "%s means another file to each process, so it is denied whatever is allowed",
  async (file) => {
    const gate = createGate({ permissions: { rules: [{ effect: "allow" }], otherwise: "allow" } });
    expect(await gate.decide({ ...READ, paths: [file] }, { turn: startManualTurn().turn })).toEqual(
      deny(`"${file}" means another file to each process. Name the file itself.`),
    );
  },
);

describe("a search", () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  async function searchIn(files: readonly string[]) {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-gate-")));
    folders.push(folder);
    for (const file of files) await writeFile(path.join(folder, file), "text");
    const request = { ...READ, toolName: "grep", title: "grep: x", paths: [folder], search: {} };
    const decide = (config: SessionConfig, search: PermissionSearch = {}) =>
      new PermissionGate({ config, workingDirectory: folder }).decide(
        { ...request, search },
        { turn: startManualTurn().turn },
      );
    return { folder, request, decide };
  }
  const narrower = "Search a folder without such files, or limit the search by the ending of file names.";

  test("is allowed where all that it reads is", async () => {
    const { decide } = await searchIn(["a.ts"]);
    expect(await decide({})).toEqual({ type: "allow" });
  });

  test("needs what reading the files needs that it reaches", async () => {
    const { folder, request, decide } = await searchIn(["a.ts", ".env"]);
    expect(await decide({})).toEqual(
      deny(`Denied: this search of "." can read files that require approval, ${NOBODY} ${narrower}`),
    );
    const denied = { rules: [{ effect: "deny", paths: [".env"] }] } as const;
    expect(await decide({ permissions: denied })).toEqual(
      deny(`Denied: this search of "." can read files that are denied. ${narrower}`),
    );
    const { asked, onPermissionAsk } = createPerson({ type: "allow" });
    expect(await decide({ onPermissionAsk })).toEqual({ type: "allow" });
    const paths = [folder, path.join(folder, ".env")];
    expect(asked).toEqual([{ ...request, title: "grep: x (can read .env)", paths }]);
  });

  test("goes without those files where the client can leave them out", async () => {
    const { decide } = await searchIn(["a.ts", ".env"]);
    expect(await decide({}, { canExclude: true })).toEqual({ type: "allow", exclude: [".env"] });
  });
});

describe("what a person allows", () => {
  test("once applies to its call, also when the vendor asks about that call again", async () => {
    const { asked, onPermissionAsk } = createPerson({ type: "allow" });
    const gate = createGate({ onPermissionAsk });
    const { turn, heard } = startManualTurn();
    for (const callId of ["a", "a", "b"]) {
      expect(await gate.decide(SHELL, { turn, callId })).toEqual({ type: "allow" });
    }
    expect(asked).toEqual([SHELL, SHELL]);
    expect(heard.slice(1)).toEqual([
      { type: "permission-ask", sessionId: "s", at: 7, request: SHELL },
      { type: "permission-ask", sessionId: "s", at: 7, request: SHELL },
    ]);
  });

  test("once does not apply to another call with the same id, or to another turn", async () => {
    const { asked, onPermissionAsk } = createPerson({ type: "allow" });
    const gate = createGate({ onPermissionAsk });
    const { turn } = startManualTurn();
    const fetching: PermissionRequest = { ...QUERY, title: "db: drop" };
    await gate.decide(QUERY, { turn, callId: "a" });
    await gate.decide(fetching, { turn, callId: "a" });
    await gate.decide(QUERY, { turn: startManualTurn().turn, callId: "a" });
    expect(asked).toEqual([QUERY, fetching, QUERY]);
  });

  test("for the session applies to the identical command in all its turns", async () => {
    const { asked, onPermissionAsk } = createPerson({ type: "allow", scope: "session" });
    const gate = createGate({ onPermissionAsk });
    await gate.decide(SHELL, { turn: startManualTurn().turn });
    await gate.decide({ ...SHELL, id: "2" }, { turn: startManualTurn().turn });
    await gate.decide({ ...SHELL, command: "make all" }, { turn: startManualTurn().turn });
    expect(asked.map(({ command }) => command)).toEqual(["make", "make all"]);
  });

  test("for the project is kept, and another session is not asked", async () => {
    const kept: PermissionRequest[] = [];
    const permissionMemory: PermissionMemory = {
      isAllowed: async ({ command }) => kept.some((request) => request.command === command),
      allow: async (request) => void kept.push(request),
    };
    const { asked, onPermissionAsk } = createPerson({ type: "allow", scope: "project" });
    const { turn } = startManualTurn();
    await createGate({ onPermissionAsk, permissionMemory }).decide(SHELL, { turn });
    expect(await createGate({ permissionMemory }).decide(SHELL, { turn })).toEqual({ type: "allow" });
    expect([asked, kept]).toEqual([[SHELL], [SHELL]]);
  });
});

describe("what fails on the way to an answer counts as a denial", () => {
  const broken = () => Promise.reject(new Error("the disk is full"));
  const fails = deny("Asking for permission failed: the disk is full");
  const { onPermissionAsk } = createPerson({ type: "allow", scope: "project" });
  test.each<{ readonly title: string; readonly config: SessionConfig }>([
    { title: "asking the person fails", config: { onPermissionAsk: broken } },
    {
      title: "the memory cannot be read",
      config: { onPermissionAsk, permissionMemory: { isAllowed: broken, allow: async () => {} } },
    },
    {
      title: "the memory cannot be written",
      config: { onPermissionAsk, permissionMemory: { isAllowed: async () => false, allow: broken } },
    },
  ])("$title", async ({ config }) => {
    const { turn } = startManualTurn();
    expect(await createGate(config).decide(SHELL, { turn })).toEqual(fails);
  });
});

describe("asking ends", () => {
  /** A person who never answers, and when this person is being asked. */
  function createSilence() {
    const asked = Promise.withResolvers<void>();
    const gate = createGate({
      onPermissionAsk: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    return { gate, asked: asked.promise };
  }

  test("with the reason of a turn that is stopped, and is no denial", async () => {
    const { gate, asked } = createSilence();
    const { turn, heard } = startManualTurn();
    const deciding = rejectionOf(gate.decide(SHELL, { turn }));
    await asked;
    await turn.abort("enough");
    expect(await deciding).toBe("enough");
    expect(heard.map(({ type }) => type)).toEqual(["turn-start", "permission-ask", "turn-end"]);
  });

  test("before it begins, in a turn that is stopped already", async () => {
    const { gate } = createSilence();
    const { turn, heard } = startManualTurn();
    const deciding = rejectionOf(gate.decide(SHELL, { turn }));
    await turn.abort("enough");
    expect(await deciding).toBe("enough");
    expect(heard.map(({ type }) => type)).toEqual(["turn-start", "turn-end"]);
  });

  test("with the reason of a request that the vendor takes back", async () => {
    const { gate, asked } = createSilence();
    const back = new AbortController();
    const deciding = rejectionOf(gate.decide(SHELL, { turn: startManualTurn().turn, until: back.signal }));
    await asked;
    back.abort("taken back");
    expect(await deciding).toBe("taken back");
  });
});

test("where asking is not possible, the denial says why, and the policy still allows calls", async () => {
  const { asked, onPermissionAsk } = createPerson({ type: "allow" });
  const gate = createGate({ permissions: { rules: [{ effect: "allow", commands: ["make"] }] }, onPermissionAsk });
  const { turn } = startManualTurn();
  const origin = { turn, unaskedBecause: "It is too late to ask." };
  expect(await gate.decide(SHELL, origin)).toEqual({ type: "allow" });
  expect(await gate.decide({ ...SHELL, command: "make install" }, origin)).toEqual(deny("It is too late to ask."));
  expect(asked).toEqual([]);
});

test("a list of tools denies all others, also reading in the project and what a person would allow, and says so", async () => {
  const { turn } = startManualTurn();
  const { asked, onPermissionAsk } = createPerson({ type: "allow", scope: "project" });
  const decideWith = async (...exceptTools: readonly string[]) => {
    const permissions: PermissionPolicy = { rules: [{ effect: "allow" }, { effect: "deny", exceptTools }] };
    const gate = createGate({ permissions, onPermissionAsk });
    return [await gate.decide(READ, { turn }), await gate.decide(SHELL, { turn }), await gate.decide(QUERY, { turn })];
  };
  const unlisted = (tool: string, names: string) =>
    deny(`Denied: "${tool}" is not among the tools that may be used here: ${names}.`);
  expect(await decideWith("db", "Bash")).toEqual([
    unlisted("read", '"db", "Bash"'),
    { type: "allow" },
    { type: "allow" },
  ]);
  expect(await decideWith("Bash(git:*)")).toEqual([
    unlisted("read", '"Bash(git:*)"'),
    deny('Denied: this call of "bash" goes beyond the tools that may be used here: "Bash(git:*)".'),
    unlisted("db", '"Bash(git:*)"'),
  ]);
  const none = deny("Denied: no tool may be used here. Answer without tools.");
  expect([await decideWith(), asked]).toEqual([[none, none, none], []]);
});

test("a list of tools applies to tools that need no approval, other rules do not", () => {
  const { turn, heard } = startManualTurn();
  const todo: PermissionRequest = { ...QUERY, kind: "other", toolName: "TodoWrite", title: "TodoWrite: []" };
  const reasonWith = (...rules: PermissionPolicy["rules"]) =>
    createGate({ permissions: { rules, otherwise: "deny" } }).denyUnlisted(todo, { turn });
  const reason = 'Denied: "TodoWrite" is not among the tools that may be used here: "read".';
  expect([
    reasonWith({ effect: "deny", tools: ["other"] }, { effect: "ask", exceptTools: [] }),
    reasonWith({ effect: "deny", exceptTools: ["todo"] }),
    reasonWith({ effect: "deny", exceptTools: ["read"] }),
  ]).toEqual([undefined, undefined, reason]);
  expect(heard.filter(({ type }) => type === "permission-denied")).toEqual([
    {
      type: "permission-denied",
      at: 7,
      sessionId: "s",
      denied: { toolName: "TodoWrite", kind: "other", title: "TodoWrite: []", reason },
    },
  ]);
});
