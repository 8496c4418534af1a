import { describe, expect, test } from "bun:test";
import { MissingServiceError } from "../errors/errors.ts";
import { rejectionOf } from "../fixtures/test-nodes.ts";
import { NamedRegistry } from "./named-registry.ts";
import { UnknownNameError } from "./named-services.ts";
import { resolveNamed } from "./resolve-named.ts";

const TOOLS = new NamedRegistry([{ name: "lint" }, { name: "Format" }]);

test.each([
  { thing: "lint", shown: '"lint"' },
  { thing: { name: 5 }, shown: '{"name":5}' },
])("a registry rejects $thing", ({ thing, shown }) => {
  // The cast is what a program without types could do.
  expect(() => new NamedRegistry().register(thing as never)).toThrow(
    `register() was given ${shown}; give it an object with a name`,
  );
});

describe("looking a name up", () => {
  test("returns the value, even from a promise", async () => {
    const about = { kind: "tool", name: "lint", nodeId: "n" } as const;
    const later = { find: async () => ({ name: "late" }), names: () => [] };
    expect([await resolveNamed(TOOLS, about), await resolveNamed(later, about)]).toEqual([
      { name: "lint" },
      { name: "late" },
    ]);
  });

  test("fails without the service, and says which", async () => {
    const error = await rejectionOf(resolveNamed(undefined, { kind: "skill", name: "commit", nodeId: "n" }));
    expect(error).toEqual(new MissingServiceError("skills", "n"));
  });

  test.each([
    {
      title: "with what was probably meant",
      name: "lnit",
      things: TOOLS,
      message:
        'The node "check" needs the tool "lnit", which does not exist. Did you mean "lint"? Known tools: lint, Format.',
    },
    {
      title: "with what there is",
      name: "deploy",
      things: TOOLS,
      message: 'The node "check" needs the tool "deploy", which does not exist. Known tools: lint, Format.',
    },
    {
      title: "with nothing when there is nothing",
      name: "lint",
      things: new NamedRegistry(),
      message:
        'The node "check" needs the tool "lint", which does not exist. There are no tools. Add it, or correct the name.',
    },
    {
      title: "with a part of a long list",
      name: "deploy",
      things: new NamedRegistry(Array.from({ length: 23 }, (_, index) => ({ name: `t${index}` }))),
      message:
        'The node "check" needs the tool "deploy", which does not exist. Known tools: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15, t16, t17, t18, t19, and 3 more.',
    },
  ])("fails for an unknown name, $title", async ({ name, things, message }) => {
    const error = await rejectionOf(resolveNamed(things, { kind: "tool", name, nodeId: "check" }));
    expect({ isUnknown: error instanceof UnknownNameError, message: error.message }).toEqual({
      isUnknown: true,
      message,
    });
  });

  test("carries the facts in its error", () => {
    const { code, kind, missingName, nodeId, knownNames, nearest, isRetryable } = new UnknownNameError(
      "agent",
      "explor",
      "n",
      ["explore"],
    );
    expect({ code, kind, missingName, nodeId, knownNames, nearest, isRetryable }).toEqual({
      code: "NAME_UNKNOWN",
      kind: "agent",
      missingName: "explor",
      nodeId: "n",
      knownNames: ["explore"],
      nearest: "explore",
      isRetryable: false,
    });
  });
});

describe("a registry", () => {
  test("finds what was registered last under a name, in upper or lower case", () => {
    const registry = new NamedRegistry([{ name: "Review", version: 1 }]);
    registry.register({ name: "review", version: 2 });
    registry.register({ name: "plan", version: 1 });
    expect({
      found: [registry.find("REVIEW"), registry.get("plan"), registry.find("lost")],
      has: [registry.has("reVIEW"), registry.has("lost")],
      names: registry.names(),
      all: registry.getAll(),
    }).toEqual({
      found: [{ name: "review", version: 2 }, { name: "plan", version: 1 }, undefined],
      has: [true, false],
      names: ["review", "plan"],
      all: [
        { name: "review", version: 2 },
        { name: "plan", version: 1 },
      ],
    });
    registry.clear();
    expect(registry.names()).toEqual([]);
  });
});
