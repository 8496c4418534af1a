import type { DiscoveryProblem } from "../contracts/index.ts";
import type { TrustStore } from "../discovery/index.ts";

/**
 * The same store, which reports once that the list of trusted projects is broken. Otherwise a trusted project would be left
 * out silently.
 *
 * @param tell called with the problem, before the first answer that depends on it
 */
export function tellTrustProblems(store: TrustStore, tell: (problem: DiscoveryProblem) => void): TrustStore {
  let isReported = false;
  const look = async (): Promise<void> => {
    if (isReported) return;
    const { problems } = await store.load();
    isReported ||= problems.length > 0;
    for (const problem of problems) tell(problem);
  };
  return {
    ...store,
    async isTrusted(projectDirectory) {
      await look();
      return await store.isTrusted(projectDirectory);
    },
    async trust(projectDirectory) {
      const { problems } = await store.load();
      await store.trust(projectDirectory);
      isReported ||= problems.length > 0;
      for (const problem of problems) tell({ ...problem, remedy: `It is kept as ${problem.path}.broken.` });
    },
  };
}
