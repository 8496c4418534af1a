import { expect, test } from "bun:test";
import { EXAMPLE_REPORT } from "./fixtures/example-report.ts";
import { toSarif } from "./format-sarif.ts";

test("a report is a log of SARIF 2.1.0", () => {
  const security =
    "Find what an attacker could use: injection into commands, queries, paths or pages, missing checks of permissions, secrets in code or logs, unsafe parsing of untrusted input, weak cryptography, unsafe defaults.";
  expect(toSarif(EXAMPLE_REPORT)).toEqual({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "Atomic",
            rules: [
              {
                id: "atomic/security/high",
                name: "security-high",
                shortDescription: { text: "security, high" },
                fullDescription: { text: security },
                defaultConfiguration: { level: "error" },
                properties: { tags: ["security"], "security-severity": "8.0" },
              },
              {
                id: "atomic/speed/low",
                name: "speed-low",
                shortDescription: { text: "speed, low" },
                defaultConfiguration: { level: "note" },
                properties: { tags: ["speed"] },
              },
            ],
          },
        },
        automationDetails: { id: "atomic-review/" },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { "%SRCROOT%": { description: { text: "The folder that was reviewed" } } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: [
              { level: "warning", message: { text: "The reviewer tests (opencode) failed: not signed in" } },
              { level: "warning", message: { text: "Not reviewed: logo.png (binary file)" } },
            ],
          },
        ],
        results: [
          {
            ruleId: "atomic/security/high",
            ruleIndex: 0,
            level: "error",
            message: {
              text: [
                "`run()` passes input to a shell",
                "Anyone can run <b>commands</b>, see [here] (https://evil.example) or @you.",
                "Suggestion: Use execFile.",
                "Found by security (claude), bugs (opencode); confirmed by opencode: exec() gets the name.",
              ].join("\n"),
            },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: "src/a%20b.ts", uriBaseId: "%SRCROOT%" },
                  region: { startLine: 3, endLine: 5 },
                },
              },
            ],
            partialFingerprints: { "atomicReview/v1": "0123456789abcdef0123456789abcdef:1" },
            properties: {
              severity: "high",
              verification: { status: "confirmed", agent: "opencode", reason: "exec() gets the name." },
              reviewers: ["security@claude", "bugs@opencode"],
            },
          },
          {
            ruleId: "atomic/speed/low",
            ruleIndex: 1,
            level: "note",
            message: {
              text: [
                "Slow",
                "Reported for line 90, which is not in the diff.",
                "Found by speed (claude); not verified: The check failed: no answer",
              ].join("\n"),
            },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: "src/a%20b.ts", uriBaseId: "%SRCROOT%" },
                  region: { startLine: 1 },
                },
              },
            ],
            partialFingerprints: { "atomicReview/v1": "0123456789abcdef0123456789abcdef:2" },
            properties: {
              severity: "low",
              verification: { status: "unverified", reason: "The check failed: no answer" },
              reviewers: ["speed@claude"],
            },
          },
        ],
      },
    ],
  });
});

test("a report without findings has no rules and no results", () => {
  expect(toSarif({ ...EXAMPLE_REPORT, findings: [] })).toMatchObject({
    runs: [{ tool: { driver: { rules: [] } }, results: [] }],
  });
});
