/** Batches under way at a time: the node works on one while we read the answers of the other. */
const BATCHES_AT_ONCE = 2;

/**
 * Asks about `items` in batches of `size`, two at a time, and returns the answers in the order of the items. The first
 * batch that fails fails the whole.
 */
export async function inConcurrentBatches<Item, Answer>(
  items: readonly Item[],
  size: number,
  ask: (batch: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
  const answers = batches.map((): readonly Answer[] => []);
  const waiting = batches.entries();
  const askInTurn = async (): Promise<void> => {
    for (const [index, batch] of waiting) answers[index] = await ask(batch);
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, askInTurn));
  return answers.flat();
}
