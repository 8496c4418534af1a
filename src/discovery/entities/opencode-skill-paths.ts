import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { recordOf } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import { realPathOf } from "../real-path.ts";
import { reasonOf } from "../unreadable-file.ts";
import type { EntityPlace, EntityPlacesOptions } from "./entity-place.ts";
import { createConfigExpander } from "./expand-config-text.ts";
import type { OpenCodeConfig } from "./opencode-places.ts";
import { parseJsonObject } from "./parse-json-object.ts";

/** A folder of skills that `skills.paths` of a configuration of OpenCode names. */
export interface SkillPath {
  readonly path: string;
  /** The place of the configuration. */
  readonly config: EntityPlace;
  /** Why it is not read. */
  readonly fault?: { readonly message: string; readonly remedy: string };
}

/**
 * The folders of skills that configurations of OpenCode name. Relative paths start from the project. A project that nobody
 * trusts can name none outside of it. Must not throw: other problems of a configuration are those of its own place.
 */
export async function listSkillPaths(
  configs: readonly OpenCodeConfig[],
  options: EntityPlacesOptions,
): Promise<readonly SkillPath[]> {
  const found = await Promise.all(configs.map((config) => pathsIn(config, options)));
  return found.flat();
}

async function pathsIn(config: OpenCodeConfig, options: EntityPlacesOptions): Promise<readonly SkillPath[]> {
  const text = await config.loadText().then(
    (read) => read.text.replace(/^\ufeff/, ""),
    () => "",
  );
  const paths = recordOf(parseJsonObject(text).value?.skills).paths;
  const named = Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
  return await Promise.all(named.map((path) => readPath(path, { config, options })));
}

async function readPath(
  named: string,
  { config, options }: { readonly config: EntityPlace; readonly options: EntityPlacesOptions },
): Promise<SkillPath> {
  const { projectDirectory, homeDirectory, isTrusted = false, env = {} } = options;
  const bounds = config.location === "project" && !isTrusted ? { onlyWithin: projectDirectory } : {};
  const expand = createConfigExpander({ folder: dirname(config.path), homeDirectory, env, ...bounds });
  try {
    const path = resolve(projectDirectory, (await expand(named)).replace(/^~(?=\/)/, homeDirectory));
    if (bounds.onlyWithin !== undefined && !isWithin(realPathOf(path), realPathOf(bounds.onlyWithin))) {
      throw new Error("it leads out of a project that is not trusted: atomic trust add");
    }
    if (!(await stat(path)).isDirectory()) throw new Error("it is not a folder");
    return { path, config };
  } catch (thrown) {
    const message = `skills.paths names "${named}", which is not read: ${reasonOf(thrown)}`;
    return { path: config.path, config, fault: { message, remedy: "Correct the path, or remove it." } };
  }
}
