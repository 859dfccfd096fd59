import type { AccountClient } from '../../../chains/accounts.js';
import type { BlockHeader } from '../../../chains/chain.js';
import type { NodeSession } from '../../../chains/nodes/chain-nodes.js';
import type { SeenDeposit } from './account-recorder.js';

const OPINION_WITHIN_MS = 3_000;
/** Between two comparisons of the newest final block. */
const BETWEEN_NEWEST_MS = 2_000;

/** A deposit that is not final, with the block in which it was seen. */
export interface PlacedDeposit extends SeenDeposit {
  readonly txHash: string;
  readonly position: number;
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
 * deposit is final when its block is. Nothing becomes final while the nodes disagree on any final block. A node that does
 * not know a block has no opinion on it. Its silence is enough, unless the node that answers replaces one that lags.
 */
export class AccountFinality {
  /** The height on which the nodes disagreed last: only their agreement there ends a doubt. */
  private disputed: number | null = null;
  private newestDueAtMs = -Infinity;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * @param finalizedHeight the newest final height of the node, which is compared now and then when no deposit waits
   * @param former the earlier disagreement of the nodes: silence does not end it
   */
  async check(
    session: NodeSession<AccountClient>,
    deposits: readonly PlacedDeposit[],
    { finalizedHeight, former }: { readonly finalizedHeight: number; readonly former: string | null },
  ): Promise<Finality> {
    const undecided = { final: [], replaced: [] };
    const heights = new Set(deposits.map(({ height }) => height));
    if (this.disputed !== null) heights.add(this.disputed);
    if (!session.isAlone && this.isNewestDue()) heights.add(finalizedHeight);
    if (heights.size === 0) return { ...undecided, doubt: session.isAlone ? null : former };
    const blocks = await session.client.finalBlocksAt([...heights]);
    const others = session.isAlone ? [] : await this.ask(session, blocks);
    const dissent = dissentIn(session.label, blocks, others);
    if (dissent !== null) {
      this.disputed = dissent.height;
      return { ...undecided, doubt: former ?? dissent.text };
    }
    const isAgreed = (height: number): boolean => others.some(({ answer }) => answer.has(height) && blocks.has(height));
    const isOver = former === null || session.isAlone || isAgreed(this.disputed ?? finalizedHeight);
    if (!isOver) return { ...undecided, doubt: former };
    this.disputed = null;
    const isEnough = (height: number): boolean => session.isAlone || !session.replacesLaggard || isAgreed(height);
    const decided = deposits.filter(({ height }) => blocks.has(height) && isEnough(height));
    const isThere = ({ height, blockHash }: PlacedDeposit): boolean => blocks.get(height)?.hash === blockHash;
    return {
      final: decided.filter(isThere),
      replaced: decided.filter((deposit) => !isThere(deposit)),
      doubt: null,
    };
  }

  private isNewestDue(): boolean {
    const now = this.nowMs();
    if (now < this.newestDueAtMs) return false;
    this.newestDueAtMs = now + BETWEEN_NEWEST_MS;
    return true;
  }

  private async ask(session: NodeSession<AccountClient>, blocks: FinalBlocks): Promise<readonly OtherBlocks[]> {
    const heights = [...blocks.keys()];
    const ask = (isFresh: boolean) =>
      session.askOthers((client) => client.finalBlocksAt(heights), { isFresh, withinMs: OPINION_WITHIN_MS });
    const answers = await ask(false);
    // Ask again before an alarm: the other node may have been pointed at another chain a moment ago.
    return dissentIn(session.label, blocks, answers) === null ? answers : ask(true);
  }
}

interface OtherBlocks {
  readonly label: string;
  readonly answer: FinalBlocks;
}

function dissentIn(
  label: string,
  blocks: FinalBlocks,
  others: readonly OtherBlocks[],
): { readonly height: number; readonly text: string } | null {
  for (const other of others) {
    for (const [height, block] of blocks) {
      const theirs = other.answer.get(height);
      if (theirs === undefined || theirs?.hash === block?.hash) continue;
      const text = `Final block ${height} is ${block?.hash ?? 'none'} at ${label} and ${theirs?.hash ?? 'none'} at ${other.label}.`;
      return { height, text };
    }
  }
  return null;
}
