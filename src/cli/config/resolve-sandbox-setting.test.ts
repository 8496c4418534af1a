import { expect, test } from "bun:test";
import { resolveSandboxSetting, type SandboxSources } from "./resolve-sandbox-setting.ts";

const environment = { env: { HOME: "/home/ada" }, workingDirectory: "/work" };

test.each<Omit<SandboxSources, "environment"> & { readonly title: string; readonly expected: unknown }>([
  { title: "there is no sandbox by default", config: {}, flags: {}, expected: undefined },
  { title: "the flag enables it", config: {}, flags: { sandbox: true }, expected: {} },
  { title: "the settings enable it", config: { sandbox: true }, flags: {}, expected: {} },
  { title: "the flag overrides the settings", config: { sandbox: false }, flags: { sandbox: true }, expected: {} },
  {
    title: "the settings configure it",
    config: { sandbox: { network: ["a.test"] } },
    flags: { sandbox: true },
    expected: { network: ["a.test"] },
  },
  {
    title: "the project alone configures it, and can only hide more files than the default one",
    config: { sandbox: { writeRoots: ["/etc"], denyRead: ["/work/.env"] }, isSandboxOfProject: true },
    flags: { sandbox: true },
    expected: { denyRead: ["/work/.env"] },
  },
  {
    title: "a resumed run keeps its own",
    config: { sandbox: true },
    flags: {},
    earlier: { writeRoots: [] },
    expected: { writeRoots: [] },
  },
])("$title", ({ config, flags, earlier, expected }) => {
  expect<unknown>(resolveSandboxSetting({ config, flags, environment, earlier })).toEqual(expected);
});

test("an unusable sandbox is reported before the run starts", () => {
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
])("a missing folder is reported before the run starts: $field", ({ sandbox, field, what }) => {
  expect(() => resolveSandboxSetting({ config: { sandbox }, flags: {}, environment })).toThrow(
    `The setting ${field} cannot be used: ${what}`,
  );
});

test("a home folder is rejected as the folder in which agents work", () => {
  const config = { sandbox: true };
  const place = { config, flags: {}, environment };
  expect(resolveSandboxSetting(place)).toEqual({});
  expect(() => resolveSandboxSetting({ ...place, workingDirectory: "/home/ada" })).toThrow(
    'The setting workingDirectory cannot be used: "/home/ada" is the home folder, or holds it. Go to the folder of a project.',
  );
});
