import { z } from "zod";
import { configSchema } from "./config-schema.ts";
import { sandboxSchema, sandboxShape } from "./sandbox-schema.ts";

/** Metadata that is no keyword of JSON Schema. */
const OWN_KEYWORDS = ["example", "defaultText", "userOnly", "isSecret", "variable", "flag"] as const;

/** The name of the file with the schema, in the package and beside a project's settings. */
export const CONFIG_SCHEMA_FILE = "config.schema.json";

/** The JSON Schema of a settings file, for editors: what {@link configSchema} accepts, as far as JSON Schema can say it. */
export function createConfigSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, {
    io: "input",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === sandboxSchema) Object.assign(jsonSchema, shapeOfSandbox());
      describeForEditors(jsonSchema);
    },
  });
  return { $schema, title: "Settings of Atomic", ...schema };
}

function shapeOfSandbox(): object {
  const { $schema: _, ...shape } = z.toJSONSchema(sandboxShape, {
    io: "input",
    override: (place) => describeForEditors(place.jsonSchema),
  });
  return shape;
}

/** Editors show the description and offer the example; the rest of the metadata becomes part of the description. */
function describeForEditors(schema: z.core.JSONSchema.BaseSchema): void {
  const { example, defaultText, userOnly, isSecret, variable, flag, description } = schema;
  if (example === undefined) return;
  const more = [
    ...(userOnly === true ? ["Only your own settings may set this."] : []),
    ...(isSecret === true ? ["Never printed."] : []),
    ...(defaultText === undefined ? [] : [`Default: ${String(defaultText)}.`]),
    ...(variable === undefined ? [] : [`Variable: ${String(variable)}.`]),
    ...(flag === undefined ? [] : [`Option: ${String(flag)}.`]),
  ];
  schema.description = [description, ...more].join(" ");
  schema.examples = [example];
  for (const name of OWN_KEYWORDS) delete schema[name];
}
