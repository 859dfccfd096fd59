import { type BlockClient, ChainUnavailable } from '../../chains/chain.js';
import type { ChainNodes, NodeSession } from '../../chains/nodes/chain-nodes.js';
import { type ChainStep, type Cursor, type ReaderContext, ReorgBeyondFinality, readStep } from './chain-reader.js';
import { type AgreedStep, FinalityCheck } from './finality-check.js';

/**
 * A step grows while steps succeed, so that catching up is fast, and shrinks when one fails, since the whole step is
 * read again.
 */
const STRIDE_MIN = 10;
const STRIDE_AT_FIRST = 50;
const STRIDE_MAX = 400;

/** Reads a listener's steps, each whole from one node. The next node takes over when one fails. */
export class StepSource {
  private readonly finality: FinalityCheck;
  private stride = STRIDE_AT_FIRST;
  private ahead: { readonly cursor: Cursor; readonly reading: Promise<AgreedStep> } | null = null;

  constructor(
    private readonly nodes: Pick<ChainNodes<BlockClient>, 'attempt'>,
    private readonly context: ReaderContext,
  ) {
    this.finality = new FinalityCheck(context.recordedHashAt);
  }

  /**
   * Returns the step after `cursor`, as far as the nodes agree on it.
   * @param doubt their earlier disagreement, or null
   * @throws ReorgBeyondFinality when every node that answers contradicts a final block, ChainUnavailable when none
   *   answers.
   */
  async next(cursor: Cursor, doubt: string | null): Promise<AgreedStep> {
    const { ahead } = this;
    this.ahead = null;
    const isThere = ahead !== null && doubt === null && isSame(ahead.cursor, cursor);
    const agreed = await (isThere ? ahead.reading : this.agreedStep(cursor, doubt));
    this.readAhead(agreed);
    return agreed;
  }

  /** Reads the next step while the caller records this one, when many blocks are left. */
  private readAhead({ step, doubt }: AgreedStep): void {
    const top = step.blocks.at(-1)?.header;
    // A step that reaches the head also reads balances, which must be current when the step is used.
    if (doubt !== null || top === undefined || step.headHeight - top.height <= this.stride) return;
    const cursor = { height: top.height, hash: top.hash, finalizedHeight: step.finalizedHeight };
    const reading = this.agreedStep(cursor, null);
    this.ahead = { cursor, reading };
    // The caller that uses it receives its failure.
    reading.catch(() => undefined);
  }

  private async agreedStep(cursor: Cursor, doubt: string | null): Promise<AgreedStep> {
    const contradictions: { readonly label: string; readonly error: ReorgBeyondFinality }[] = [];
    try {
      return await this.nodes.attempt(async (session) => {
        try {
          const step = await this.read(session, cursor);
          const [contradiction] = contradictions;
          if (contradiction === undefined) return await this.finality.check(session, cursor, step, doubt);
          const { label, error } = contradiction;
          const unadvanced = { ...step, finalizedHeight: cursor.finalizedHeight };
          return { step: unadvanced, doubt: doubt ?? `${label} disagrees with ${session.label}. ${error.message}` };
        } catch (error) {
          if (!(error instanceof ReorgBeyondFinality)) throw error;
          // A node that was pointed at another chain contradicts everything, which says nothing about ours.
          await session.verify();
          contradictions.push({ label: session.label, error });
          throw error;
        }
      });
    } catch (error) {
      throw error instanceof ChainUnavailable ? (contradictions[0]?.error ?? error) : error;
    }
  }

  private async read(session: NodeSession<BlockClient>, cursor: Cursor): Promise<ChainStep> {
    const step = await this.stepFrom(session, cursor);
    session.assertCaughtUp(step.headHeight);
    const isFruitless = !step.isCaughtUp && step.blocks.length === 0 && step.rollbackTo === null;
    if (isFruitless && !session.isAlone) {
      throw new ChainUnavailable(
        `${session.label} announces block ${step.headHeight} and returns none of those below.`,
      );
    }
    return step;
  }

  private async stepFrom({ client }: NodeSession<BlockClient>, cursor: Cursor): Promise<ChainStep> {
    try {
      const step = await readStep(client, cursor, { ...this.context, blocksMax: this.stride });
      if (step.blocks.length === this.stride) this.stride = Math.min(this.stride * 2, STRIDE_MAX);
      return step;
    } catch (error) {
      this.stride = Math.max(Math.floor(this.stride / 2), STRIDE_MIN);
      throw error;
    }
  }
}

function isSame(one: Cursor, other: Cursor): boolean {
  return one.height === other.height && one.hash === other.hash && one.finalizedHeight === other.finalizedHeight;
}
