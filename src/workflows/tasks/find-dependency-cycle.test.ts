import { expect, test } from "bun:test";
import { findDependencyCycle, type TaskLinks } from "./find-dependency-cycle.ts";

/** `"a:b,c"` is a task a that depends on b and c. */
function links(...texts: readonly string[]): readonly TaskLinks[] {
  return texts.map((text) => {
    const [id = "", dependencies] = text.split(":");
    return dependencies === undefined ? { id } : { id, dependencies: dependencies.split(",") };
  });
}

test.each([
  { title: "no tasks", tasks: links(), expected: undefined },
  { title: "a chain", tasks: links("a", "b:a", "c:b"), expected: undefined },
  { title: "a diamond", tasks: links("d:b,c", "b:a", "c:a", "a"), expected: undefined },
  { title: "a task that needs itself", tasks: links("a:a"), expected: ["a", "a"] },
  { title: "two that need each other", tasks: links("a:b", "b:a"), expected: ["a", "b", "a"] },
  {
    title: "a cycle after a path that leads to it",
    tasks: links("x:a", "a:b", "b:c", "c:a"),
    expected: ["a", "b", "c", "a"],
  },
  {
    title: "a cycle after a finished branch",
    tasks: links("a:b,c", "b", "c:b,d", "d:a"),
    expected: ["a", "c", "d", "a"],
  },
  { title: "an unknown dependency", tasks: links("a:nowhere"), expected: undefined },
])("$title", ({ tasks, expected }) => {
  expect(findDependencyCycle(tasks)).toEqual(expected);
});

test("a chain of 50,000 tasks works, and so does a cycle at its end", () => {
  const chain = Array.from({ length: 50_000 }, (_, index) => ({ id: `${index}`, dependencies: [`${index + 1}`] }));
  expect(findDependencyCycle(chain)).toBeUndefined();
  expect(findDependencyCycle([...chain, { id: "50000", dependencies: ["49999"] }])).toEqual([
    "49999",
    "50000",
    "49999",
  ]);
});
