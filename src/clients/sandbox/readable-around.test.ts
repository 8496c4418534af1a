import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readableAround } from "./readable-around.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "atomic-around-")));
  for (const name of ["home/work/app", "home/.ssh", "home/notes"])
    mkdirSync(path.join(root, name), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const at = (...names: readonly string[]): readonly string[] => names.map((name) => path.join(root, name));

test("a folder with nothing writable in it stays as it is, and so does the one that has all in it", () => {
  const roots = [...at("home", "home/.ssh"), "/"];
  expect(readableAround(roots, { writable: at("elsewhere"), hidden: at("home/.ssh") })).toEqual(roots);
});

test("what may be written to needs no leave to be read", () => {
  expect(readableAround(at("home/work", "home/work/app"), { writable: at("home/work"), hidden: [] })).toEqual([]);
});

test("around a writable folder stands what is beside it, without secrets and links that lead out", () => {
  writeFileSync(path.join(root, "home/work/file"), "");
  symlinkSync("notes", path.join(root, "home/inward"));
  symlinkSync("/etc", path.join(root, "home/outward"));
  symlinkSync("nothing", path.join(root, "home/nowhere"));
  const found = readableAround(at("home"), { writable: at("home/work/app"), hidden: at("home/.ssh") });
  expect(found.toSorted()).toEqual([...at("home/inward", "home/notes", "home/work/file")]);
});

test("a folder with too many entries is rejected", () => {
  for (let index = 0; index <= 2_000; index++) writeFileSync(path.join(root, "home", `${index}`), "");
  expect(() => readableAround(at("home"), { writable: at("home/work"), hidden: [] })).toThrow(
    `The setting sandbox.readRoots cannot be used: "${root}/home" holds more than 2000 files beside the folders in it that may be written to. Name those of its folders that are to be read.`,
  );
});
