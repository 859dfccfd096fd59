import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockRef } from '../chains/chain.js';
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

/**
 * What becomes of payments that the session's node refuses, in their order. Where there are other nodes, one of them must
 * say the same of the same block; one that executes the payment outweighs all that do not, since the chain decides then.
 */
export async function confirmedOutcomes(
  session: NodeSession,
  block: BlockRef,
  refused: readonly RefusedPayment[],
): Promise<readonly KnownOutcome[]> {
  if (refused.length === 0 || session.isAlone) return refused.map(({ outcome }) => ({ result: outcome, nodes: 1 }));
  const payments = refused.map(({ payment }) => payment);
  const opinions = await session.askOthers((client) => patiently(() => client.outgoing.simulate(block, payments)), {
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
  const agreeing = others.filter((other) => other === outcome).length;
  return agreeing > 0 ? { result: outcome, nodes: 1 + agreeing } : { result: 'unconfirmed', nodes: 1 };
}

/** A node may not have the block yet that another one has just told of. */
async function patiently<T>(ask: () => Promise<T | null>): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    const answers = await ask();
    if (tries === TRIES_MAX || answers !== null) return answers;
    await sleep(PAUSE_MS);
  }
}
