/** A value that JSON represents without loss. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** A JSON Schema document (draft 2020-12), as vendors and `z.toJSONSchema()` exchange it. */
export type JsonSchema = { readonly [keyword: string]: unknown };
