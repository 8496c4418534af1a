import { expect, test } from "bun:test";
import { migrateRalphSession, RalphSessionError } from "./migrate-ralph-session.ts";
import { parseTasks } from "./tasks-file.ts";

const AT = "2026-02-02T10:00:00.000Z";

function migrate(session: unknown): ReturnType<typeof migrateRalphSession> {
  return migrateRalphSession(JSON.stringify(session), { path: "session.json", clock: () => Date.parse(AT) });
}

test("features keep their order, ids and what is done; the rest is pending", () => {
  const file = migrate({
    sessionId: "s1",
    status: "paused",
    currentFeatureIndex: 1,
    features: [
      { id: "f1", name: "Log in", description: "Users log in.", status: "passing", implementedAt: AT },
      {
        id: "f2",
        name: "Log out",
        description: "Users log out.",
        acceptanceCriteria: ["The cookie is gone"],
        status: "failing",
        error: "2 tests failed\n",
      },
      { id: "f3", name: "Sign up", description: "Sign up", status: "in_progress" },
    ],
  });
  expect(file).toEqual({
    version: "1.0",
    tasks: [
      { id: "f1", name: "Log in", description: "Log in\n\nUsers log in.", status: "passing" },
      {
        id: "f2",
        name: "Log out",
        description:
          "Log out\n\nUsers log out.\n\nIt is done when:\n- The cookie is gone\n\nAn earlier attempt failed: 2 tests failed",
        status: "pending",
      },
      { id: "f3", name: "Sign up", status: "pending" },
    ],
    metadata: { createdAt: AT, updatedAt: AT, source: "migrated" },
  });
  expect(parseTasks(JSON.stringify(file), "tasks.json")).toEqual(file);
});

test("the prompt of a session becomes the goal of the list", () => {
  const features = [{ id: "f1", name: "Log in" }];
  expect(migrate({ features, yoloPrompt: "Build a shop.\n" })).toEqual({
    version: "1.0",
    goal: "Build a shop.",
    tasks: [{ id: "f1", name: "Log in", status: "pending" }],
    metadata: { createdAt: AT, updatedAt: AT, source: "migrated" },
  });
  expect(migrate({ features, yoloPrompt: null }).goal).toBeUndefined();
});

test("the tasks of later versions become tasks, with what blocks them and numbers where ids are missing", () => {
  const { tasks } = migrate({
    features: [],
    tasks: [
      { id: 1, content: "Add X", status: "completed", activeForm: "Adding X" },
      { id: 2, content: "Add Y", status: "pending", blockedBy: [1] },
      { content: "Add Z", status: "skipped" },
    ],
  });
  expect(tasks).toEqual([
    { id: "1", name: "Add X", status: "passing" },
    { id: "2", name: "Add Y", status: "pending", dependencies: ["1"] },
    { id: "3", name: "Add Z", status: "skipped" },
  ]);
});

test.each<{ title: string; session: unknown; problems: readonly string[] }>([
  { title: "no tasks", session: { yolo: true, features: [] }, problems: ["It has no tasks."] },
  { title: "no object", session: null, problems: ["expected object, received null."] },
  {
    title: "tasks of another type",
    session: { features: { length: 1 } },
    problems: ["features: expected array, received object."],
  },
  {
    title: "a name of another type, and a task that says nothing",
    session: { features: [{ name: 1 }, { id: "a", name: " " }] },
    problems: [
      "features[0].name: expected string, received number.",
      "features[1]: has no name, description or content.",
    ],
  },
  {
    title: "an unknown status",
    session: { features: [{ name: "A", status: "passin" }] },
    problems: ['features[0].status: unknown status "passin", did you mean "passing"?.'],
  },
  {
    title: "a status that every object has",
    session: { features: [{ name: "A", status: "constructor" }] },
    problems: [
      'features[0].status: unknown status "constructor", known: pending, in_progress, failing, passing, completed, skipped.',
    ],
  },
  {
    title: "a duplicate id",
    session: {
      features: [
        { id: "1", name: "A" },
        { id: 1, name: "B" },
      ],
    },
    problems: ['The id "1" is used 2 times, by the tasks at 1, 2.'],
  },
  {
    title: "a cycle",
    session: {
      tasks: [
        { id: "a", content: "A", blockedBy: ["b"] },
        { id: "b", content: "B", blockedBy: ["a"] },
      ],
    },
    problems: ["These tasks depend on each other in a cycle: a → b → a."],
  },
])("a session with $title is one error", ({ session, problems }) => {
  expect(() => migrate(session)).toThrow(new RalphSessionError("session.json", problems));
});

test("a damaged file is an error", () => {
  expect(() => migrateRalphSession('{"features": [', { path: "session.json" })).toThrow(RalphSessionError);
});
