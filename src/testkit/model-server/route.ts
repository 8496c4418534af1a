import type { ModelProtocol } from "./model-request.ts";

/** The meaning of a path of the server. */
export type Route =
  | { readonly type: "model"; readonly protocol: ModelProtocol }
  | { readonly type: "models" }
  | { readonly type: "count-tokens" }
  | { readonly type: "health" }
  | { readonly type: "unknown"; readonly message: string };

const SCRIPTED_MODEL_ID = "scripted-model";

/** The answer to `GET /v1/models`, with the fields of both vendors. The server answers for any other name, too. */
export const SERVED_MODELS: readonly object[] = [
  {
    id: SCRIPTED_MODEL_ID,
    object: "model",
    type: "model",
    display_name: "Scripted model",
    owned_by: "atomic",
    created: 0,
    created_at: "1970-01-01T00:00:00Z",
  },
];

const ROUTES: Readonly<Record<string, Route>> = {
  "POST /chat/completions": { type: "model", protocol: "openai-chat" },
  "POST /responses": { type: "model", protocol: "openai-responses" },
  "POST /messages": { type: "model", protocol: "anthropic-messages" },
  "POST /messages/count_tokens": { type: "count-tokens" },
  "GET /models": { type: "models" },
  "GET /": { type: "health" },
  "HEAD /": { type: "health" },
};

/** Finds the route of a request. Ignores the query, and a missing or doubled `/v1`. */
export function findRoute(method: string, url: string): Route {
  const path = url.replace(/\?.*$/, "").replace(/^(\/v1)+(?=\/|$)/, "") || "/";
  const known = Object.keys(ROUTES).map((key) => key.replace(/ \/(?=.)/, " /v1/"));
  const message = `Nothing is served at ${method} ${url}. Served: ${known.join(", ")}.`;
  return ROUTES[`${method} ${path}`] ?? { type: "unknown", message };
}
