import type { NodeSession } from '../chains/chain-nodes.js';
import type { ChainStep, Cursor } from './chain-reader.js';

/** Finality moves in strides on fast chains: one question to the other nodes covers all blocks of a stride. */
const BETWEEN_QUESTIONS_MS = 2_000;
const OPINION_WITHIN_MS = 3_000;

/** A step as far as the nodes agree on it. */
export interface AgreedStep {
  readonly step: ChainStep;
  /** What the nodes disagree on about a final block, for staff; null = nothing. */
  readonly doubt: string | null;
}

/**
 * Lets finality advance only as far as no other node holds another block there. Two nodes that disagree on a final block
 * cannot both be right, and nobody here can tell which is: so nothing becomes final until they agree again. A node that
 * does not hold the block yet, or does not answer, has no opinion.
 */
export class FinalityCheck {
  private askedAtMs = -Infinity;

  constructor(
    /** Hash of a block that we recorded. */
    private readonly recordedHashAt: (height: number) => Promise<string | null>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @param doubt what the nodes disagreed on before: only their agreement ends it, silence does not */
  async check(session: NodeSession, cursor: Cursor, step: ChainStep, doubt: string | null): Promise<AgreedStep> {
    if (step.finalizedHeight <= cursor.finalizedHeight) return { step, doubt };
    // Nobody is left to disagree: staff took the other node away.
    if (session.isAlone) return { step, doubt: null };
    const held: ChainStep = { ...step, finalizedHeight: cursor.finalizedHeight };
    if (this.nowMs() - this.askedAtMs < BETWEEN_QUESTIONS_MS) return { step: held, doubt };
    this.askedAtMs = this.nowMs();
    const hash = await this.hashOf(step, step.finalizedHeight);
    if (hash === null) return { step: held, doubt };
    const { agree, dissent } = await this.opinions(session, step.finalizedHeight, hash);
    if (dissent !== null) return { step: held, doubt: doubt ?? dissent };
    return agree || doubt === null ? { step, doubt: null } : { step: held, doubt };
  }

  private async hashOf({ blocks }: ChainStep, height: number): Promise<string | null> {
    const read = blocks.find(({ header }) => header.height === height);
    return read?.header.hash ?? this.recordedHashAt(height);
  }

  private async opinions(
    session: NodeSession,
    height: number,
    hash: string,
  ): Promise<{ readonly agree: boolean; readonly dissent: string | null }> {
    const ask = (isFresh: boolean) =>
      session.askOthers(async (client) => (await client.headerAt(height))?.hash ?? null, {
        isFresh,
        withinMs: OPINION_WITHIN_MS,
      });
    let opinions = await ask(false);
    // Before an alarm, a second look: the other node may have been pointed at another chain a moment ago.
    if (opinions.some(({ answer }) => answer !== hash)) opinions = await ask(true);
    const other = opinions.find(({ answer }) => answer !== hash);
    if (other === undefined) return { agree: opinions.length > 0, dissent: null };
    return {
      agree: false,
      dissent: `Final block ${height} is ${hash} at ${session.label} and ${other.answer} at ${other.label}.`,
    };
  }
}
