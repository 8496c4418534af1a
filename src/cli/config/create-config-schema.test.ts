import { expect, test } from "bun:test";
import Ajv from "ajv/dist/2020.js";
import type { Json } from "../../contracts/index.ts";
import { checkConfig } from "./config-schema.ts";
import { createConfigSchema } from "./create-config-schema.ts";
import { listSettings } from "./list-settings.ts";

const validate = new Ajv({ strict: false, formats: { uri: true } }).compile(createConfigSchema());

/** Settings with a value at a place; what has to be beside it is filled in. */
function settingsWith(key: string, value: Json): Json {
  const parts = key.replaceAll("NAME", "mine").replaceAll("[]", ".0").split(".");
  const filled = parts.reduceRight<Json>((inner, part) => (part === "0" ? [inner] : { [part]: inner }), value);
  return merge(requiredFor(key), filled);
}

function requiredFor(key: string): Json {
  if (key.startsWith("permissions.rules[].")) return { permissions: { rules: [{ effect: "deny" }] } };
  if (key.startsWith("agents.NAME.endpoint.")) {
    const endpoint = { protocol: "openai-chat", baseUrl: "http://127.0.0.1:1/v1", models: [{ id: "m" }] };
    return { agents: { mine: { endpoint } } };
  }
  if (!key.startsWith("notifications.webhooks[].")) return {};
  const secret = key.endsWith("secret") ? {} : { secretVariable: "HOOK_SECRET" };
  return { notifications: { webhooks: [{ url: "https://example.com/", ...secret }] } };
}

function merge(one: Json, other: Json): Json {
  if (Array.isArray(one) && Array.isArray(other)) return other.map((item, index) => merge(one[index] ?? {}, item));
  const isObject = (value: Json): value is { [key: string]: Json } =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(one) || !isObject(other)) return other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(one[key] ?? {}, other[key] ?? one[key] ?? {})]));
}

test.each(listSettings().map(({ key, example }) => ({ key, example })))(
  "the example of $key is accepted by the settings and by the JSON Schema",
  ({ key, example }) => {
    const settings = settingsWith(key, example);
    expect(checkConfig(settings)).toMatchObject({ type: "valid", ignored: [] });
    expect({ isValid: validate(settings), errors: validate.errors }).toEqual({ isValid: true, errors: null });
  },
);

test.each([
  { agnet: "claude" },
  { ui: { mode: "wide" } },
  { permissions: { rules: [{ effect: "maybe" }] } },
  { sandbox: { writeRoot: [] } },
  { agents: { claude: { command: "x" } } },
  { limits: { scripts: { maxConcurrency: 17 } } },
])("an editor marks %j", (settings) => {
  expect(validate(settings)).toBe(false);
});

test("every setting has a description that editors show", () => {
  const { properties } = createConfigSchema() as {
    readonly properties: Readonly<Record<string, { description: string }>>;
  };
  const without = Object.entries(properties).filter(([, { description = "" }]) => description === "");
  expect(without.map(([name]) => name)).toEqual([]);
  expect(listSettings().filter(({ description }) => !/^[A-Za-z].*\.$/.test(description))).toEqual([]);
  expect(properties.agent?.description).toBe(
    "The agent when a call names none. Variable: ATOMIC_AGENT. Option: --agent.",
  );
});
