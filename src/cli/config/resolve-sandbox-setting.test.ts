import { expect, test } from "bun:test";
import { resolveSandboxSetting, type SandboxSources } from "./resolve-sandbox-setting.ts";

const environment = { env: { HOME: "/home/ada" }, workingDirectory: "/work" };

test.each<Omit<SandboxSources, "environment"> & { readonly title: string; readonly expected: unknown }>([
  { title: "nothing wants one", config: {}, flags: {}, expected: undefined },
  { title: "the flag wants one", config: {}, flags: { sandbox: true }, expected: {} },
  { title: "the settings want one", config: { sandbox: true }, flags: {}, expected: {} },
  { title: "the settings do not mind", config: { sandbox: false }, flags: { sandbox: true }, expected: {} },
  {
    title: "the settings say which one",
    config: { sandbox: { network: ["a.test"] } },
    flags: { sandbox: true },
    expected: { network: ["a.test"] },
  },
  {
    title: "only the project sets one, so that it can do no more than hide files from the usual one",
    config: { sandbox: { writeRoots: ["/etc"], denyRead: ["/work/.env"] }, isSandboxOfProject: true },
    flags: { sandbox: true },
    expected: { denyRead: ["/work/.env"] },
  },
  {
    title: "a run goes on that has one",
    config: { sandbox: true },
    flags: {},
    earlier: { writeRoots: [] },
    expected: { writeRoots: [] },
  },
])("$title", ({ config, flags, earlier, expected }) => {
  expect<unknown>(resolveSandboxSetting({ config, flags, environment, earlier })).toEqual(expected);
});

test("what cannot be used is told before anything begins", () => {
  const config = { sandbox: { readRoots: ["notes"] } };
  expect(() => resolveSandboxSetting({ config, flags: {}, environment })).toThrow(
    'The setting sandbox.readRoots[0] cannot be used: "notes" is not an absolute path. Write it in full, or with ~/ in front.',
  );
});

test.each([
  {
    sandbox: { readRoots: ["/usr", "/no/such/folder"] },
    field: "sandbox.readRoots[1]",
    what: '"/no/such/folder" does not exist.',
  },
  {
    sandbox: { writeRoots: ["~/nothing"] },
    field: "sandbox.writeRoots[0]",
    what: '"/home/ada/nothing" does not exist.',
  },
])("a folder that is not there is told before anything begins: $field", ({ sandbox, field, what }) => {
  expect(() => resolveSandboxSetting({ config: { sandbox }, flags: {}, environment })).toThrow(
    `The setting ${field} cannot be used: ${what}`,
  );
});

test("a home folder is told to be no project, where agents work", () => {
  const config = { sandbox: true };
  const place = { config, flags: {}, environment };
  expect(resolveSandboxSetting(place)).toEqual({});
  expect(() => resolveSandboxSetting({ ...place, workingDirectory: "/home/ada" })).toThrow(
    'The setting workingDirectory cannot be used: "/home/ada" is the home folder, or holds it. Go to the folder of a project.',
  );
});
