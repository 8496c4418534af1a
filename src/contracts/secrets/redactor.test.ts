import { expect, test } from "bun:test";
import fc from "fast-check";
import { createRedactor } from "./redactor.ts";
import { secretsOfEnvironment, secretsOfSettings } from "./secret-values.ts";

const ENV = {
  OPENAI_API_KEY: 'k9-Zq81+/plain"quote',
  DB_PASSWORD: "correct-horse-battery-staple",
  NOTES_TOKEN: "two words 4711",
  DATABASE_URL: "postgres://app:s3cr3t-pw@db/app",
};
const SECRETS = [...Object.values(ENV).slice(0, 3), "s3cr3t-pw"];
const redactor = createRedactor({ secrets: secretsOfEnvironment(ENV) });
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
const PEM =
  "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEpAIBAAKCAQEA1234567890abcdef\nabc=\n-----END RSA PRIVATE KEY-----";

test.each([
  ["a known value", 'key k9-Zq81+/plain"quote!', "key [redacted:OPENAI_API_KEY]!"],
  ["a known value in JSON", JSON.stringify({ a: ENV.OPENAI_API_KEY }), '{"a":"[redacted:OPENAI_API_KEY]"}'],
  ["a known value in a URL", `x=${encodeURIComponent(ENV.OPENAI_API_KEY)}&y`, "x=[redacted:OPENAI_API_KEY]&y"],
  ["the password of a known URL", "pw is s3cr3t-pw", "pw is [redacted:DATABASE_URL]"],
  ["an OpenAI key", "sk-proj-abcdEFGH12345678", "[redacted]"],
  ["an Anthropic key", "(sk-ant-api03-abcdEFGH1234-5678_x)", "([redacted])"],
  [
    "no key",
    "task-list-of-something-long, sk-learn-something-else",
    "task-list-of-something-long, sk-learn-something-else",
  ],
  ["GitHub tokens", `ghp_${"a1".repeat(18)} github_pat_${"a1".repeat(20)}`, "[redacted] [redacted]"],
  ["a Slack token", "xoxb-1234567890-abcdef", "[redacted]"],
  ["an AWS key", "id=AKIAIOSFODNN7EXAMPLE,", "id=[redacted],"],
  ["a Google key", `AIza${"Sy0".repeat(12)}`, "[redacted]"],
  ["npm and GitLab tokens", `npm_${"a1".repeat(18)} glpat-${"a1".repeat(10)}`, "[redacted] [redacted]"],
  ["a JSON Web Token", `jwt=${JWT};`, "jwt=[redacted];"],
  ["a secret of Atomic's own", `atomic-token-${"a1".repeat(16)}`, "[redacted]"],
  ["a private key", `a ${PEM} b`, "a [redacted] b"],
  ["a private key in JSON", JSON.stringify({ pem: PEM }), '{"pem":"[redacted]"}'],
  ["a private key in a diff", PEM.replaceAll("\n", "\n-"), "[redacted]"],
  ["half a private key", PEM.slice(0, 90), "[redacted]"],
  ["code about keys", 'if (text.includes("-----BEGIN PRIVATE KEY-----")) fail();', undefined],
  ["a bearer token", "Authorization: Bearer abcdefgh12", "Authorization: Bearer [redacted]"],
  ["basic credentials", "-H 'authorization: Basic dXNlcjpwYXNz'", "-H 'authorization: Basic [redacted]'"],
  ["a bearer token in JSON", '{"Authorization":"Bearer abc.def-123"}', '{"Authorization":"Bearer [redacted]"}'],
  ["a bearer token alone", "with Bearer a1b2c3d4e5", "with Bearer [redacted]"],
  ["a sentence about them", "Use Bearer authentication; Authorization: required", undefined],
  ["a header with a key", "x-api-key: abc12345678", "x-api-key: [redacted]"],
  ["code with a key", 'headers["x-api-key"] = apiKey; const accessToken = getToken();', undefined],
  ["a cookie", "Cookie: sid=abc123; theme=dark\nnext", "Cookie: [redacted]\nnext"],
  ["a cookie that is set", "set-cookie: sid=abc123; Path=/", "set-cookie: [redacted]"],
  ["a password in a URL", "https://me:p@ss@host/x", "https://me:[redacted]@host/x"],
  ["a token in a URL", "https://a1b2c3d4e5f6a1b2c3d4@host/x", "https://[redacted]@host/x"],
  ["no password in a URL", "http://localhost:3000/a@b https://me@host git@host:a/b", undefined],
  [
    "parameters",
    "http://h/?a=1&access_token=abcd&x=2 /?token=abcd1#f",
    "http://h/?a=1&access_token=[redacted]&x=2 /?token=[redacted]#f",
  ],
  ["an API key in a URL", "h?api_key=abcd&key=a1b2c3d4e5&key=name", "h?api_key=[redacted]&key=[redacted]&key=name"],
  ["placeholders", "http://u:$PASS@h/?token=$TOKEN Authorization: Bearer $TOKEN, Bearer YOUR_TOKEN", undefined],
  ["a parameter after a semicolon in code", "const{token}=this;token=this.token;return token", undefined],
  [
    "a field of an object in code",
    "{ apiKey: this.options.credentials.primary.apiKey, api_key: config2.apiKey }",
    undefined,
  ],
  [
    "variables in code",
    "{ 'x-api-key': process.env.X1_API_KEY, api_key = settings.API_KEY_2, auth_token: oauth2.token }",
    undefined,
  ],
  [
    "calls in code",
    'apiKey: await readKey2("api"), api_key: config.get2("x"), access_token = loadToken2();',
    undefined,
  ],
  ["a header in code", "authorization: this.auth.header2, Authorization: Bearer process.env.TOKEN_2", undefined],
  ["minified code", "a?token=this.token:b&&token=await f(),c?key=config.keys.key1:d&token=accessToken", undefined],
  ["names in code", "{ apiKey: defaultApiKeyOfTheWholeOrganisation }", undefined],
  [
    "a quoted key in code",
    "{ apiKey: 'a1b2c3d4e5f6', api_key: \"this.is.a.key4711\" }",
    "{ apiKey: '[redacted]', api_key: \"[redacted]\" }",
  ],
  ["a value that ends with a name", "&token=abcd1x-api-key : abc12345678", "&token=[redacted]x-api-key : [redacted]"],
  ["a line of an .env file", "OPENAI_API_KEY=q8Wm4Kt2Vx9LbNzR7", "OPENAI_API_KEY=[redacted]"],
  ["a token with dots", "x-auth-token: q8Wm4Kt2.Vx9LbNzR7.q8Wm4", "x-auth-token: [redacted]"],
])("%s", (_title, text, expected = text) => {
  expect(redactor.text(text)).toBe(expected);
});

test.each([
  [
    "paths, addresses, numbers, words and short values are none",
    {
      SSH_AUTH_SOCK: "/tmp/ssh-1234567/agent",
      TOKEN_LIMIT: "100000000",
      AUTH_URL: "https://auth.example.com",
      AUTH_METHOD: "client-credentials",
      DB_PASSWORD: "postgres",
      API_KEY: "abc1234",
      PASSWORD: "$OTHER_PASSWORD",
      KEYBOARD_LAYOUT: "a1b2c3d4e5",
      MONKEY: "a1b2c3d4e5",
      PWD: "a1b2c3d4e5",
      HOME: "/home/alice-4711",
      DB_PASSWORD_OLD: "alice-4711",
      ONE_TOKEN: "OTHER_TOKEN_2",
      OTHER_TOKEN_2: "",
    },
    [],
  ],
  [
    "the names of secrets are known",
    {
      githubToken: "a1b2c3d4",
      PGPASSWORD: "a1b2c3d5",
      AWS_SECRET_ACCESS_KEY: "/wJalrXUtnFEMI/K7MDENGbPxRfiCYEXAMPLEKEY",
      DB_PASS: "horse-battery-staple",
      MY_CREDENTIALS: "a1b2c3d6",
    },
    ["githubToken", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "DB_PASS", "MY_CREDENTIALS"],
  ],
] as const)("of an environment: %s", (_title, env, expected) => {
  expect(secretsOfEnvironment(env).map(({ name }) => name)).toEqual([...expected]);
});

test("secrets of settings have the path as their name", () => {
  const settings = { agents: { claude: { apiKey: "abcd12345", model: "abcd12346" }, list: [{ token: "abcd12347" }] } };
  expect(secretsOfSettings(settings)).toEqual([
    { name: "agents.claude.apiKey", value: "abcd12345" },
    { name: "agents.list.0.token", value: "abcd12347" },
  ]);
});

test("headers with credentials are secrets of settings, whatever the case of their names", () => {
  const headers = {
    Authorization: "Bearer abcd12345",
    "proxy-authorization": "Basic abcd12346",
    "X-API-Key": "abcd12347",
    COOKIE: "sid=abcd12348",
    "Content-Type": "text/x-abcd12349",
  };
  const settings = {
    server: { headers },
    authorization: "oauth2-client",
    more: { Headers: { authorization: "abcd12350" } },
  };
  expect(secretsOfSettings(settings).map(({ name, value }) => [name, value])).toEqual([
    ["server.headers.Authorization", "abcd12345"],
    ["server.headers.proxy-authorization", "abcd12346"],
    ["server.headers.X-API-Key", "abcd12347"],
    ["server.headers.COOKIE", "sid=abcd12348"],
    ["more.Headers.authorization", "abcd12350"],
  ]);
});

test("a value keeps its structure, shares what has no secret, and is not changed", () => {
  const shared = { a: [1, "text"] };
  const value = Object.freeze({
    shared,
    "key of two words 4711": 1,
    map: new Map([["k", "two words 4711"]]),
    set: new Set(["two words 4711"]),
    headers: { Cookie: "sid=abc123", authorization: ["Bearer abcdefgh"], "X-Api-Key": "abc12345678" },
    date: new Date(0),
    none: null,
  });
  const redacted = redactor.value(value);
  expect(redacted as unknown).toEqual({
    shared,
    "key of [redacted:NOTES_TOKEN]": 1,
    map: new Map([["k", "[redacted:NOTES_TOKEN]"]]),
    set: new Set(["[redacted:NOTES_TOKEN]"]),
    headers: { Cookie: "[redacted]", authorization: ["Bearer [redacted]"], "X-Api-Key": "[redacted]" },
    date: new Date(0),
    none: null,
  });
  expect(redacted.shared).toBe(shared);
  expect(redactor.value(shared)).toBe(shared);
  expect(redactor.value({ [`${JWT}`]: 1, [`${JWT}x`]: 2 }) as unknown).toEqual({
    "[redacted]": 1,
    "[redacted] (2)": 2,
  });
});

const piece = fc.oneof(
  fc.string(),
  fc.constantFrom(
    ...SECRETS,
    JWT,
    PEM,
    "[redacted]",
    "[redacted",
    "]",
    "sk-",
    "sk-abcd1234567890ab",
    "ghp_",
    "AKIAIOSFODNN7EXAMPLE",
  ),
  fc.constantFrom(
    "Authorization: ",
    "Bearer ",
    "Cookie: a=",
    "x-api-key: ",
    "://",
    "a:",
    "@",
    "?token=",
    "&",
    "\n",
    " ",
    '"',
    "\\",
    "-",
    "abcd1234",
  ),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

test("to redact twice is to redact once, and no known secret is left", () => {
  fc.assert(
    fc.property(text, (given) => {
      const once = redactor.text(given);
      expect(redactor.text(once)).toBe(once);
      for (const secret of SECRETS) expect(once).not.toContain(secret);
    }),
    { numRuns: 500 },
  );
});

test("nested values have no secret after it, the structure of before, and are the same after another time", () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((json) => JSON.parse(JSON.stringify(json)) as unknown);
  const placed = fc.tuple(value, fc.constantFrom(...SECRETS), fc.array(fc.constantFrom("list", "field", "key")), text);
  fc.assert(
    fc.property(placed, ([json, secret, path, more]) => {
      let nested: unknown = [json, `${more} ${secret}`];
      for (const step of path) {
        if (step === "list") nested = [1, nested];
        else nested = step === "field" ? { a: nested } : { [`a ${secret}`]: nested };
      }
      const redacted = redactor.value(nested);
      const written = JSON.stringify(redacted);
      for (const each of SECRETS) expect(written).not.toContain(JSON.stringify(each).slice(1, -1));
      expect(JSON.parse(written)).toEqual(redacted as never);
      expect(shapeOf(redacted)).toEqual(shapeOf(nested));
      expect(redactor.value(redacted)).toBe(redacted);
      // A line of JSON stays one when it is redacted as a text.
      expect(() => JSON.parse(redactor.text(JSON.stringify(nested)))).not.toThrow();
    }),
    { numRuns: 200 },
  );
});

/** The value without its texts and names. */
function shapeOf(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (Array.isArray(value)) return value.map(shapeOf);
  return typeof value === "object" && value !== null ? Object.values(value).map(shapeOf) : value;
}

test.each([
  ["words", "word and more "],
  ["beginnings of keys", "-----BEGIN PRIVATE KEY-----\n"],
  ["beginnings of tokens", "sk-"],
  ["tokens without an end", "eyJ"],
  ["headers", "authorization: "],
  ["white space after a header", "authorization:        "],
  ["users of URLs", "://a:b"],
  ["parameters", "&token"],
  ["a run", "a"],
  ["keys", "x-api-key="],
  ["cookies", "cookie: a="],
  ["labels", "[redacted"],
])("time is linear in the length of %s", (_title, unit) => {
  const timeOf = (length: number): number => {
    const hostile = unit.repeat(Math.ceil(length / unit.length));
    const times = [1, 2, 3, 4, 5].map(() => {
      // The process's own time: others may keep the processor.
      const before = process.cpuUsage();
      redactor.text(hostile);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
    return Math.min(...times);
  };
  timeOf(10_000);
  const [short, long] = [timeOf(20_000), timeOf(640_000)];
  // 32 times as long; quadratic would be 1,024 times. The floor hides the noise of short times.
  expect(long).toBeLessThan(200 * Math.max(short, 0.5));
});

test("a value that contains itself, or the same part very often, costs no more than its parts", () => {
  const { value } = createRedactor({ secrets: [{ name: "KEY", value: "zq8-Wm4Kt2Vx9LbN" }] });
  const cyclic: Record<string, unknown> = { text: "zq8-Wm4Kt2Vx9LbN" };
  cyclic.b = cyclic;
  cyclic.c = cyclic;
  expect(value(cyclic)).toMatchObject({ text: "[redacted:KEY]" });
  let shared: unknown = { text: "zq8-Wm4Kt2Vx9LbN" };
  for (let level = 0; level < 100; level++) shared = { left: shared, right: shared };
  let part: unknown = value(shared);
  for (let level = 0; level < 100; level++) part = (part as { right: unknown }).right;
  expect(part).toEqual({ text: "[redacted:KEY]" });
});

test.each([
  ["AUTH_REGION", "eu-central-1"],
  ["KEY_FILE", "id_ed25519"],
  ["TOKEN_NAME", "deploy-bot-1"],
  ["SECRET_PROVIDER", "vault-kv-v2"],
  ["AUTH_VERSION", "v2.1.3-rc"],
  ["PASS_BRANCH", "feature/login-2"],
])("%s is about a secret and has none: %s", (name, value) => {
  expect(secretsOfEnvironment({ [name]: value })).toEqual([]);
});

test("a secret whose variable ends in a number or another word is found", () => {
  const env = { API_KEY_2: "short-Ab1", GITHUB_TOKEN_WORK: "Wm4Kt2Vx9LbNq8" };
  expect(secretsOfEnvironment(env).map(({ name }) => name)).toEqual(["API_KEY_2", "GITHUB_TOKEN_WORK"]);
});
