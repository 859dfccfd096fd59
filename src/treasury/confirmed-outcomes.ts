import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockRef, ChainClient } from '../chains/chain.js';
import type { NodeSession } from '../chains/chain-nodes.js';
import type { SimulatedOutcome, SimulatedPayment } from '../chains/outgoing.js';
import type { SimulationResult } from './payment-simulation.entity.js';

const TRIES_MAX = 4;
const PAUSE_MS = 500;
const OPINION_WITHIN_MS = 4_000;

/** What is known of a payment that was tried out. */
export interface KnownOutcome {
  readonly result: SimulationResult;
  /** How many nodes say so. */
  readonly nodes: number;
}

/** A payment that one node says would fail. */
export interface RefusedPayment {
  readonly payment: SimulatedPayment;
  readonly outcome: Exclude<SimulatedOutcome, 'accepts'>;
}

/** The block on which a node refuses payments, and the final one: a node below it is not asked. */
export interface RefusingBlock {
  readonly block: BlockRef;
  readonly finalizedHeight: number;
}

/**
 * What becomes of payments that the session's node refuses, in their order. Where there are other nodes, one of them must
 * refuse it too; one that executes the payment outweighs all that do not, since the chain decides then.
 */
export async function confirmedOutcomes(
  session: NodeSession,
  refusing: RefusingBlock,
  refused: readonly RefusedPayment[],
): Promise<readonly KnownOutcome[]> {
  if (refused.length === 0 || session.isAlone) return refused.map(({ outcome }) => ({ result: outcome, nodes: 1 }));
  const payments = refused.map(({ payment }) => payment);
  const opinions = await session.askOthers((client) => opinionOf(client, refusing, payments), {
    withinMs: OPINION_WITHIN_MS,
  });
  return refused.map(({ outcome }, place) =>
    weigh(
      outcome,
      opinions.map(({ answer }) => answer[place] ?? null),
    ),
  );
}

function weigh(outcome: SimulatedOutcome, others: readonly (SimulatedOutcome | null)[]): KnownOutcome {
  const accepting = others.filter((other) => other === 'accepts').length;
  if (accepting > 0) return { result: 'accepts', nodes: accepting };
  const refusing = others.filter((other) => other !== null);
  if (refusing.length === 0) return { result: 'unconfirmed', nodes: 1 };
  // Nodes that differ about the gas agree that it fails.
  const result = refusing.every((other) => other === outcome) ? outcome : 'rejects';
  return { result, nodes: 1 + refusing.length };
}

/** What a node says of the same block or, when it keeps lagging behind that, of its own newest one. Null: nothing. */
async function opinionOf(
  client: ChainClient,
  { block, finalizedHeight }: RefusingBlock,
  payments: readonly SimulatedPayment[],
): Promise<readonly (SimulatedOutcome | null)[] | null> {
  const outcomes = await patiently(() => client.outgoing.simulate(block, payments));
  if (outcomes !== null) return outcomes;
  const head = await client.head();
  return head.height < finalizedHeight ? null : client.outgoing.simulate(head, payments);
}

/** A node may not have the block yet that another one has just told of. */
async function patiently<T>(ask: () => Promise<T | null>): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    const answers = await ask();
    if (tries === TRIES_MAX || answers !== null) return answers;
    await sleep(PAUSE_MS);
  }
}
