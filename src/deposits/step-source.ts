import { ChainUnavailable } from '../chains/chain.js';
import type { ChainNodes, NodeSession } from '../chains/chain-nodes.js';
import { type ChainStep, type Cursor, type ReaderContext, ReorgBeyondFinality, readStep } from './chain-reader.js';
import { type AgreedStep, FinalityCheck } from './finality-check.js';

/** Where a listener gets its steps: each read whole from one node, the next node taking over when one fails. */
export class StepSource {
  private readonly finality: FinalityCheck;

  constructor(
    private readonly nodes: ChainNodes,
    private readonly context: ReaderContext,
    /** Fiat minor units from which on a deposit needs two nodes; null = one is enough for all. */
    private readonly secondNodeAboveCents: number | null,
  ) {
    this.finality = new FinalityCheck(context.recordedHashAt);
  }

  /**
   * The step after `cursor`, as far as the nodes agree on it.
   * @param doubt what they disagreed on before, or null
   * @throws ReorgBeyondFinality when every node that answers contradicts a final block, ChainUnavailable when none does.
   */
  async next(cursor: Cursor, doubt: string | null): Promise<AgreedStep> {
    const contradictions: { readonly label: string; readonly error: ReorgBeyondFinality }[] = [];
    try {
      return await this.nodes.attempt(async (session) => {
        try {
          const step = await this.read(session, cursor);
          const [contradiction] = contradictions;
          if (contradiction === undefined) return await this.finality.check(session, cursor, step, doubt);
          const { label, error } = contradiction;
          const held = { ...step, finalizedHeight: cursor.finalizedHeight };
          return { step: held, doubt: doubt ?? `${label} disagrees with ${session.label}. ${error.message}` };
        } catch (error) {
          if (!(error instanceof ReorgBeyondFinality)) throw error;
          // A node that was pointed at another chain contradicts everything, and that is no news about ours.
          await session.verify();
          contradictions.push({ label: session.label, error });
          throw error;
        }
      });
    } catch (error) {
      throw error instanceof ChainUnavailable ? (contradictions[0]?.error ?? error) : error;
    }
  }

  private async read(session: NodeSession, cursor: Cursor): Promise<ChainStep> {
    const read = await readStep(session.client, cursor, this.context);
    const above = this.secondNodeAboveCents;
    const step: ChainStep = above === null ? read : { ...read, secondNodeAboveCents: above };
    session.expectLevel(step.headHeight);
    const isFruitless = !step.isLevel && step.blocks.length === 0 && step.rollbackTo === null;
    if (isFruitless && !session.isAlone) {
      throw new ChainUnavailable(`${session.label} announces block ${step.headHeight} and gives none of those below.`);
    }
    return step;
  }
}
