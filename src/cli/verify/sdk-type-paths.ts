import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../../package.json" with { type: "json" };
import { isCompiled } from "../../system/index.ts";

/** Where TypeScript finds the types of modules that workflow files need not install: `paths` of a tsconfig. */
export type TypePaths = Readonly<Record<string, readonly string[]>>;

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The types of Atomic's own modules and of its `zod`. Modules whose types are not on the disk are left out. */
export function sdkTypePaths(): TypePaths {
  if (isCompiled()) return {};
  const own = Object.entries(packageJson.exports).flatMap(([name, files]): [string, readonly string[]][] => {
    if (typeof files === "string") return [];
    const file = [files.types, files.bun].map((path) => join(ROOT, path)).find((path) => existsSync(path));
    return file === undefined ? [] : [[`${packageJson.name}${name.slice(1)}`, [file]]];
  });
  const plugin = own
    .filter(([name]) => name.endsWith("/plugin"))
    .map(([, files]) => ["@atomic/plugin", files] as const);
  return Object.fromEntries([...own, ...plugin, ...zodPaths()]);
}

/** The folder with the types of Bun and Node that a checkout of Atomic has; undefined in an installed package. */
export function ownTypeRoot(): string | undefined {
  const folder = join(ROOT, "node_modules", "@types");
  return existsSync(join(folder, "bun")) ? folder : undefined;
}

function zodPaths(): readonly (readonly [string, readonly string[]])[] {
  const folder = dirname(fileURLToPath(import.meta.resolve("zod")));
  if (!existsSync(join(folder, "index.d.ts"))) return [];
  return [
    ["zod", [join(folder, "index.d.ts")]],
    ["zod/*", [join(folder, "*")]],
  ];
}
