import type { AccountClient } from '../../../chains/accounts.js';
import type { BlockHeader } from '../../../chains/chain.js';
import type { NodeSession } from '../../../chains/nodes/chain-nodes.js';
import type { SeenDeposit } from './account-recorder.js';

const OPINION_WITHIN_MS = 3_000;

/** A deposit that is not final, with the block in which it was seen. */
export interface PlacedDeposit extends SeenDeposit {
  readonly txHash: string;
  readonly height: number;
  readonly blockHash: string;
}

/** What the final blocks say about deposits, as far as the nodes agree. */
export interface Finality {
  readonly final: readonly PlacedDeposit[];
  /** Deposits whose block was replaced. Their transaction may be in another one. */
  readonly replaced: readonly PlacedDeposit[];
  /** The disagreement of the nodes about a final block, for the operator; null = none. */
  readonly doubt: string | null;
}

/** A height without an entry is not known to be final. */
type FinalBlocks = ReadonlyMap<number, BlockHeader | null>;

/**
 * Compares the blocks of deposits with the final blocks at their heights, by hash: a block covers its transactions, so a
 * deposit is final when its block is. Nothing becomes final where another node reports another block. A node that does not
 * have the block as final has no opinion. Its silence is enough, unless the node that answers replaces one that lags.
 * @param former the earlier disagreement of the nodes: only their agreement ends it, silence does not
 */
export async function finalityOf(
  session: NodeSession<AccountClient>,
  deposits: readonly PlacedDeposit[],
  former: string | null,
): Promise<Finality> {
  const undecided = { final: [], replaced: [] };
  if (deposits.length === 0) return { ...undecided, doubt: former };
  const blocks = await session.client.finalBlocksAt([...new Set(deposits.map(({ height }) => height))]);
  const { agree, dissent } = await opinions(session, blocks);
  if (dissent !== null) return { ...undecided, doubt: former ?? dissent };
  const isAgreed = agree || session.isAlone || (former === null && !session.replacesLaggard);
  if (!isAgreed) return { ...undecided, doubt: former };
  const decided = deposits.filter(({ height }) => blocks.has(height));
  const isThere = ({ height, blockHash }: PlacedDeposit): boolean => blocks.get(height)?.hash === blockHash;
  return {
    final: decided.filter(isThere),
    replaced: decided.filter((deposit) => !isThere(deposit)),
    doubt: null,
  };
}

async function opinions(
  session: NodeSession<AccountClient>,
  blocks: FinalBlocks,
): Promise<{ readonly agree: boolean; readonly dissent: string | null }> {
  const heights = [...blocks.keys()];
  const ask = (isFresh: boolean) =>
    session.askOthers((client) => client.finalBlocksAt(heights), { isFresh, withinMs: OPINION_WITHIN_MS });
  const dissentIn = (answers: Awaited<ReturnType<typeof ask>>): string | null => {
    for (const { label, answer } of answers) {
      const height = heights.find((one) => answer.has(one) && hashAt(answer, one) !== hashAt(blocks, one));
      if (height === undefined) continue;
      const ours = `${hashAt(blocks, height)} at ${session.label}`;
      return `Final block ${height} is ${ours} and ${hashAt(answer, height)} at ${label}.`;
    }
    return null;
  };
  let answers = await ask(false);
  // Ask again before an alarm: the other node may have been pointed at another chain a moment ago.
  if (dissentIn(answers) !== null) answers = await ask(true);
  const agree = answers.some(({ answer }) => heights.every((height) => answer.has(height)));
  return { agree, dissent: dissentIn(answers) };
}

const hashAt = (blocks: FinalBlocks, height: number): string => blocks.get(height)?.hash ?? 'none';
