/** How long a question to all nodes of a chain waits for each of them: a slower one is left out. */
export const NODE_PATIENCE_MS = 10_000;
