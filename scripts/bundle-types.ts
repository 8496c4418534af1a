import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { listEntryPoints } from "./entry-points.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * Writes the type declarations of the package: a file for each entry point, and files for what several of them share. They
 * contain what can be reached from an exported name and nothing else, so those who install Atomic need no types of the
 * packages that only its insides use.
 * @param folder where the files go, in the layout of `src/`
 */
export async function bundleTypes(folder: string): Promise<void> {
  const declarations = await mkdtemp(join(tmpdir(), "atomic-types-"));
  try {
    await emitDeclarations(declarations);
    await bundle(declarations, folder);
  } finally {
    await rm(declarations, { recursive: true, force: true });
  }
}

/** Writes a declaration file for each file that an entry point imports. Types are not checked: `npm run check` does that. */
async function emitDeclarations(folder: string): Promise<void> {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const sources = listEntryPoints().map(({ path }) => join(ROOT, "src", `${path}.ts`));
  const config = join(folder, "tsconfig.json");
  const compilerOptions = { typeRoots: [join(ROOT, "node_modules/@types")] };
  const settings = { extends: join(ROOT, "tsconfig.build.json"), compilerOptions, files: sources };
  await Bun.write(config, JSON.stringify(settings));
  const command = ["node", compiler, "--project", config, "--outDir", folder];
  const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "inherit" });
  const [exitCode, said] = await Promise.all([child.exited, child.stdout.text()]);
  if (exitCode !== 0) throw new Error(`The declarations could not be made. ${command.join(" ")}:\n${said}`);
}

async function bundle(declarations: string, folder: string): Promise<void> {
  const build = await rolldown({
    cwd: declarations,
    input: Object.fromEntries(listEntryPoints().map(({ path }) => [path, join(declarations, `${path}.d.ts`)])),
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    // Without a compiler: the declarations exist.
    plugins: [dts({ dtsOnly: true, generator: "oxc", tsconfig: false })],
    checks: { bundlerTimings: false },
  });
  await build.write({ dir: folder, format: "es", minifyInternalExports: false, chunkFileNames: "types-[hash].js" });
  await build.close();
}
