import { replaceBlocks } from '../../src/devtools/devnet/replaced-blocks.js';
import type { Database } from '../../src/platform/database/database.js';
import { eventually } from '../support/eventually.js';
import { hexOf } from '../support/probe-contracts.js';
import { query } from '../support/sql.js';
import type { PayoutLab } from './payout-lab.js';
import type { Attempt } from './payouts.js';

// Events between the signature of a payment and its finality, on the chain of a `PayoutLab`.

/** A base fee in wei that every first attempt offers. */
export const CALM = 10n ** 8n;

/** Delays the service's sending, so that only the spec sends signed transactions. */
export async function holdBack(database: Database): Promise<void> {
  await query(database, `update chain_transaction set due_at = now() + interval '1 hour' where status = 'signed'`);
}

/** Mines a block with this base fee (wei), and makes the service check its transactions against it at once. */
export async function setBaseFee(lab: PayoutLab, wei: bigint): Promise<void> {
  const { database } = lab.world;
  await lab.testnet.node.send('anvil_setNextBlockBaseFeePerGas', hexOf(wei));
  await lab.testnet.controls.mine();
  const [last] = await query<{ id: string }>(database, `select max(id) as id from fee_round`);
  await query(lab.world.owner, `update fee_round set taken_at = taken_at - interval '20 seconds'`);
  await eventually(
    async () => {
      const rounds = await query(
        database,
        `select from fee_round join chain on chain.id = chain_ref where fee_round.id > $1 and network = 'bnb'`,
        [last?.id ?? 0],
      );
      return rounds.length;
    },
    (seen) => seen > 0,
    30_000,
  );
}

/** Mines one version of a payment in a block with a low fee, while the node does not have the others. */
export async function mineAlone(lab: PayoutLab, mined: Attempt, versions: readonly Attempt[]): Promise<void> {
  await holdBack(lab.world.database);
  const { node, controls } = lab.testnet;
  for (const { txHash } of versions) await node.send('anvil_dropTransaction', txHash);
  await node.send('anvil_setNextBlockBaseFeePerGas', hexOf(CALM));
  await controls.mine();
  await node.send('eth_sendRawTransaction', mined.raw);
  await controls.mine();
}

/** A reorg after which the first of the newest `depth` blocks has this version of a payment, and no block has another. */
export async function reorg(lab: PayoutLab, depth: number, { txHash, raw }: Attempt): Promise<void> {
  const sender = lab.hotWallet.toLowerCase();
  await replaceBlocks(lab.testnet.controls.chain, depth, [{ txHash, raw, sender, offset: 0 }]);
}

/** Uses the hot wallet's next nonce, like a thief of its key. */
export async function spendNonce(lab: PayoutLab): Promise<void> {
  const { node, controls } = lab.testnet;
  await node.send('eth_sendTransaction', { from: lab.hotWallet, to: lab.hotWallet, value: '0x1' });
  await controls.mine();
}

/** Returns why signing is frozen on this chain; null when it is not. */
export async function frozenReason(lab: PayoutLab): Promise<string | null> {
  const [row] = await query<{ frozen_reason: string | null }>(
    lab.world.database,
    `select frozen_reason from hot_wallet where address = $1`,
    [lab.hotWallet],
  );
  return row?.frozen_reason ?? null;
}
