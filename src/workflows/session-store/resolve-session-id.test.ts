import { expect, test } from "bun:test";
import { resolveSessionId } from "./resolve-session-id.ts";

const IDS = ["0v3kq2mabcde", "0v3kq2mfghjk", "0v9zzzzaaaaa", "0v9z", "7d444840-9dc0-11d1-b245-5ffdce74fad2"];

test.each([
  { text: "0v3kq2mabcde", expected: "0v3kq2mabcde" },
  { text: " 0V3KQ2MABCDE ", expected: "0v3kq2mabcde" },
  { text: "0v3kq2ma", expected: "0v3kq2mabcde" },
  { text: "0v9z", expected: "0v9z" },
  { text: "0v9zz", expected: "0v9zzzzaaaaa" },
  { text: "7D444840", expected: "7d444840-9dc0-11d1-b245-5ffdce74fad2" },
])('"$text" means $expected', ({ text, expected }) => {
  expect(resolveSessionId(text, IDS)).toBe(expected);
});

test("last means the newest of those that tell their age", () => {
  const ids = ["3aaaa0000001", "7d444840-9dc0-11d1-b245-5ffdce74fad2", "0ffff0000006", "mine", "9eeee0000005"];
  expect(["last", "LAST"].map((text) => resolveSessionId(text, ids))).toEqual(["0ffff0000006", "0ffff0000006"]);
});

test.each([
  {
    title: "nearly last, too short for an identifier",
    text: "las",
    ids: IDS,
    code: "WORKFLOW_SESSION_ID_INVALID",
    message:
      '"las" cannot identify a session. Did you mean "last"? Otherwise use 4 to 64 lower-case letters, digits, "-" and "_".',
  },
  {
    title: "nearly last",
    text: "lats",
    ids: IDS,
    code: "WORKFLOW_SESSION_NOT_FOUND",
    message: 'No run is named "lats". Perhaps you mean: last.',
  },
  {
    title: "last where there is none",
    text: "last",
    ids: [],
    code: "WORKFLOW_SESSION_NOT_FOUND",
    message: 'No run is named "last". There are no runs yet.',
  },
  {
    title: "a text that several begin with",
    text: "0v3k",
    ids: IDS,
    code: "WORKFLOW_SESSION_AMBIGUOUS",
    message: '2 runs begin with "0v3k": 0v3kq2mabcde, 0v3kq2mfghjk. Type more of the identifier.',
  },
  {
    title: "a misspelt identifier",
    text: "0v3kq2mabcdf",
    ids: IDS,
    code: "WORKFLOW_SESSION_NOT_FOUND",
    message: 'No run is named "0v3kq2mabcdf". Perhaps you mean: 0v3kq2mabcde.',
  },
  {
    title: "a text that resembles none",
    text: "yyyy",
    ids: ["3aaaa0000001", "1cccc0000003", "9bbbb0000002", "0dddd0000004", "2ffff0000006", "7eeee0000005"],
    code: "WORKFLOW_SESSION_NOT_FOUND",
    message: 'No run is named "yyyy". None resembles it; list them with: atomic runs list',
  },
  {
    title: "a misspelt beginning",
    text: "0v3m",
    ids: [...IDS, "0x3m00000000"],
    code: "WORKFLOW_SESSION_NOT_FOUND",
    message: 'No run is named "0v3m". Perhaps you mean: 0v3kq2mfghjk, 0v3kq2mabcde, 0x3m00000000.',
  },
  {
    title: "anything while there is no session",
    text: "yyyy",
    ids: [],
    code: "WORKFLOW_SESSION_NOT_FOUND",
    message: 'No run is named "yyyy". There are no runs yet.',
  },
  {
    title: "a text that is too short",
    text: "0v3",
    ids: IDS,
    code: "WORKFLOW_SESSION_ID_INVALID",
    message: '"0v3" cannot identify a session. Use 4 to 64 lower-case letters, digits, "-" and "_".',
  },
  {
    title: "a path",
    text: "../../etc",
    ids: IDS,
    code: "WORKFLOW_SESSION_ID_INVALID",
    message: '"../../etc" cannot identify a session. Use 4 to 64 lower-case letters, digits, "-" and "_".',
  },
])("$title is an error", ({ text, ids, code, message }) => {
  expect(() => resolveSessionId(text, ids)).toThrow(expect.objectContaining({ code, message }));
});

test("of many sessions that begin the same ten are named", () => {
  const ids = Array.from({ length: 12 }, (_, index) => `same${String(index).padStart(2, "0")}`);
  expect(() => resolveSessionId("same", ids)).toThrow(
    '12 runs begin with "same": same00, same01, same02, same03, same04, same05, same06, same07, same08, same09 and 2 more.',
  );
});
