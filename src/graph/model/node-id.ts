/** Identifies a node within its graph. */
export type NodeId = string;
