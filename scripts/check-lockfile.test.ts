import { expect, test } from "bun:test";
import { checkLockfile } from "./check-lockfile.ts";
import { completeLockfile, type Lockfile } from "./lockfile.ts";

const INCOMPLETE: Lockfile = {
  packages: {
    "": { version: "1.0.0" },
    "node_modules/inner/node_modules/tool": { version: "3.0.0", optionalDependencies: { "tool-win32-x64": "3.0.0" } },
    "node_modules/tool": {
      version: "2.0.0",
      dev: true,
      optionalDependencies: { "@tool/linux-arm64-musl": "2.0.0", "tool-linux-x64": "2.0.0" },
    },
    "node_modules/tool-linux-x64": { version: "2.0.0" },
  },
};

test("a download address is an error, a link to a folder is not", () => {
  const lock = {
    packages: {
      "node_modules/a": { version: "1.0.0", resolved: "https://registry.example/a.tgz" },
      "node_modules/b": { resolved: "packages/b" },
    },
  };
  expect(checkLockfile(lock)).toEqual([
    'package-lock.json download-address: "node_modules/a" has a "resolved" address. Run npm install with omit-lockfile-registry-resolved=true, as .npmrc says.',
  ]);
});

test("an optional package without an entry is an error, because npm ci would reject the lock file", () => {
  expect(checkLockfile(INCOMPLETE)).toEqual([
    'package-lock.json missing-platform: "node_modules/inner/node_modules/tool" names "tool-win32-x64", which has no entry, so npm ci would fail. Run npm run lock.',
    'package-lock.json missing-platform: "node_modules/tool" names "@tool/linux-arm64-musl", which has no entry, so npm ci would fail. Run npm run lock.',
  ]);
});

test("completing adds the missing entries in npm's order, with the platform in their names", () => {
  const complete = completeLockfile(INCOMPLETE);
  expect(checkLockfile(complete)).toEqual([]);
  expect(Object.keys(complete.packages)).toEqual([
    "",
    "node_modules/@tool/linux-arm64-musl",
    "node_modules/inner/node_modules/tool",
    "node_modules/tool",
    "node_modules/tool-linux-x64",
    "node_modules/tool-win32-x64",
  ]);
  expect(complete.packages["node_modules/@tool/linux-arm64-musl"]).toEqual({
    version: "2.0.0",
    cpu: ["arm64"],
    dev: true,
    libc: ["musl"],
    optional: true,
    os: ["linux"],
  });
  expect(complete.packages["node_modules/tool-win32-x64"]).toEqual({
    version: "3.0.0",
    cpu: ["x64"],
    optional: true,
    os: ["win32"],
  });
});
