import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type CommandResult, runCommand } from "../../graph/index.ts";
import { DemoCommandError } from "./demo-command-error.ts";

/** The command that tests the demo's project. */
export const DEMO_TEST_COMMAND = "node --test";

/** The prompt of the demo. */
export const DEMO_GOAL = "The tests of this project fail. Find out why and repair the code.";

/** A fault in a file, and its correction. */
export interface DemoFault {
  readonly file: string;
  readonly wrong: string;
  readonly right: string;
}

const CART = `/** The sum of a cart in cents: price times quantity of each item. */
export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0);
}
`;

const PRICE = `/** A price in cents as text, for example "12.05 EUR". */
export function formatPrice(cents) {
  return \`\${Math.floor(cents / 100)}.\${cents % 100} EUR\`;
}
`;

const SHOP_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/cart.js";
import { formatPrice } from "../src/price.js";

test("an empty cart costs nothing", () => {
  assert.equal(total([]), 0);
});

test("a cart multiplies prices by quantities", () => {
  assert.equal(total([{ price: 250, quantity: 2 }, { price: 99, quantity: 1 }]), 599);
});

test("a price has two decimals", () => {
  assert.equal(formatPrice(1205), "12.05 EUR");
});
`;

/** The files of the project, by path. */
const FILES: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "shop", private: true, type: "module", scripts: { test: "node --test" } }, undefined, 2)}\n`,
  "README.md": "# Shop\n\nTwo functions of a small shop. `node --test` runs the tests.\n",
  "src/cart.js": CART,
  "src/price.js": PRICE,
  "test/shop.test.js": SHOP_TEST,
};

/** The faults of the project, in the order of their repair. */
export const DEMO_FAULTS: readonly [DemoFault, DemoFault] = [
  { file: "src/cart.js", wrong: "sum + item.price,", right: "sum + item.price * item.quantity," },
  { file: "src/price.js", wrong: `\${cents % 100} EUR`, right: `\${String(cents % 100).padStart(2, "0")} EUR` },
];

/** Writes the project and commits it to its own git repository. */
export async function createDemoProject(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await mustRun("git init --quiet --initial-branch=main", folder);
  await mustRun(
    'git config user.name "Atomic demo" && git config user.email demo@localhost && git config commit.gpgsign false',
    folder,
  );
  await mustRun('git add --all && git commit --quiet --message "A small shop with failing tests"', folder);
}

/** Runs a command in the project and returns its result, whatever the exit code. */
export async function runInProject(command: string, folder: string): Promise<CommandResult> {
  return await runCommand(command, { workingDirectory: folder, signal: AbortSignal.timeout(60_000) });
}

async function mustRun(command: string, folder: string): Promise<void> {
  const result = await runInProject(command, folder);
  if (result.exitCode !== 0) throw new DemoCommandError(result);
}
