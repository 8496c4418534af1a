import { expect, test } from "bun:test";
import { buildSandboxSettings, SYSTEM_ROOTS } from "./sandbox-settings.ts";

test("the settings hide all but the roots, and let nothing be written but the writable ones", () => {
  const programs = {
    runtime: "/bin/bun",
    packageFolder: "/app/node_modules/runtime",
    bubblewrap: "/usr/bin/bwrap",
    socat: "/usr/bin/socat",
    ripgrep: "/usr/bin/rg",
    seccompHelper: "/app/node_modules/runtime/helper",
  };
  const plan = {
    readRoots: ["/work", "/work"],
    writeRoots: ["/work/a[1]"],
    denyRead: ["/work/.env"],
    denyWrite: ["/work/a[1]/.git/hooks", "/work/.git/hooks"],
    hosts: ["a.test", "a.test"],
  };
  const named = (path: string) => ({ path, literal: true });
  expect(buildSandboxSettings(plan, { programs, helper: "/tmp/x/helper" })).toEqual({
    network: { allowedDomains: ["a.test"], deniedDomains: [], strictAllowlist: true },
    filesystem: {
      denyRead: ["/", named("/work/.env")],
      allowRead: [...SYSTEM_ROOTS, "/work", "/work/a[1]", "/app/node_modules/runtime", "/tmp/x/helper"].map(named),
      allowWrite: [named("/work/a[1]")],
      // What cannot be written to needs no guard.
      denyWrite: [named("/work/a[1]/.git/hooks")],
    },
    seccomp: { applyPath: "/tmp/x/helper" },
    bwrapPath: "/usr/bin/bwrap",
    socatPath: "/usr/bin/socat",
    ripgrep: { command: "/usr/bin/rg" },
  });
});
