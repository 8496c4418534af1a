import { expect, test } from "bun:test";
import { checkLicences, formatLicences, listLicences } from "./licences.ts";

const LOCK = {
  packages: {
    "": { version: "1.0.0" },
    "node_modules/two": { version: "2.0.0", license: "GPL-3.0" },
    "node_modules/two/node_modules/one": { version: "1.0.0", license: "MIT" },
    "node_modules/one": { version: "1.0.0", license: "MIT", optionalDependencies: { "one-linux": "1.0.0" } },
    "node_modules/one-linux": { version: "1.0.0" },
    "node_modules/tool": { version: "1.0.0", license: "UNLICENSED", dev: true },
    "node_modules/vendor": { version: "1.0.0", peer: true, dev: true },
    "node_modules/@a/nameless": { version: "3.0.0" },
  },
};

test("the licences are those of what npm installs, each package once", () => {
  expect(listLicences(LOCK)).toEqual([
    { name: "@a/nameless", version: "3.0.0", licence: "unknown" },
    { name: "one", version: "1.0.0", licence: "MIT" },
    { name: "one-linux", version: "1.0.0", licence: "MIT" },
    { name: "two", version: "2.0.0", licence: "GPL-3.0" },
  ]);
});

test("a licence that is not allowed is a problem, and so is a page of another lock file", () => {
  const allowed = "Allowed: 0BSD, Apache-2.0, BSD-2-Clause, BSD-3-Clause, BlueOak-1.0.0, ISC, MIT, Python-2.0.";
  expect(checkLicences(listLicences(LOCK), "")).toEqual([
    `package-lock.json licences: @a/nameless 3.0.0 has the licence "unknown". ${allowed}`,
    `package-lock.json licences: two 2.0.0 has the licence "GPL-3.0". ${allowed}`,
    "docs/licences.md licences: the page is not that of the lock file. Run npm run licences.",
  ]);
  const one = [{ name: "one", version: "1.0.0", licence: "MIT" }];
  expect(checkLicences(one, formatLicences(one))).toEqual([]);
});
