import { createHash, randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { BOOK } from './bare-withdrawal-statements.ts';
import { run } from './bare-reads.ts';

/** A transfer between two accounts, in smallest units. */
export interface Transfer {
  readonly reference: string;
  readonly kind: string;
  readonly asset: string;
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
}

/** Books a transfer with the content that the service hashes, because the service seals and audits these entries. */
export async function book(client: PoolClient, { reference, kind, asset, from, to, amount }: Transfer): Promise<void> {
  const [first, second] = [
    { account: from, amount: -amount },
    { account: to, amount },
  ].toSorted((a, b) => a.account - b.account);
  const legs = [first, second].map((leg) => [leg?.account, asset, String(leg?.amount)]);
  await run(client, BOOK, {
    entryId: `ent_${randomUUID()}`,
    entryReference: reference,
    kind,
    hash: createHash('sha256')
      .update(JSON.stringify([reference, kind, legs]))
      .digest('hex'),
    asset,
    firstAccount: first?.account,
    firstAmount: first?.amount,
    secondAccount: second?.account,
    secondAmount: second?.amount,
  });
}
