import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json";
import { nameRelease } from "./changelog.ts";

// Names the unreleased part of the changelog after the version in package.json.

const PATH = join(import.meta.dirname, "../CHANGELOG.md");

const today = new Date().toISOString().slice(0, 10);
await writeFile(PATH, nameRelease(await readFile(PATH, "utf8"), { version: manifest.version, date: today }));
