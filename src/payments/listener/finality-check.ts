import type { BlockClient } from '../../chains/chain.js';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import type { ChainStep, Cursor } from './chain-reader.js';

/** Finality moves in strides on fast chains: one question to the other nodes covers all blocks of a stride. */
const BETWEEN_QUESTIONS_MS = 2_000;
const OPINION_WITHIN_MS = 3_000;

/** A step, limited to what the nodes agree on. */
export interface AgreedStep {
  readonly step: ChainStep;
  /** The disagreement of the nodes about a final block, for the operator; null = none. */
  readonly doubt: string | null;
}

/**
 * Lets finality advance only as far as no other node reports a different block. When two nodes disagree on a final
 * block, one of them is wrong, and the service cannot know which: nothing becomes final until they agree again. A node
 * that does not have the block yet, or does not answer, has no opinion. Its silence is enough, unless the step was read
 * in place of a preferred node that lags: the node that is ahead may have invented its blocks.
 */
export class FinalityCheck {
  private askedAtMs = -Infinity;
  /**
   * A height at which agreement was needed and no other node had the block. It is asked about until one does, so that
   * finality follows a lagging node.
   */
  private awaitedHeight: number | null = null;

  constructor(
    /** Hash of a block that we recorded. */
    private readonly recordedHashAt: (height: number) => Promise<string | null>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @param doubt the earlier disagreement of the nodes: only their agreement ends it, silence does not */
  async check(
    session: NodeSession<BlockClient>,
    cursor: Cursor,
    step: ChainStep,
    doubt: string | null,
  ): Promise<AgreedStep> {
    if (step.finalizedHeight <= cursor.finalizedHeight) return { step, doubt };
    // No node is left to disagree: the operator removed the other one.
    if (session.isAlone) return { step, doubt: null };
    const unadvanced: ChainStep = { ...step, finalizedHeight: cursor.finalizedHeight };
    if (this.nowMs() - this.askedAtMs < BETWEEN_QUESTIONS_MS) return { step: unadvanced, doubt };
    this.askedAtMs = this.nowMs();
    const height = this.heightToAsk(cursor, step);
    const hash = await this.hashOf(step, height);
    if (hash === null) return { step: unadvanced, doubt };
    const { agree, dissent } = await this.opinions(session, height, hash);
    if (dissent !== null) return { step: unadvanced, doubt: doubt ?? dissent };
    const isAgreed = agree || (doubt === null && !session.replacesLaggard);
    this.awaitedHeight = isAgreed ? null : height;
    return isAgreed ? { step: { ...step, finalizedHeight: height }, doubt: null } : { step: unadvanced, doubt };
  }

  private heightToAsk(cursor: Cursor, { finalizedHeight }: ChainStep): number {
    const awaited = this.awaitedHeight;
    const isAhead = awaited !== null && awaited > cursor.finalizedHeight;
    return isAhead ? Math.min(awaited, finalizedHeight) : finalizedHeight;
  }

  private async hashOf({ blocks }: ChainStep, height: number): Promise<string | null> {
    const read = blocks.find(({ header }) => header.height === height);
    return read?.header.hash ?? this.recordedHashAt(height);
  }

  private async opinions(
    session: NodeSession<BlockClient>,
    height: number,
    hash: string,
  ): Promise<{ readonly agree: boolean; readonly dissent: string | null }> {
    const ask = (isFresh: boolean) =>
      session.askOthers(async (client) => (await client.headerAt(height))?.hash ?? null, {
        isFresh,
        withinMs: OPINION_WITHIN_MS,
      });
    let opinions = await ask(false);
    // Ask again before an alarm: the other node may have been pointed at another chain a moment ago.
    if (opinions.some(({ answer }) => answer !== hash)) opinions = await ask(true);
    const other = opinions.find(({ answer }) => answer !== hash);
    if (other === undefined) return { agree: opinions.length > 0, dissent: null };
    return {
      agree: false,
      dissent: `Final block ${height} is ${hash} at ${session.label} and ${other.answer} at ${other.label}.`,
    };
  }
}
