/** Goes under way at a time: one at the node, while the answer of another is read. */
const LANES = 2;

/**
 * Asks about `items` in goes of `size`, and gives the answers in the order of the items. Each lane takes the next go when
 * it is done with one, so that the node works while we read its last answer. The first go that fails fails the whole.
 */
export async function inLanes<Item, Answer>(
  items: readonly Item[],
  size: number,
  ask: (some: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  const goes = Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
  const answers = goes.map((): readonly Answer[] => []);
  const waiting = goes.entries();
  const lane = async (): Promise<void> => {
    for (const [index, go] of waiting) answers[index] = await ask(go);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return answers.flat();
}
