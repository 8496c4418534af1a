/** What nodes say of themselves that go nowhere by themselves and act through `RunServices` only. */
export const THROUGH_SERVICES = { targets: [], actsThroughServices: true } as const;
