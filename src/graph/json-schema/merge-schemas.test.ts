import { describe, expect, test } from "bun:test";
import { mergeSchemas } from "./merge-schemas.ts";

describe("of two schemas that both hold", () => {
  test.each(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"])(
    "the greater %s wins",
    (keyword) => {
      expect(mergeSchemas({ [keyword]: 2 }, { [keyword]: 3 })).toEqual({ [keyword]: 3 });
      expect(mergeSchemas({ [keyword]: 3 }, { [keyword]: 2 })).toEqual({ [keyword]: 3 });
    },
  );

  test.each(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"])(
    "the smaller %s wins",
    (keyword) => {
      expect(mergeSchemas({ [keyword]: 2 }, { [keyword]: 3 })).toEqual({ [keyword]: 2 });
      expect(mergeSchemas({ [keyword]: 3 }, { [keyword]: 2 })).toEqual({ [keyword]: 2 });
    },
  );

  test.each(["minDate", "maxDate", "mindful"])("the right %s wins, which is no keyword of numbers", (keyword) => {
    expect(mergeSchemas({ [keyword]: "2026-01-01" }, { [keyword]: "2027-01-01" })).toEqual({ [keyword]: "2027-01-01" });
  });
});
