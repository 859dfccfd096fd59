import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockRef, ChainClient } from '../../chains/chain.js';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import type { SimulatedOutcome, SimulatedPayment } from '../../chains/outgoing.js';
import type { SimulationResult } from './payment-simulation.entity.js';

const TRIES_MAX = 4;
const PAUSE_MS = 500;
const OPINION_WITHIN_MS = 4_000;

/** The result of a simulated payment. */
export interface KnownOutcome {
  readonly result: SimulationResult;
  /** Number of nodes with this result. */
  readonly nodes: number;
  /** The block on which it was executed. */
  readonly block: BlockRef;
}

/** The result of another node for one payment. */
interface Opinion {
  readonly outcome: SimulatedOutcome;
  readonly block: BlockRef;
}

/** A payment that would fail according to one node. */
export interface RefusedPayment {
  readonly payment: SimulatedPayment;
  readonly outcome: Exclude<SimulatedOutcome, 'accepts'>;
}

/** The block on which a node refuses payments, and the final block: nodes below it are not asked. */
export interface RefusingBlock {
  readonly block: BlockRef;
  readonly finalizedHeight: number;
}

/**
 * Returns the results for payments that the session's node refuses, in their order. Where there are other nodes, one of
 * them must refuse a payment too. One node that executes it on the same or a higher block outweighs all others, since
 * then the chain decides.
 */
export async function confirmedOutcomes(
  session: NodeSession,
  refusing: RefusingBlock,
  refused: readonly RefusedPayment[],
): Promise<readonly KnownOutcome[]> {
  const { block } = refusing;
  if (refused.length === 0 || session.isAlone)
    return refused.map(({ outcome }) => ({ result: outcome, nodes: 1, block }));
  const payments = refused.map(({ payment }) => payment);
  const opinions = await session.askOthers((client) => opinionOf(client, refusing, payments), {
    withinMs: OPINION_WITHIN_MS,
  });
  return refused.map(({ outcome }, place) =>
    weigh(
      { outcome, block },
      opinions.flatMap(({ answer }) => answer[place] ?? []),
    ),
  );
}

function weigh({ outcome, block }: Opinion, others: readonly Opinion[]): KnownOutcome {
  const accepting = others.filter((other) => other.outcome === 'accepts');
  const [first] = accepting;
  if (first !== undefined) return { result: 'accepts', nodes: accepting.length, block: first.block };
  if (others.length === 0) return { result: 'unconfirmed', nodes: 1, block };
  // Nodes that differ about the gas agree that it fails.
  const result = others.every((other) => other.outcome === outcome) ? outcome : 'rejects';
  return { result, nodes: 1 + others.length, block };
}

/**
 * Returns the results of a node for the same block or, when it keeps lagging behind that, for its own newest one. An
 * item is null when the node has no result for that payment; the whole is null when it has none at all. A lower block
 * may miss the change that makes the payment fail, so acceptance there does not count.
 */
async function opinionOf(
  client: ChainClient,
  { block, finalizedHeight }: RefusingBlock,
  payments: readonly SimulatedPayment[],
): Promise<readonly (Opinion | null)[] | null> {
  const outcomes = await withRetries(() => client.outgoing.simulate(block, payments));
  if (outcomes !== null) return opinionsOn(block, outcomes);
  const head = await client.head();
  if (head.height < finalizedHeight) return null;
  const opinions = opinionsOn(head, (await client.outgoing.simulate(head, payments)) ?? []);
  return head.height >= block.height ? opinions : opinions.map((each) => (each?.outcome === 'accepts' ? null : each));
}

const opinionsOn = (block: BlockRef, outcomes: readonly (SimulatedOutcome | null)[]): (Opinion | null)[] =>
  outcomes.map((outcome) => (outcome === null ? null : { outcome, block }));

/** A node may not have the block yet that another one has just reported. */
async function withRetries<T>(ask: () => Promise<T | null>): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    const answers = await ask();
    if (tries === TRIES_MAX || answers !== null) return answers;
    await sleep(PAUSE_MS);
  }
}
