import { describe, expect, test } from "bun:test";
import type { SandboxConfig } from "../../contracts/index.ts";
import { isLoopback, narrowSandbox, resolveSandbox } from "./resolve-sandbox.ts";

const HOME = "/home/ada";

describe("a sandbox's settings", () => {
  test("get absolute paths, and the services of this machine apart from other hosts", () => {
    const config: SandboxConfig = {
      readRoots: ["~/notes/", "/srv/../data"],
      writeRoots: ["~/work"],
      denyRead: ["~/work/.env"],
      network: ["example.com", "*.Example.org:443", "10.1.2.3:80", "127.0.0.1:5432", "Localhost:3000"],
    };
    expect(resolveSandbox(config, { home: HOME })).toEqual({
      readRoots: ["/home/ada/notes", "/data"],
      writeRoots: ["/home/ada/work"],
      denyRead: ["/home/ada/work/.env"],
      hosts: ["example.com", "*.Example.org:443", "10.1.2.3:80"],
      ports: [5432, 3000],
    });
    expect(resolveSandbox({}, { home: undefined })).toEqual({ readRoots: [], denyRead: [], hosts: [], ports: [] });
  });

  test.each<{ readonly config: unknown; readonly message: string }>([
    {
      config: false,
      message:
        "sandbox cannot be used: it is false. Write {} for the usual limits, or an object with readRoots, writeRoots, denyRead, network.",
    },
    {
      config: { writeRoot: [] },
      message: 'sandbox.writeRoot cannot be used: there is none of this name. Did you mean "writeRoots"?',
    },
    {
      config: { x: 1 },
      message:
        "sandbox.x cannot be used: there is none of this name. Settings: readRoots, writeRoots, denyRead, network.",
    },
    {
      config: { readRoots: "/a" },
      message: 'sandbox.readRoots cannot be used: it is "/a". Write a list of texts, such as ["~/.cargo"].',
    },
    {
      config: { network: { host: "a".repeat(99) } },
      message: `sandbox.network cannot be used: it is {"host":"${"a".repeat(51)}…. Write a list of texts, such as ["example.com"].`,
    },
    { config: { denyRead: ["/a", 5] }, message: "sandbox.denyRead[1] cannot be used: it is 5. Write a text." },
    {
      config: { denyRead: ["/a", "b"] },
      message:
        'sandbox.denyRead[1] cannot be used: "b" is not an absolute path. Write it in full, or with ~/ in front.',
    },
    {
      config: { writeRoots: ["~"] },
      message: 'sandbox.writeRoots[0] cannot be used: "/home/ada" is too much. Name the folders in it.',
    },
    {
      config: { writeRoots: ["/"] },
      message: 'sandbox.writeRoots[0] cannot be used: "/" is too much. Name the folders in it.',
    },
    {
      config: { network: ["*"] },
      message:
        'sandbox.network[0] cannot be used: "*" is no host. Write it as example.com, *.example.com or example.com:443.',
    },
    ...["127.1", "2130706433", "0x7f.0.0.1", "10.1", "intranet", "256.1.1.1"].map((host) => ({
      config: { network: [`${host}:8080`] },
      message: `sandbox.network[0] cannot be used: "${host}:8080" is no host. Write it as example.com, *.example.com or example.com:443.`,
    })),
    ...["evil.localhost:8080", "*.localhost", "0.0.0.0:8080", "127.0.0.2:8080"].map((host) => ({
      config: { network: [host] },
      message: `sandbox.network[0] cannot be used: "${host}" cannot be reached from a sandbox. Write 127.0.0.1.`,
    })),
    {
      config: { network: ["https://example.com/"] },
      message:
        'sandbox.network[0] cannot be used: "https://example.com/" is no host. Write it as example.com, *.example.com or example.com:443.',
    },
    {
      config: { network: ["localhost"] },
      message:
        'sandbox.network[0] cannot be used: "localhost" needs a port: of this machine only single services can be reached.',
    },
    {
      config: { network: ["[::1]:8080"] },
      message: 'sandbox.network[0] cannot be used: "[::1]:8080" cannot be reached from a sandbox. Write 127.0.0.1.',
    },
    {
      config: { network: ["127.0.0.1:80"] },
      message:
        'sandbox.network[0] cannot be used: "127.0.0.1:80" cannot be reached from a sandbox. Have the service listen above 1023.',
    },
    {
      config: { network: ["example.com:70000"] },
      message: 'sandbox.network[0] cannot be used: "example.com:70000" has no port.',
    },
  ])("that are invalid are rejected: $message", ({ config, message }) => {
    // The cast is intended: values from programs and files are unchecked.
    expect(() => resolveSandbox(config as SandboxConfig, { home: HOME })).toThrow(`The setting ${message}`);
  });

  test.each(["127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "a.localhost", "0.0.0.0", "[::1]"])(
    "%s is this machine",
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );
});

describe("a sandbox within another one", () => {
  const place = { home: HOME, workingDirectory: "/work/app" };

  test("has its own lists where it has any, and all that is hidden by either", () => {
    const outer: SandboxConfig = { readRoots: ["/data"], network: ["a.test", "b.test"], denyRead: ["/work/app/.env"] };
    expect(narrowSandbox(outer, { writeRoots: [], network: ["a.test"], denyRead: ["/data/x"] }, place)).toEqual({
      readRoots: ["/data"],
      writeRoots: [],
      network: ["a.test"],
      denyRead: ["/work/app/.env", "/data/x"],
    });
    expect(narrowSandbox({}, { writeRoots: ["/work/app/src"] }, place)).toEqual({
      writeRoots: ["/work/app/src"],
      denyRead: [],
    });
  });

  test.each<{ readonly inner: SandboxConfig; readonly place: string }>([
    { inner: { readRoots: ["/data", "/other"] }, place: 'readRoots[1] cannot be used: "/other"' },
    { inner: { writeRoots: ["/work"] }, place: 'writeRoots[0] cannot be used: "/work"' },
    { inner: { network: ["b.test"] }, place: 'network[0] cannot be used: "b.test"' },
  ])("is not looser: $place", ({ inner, place: text }) => {
    const outer: SandboxConfig = { readRoots: ["/data"], network: ["a.test"] };
    expect(() => narrowSandbox(outer, inner, place)).toThrow(
      `The setting sandbox.${text} is not in the sandbox of the whole call. Allow it there, or leave it out.`,
    );
  });
});
