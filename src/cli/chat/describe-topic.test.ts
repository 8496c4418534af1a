import { afterEach, beforeEach, expect, test } from "bun:test";
import { PROTECTED_FILES } from "../../clients/index.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { describeTopic, type Topic } from "./describe-topic.ts";

let place: TestEnvironment;

beforeEach(async () => {
  place = await TestEnvironment.create();
});
afterEach(() => place.remove());

test("the permissions name the options of this conversation, and the table fits the screen", async () => {
  await place.write({
    "home/.atomic/config.json": JSON.stringify({
      permissions: { rules: [{ effect: "deny", tools: ["shell"], commands: ["git push*"] }] },
    }),
  });
  const { environment, stdout, stderr } = place.describe([], { isTTY: true, isInteractive: true, columns: 80 });
  const flags = { allow: ["shell:npm test"], yolo: true };
  const text = await describeTopic(environment, "permissions", { flags });
  expect(text).toStartWith("This conversation also has: --allow 'shell:npm test' --yolo\n\nRULE  EFFECT  FROM");
  expect(text).toContain("1     deny    yours    shell: git push*");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  expect([stdout.text, stderr.text]).toEqual(["", ""]);
});

test("the options of this conversation are wrapped", async () => {
  const { environment } = place.describe([], { isTTY: true, columns: 46 });
  const flags = { allow: ["shell:npm run build", "edit:src/**"] };
  expect((await describeTopic(environment, "permissions", { flags })).split("\n").slice(0, 4)).toEqual([
    "This conversation also has: --allow",
    "'shell:npm run build' --allow",
    "'edit:src/**'",
    "",
  ]);
});

test("on the narrowest screens no line is wrapped again", async () => {
  const { environment } = place.describe([], { isTTY: true, columns: 40 });
  const text = await describeTopic(environment, "permissions");
  expect(text.split("\n").filter((line) => line.length > 34)).toEqual([]);
});

test("notes of a command that belong on standard error are part of the text", async () => {
  await place.writeProject({ ".atomic/tools/own.ts": "" });
  expect(await describeTopic(place.describe([]).environment, "tools")).toBe(
    "note: 1 tool file of this project was not loaded, because the project is not trusted. Look at it, then call again with --trust.",
  );
});

test.each<Topic>(["permissions", "tools"])("%s without options begin with their own text", async (topic) => {
  const text = await describeTopic(place.describe([]).environment, topic);
  expect(text).toMatch(/^(?:RULE|No tools were found here)/);
});

test("the permissions name the protected files of the settings, and only examples of the others", async () => {
  await place.write({ "home/.atomic/config.json": JSON.stringify({ permissions: { protectedPaths: ["deploy/**"] } }) });
  const { environment } = place.describe([], { isTTY: true, columns: 80 });
  const text = await describeTopic(environment, "permissions");
  expect(text.split("\n").slice(3)).toEqual([
    "Changes of protected files require approval, unless a rule names them:",
    "  deploy/**: your settings list it",
    "  .claude, .atomic, .git, .bash_aliases, package.json, .vscode,",
    `  .github/workflows, eslint.config.*, .env, .husky and ${PROTECTED_FILES.length - 10} more`,
    "  everything outside of the working directory",
    "All of them, and why: atomic permissions list",
  ]);
});
